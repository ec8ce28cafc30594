#!/usr/bin/env bash
# The manual page has every option of every subcommand, and completion offers what --help lists.
#   manual_test.bash SOURCE PROGRAM PAGE
set -euo pipefail
source=$1 program=$2 page=$3
failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

for subcommand in run validate generate devices solve study judge; do
  options=$("$program" $subcommand --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+')
  [ -n "$options" ] || complain "no options of $subcommand"
  for option in $options; do
    grep -q -e "^\.B.* *${option//-/\\\\-}" "$page" || complain "the manual page lacks $option of $subcommand"
  done
done
for heading in NAME SYNOPSIS DESCRIPTION 'BOMBARD RUN' 'BOMBARD JUDGE' 'EXIT STATUS' EXAMPLES; do
  grep -qx "\.SH $heading" "$page" || complain "the manual page lacks $heading"
done
if command -v groff >/dev/null; then
  warnings=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
  [ -z "$warnings" ] || complain "$warnings"
  wide=$(groff -man -Tascii -P-cbou "$page" | grep -E '.{81}') && complain "the manual page is wider than 80: $wide"
fi

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
