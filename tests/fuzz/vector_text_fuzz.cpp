// Vectors as text: inputs/array_file.hpp.

#include <variant>

#include "inputs/array_file.hpp"
#include "inputs/matrix_market.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::vector_text_fuzz {
namespace {

void check(std::string_view text) {
  with_file(text, [](const InputFile& file) {
    if (is_npy(file) || is_matrix_market(file)) return;
    read_vector_as<float>(file);
    std::visit(
        [](const auto& vector) {
          const InputFile again("input", text_of(std::span(vector), 3));
          const std::vector<double> numbers(vector.begin(), vector.end());
          expect(text_of(read_vector_as<double>(again), 3) == text_of(numbers, 3),
                 "the same elements");
        },
        read_vector(file));
  });
}

const Registered target{Target{"vector_text", check}};

}  // namespace
}  // namespace bombard::fuzz::vector_text_fuzz
