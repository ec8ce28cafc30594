#!/usr/bin/env bash
# Runs the commands of docs/library.md in an empty folder: they install this build and build the example against it. Then
# includes the source tree in a project.
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
