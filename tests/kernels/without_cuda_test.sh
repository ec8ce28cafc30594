#!/usr/bin/env bash
# usage: without_cuda_test.sh NM STAND_IN OBJECT...
# A build without CUDA links every program: whatever these objects need of bombard::cuda, the object that
# stands in for it (kernels/without_cuda.cpp) must define. Prints what is missing.
set -euo pipefail
nm=$1 stand_in=$2
shift 2

of_cuda() { # --defined-only or --undefined-only, objects
  "$nm" --demangle "$@" | grep -o 'bombard::cuda::.*' | sort -u
}

needed=$(of_cuda --undefined-only "$@")
missing=$(comm -13 <(of_cuda --defined-only "$stand_in") <(echo "$needed"))
if [ -n "$missing" ]; then
  printf 'not in kernels/without_cuda.cpp:\n%s\n' "$missing"
  exit 1
fi
