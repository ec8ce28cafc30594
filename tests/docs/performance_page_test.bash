#!/usr/bin/env bash
# Runs the commands of docs/performance.md on small workloads, and lists the rows of the benchmark that docs/tour.md selects.
#   performance_page_test.bash SOURCE BUILD PYTHON
set -euo pipefail
source=$1 build=$2 python=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CUDA_VISIBLE_DEVICES=-1
cd "$folder"
ln -s "$build" build
ln -s "$source/tools" tools

sed -n 's/^    \(build\/bombard-bench\|tools\/\)/\1/p' "$source/docs/performance.md" | sed "s#^tools#$python &#; s/0000/00/g" >commands
sed -n 's/^    \(build\/bombard-bench.*\)/\1 --benchmark_list_tests >rows/p' "$source/docs/tour.md" | grep -v cuda >>commands
[ "$(wc -l <commands)" = 3 ]
bash -euo pipefail -x commands >log 2>&1 || { cat log; exit 1; }
grep -q '</svg>' both.svg
grep -q cpu_direct rows
