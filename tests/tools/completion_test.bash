#!/usr/bin/env bash
# Completion offers what --help lists.
#   completion_test.bash SOURCE PROGRAM
set -euo pipefail
source=$1 program=$2
failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

# shellcheck source=tools/manual/completion.bash
. "$source/tools/manual/completion.bash"
# expect WORDS... -- ANSWER: completion of the last word.
expect() {
  local -a words=()
  while [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  COMP_WORDS=("$program" "${words[@]}")
  COMP_CWORD=${#words[@]}
  _bombard || true  # compgen finds nothing
  [ "${COMPREPLY[*]}" = "$2" ] || complain "bombard ${words[*]}: offers ${COMPREPLY[*]} instead of $2"
}
expect ju -- judge
expect run 35 --de -- --device
expect solve '' -- 'jacobi product dot sort minima sum max'
[ "$failures" -eq 0 ]
