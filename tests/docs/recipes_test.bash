#!/usr/bin/env bash
# Follows recipes of docs/design.md in a copy of the tree: a new law, engine, format of storms, study and subcommand, each
# called "followed", written by copying one that is there. The compiler must accept the files that the recipe names. For
# the law it must also name every file that distinguishes laws, so that no file takes the new law for one of the others.
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

# A law.
changed bombard/rule.hpp 's/power, exponential \}/power, exponential, followed }/'
if grep -rnE '[=!]= *Attenuation::Kind::' bombard kernels sim; then
  echo 'A comparison takes a new law for one of the others: use a switch without a default.'
  exit 1
fi
mapfile -t laws < <(grep -rl 'case Attenuation::Kind::exponential:' bombard kernels sim)
[ ${#laws[@]} -ge 6 ] || { echo "Only ${laws[*]} distinguish laws."; exit 1; }
printf '#include "%s"\n' "${laws[@]}" >laws.cpp
"${syntax[@]}" -Wswitch laws.cpp 2>said || { cat said; exit 1; }
for file in "${laws[@]}"; do
  grep -q "^\(\./\)\?$file:.*followed" said || { echo "The compiler does not miss the new law in $file"; exit 1; }
done
changed bombard/words.cpp 's/\{"exponential:", exponential\}/$&, {"followed:", followed}/'
for file in kernels/share/attenuation.hpp kernels/share/attenuation.cpp kernels/convolution/tables.cpp \
  kernels/convolution/exponential_sum.cpp kernels/convolution/sparse/sparse_states.cpp sim/reference_double.cpp \
  sim/engines/costs.cpp; do
  changed $file 's/case Attenuation::Kind::exponential:/case Attenuation::Kind::followed:\n    $&/g'
done
sed -i '1i #include "bombard/words.cpp"' laws.cpp

# An engine.
sed 's/make_stored_layer/make_followed_layer/g; s/StoredLayer/FollowedLayer/g' sim/engines/screened/stored_layer.cpp >sim/engines/screened/followed_layer.cpp
changed sim/engines/screened/screened_layer.hpp 's/[^\n]*make_stored_layer[^;]*;\n/my $line = $&; $line . $line =~ s,stored,followed,r/e'
changed sim/engines/engines.cpp 's/std::unique_ptr<Engine> make_cpu_double.*?\n\}\n/my $line = $&; $line . $line =~ s,cpu_double|stored,followed,gr/se'
changed sim/engines/engines.cpp 's/ *\{"cpu_double".*?\},\n/my $line = $&; $line . $line =~ s,cpu_double,followed,gr/se'
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
changed solvers/study.cpp 's/measure_sorts\}/$&,\n{"followed", most_rows, {"n", "valid"}, {10}, measure_followed}/'
compiled+=(solvers/followed/study.cpp solvers/study.cpp)

# A subcommand.
sed 's/^int devices(/int followed(/' tools/cli/devices.cpp >tools/cli/followed.cpp
changed tools/cli/subcommands.hpp 's/int devices[^\n]*\n/my $line = $&; $line . $line =~ s,devices,followed,r/e'
changed tools/cli/main.cpp 's/ *if \(name == "devices"\)[^\n]*\n/my $line = $&; $line . $line =~ s,devices,followed,gr/e'
compiled+=(tools/cli/followed.cpp tools/cli/main.cpp)

# Those of the law at once, then those of a folder, as the build compiles them.
mkdir together
mv laws.cpp together
for file in "${compiled[@]}"; do
  folder=$(dirname "$file")
  printf '#include "%s"\n' "$file" >>"together/${folder//\//_}.cpp"
done
printf '%s\n' together/*.cpp | xargs -P 2 -n 1 "${syntax[@]}" -Werror=switch
