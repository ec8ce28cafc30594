#pragma once

#include <cstdint>
#include <span>

#include "bombard/matrices.hpp"
#include "inputs/input_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// Whether a file begins as those of Matrix Market (.mtx) do.
bool is_matrix_market(const InputFile& file);

/// Reads a matrix of Matrix Market (math.nist.gov/MatrixMarket/formats.html), T float or double:
/// `array` gives a dense one, `coordinate` a sparse one, which may be symmetric (both halves are
/// filled in); fields real, double and integer. Values are rounded to T once and must be finite in
/// it. Throws InputError with file and line for anything else: an entry twice, an entry outside the
/// matrix, fewer or more entries than announced; and CannotRun before it takes more memory for
/// its entries, or for empty rows, than there is.
template <class T>
Matrix<T> read_matrix_market(const InputFile& file);

/// Writes a dense matrix, given by rows: floats (field real) or integers. Every value has the
/// fewest digits that give it back. The caller commits the file.
void write_matrix_market(const Elements& values, std::int64_t rows, std::int64_t columns,
                         OutputFile& file);

/// Writes a sparse matrix in the same way.
void write_matrix_market(const SparseMatrix<double>& matrix, OutputFile& file);

}  // namespace bombard
