#!/usr/bin/env bash
# Follows recipes of docs/design.md in a copy of the tree: a new law, engine, format of storms, study and subcommand, each
# called "followed" and copied from an existing one. The compiler must accept the files that the recipe names.
#   recipes_test.bash SOURCE BUILD COMPILER EIGEN
# shellcheck disable=SC2016  # programs of perl
set -euo pipefail
source=$1 build=$2 compiler=$3 eigen=$4
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$source"
cp -r bombard inputs kernels sim solvers tools "$tree"
cd "$tree"
changed() {  # changed FILE PERL: the file, changed by the program
  cp "$1" before
  perl -0 -pi -e "$2" "$1"
  ! cmp -s before "$1" || { echo "recipes: $1 has nothing to change" >&2; exit 1; }
}
compiled=()
syntax=("$compiler" -std=c++20 -fsyntax-only -fopenmp -I. -I"$build" -isystem "$eigen")

# A law: one more row after the last one of the table.
changed kernels/share/attenuation.hpp 's/(named_laws\[\] = \{.*?)\{"(\w+)"([^{}]*)\}\}/$1\{"$2"$3\}, \{"followed"$3\}\}/s'
compiled+=(kernels/share/attenuation.cpp bombard/words.cpp)

# An engine.
sed 's/make_stored_layer/make_followed_layer/g; s/StoredLayer/FollowedLayer/g' sim/engines/screened/stored_layer.cpp >sim/engines/screened/followed_layer.cpp
changed sim/engines/screened/screened_layer.hpp 's/[^\n]*make_stored_layer[^;]*;\n/my $line = $&; $line . $line =~ s,stored,followed,r/e'
changed sim/engines/engines.cpp 's/ *\{"cpu_double".*?\},\n/my $line = $&; $line . $line =~ s,cpu_double|stored,followed,gr/se'
changed sim/engines/costs.hpp 's/inline constexpr Costs cpu_double.*?\};\n/my $line = $&; $line . $line =~ s,cpu_double,followed,r/se'
compiled+=(sim/engines/screened/followed_layer.cpp sim/engines/engines.cpp)

# A format of storms.
sed 's/storm_npy/storm_followed/g' inputs/storms/storm_npy.cpp >inputs/storms/storm_followed.cpp
changed inputs/storms/storm_file.cpp 's/namespace bombard \{\n/$&extern const StormFormat storm_followed;\n/'
changed inputs/storms/storm_file.cpp 's/&storm_npy, /$&&storm_followed, /'
compiled+=(inputs/storms/storm_followed.cpp inputs/storms/storm_file.cpp)

# A study.
mkdir solvers/followed
sed 's/measure_sorts/measure_followed/' solvers/sort/study.cpp >solvers/followed/study.cpp
changed solvers/study.hpp 's/Measure measure_sorts[^\n]*\n/my $line = $&; $line . $line =~ s,sorts,followed,r/e'
changed solvers/study.cpp 's/measure_sorts\}/$&,\n{"followed", most_rows, {10}, measure_followed}/'
compiled+=(solvers/followed/study.cpp solvers/study.cpp)

# A subcommand.
sed 's/devices_subcommand/followed_subcommand/' tools/cli/devices.cpp >tools/cli/followed.cpp
changed tools/cli/subcommands.hpp 's/Subcommand devices_[^\n]*\n/my $line = $&; $line . $line =~ s,devices,followed,r/e'
changed tools/cli/subcommands.cpp 's/devices_subcommand\(\)/$&, followed_subcommand()/'
compiled+=(tools/cli/followed.cpp tools/cli/subcommands.cpp)

# All files as one, so that the headers are compiled once.
printf '#include "%s"\n' "${compiled[@]}" >together.cpp
"${syntax[@]}" together.cpp
