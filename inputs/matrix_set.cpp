#include "inputs/matrix_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/number_text.hpp"
#include "inputs/token.hpp"
#include "inputs/write_line.hpp"

namespace bombard {

namespace {

using Element = std::int32_t;

/// The number of matrices that are handed on together: few enough to stay in the first-level cache.
constexpr std::int64_t matrices_together = 512;

constexpr std::string_view separator = "***\n";

constexpr const char* empty_set = "the set is empty, and no matrices have no minimum";

std::int64_t take_matrix_count(NumberText& text) {
  return text.integer("count", 0, std::int64_t{1} << 60);
}

/// The next star behind `at` that begins a line; the end where there is none.
const char* find_mark(const char* at, const char* end) {
  while ((at = std::find(std::min(at + 1, end), end, '*')) != end) {
    if (ends_line(at[-1])) return at;
  }
  return end;
}

std::string says(std::int64_t count) {
  return fmt::format("the count says {} matri{} but the file holds", count,
                     count == 1 ? "x" : "ces");
}

/// Calls read(part) for the parts 0 .. parts - 1, which threads take in order: all before
/// one that throws are read, and the exception of the first that threw is passed on.
template <class Read>
void read_parts(int threads, std::int64_t parts, const Read& read) {
  std::atomic<std::int64_t> next = 0, failed = parts;
  std::mutex failing;
  std::exception_ptr failure;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    for (std::int64_t part; (part = next++) < failed;) {
      try {
        read(part);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (part >= failed) continue;
        failed = part;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Takes a number that is followed by `behind`; there are eight bytes to look at. The digits of a
/// short number become a value together, without a branch (Lemire, "Number parsing at a gigabyte
/// per second", 2021), and the next number waits only for its end.
bool scan_number(const char*& at, const char* end, char behind, Element& value) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t each = 0x0101010101010101;
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  // The top bit of each character up to ' '; only the lowest one is reliable.
  const std::uint64_t blanks = (word - each * 0x21) & ~word & (each * 0x80);
  if (blanks == 0) {
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop + 1;
    return error == std::errc{} && stop != end && *stop == behind;
  }
  const int length = std::countr_zero(blanks) / 8;
  const bool negative = *at == '-';
  const int digits = length - (negative ? 1 : 0);
  bool good = digits > 0 && at[length] == behind;
  at += length + 1;
  // The last digit to the top, zeros before the first.
  word = ((word ^ (each * '0')) >> (negative ? 8 : 0)) << ((64 - 8 * digits) & 63);
  good &= (((word + each * (0x7F - 9)) | word) & (each * 0x80)) == 0;
  word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FF;
  word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFF;
  const auto magnitude = static_cast<Element>(word * 10000 + (word >> 32));
  value = negative ? -magnitude : magnitude;
  return good;
}

/// Takes a matrix that looks as write_matrix_set() writes it. Otherwise returns false, and `values`
/// mean nothing.
bool scan_matrix(NumberText& text, Element* values) {
  const std::string_view rest = text.rest();
  const char* const end = rest.data() + rest.size();
  const char* at = rest.data() + separator.size();
  bool good = rest.starts_with(separator);
  for (int i = 0; i < 9 && good; ++i) {
    good = end - at >= 8 && scan_number(at, end, i % 3 < 2 ? ' ' : '\n', values[i]);
  }
  if (good) text.skip(static_cast<std::size_t>(at - rest.data()));
  return good;
}

/// Refuses a number behind something that takes a line of its own.
[[noreturn]] void fail_behind(const NumberText& text, const std::string& behind) {
  text.fail(fmt::format("{} after {} takes a line of its own", quoted(text.token()), behind));
}

/// Takes a matrix that may be laid out in any way.
void take_matrix(NumberText& text, Element* values) {
  const std::string_view mark = text.token();
  if (mark != "***" || !text.begins_line()) {
    text.fail(
        fmt::format("{} where a matrix must begin: with a line of nothing but ***", quoted(mark)));
  }
  text.skip(mark.size());
  if (text.next(true)) fail_behind(text, "***, which");
  for (int row = 1; row <= 3; ++row) {
    bool there = text.next_without_comma();
    for (int column = 0; column < 3; ++column) {
      if (column > 0) there = text.next(true);
      if (!there || *text.at() == '*') {
        text.fail(fmt::format("{} in row {} of a matrix after {} of its 3 numbers",
                              there                 ? "*** begins another"
                              : text.rest().empty() ? "the file ends"
                                                    : "the line ends",
                              row, column));
      }
      using Limits = std::numeric_limits<Element>;
      *values++ = static_cast<Element>(text.integer("element", Limits::min(), Limits::max()));
    }
    if (text.next(true)) fail_behind(text, fmt::format("the 3 numbers of row {}; a row", row));
  }
}

/// Hands on the matrices up to the first one that begins at `stop` or behind it: this one belongs
/// to another section. Returns their number.
std::int64_t read_section(NumberText text, const char* stop, const TakeMatrices<Element>& take) {
  std::array<Element, 9 * matrices_together> elements;
  std::size_t filled = 0;
  std::int64_t matrices = 0;
  while (text.next_without_comma()) {
    if (text.at() >= stop && *text.at() == '*' && text.begins_line()) break;
    Element* const values = elements.data() + filled;
    if (!text.begins_line() || !scan_matrix(text, values)) take_matrix(text, values);
    filled += 9;
    ++matrices;
    if (filled < elements.size()) continue;
    take(elements);
    filled = 0;
  }
  if (filled > 0) take(std::span(elements).first(filled));
  return matrices;
}

}  // namespace

MatrixSet::MatrixSet(const InputFile& file, std::size_t section_size)
    : file_(file), section_size_(section_size) {
  if (!is_npy(file)) return;
  const std::vector<std::int64_t>& shape = array_.emplace(file).shape();
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: {}", file.name(), problem));
  };
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    fail(fmt::format("this array is {}; a set of matrices is N x 3 x 3", shape_text(shape)));
  }
  if (shape[0] == 0) fail(empty_set);
  std::visit(
      [&]<class T>(std::span<const T>) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          fail(
              "the elements of this set are int64; int32 (<i4), float32 (<f4) and float64 (<f8) "
              "are read: save a.astype(\"<i4\")");
        } else {
          element_ = T{0};
        }
      },
      array_->values());
}

std::int64_t MatrixSet::read_text(int threads, const TakeMatrices<Element>& take) const {
  const std::string_view text = file_.content();
  NumberText begin(text, file_.name());
  if (!begin.next()) {
    begin.fail("no count: the file is empty; a set begins with its number of matrices");
  }
  const std::int64_t count = take_matrix_count(begin);
  const std::string_view body = begin.rest();

  std::atomic<std::int64_t> matrices = 0;
  const auto sections =
      static_cast<std::int64_t>((body.size() + section_size_ - 1) / section_size_);
  read_parts(threads, sections, [&](std::int64_t section) {
    const std::size_t from = static_cast<std::size_t>(section) * section_size_;
    const char* at = body.data() + from;
    const char* const stop = body.data() + std::min(from + section_size_, body.size());
    if (section > 0) {  // the first one begins with the body
      at = find_mark(at - 1, stop);
      if (at == stop) return;
    }
    NumberText own = begin;
    own.skip(static_cast<std::size_t>(at - own.at()));
    matrices += read_section(own, stop, take);
  });
  if (matrices != count) begin.fail(fmt::format("{} {}", says(count), matrices.load()));
  if (count == 0) begin.fail(empty_set);
  return count;
}

template <class T>
std::int64_t MatrixSet::read(int threads, const TakeMatrices<T>& take) const {
  if constexpr (std::is_same_v<T, Element>) {
    if (!array_) return read_text(threads, take);
  }
  const auto elements = std::get<std::span<const T>>(array_->values());
  const std::int64_t matrices = array_->shape()[0];
  const std::int64_t parts = (matrices + matrices_together - 1) / matrices_together;
  read_parts(threads, parts, [&](std::int64_t part) {
    const auto first = static_cast<std::size_t>(9 * matrices_together * part);
    constexpr auto most = static_cast<std::size_t>(9 * matrices_together);
    take(elements.subspan(first, std::min(most, elements.size() - first)));
  });
  return matrices;
}
template std::int64_t MatrixSet::read(int, const TakeMatrices<std::int32_t>&) const;
template std::int64_t MatrixSet::read(int, const TakeMatrices<float>&) const;
template std::int64_t MatrixSet::read(int, const TakeMatrices<double>&) const;

void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file) {
  write_line(file, elements.size() / 9);
  for (std::size_t at = 0; at < elements.size() / 9 * 9; at += 3) {
    if (at % 9 == 0) file.write(separator);
    write_line(file, elements[at], elements[at + 1], elements[at + 2]);
  }
}

}  // namespace bombard
