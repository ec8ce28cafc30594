// Sets of 3x3 matrices as text: inputs/matrix_set.hpp. The first byte of an input is left out.

#include <vector>

#include "inputs/matrix_set.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::matrix_set_fuzz {
namespace {

std::vector<std::int32_t> elements_of(const InputFile& file) {
  std::vector<std::int32_t> all;
  const auto take = [&](auto some) { all.insert(all.end(), some.begin(), some.end()); };
  MatrixSet(file).read<std::int32_t>(1, take);
  return all;
}

void check(std::string_view input) {
  with_file(input.substr(input.empty() ? 0 : 1), [](const InputFile& file) {
    if (is_npy(file)) return;
    const auto elements = elements_of(file);
    const InputFile again(written_by([&](OutputFile& out) { write_matrix_set(elements, out); }));
    expect(elements_of(again) == elements, "the same matrices");
  });
}

const Registered target{Target{"matrix_set", check}};

}  // namespace
}  // namespace bombard::fuzz::matrix_set_fuzz
