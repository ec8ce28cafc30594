#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/matrices.hpp"
#include "bombard/settings.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/input_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

// Vectors and matrices in files of any of three formats (docs/formats.md). Readers recognise NumPy
// arrays (.npy) and Matrix Market (.mtx) by how they begin. Any other file is text, that is,
// numbers with white space between them, and only vectors are read from it. "-" is standard input.
// Readers throw InputError with the file and, where it has lines, the line, and CannotRun before
// they take memory that is not there.

/// A vector in the type that its file has.
using Vector = std::variant<std::vector<std::int32_t>, std::vector<float>, std::vector<double>>;

/// Reads a vector: .npy of one dimension, or a matrix of one column or one row. Where no precision
/// is asked for, a file without a type of floats (text, Matrix Market, integers in .npy) gives
/// std::int32_t if all numbers are such integers, otherwise double. In every reader an integer must
/// be exact in double.
Vector read_vector(const InputFile& file, std::optional<Precision> asked = {});

/// All elements of an array by the same rule.
Vector elements_of(const NpyArray& array, const std::string& name);

/// Reads a vector as T, float or double; a number that is finite in the file must be finite in T.
template <class T>
std::vector<T> read_vector_as(const InputFile& file);

/// Reads a matrix as T, float or double: .npy of two dimensions (dense) or Matrix Market; a number
/// that is finite in the file must be finite in T.
template <class T>
Matrix<T> read_matrix(const InputFile& file);

/// The same with every element stored.
template <class T>
DenseMatrix<T> read_dense_matrix(const InputFile& file);

/// The matrix with every element stored. Throws std::bad_alloc when it does not fit in memory.
template <class T>
DenseMatrix<T> dense(const SparseMatrix<T>& sparse) {
  DenseMatrix<T> all{sparse.rows, sparse.columns, {}};
  all.values.resize(static_cast<std::size_t>(byte_count({sparse.rows, sparse.columns})));
  for (std::int64_t row = 0; row < sparse.rows; ++row) {
    for (std::int64_t e = sparse.row_offsets[row]; e < sparse.row_offsets[row + 1]; ++e) {
      all.values[row * sparse.columns + sparse.column_indices[e]] = sparse.values[e];
    }
  }
  return all;
}

/// Writes an array of one or two dimensions in C order, in the format of the file's name: .npy,
/// .mtx, or text for any other. A vector is a column: in text, one element per line. A matrix has
/// one row per line, with blanks between its elements. Numbers have the fewest digits that give
/// them back. The caller commits the file.
void write_array(const Elements& elements, const std::vector<std::int64_t>& shape,
                 OutputFile& file);

/// The text of write_array(), `columns` elements per line.
std::string text_of(const Elements& elements, std::int64_t columns);

/// Reads a layer of `cells` cells as `bombard run --layer` writes it: a NumPy array of one
/// dimension, float32 or float64. Throws InputError for anything else, including a different number
/// of cells and values that are not finite.
Layer read_layer(const std::string& path, std::int64_t cells);

}  // namespace bombard
