// Storms, by every format that takes the file: inputs/storms/.

#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::storm_fuzz {
namespace {

void check(std::string_view content) {
  for (const StormFormat* const format : storm_formats()) {
    with_file(content, [&](const InputFile& file) {
      if (!format->begins(file)) return;
      const auto impacts = format->read(file, format->announced(file));
      const InputFile again(written_by([&](OutputFile& out) { format->write(impacts, out); }));
      expect(format->read(again, std::ssize(impacts)) == impacts, "the same impacts");
    });
  }
}

const Registered target{Target{"storm", check}};

}  // namespace
}  // namespace bombard::fuzz::storm_fuzz
