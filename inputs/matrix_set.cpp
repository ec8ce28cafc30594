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

constexpr std::string_view mark = "***";

std::vector<std::int32_t> read_text(const InputFile& file) {
  using Limits = std::numeric_limits<std::int32_t>;
  NumberText text(file.content(), file.name());
  if (!text.next()) {
    text.fail("no count: the file is empty; a set begins with its number of matrices");
  }
  const NumberText begin = text;
  const std::int64_t count = text.integer("count", 0, std::int64_t{1} << 60);
  std::vector<std::int32_t> elements;
  while (text.next()) {
    if (text.token() != mark) {
      text.fail(
          fmt::format("{} where a matrix must begin, with {}", in_quotes(text.token()), mark));
    }
    text.skip(mark.size());
    for (int element = 0; element < 9; ++element) {
      if (!text.next()) text.fail("the file ends within a matrix");
      elements.push_back(
          static_cast<std::int32_t>(text.integer("element", Limits::min(), Limits::max())));
    }
  }
  const std::int64_t found = std::ssize(elements) / 9;
  if (found != count) {
    begin.fail(fmt::format("the count says {} matri{} but the file holds {}", count,
                           count == 1 ? "x" : "ces", found));
  }
  return elements;
}

}  // namespace

Vector read_matrix_set(const InputFile& file) {
  if (!is_npy(file)) return read_text(file);
  const NpyArray array(file);
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    throw InputError(fmt::format("{}: this array is {}; a set of matrices is N x 3 x 3",
                                 file.name(), shape_text(shape)));
  }
  return elements_of(array, file.name());
}

void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file) {
  write_line(file, elements.size() / 9);
  for (std::size_t at = 0; at < elements.size() / 9 * 9; at += 3) {
    if (at % 9 == 0) file.write("***\n");
    write_line(file, elements[at], elements[at + 1], elements[at + 2]);
  }
}

}  // namespace bombard
