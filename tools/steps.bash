# Steps of a check, for tools/check and tools/gpu-check to source: each step prints its name and command, its output goes to a
# log, and finally there is a table. The caller sets $log, the folder of the logs, and makes it.
# shellcheck shell=bash disable=SC2154
names=() results=() seconds=()

# step NAME COMMAND...: runs it, records how it ended and how long it took, and shows the complaints of one that failed.
step() {
  local name=$1 start=$SECONDS output=$log/${1// /-}.log
  shift
  echo "$(basename "$0"): $name: $*"
  if "$@" </dev/null >"$output" 2>&1; then
    results+=(passed)
  else
    results+=(FAILED)
    grep -E -A3 'error|warning|FAILED|Failure|^In ' "$output" | head -n 60 || tail -n 20 "$output"
    echo "$(basename "$0"): all of it: $output"
  fi
  names+=("$name") seconds+=($((SECONDS - start)))
  echo "$(basename "$0"): $name: ${results[-1]}, ${seconds[-1]} s"
  [ "${results[-1]}" = passed ]
}

# Prints the table; the exit code says whether all passed.
finish() {
  local status=0 i
  echo
  echo "commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
  for i in "${!names[@]}"; do
    printf '%-18s %-14s %4d s\n' "${names[i]}" "${results[i]}" "${seconds[i]}"
    [ "${results[i]}" = passed ] || status=1
  done
  exit $status
}
