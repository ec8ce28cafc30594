#!/usr/bin/env bash
# A third kind of law, in a copy of the tree: the compiler names every file that distinguishes laws, and no file takes the
# new law for one of the others.
#   new_law_test.bash SOURCE COMPILER
set -euo pipefail
source=$1 compiler=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$source"
cp -r bombard inputs kernels sim "$tree"
cd "$tree"
sed -i 's/power, exponential }/power, exponential, third }/' bombard/rule.hpp
grep -q 'exponential, third }' bombard/rule.hpp
if grep -rnE '[=!]= *Attenuation::Kind::' bombard kernels sim; then
  echo 'A comparison takes a new law for one of the others: use a switch without a default.'
  exit 1
fi
mapfile -t laws < <(grep -rl 'case Attenuation::Kind::exponential:' bombard kernels sim)
[ ${#laws[@]} -ge 6 ] || { echo "Only ${laws[*]} distinguish laws."; exit 1; }
# shellcheck disable=SC2016  # a program of sh
printf '%s\n' "${laws[@]}" | xargs -P 2 -I FILE sh -c \
  '"$1" -std=c++20 -fsyntax-only -fopenmp -Wswitch -I. -x c++ FILE 2>&1 | grep -q "^FILE.*third" || echo FILE >>silent' - "$compiler"
if [ -e silent ]; then
  echo "The compiler does not miss the new law in: $(tr '\n' ' ' <silent)"
  exit 1
fi
