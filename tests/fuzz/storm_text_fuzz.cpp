// Storms as text: inputs/storms/storm_text.cpp.

#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::storm_text_fuzz {
namespace {

void check(std::string_view text) {
  with_file(text, [](const InputFile& file) {
    const auto impacts = storm_text.read(file, storm_text.announced(file));
    const InputFile again(written_by([&](OutputFile& out) { storm_text.write(impacts, out); }));
    expect(storm_text.read(again, std::ssize(impacts)) == impacts, "the same impacts");
  });
}

const Registered target{Target{"storm_text", check}};

}  // namespace
}  // namespace bombard::fuzz::storm_text_fuzz
