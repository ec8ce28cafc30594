#!/usr/bin/env bash
# The packages for this release of Debian, on an empty one: installed and removed without traces; then the program, its manual page, the
# library in a project of CMake, the judge, and two ranks of MPI. For tools/bare.
#   debian.bash FOLDER
set -euo pipefail
release=debian$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release)
samples=/usr/share/bombard/samples
install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
files() {
  find / -xdev -path /root -prune -o -path /tmp -prune -o -path /var/log -prune -o -path /var/cache -prune -o \
    -path /var/lib/dpkg -prune -o -path /var/lib/apt -prune -o -print | sort
}

apt-get update -qq
files >/tmp/before
install "$1"/bombard_*"-$release"_*.deb
bombard run 60 $samples/layer_60_storm_*.txt --format result | grep -Fx "$(cat $samples/layer_60_expected.txt)"
dpkg --verify bombard
apt-get purge -y -qq --auto-remove bombard >/dev/null
files | diff /tmp/before -

install "$1"/bombard{,-mpi}_*"-$release"_*.deb man-db g++ cmake ninja-build openmpi-bin
man bombard | grep -A 1 '^NAME' | tail -n 1
cmake -S docs/example -B /tmp/example -G Ninja >/dev/null
cmake --build /tmp/example >/dev/null
/tmp/example/damage $samples/layer_60_storm_*.txt
g++ -O2 tests/tools/judge/sequential_program.cpp -o /tmp/sequential_program
bombard judge /tmp/sequential_program | tail -n 3
mpirun --allow-run-as-root --map-by :oversubscribe -n 2 bombard-mpi run 60 $samples/layer_60_storm_*.txt --format result |
  grep -Fx "$(cat $samples/layer_60_expected.txt)"
