#!/usr/bin/env bash
# Files, options and calls as real users, shells and neighbouring tools make them, each once answered wrongly: the code with
# which the command must end, and a pattern of what it prints.
#   edges_test.bash PROGRAM [PYTHON]     PYTHON finds the module by PYTHONPATH
set -uo pipefail
bombard=$(realpath "$1")
python=${2:-}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit
failed=0
checked=0

# expect CODE PATTERN COMMAND...: PATTERN is one of the shell's, over all that the command prints.
expect() {
  local code=$1 pattern=$2 said
  shift 2
  said=$("$@" 2>&1 </dev/null)
  local ended=$?
  checked=$((checked + 1))
  # shellcheck disable=SC2053  # a pattern
  [ $ended = "$code" ] && [[ $said == $pattern ]] && return
  printf 'edges: %s\n  ended with %s, not %s, and said:\n%s\n' "$*" $ended "$code" "$said"
  failed=$((failed + 1))
}
# npy TYPE SHAPE: an array of the bytes that come in.
npy() {
  local descr=$1
  [[ $descr == \[* ]] || descr="'$descr'"
  perl -e 'binmode STDOUT; my $h = "{\x27descr\x27: $ARGV[0], \x27fortran_order\x27: False, \x27shape\x27: $ARGV[1], }"; $h .= " " x (-(length($h) + 11) % 64) . "\n";
    print "\x93NUMPY\x01\x00", pack("v", length $h), $h, <STDIN>' "$descr" "$2"
}
lost=9007199254740993 # 2^53 + 1, which no binary64 holds

# Integers that become floats.
printf '%%%%MatrixMarket matrix array integer general\n1 1\n%s\n' $lost >lost.mtx
perl -e "print pack('q', $lost)" | npy '<i8' '(1, 1)' >lost.npy
printf '%%%%MatrixMarket matrix array integer general\n1 1\n2\n' >two.mtx
echo 1 >one.txt
echo $lost >lost.txt
expect 2 "*lost.mtx:3: value \"$lost\" has more digits than a 64-bit float holds" "$bombard" solve sum lost.mtx
for precision in single double; do
  expect 2 "*lost.npy: element 1 is $lost, more digits*" "$bombard" solve jacobi lost.npy one.txt --precision $precision
  expect 2 "*lost.txt:1: value \"$lost\" has more digits*" "$bombard" solve jacobi two.mtx lost.txt --precision $precision
  expect 2 "*lost.npy: element 1 is $lost, more digits*" "$bombard" solve product lost.npy lost.npy --precision $precision
  expect 2 "*lost.mtx:3: value \"$lost\" has more*" "$bombard" solve dot lost.mtx lost.mtx --precision $precision
done

# Ends of lines, marks and blanks.
printf '1 # m\r2\r3\r' >returns.txt
printf '\xEF\xBB\xBF%%%%MatrixMarket matrix array integer general\n1 1\n7\n' >mark.mtx
printf '\n  %%%%MatrixMarket matrix array integer general\r1 1\r7\r' >blanks.mtx
expect 0 '*6*' "$bombard" solve sum returns.txt
expect 0 '*7*' "$bombard" solve sum mark.mtx
expect 0 '*7*' "$bombard" solve sum blanks.mtx

# Storms as neighbouring tools write them.
printf '"energy","position"\r\n500,5\r\n-7,30\r\n' >storm.csv
printf ',position,energy\n0,5,500\n' >index.csv
printf '2\n5 500\n30 -7\n' >storm.txt
expected=$("$bombard" run 60 storm.txt --format result | tail -n 1)
expect 0 "*$expected" "$bombard" run 60 storm.csv --format result
expect 0 "*$expected" sh -c "cat storm.csv | '$bombard' run 60 - --format result"
expect 2 '*index.csv:1: ",position,energy" is not the header of a storm*' "$bombard" run 60 index.csv
expect 0 '*.csv' "$bombard" generate --cells 60 --impacts 3 --format csv
expect 0 'position,energy*' cat layer_60_storm_1.csv

# Threads that no machine has.
expect 0 '*Result: *' env OMP_NUM_THREADS=99999999 "$bombard" run 10000000 storm.txt --engine cpu_fast --format result
expect 0 '*"threads": [1-9]?([0-9])?([0-9])?([0-9]),*' env OMP_NUM_THREADS=99999999 "$bombard" run 60 storm.txt --engine cpu_fast --format json

# Half a core's time for a control group, where one may be made, of version 2 or 1.
group=/sys/fs/cgroup/bombard_edges_$$
[ -e /sys/fs/cgroup/cpu ] && group=/sys/fs/cgroup/cpu/bombard_edges_$$
trap 'rmdir "$group" 2>/dev/null; rm -rf "$place"' EXIT
in_group() { bash -c 'echo $$ >"$1"/cgroup.procs && shift && exec "$@"' bash "$group" "$@"; }
if [ "$(nproc)" -gt 1 ] && mkdir "$group" 2>/dev/null &&
  { echo 50000 >"$group/cpu.cfs_quota_us" || echo 50000 100000 >"$group/cpu.max"; } 2>/dev/null && in_group true; then
  expect 0 "*: 1 core of $(nproc) (a control group allows the time of 0.5)*" in_group "$bombard" devices
  expect 0 '*"threads": 1,*' in_group "$bombard" run 60 storm.txt --engine cpu_fast --format json
fi

# A student's folder with a pipe, a command with a blank at its end, directories for temporary files, and an editor's mark.
mkdir -p student cases/small tmp
printf '#!/bin/sh\necho Result: 1 1\n' >student/prog.sh
chmod +x student/prog.sh
mkfifo student/pipe
printf '1\n2 100\n' >cases/small/storm.txt
echo '{"cells": 35, "storms": ["storm.txt"]}' >cases/small/case.json
judge=("$bombard" judge student --build 'cp prog.sh energy ' --cases cases)
expect 1 '*student/energy*WRONG in 1 of 1 case*' "${judge[@]}"
for directory in tmp ''; do
  expect 1 '*WRONG in 1 of 1 case*' env TMPDIR="$directory" "${judge[@]}"
done
mounted='mount -t tmpfs -o noexec none /mnt'
if unshare --mount --map-root-user sh -c "$mounted" 2>/dev/null; then
  expect 2 '*/mnt/*is mounted noexec; name another directory in TMPDIR*' \
    unshare --mount --map-root-user sh -c "$mounted"' && TMPDIR=/mnt exec "$@"' sh "${judge[@]}"
fi
printf '\xEF\xBB\xBFResult: 2 2299.250977\r\n' >cases/small/result.txt
expect 1 '*WRONG in 1 of 1 case*' "${judge[@]}"

# expect_python TEXT PROGRAM: it prints TEXT and nothing else.
expect_python() { expect 0 "$1" "$python" -c "import bombard, numpy as np; from bombard import solve"$'\n'"$2"; }
if [ -n "$python" ]; then
  expect_python '(2, 30.0)' 'r = bombard.run(60, [([1], [1])] * 3); print((len(r[0:2]), 30.0))'
  expect_python '[[]3, 1099511627776[]]' 'print(solve.sort(np.array([2**40, 3])).tolist())'
  expect_python '*9007199254740993 is not a number that float64 holds exactly*' "
for call in (solve.sum, lambda b: solve.jacobi([[1]], b), lambda b: solve.product([b], [b]), lambda b: solve.dot([b], [b])):
    try:
        call(np.array([$lost])), print('taken')
    except bombard.InputError as error:
        print(error)
  " 
  expect_python '*1e+400 is not a number that float64 holds exactly*' "
try:
    print(solve.jacobi([[1]], np.array([np.longdouble('1e400')])))
except bombard.InputError as error:
    print(error)"
  expect_python '1' "print(bombard.judge('/bin/true', cases='quick', threads=1)['programs'][0]['threads'])"
  expect_python '' "
import threading, time
many = np.arange(100_000)
threading.Thread(target=lambda: bombard.Simulation(2_000_000, engine='cpu_direct').apply(many, many), daemon=True).start()
time.sleep(0.1)"
fi

echo "edges: $((checked - failed)) of $checked situations are answered right"
[ $failed = 0 ]
