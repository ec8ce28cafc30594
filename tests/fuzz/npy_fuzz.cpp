// NumPy's arrays, and storms as such: inputs/npy.hpp and inputs/storms/storm_npy.cpp.

#include "inputs/array_file.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::npy_fuzz {
namespace {

void check(std::string_view content) {
  with_file(content, [](const InputFile& file) {
    if (!is_npy(file)) return;
    const NpyArray array(file);
    const InputFile again(
        written_by([&](OutputFile& out) { write_npy(array.values(), array.shape(), out); }));
    expect(text_of(NpyArray(again).values(), 1) == text_of(array.values(), 1), "the same elements");
  });
  with_file(content, [](const InputFile& file) {
    if (!is_npy(file)) return;
    const auto impacts = storm_npy.read(file, storm_npy.announced(file));
    const InputFile again(written_by([&](OutputFile& out) { storm_npy.write(impacts, out); }));
    expect(storm_npy.read(again, std::ssize(impacts)) == impacts, "the same impacts");
  });
}

const Registered target{Target{"npy", check}};

}  // namespace
}  // namespace bombard::fuzz::npy_fuzz
