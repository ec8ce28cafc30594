#!/usr/bin/env bash
# Runs the commands of docs/library.md in an empty folder: they install this build and build the example against it. Compiles
# and runs the page's code in the same way. Then includes the source tree in a project.
#   library_page_test.bash SOURCE BUILD
set -euo pipefail
source=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder CUDA_VISIBLE_DEVICES=-1
cd "$folder"
ln -s "$build" build
ln -s "$source/docs" docs
ln -s "$source/inputs" inputs

sed -n 's/^    \$ //p' "$source/docs/library.md" >commands
[ -s commands ]
bash -euo pipefail -x commands >log 2>&1 || { cat log; exit 1; }
[ "$(ls "$HOME/bombard/include")" = bombard ]  # nothing of the tree but the front door

# The code of the page, each piece in a scope of its own.
mkdir page
sed 's/damage/page/g' docs/example/CMakeLists.txt >page/CMakeLists.txt
{
  grep -h '^#include' docs/example/damage.cpp
  cat <<END
#include <string>
#include <vector>
#include "bombard/ensemble.hpp"
#include "bombard/run.hpp"
#include "bombard/words.hpp"
int main(int argc, char** argv) {
  const std::vector<std::string> files(argv + 1, argv + argc);
  bool enough = false;
END
  # shellcheck disable=SC2016  # marks, not commands
  sed -n '/^```cpp/,/^```/{s/^```cpp/{/;s/^```/}/;p}' docs/library.md
  echo '}'
} >page/page.cpp
{ cmake -S page -B page/build -G Ninja -DCMAKE_PREFIX_PATH="$HOME/bombard" && cmake --build page/build; } >log 2>&1 || { cat log; exit 1; }
page/build/page inputs/samples/layer_60_storm_*.txt 2>/dev/null >out
grep -qx 'cell 48' out

# From the source tree: flags and targets of the including project stay as they are.
mkdir project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(including LANGUAGES CXX)
add_subdirectory("$source" bombard)
add_executable(damage "$source/docs/example/damage.cpp")
target_link_libraries(damage bombard::bombard)
get_directory_property(options COMPILE_OPTIONS)
get_target_property(of_target damage COMPILE_OPTIONS)
if(options OR of_target OR CMAKE_BUILD_TYPE OR TARGET bombard OR DEFINED CMAKE_VISIBILITY_INLINES_HIDDEN)
  message(FATAL_ERROR "something of bombard's reaches the project that includes it")
endif()
END
cmake -S project -B project/build -G Ninja -DBOMBARD_CUDA=OFF >log 2>&1 || { cat log; exit 1; }
ninja -C project/build -t commands damage >log
grep -q libbombard.so log
