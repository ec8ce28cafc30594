#!/usr/bin/env bash
# Does what docs/library.md says about using the library from another project: installs this build into an empty folder, builds
# the example against it and uninstalls; and includes the source tree in a project.
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

# The indented commands of a section of the page.
commands_below() {
  sed -n "/^## $1/,/^## /s/^    //p" "$source/docs/library.md" | sed -n 's/^\$ //p'
}
# The indented lines that are not commands: what the commands print.
output_below() {
  sed -n "/^## $1/,/^## /s/^    //p" "$source/docs/library.md" | grep -v '^\$ '
}

commands_below 'Install' >commands
[ "$(wc -l <commands)" -eq 4 ]
bash -euo pipefail -x commands >log 2>&1 || { cat log; exit 1; }
commands_below 'Install' | tail -n 1 | bash -euo pipefail >output
diff <(output_below 'Install') output
for file in bin/bombard share/man/man1/bombard.1 share/bash-completion/completions/bombard share/zsh/site-functions/_bombard; do
  [ -s "$HOME/bombard/$file" ]
done
# Nothing of the tree but the front door.
[ "$(ls "$HOME/bombard/include")" = bombard ]
symbols=$(nm -D --defined-only "$HOME/bombard/lib/libbombard.so" | c++filt)
if grep -v 'bombard::' <<<"$symbols"; then exit 1; fi
functions=$(grep ' T ' <<<"$symbols" | cut -d ' ' -f 3-)
grep -q '^bombard::ensemble(' <<<"$functions"
if grep -vE '^bombard::(Simulation::|((engine_names|name_of)(\[abi:cxx11\])?|parse_[a-z]+|ensemble|plan|read_storm|run|solve::(minima|sum|maximum)_of_file)\()' <<<"$functions"; then exit 1; fi

mkdir components
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(asking LANGUAGES CXX)' \
  'find_package(bombard REQUIRED COMPONENTS foo)' >components/CMakeLists.txt
if cmake -S components -B components/build -G Ninja -DCMAKE_PREFIX_PATH="$HOME/bombard" >log 2>&1; then exit 1; fi
grep -q 'bombard has no component "foo"' log

cmake --build build --target uninstall >log 2>&1 || { cat log; exit 1; }
[ -z "$(find "$HOME/bombard" -type f -o -type l)" ]

# From the source tree, in both ways: flags and targets of the including project stay as they are.
export add_subdirectory="add_subdirectory(\"$source\" bombard)"
export fetch_content="include(FetchContent)
FetchContent_Declare(bombard SOURCE_DIR \"$source\")
FetchContent_MakeAvailable(bombard)"
for way in add_subdirectory fetch_content; do
  mkdir $way
  cat >$way/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(including LANGUAGES CXX)
${!way}
add_executable(damage "$source/docs/example/damage.cpp")
target_link_libraries(damage bombard::bombard)
get_directory_property(options COMPILE_OPTIONS)
get_target_property(of_target damage COMPILE_OPTIONS)
if(options OR of_target OR CMAKE_BUILD_TYPE OR TARGET bombard OR DEFINED CMAKE_VISIBILITY_INLINES_HIDDEN)
  message(FATAL_ERROR "something of bombard's reaches the project that includes it")
endif()
EOF
  cmake -S $way -B $way/build -G Ninja -DBOMBARD_CUDA=OFF >log 2>&1 || { cat log; exit 1; }
  ninja -C $way/build -t commands damage >log
  grep -q libbombard.so log
  # Nothing of bombard is installed with the project.
  if grep -r --include=cmake_install.cmake 'libbombard\|bombard/solve.hpp' $way/build; then exit 1; fi
done
