// Storms as CSV: inputs/storms/storm_csv.cpp.

#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::storm_csv_fuzz {
namespace {

void check(std::string_view text) {
  with_file(text, [](const InputFile& file) {
    if (!storm_csv.begins(file)) return;
    const auto impacts = storm_csv.read(file, storm_csv.announced(file));
    const InputFile again(written_by([&](OutputFile& out) { storm_csv.write(impacts, out); }));
    expect(storm_csv.read(again, std::ssize(impacts)) == impacts, "the same impacts");
  });
}

const Registered target{Target{"storm_csv", check}};

}  // namespace
}  // namespace bombard::fuzz::storm_csv_fuzz
