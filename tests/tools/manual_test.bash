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
expect '' -- 'run validate generate devices solve study judge help --version'
expect ju -- judge
expect help va -- validate
expect run 35 --de -- --device
expect run 35 --device '' -- 'auto cpu cuda'
expect run 35 --device = cu -- cuda
expect run 35 --method = -- 'auto direct fast sparse'
expect run 35 --precision '' -- 'single double'
expect run 35 --engine cuda_d -- 'cuda_direct cuda_double'
expect run 35 --edition '' -- '1 2'
expect run 35 --format re -- result
expect run 35 --output LIC -- ''
expect run 35 inp -- ''
expect solve '' -- 'jacobi product dot sort minima sum max'
expect study s -- sort
expect generate '' -- 'storms vector matrix system set'
expect generate vector --el -- --elements
expect generate vector --ce -- ''
expect generate --format '' -- 'npy csv text'
expect generate system --format '' -- 'npy mtx text'
expect generate --seed '' -- ''
expect run 35 --output '' -- ''
expect run 35 -o '' -- ''
expect run 35 --initial '' -- ''
expect solve sort --kernel '' -- 'bitonic radix'
expect solve sort --tol -- ''
expect judge --format j -- 'json junit'
expect generate --se -- --seed
expect nonsense --x -- ''
# zsh passes an option and its value as one word; each answer is followed by a tab and its meaning.
[ "$("$program" --complete run 35 --precision=d)" = $'--precision=double\tprecision' ] ||
  complain 'no completion for zsh'
[ "$failures" -eq 0 ]
