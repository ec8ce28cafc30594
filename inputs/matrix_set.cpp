#include "inputs/matrix_set.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/number_text.hpp"
#include "inputs/token.hpp"
#include "inputs/write_line.hpp"

namespace bombard {

namespace {

constexpr const char* empty_set = "the set is empty, and no matrices have no minimum";

/// Goes to the next number of a row, or fails.
void require_number(NumberText& text, int row, int column) {
  if ((column == 0 ? text.next_without_comma() : text.next(true)) && *text.at() != '*') return;
  text.fail(fmt::format("{} in row {} of a matrix after {} of its 3 numbers",
                        text.rest().empty() ? "the file ends"
                        : *text.at() == '*' ? "*** begins another"
                                            : "the line ends",
                        row, column));
}

void require_end_of_line(NumberText& text) {
  if (!text.next(true)) return;
  text.fail(fmt::format("{} where a line of a matrix must end", in_quotes(text.token())));
}

/// Reads a matrix: a line ***, and three lines of three integers.
void read_matrix(NumberText& text, std::vector<std::int32_t>& elements) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::string_view mark = text.token();
  if (mark != "***" || !text.begins_line()) {
    text.fail(fmt::format("{} where a matrix must begin: with a line of nothing but ***",
                          in_quotes(mark)));
  }
  text.skip(mark.size());
  for (int row = 1; row <= 3; ++row) {
    require_end_of_line(text);
    for (int column = 0; column < 3; ++column) {
      require_number(text, row, column);
      elements.push_back(
          static_cast<std::int32_t>(text.integer("element", Limits::min(), Limits::max())));
    }
  }
  require_end_of_line(text);
}

std::vector<std::int32_t> read_text(const InputFile& file) {
  NumberText text(file.content(), file.name());
  if (!text.next()) {
    text.fail("no count: the file is empty; a set begins with its number of matrices");
  }
  const NumberText begin = text;
  const std::int64_t count = text.integer("count", 0, std::int64_t{1} << 60);
  std::vector<std::int32_t> elements;
  while (text.next_without_comma()) read_matrix(text, elements);
  const std::int64_t found = std::ssize(elements) / 9;
  if (found != count) {
    begin.fail(fmt::format("the count says {} matri{} but the file holds {}", count,
                           count == 1 ? "x" : "ces", found));
  }
  if (count == 0) begin.fail(empty_set);
  return elements;
}

Vector read_npy(const InputFile& file) {
  const NpyArray array(file);
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: {}", file.name(), problem));
  };
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    fail(fmt::format("this array is {}; a set of matrices is N x 3 x 3", shape_text(shape)));
  }
  if (shape[0] == 0) fail(empty_set);
  return std::visit(
      [&]<class T>(std::span<const T> elements) -> Vector {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          fail(
              "the elements of this set are int64; int32 (<i4), float32 (<f4) and float64 (<f8) "
              "are read: save a.astype(\"<i4\")");
          return {};
        } else {
          return std::vector<T>(elements.begin(), elements.end());
        }
      },
      array.values());
}

}  // namespace

Vector read_matrix_set(const InputFile& file) {
  return is_npy(file) ? read_npy(file) : read_text(file);
}

void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file) {
  write_line(file, elements.size() / 9);
  for (std::size_t at = 0; at < elements.size() / 9 * 9; at += 3) {
    if (at % 9 == 0) file.write("***\n");
    write_line(file, elements[at], elements[at + 1], elements[at + 2]);
  }
}

}  // namespace bombard
