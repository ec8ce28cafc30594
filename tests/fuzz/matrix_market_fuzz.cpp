// Matrix Market: inputs/matrix_market.hpp.

#include <variant>

#include "inputs/matrix_market.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::matrix_market_fuzz {
namespace {

void write(const DenseMatrix<double>& matrix, OutputFile& out) {
  write_matrix_market(std::span(matrix.values), matrix.rows, matrix.columns, out);
}
void write(const SparseMatrix<double>& matrix, OutputFile& out) {
  write_matrix_market(matrix, out);
}

void check(std::string_view text) {
  with_file(text, [](const InputFile& file) {
    read_matrix_market<float>(file);
    std::visit(
        [&]<class M>(const M& matrix) {
          const InputFile again(written_by([&](OutputFile& out) { write(matrix, out); }));
          const auto same = std::get<M>(read_matrix_market<double>(again));
          expect(same.rows == matrix.rows && same.columns == matrix.columns, "the same size");
          expect(same.values == matrix.values, "the same elements");
        },
        read_matrix_market<double>(file));
  });
}

const Registered target{Target{"matrix_market", check}};

}  // namespace
}  // namespace bombard::fuzz::matrix_market_fuzz
