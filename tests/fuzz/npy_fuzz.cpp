// NumPy's arrays: inputs/npy.hpp.

#include "inputs/array_file.hpp"
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
}

const Registered target{Target{"npy", check}};

}  // namespace
}  // namespace bombard::fuzz::npy_fuzz
