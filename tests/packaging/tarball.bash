#!/usr/bin/env bash
# The tarball on an empty Debian, where nothing but the C library is: unpacked into /opt and used. For tools/bare.
#   tarball.bash FOLDER
set -euo pipefail
samples=/opt/bombard/share/bombard/samples

mkdir /opt/bombard
tar -C /opt/bombard --strip-components 1 -xzf "$1"/bombard-*-Linux.tar.gz
if ldd /opt/bombard/bin/bombard | grep -vE 'linux-vdso|ld-linux|/lib(c|m)\.so|/opt/bombard/'; then exit 1; fi
/opt/bombard/bin/bombard run 60 $samples/layer_60_storm_*.txt --format result | grep -Fx "$(cat $samples/layer_60_expected.txt)"
/opt/bombard/bin/bombard devices
