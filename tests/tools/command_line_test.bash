#!/usr/bin/env bash
# Situations that arise with shells and terminals: each is a command and its expected outcome.
#   command_line_test.bash SOURCE PROGRAM
set -uo pipefail
source=$1 samples=$1/inputs/samples program=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export CUDA_VISIBLE_DEVICES=-1 COLUMNS=80 TERM=xterm
unset NO_COLOR
bombard() { "$program" "$@"; }
# After `run COMMAND...`: its exit code, and what it printed.
run() {
  out=$("$@" 2>err) && code=0 || code=$?
  err=$(<err)
}
holds() { # SITUATION TEST...
  local situation=$1
  shift
  if "$@"; then return; fi
  echo "$situation: ends with $code, says: $err"
  failures=$((failures + 1))
}
refused() { # SITUATION PART-OF-THE-MESSAGE COMMAND...
  run "${@:3}"
  holds "$1" [ "$code-$out" = 2- ]
  holds "$1" grep -qF -e "$2" <<<"$err"
}
storm=$samples/layer_60_storm_1.txt
seq 3 >v.txt

# A value that was parsed and ignored.
for command in "solve sort v.txt --descending=false" "run 60 $storm --dry-run=false" "run 60 $storm --plot=false" \
  "run 60 $storm --quiet=false" "run 60 $storm --verbose=false" "solve sum v.txt --validate=false" \
  "solve jacobi v.txt v.txt --force=false" "generate system --rows 3 --help=false" "devices --verbose=0"; do
  # shellcheck disable=SC2086  # words
  refused "$command" "is a switch" bombard $command
done

# Signals.
bombard generate --cells 2000000 --impacts 300000 >/dev/null
for signal in INT TERM; do
  env --default-signal "$program" run 2000000 layer_2000000_storm_1.txt --engine reference \
    --output stopped.json --layer stopped.npy 2>err &
  sleep 0.8
  kill -$signal $!
  wait $!
  code=$? err=$(<err)
  holds "$signal in the first storm ends by the signal" [ $code = $((128 + $(kill -l $signal))) ]
  holds "$signal in the first storm says so" grep -q 'no storm is done, and nothing is written' <<<"$err"
  holds "$signal in the first storm writes nothing" [ -z "$(ls stopped.* 2>/dev/null)" ]
done

# What is missing.
run bombard run 60 "$storm" --peaks
holds "a value that is missing" [ "$code-$out" = 2- ]

# Files named "-".
for option in --layer --layers --report; do
  refused "$option -" "$option takes the name of a file" bombard run 60 "$storm" $option -
done
refused "--directory -" "--directory takes the name" bombard generate --cells 5 --impacts 5 --directory -
refused "--keep -" "--keep takes the name" bombard judge --keep -
holds "no file is named -" [ ! -e - ]

# The same letters everywhere.
for subcommand in run validate generate devices solve study judge; do
  run bombard $subcommand -V
  holds "$subcommand -V" grep -q '^commit' <<<"$out"
  run bombard $subcommand -h
  holds "$subcommand -h" [ "$code" = 0 ]
  holds "$subcommand -h in 80 columns" [ "$(wc -L <<<"$out")" -le 80 ]
  holds "$subcommand has -q" grep -q -e '-q, --quiet' <<<"$out"
done
run bombard devices -v
holds "devices -v" grep -q ^engines: <<<"$out"
run bombard devices -q
holds "devices -q" [ "$code" = 0 ]
run bombard run 60 "$storm" -qo short.csv
holds "-qo FILE" [ -s short.csv ]
run bombard
holds "bombard alone" [ "$code-$out" = 2- ]
holds "bombard alone shows its usage" grep -q '^Usage:' <<<"$err"
run bombard --help
holds "--help in 80 columns" [ "$(wc -L <<<"$out")" -le 80 ]
run bombard help solve jacobi
holds "help of a problem" [ "${out/--kernel/}" = "$out" ]

# Results storm by storm.
echo '1 1 x' >bad.txt
run bombard run 60 "$storm" "$storm" bad.txt --format ndjson
holds "good storms come before the error" [ "$code-$(wc -l <<<"$out")" = 2-2 ]
holds "ndjson" grep -q '^{"storm":2,.*"maximum":' <<<"$out"

# The terminal.
terminal() { script -qec "$1" /dev/null </dev/null; }
if command -v script >/dev/null; then
  out=$(terminal "$program run 0 x") code=0 err=$out
  holds "an error in colour" grep -q $'\x1b\[1;31mbombard:' <<<"$out"
  for without in TERM=dumb NO_COLOR=1; do
    out=$(terminal "$without $program run 0 x") err=$out
    holds "no colour with $without" grep -q '^bombard:' <<<"$out"
  done
  out=$(terminal "$program run 2000000 layer_2000000_storm_1.txt --engine reference >/dev/null & sleep 1; kill -TERM \$!; wait \$!")
  err=$out
  holds "a bar with percent and time left" grep -q '\] *[0-9]*% .* left' <<<"$out"
  holds "gone without a trace" grep -q $'\r\x1b\[Kbombard: ends' <<<"$out"
fi
# tools/profile ends as the run does. Programs stand in for NVIDIA's profilers: they run bombard, and no more.
for profiler in nsys ncu; do
  cat >$profiler <<'END'
#!/bin/sh
case $1 in stats | --import) echo counters && exit ;; esac
while [ $# != 0 ] && [ "$1" != "$BOMBARD" ]; do
  [ "$1" = --log-file ] && : >"$2"
  shift
done
"$@"
END
  chmod +x $profiler
done
profile() { PATH=.:$PATH BOMBARD=$program "$source/tools/profile" "$@"; }
for kind in timeline kernels; do
  run profile $kind run 60 "$storm"
  holds "a $kind" [ "$code-$(grep -c counters <<<"$out")" = 0-1 ]
  run profile $kind run 60 missing.txt
  holds "a $kind of a run that fails" [ "$code-$(grep -c counters <<<"$out")" = 2-0 ]
done
[ $failures -eq 0 ] && echo "all situations hold"
