// Sets of 3x3 matrices as text: what is read once is read again when it is written.

#include <variant>
#include <vector>

#include "inputs/matrix_set.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::matrix_set_fuzz {
namespace {

using Integers = std::vector<std::int32_t>;

void check(std::string_view input) {
  with_file(input, [](const InputFile& file) {
    if (is_npy(file)) return;
    const auto elements = std::get<Integers>(read_matrix_set(file));
    const InputFile again(written_by([&](OutputFile& out) { write_matrix_set(elements, out); }));
    expect(std::get<Integers>(read_matrix_set(again)) == elements, "the same matrices");
  });
}

const Registered target{Target{"matrix_set", check}};

}  // namespace
}  // namespace bombard::fuzz::matrix_set_fuzz
