#include "inputs/matrix_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/foreign_format.hpp"
#include "inputs/line_writer.hpp"
#include "inputs/separators.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

using Element = std::int32_t;
using Limits = std::numeric_limits<Element>;

/// The number of matrices that are handed on together: few enough to stay in the first-level cache.
constexpr std::int64_t matrices_together = 512;

constexpr char separator[] = "***\n";
constexpr std::ptrdiff_t separator_size = sizeof separator - 1;

/// Bytes that scan_matrix() may look at: the separator, and nine numbers of a sign, 14 digits and
/// what follows them.
constexpr std::ptrdiff_t matrix_margin = separator_size + 9 * 16 + scan_margin;

constexpr const char* empty_set = "the set is empty, and no matrices have no minimum";

/// Calls read(thread, part) for the parts 0 .. parts - 1, which threads take in order: all before
/// one that throws are read, and what the first of those threw is thrown on.
template <class Read>
void read_parts(int threads, std::int64_t parts, const Read& read) {
  std::atomic<std::int64_t> next = 0, failed = parts;
  std::mutex failing;
  std::exception_ptr failure;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    for (std::int64_t part; (part = next++) < failed;) {
      try {
        read(thread, part);
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

/// Reads the matrix at `at`, which moves behind it, if it looks as write_matrix_set() leaves it and
/// scan(at, value) can read its elements, std::int32_t or wider. Otherwise returns false with `at`
/// unchanged; `values` then mean nothing.
template <class Number, bool (*scan)(const char*&, Number&)>
inline bool scan_matrix(const char*& at, Element* values) {
  const char* ahead = at + separator_size;
  bool good = std::memcmp(at, separator, separator_size) == 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      Number value;
      good &= scan(ahead, value);
      good &= *ahead++ == (column < 2 ? ' ' : '\n');
      *values = static_cast<Element>(value);
      good &= value == *values++;
    }
    if (!good) return false;
  }
  at = ahead;
  return true;
}

/// The text of a set, whole or in pieces. A piece but for the last ends before a line that begins
/// with *, and one but for the first begins with the line feed before such a line.
class TextSet {
 public:
  TextSet(std::string name, std::size_t section_size, int threads,
          const TakeMatrices<Element>& take)
      : name_(std::move(name)), section_size_(section_size), threads_(threads), take_(take) {}

  /// Reads the matrices of the next piece. Returns the number of all matrices behind the last one.
  std::int64_t read(std::string_view text, bool is_last) {
    text_ = text;
    end_ = text.data() + text.size();
    const char* const body = count_line_ == 0 ? behind_count() : text.data() + 1;
    const auto size = static_cast<std::size_t>(end_ - body);
    std::atomic<std::int64_t> matrices = read_;
    read_parts(
        threads_, static_cast<std::int64_t>((size + section_size_ - 1) / section_size_),
        [&](int thread, std::int64_t section) { matrices += read_section(thread, body, section); });
    read_ = matrices;
    if (!is_last) lines_before_ += std::ranges::count(text, '\n') - 1;  // one comes again
    if (is_last ? read_ != count_ : read_ > count_) {
      fail_at_line(count_line_, fmt::format("the count says {} matri{} but the file holds {}",
                                            count_, count_ == 1 ? "x" : "ces",
                                            is_last ? std::to_string(read_) : "more"));
    }
    if (is_last && count_ == 0) fail_at_line(count_line_, empty_set);
    return read_;
  }

 private:
  [[noreturn]] void fail_at_line(std::int64_t line, const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line, problem));
  }
  [[noreturn]] void fail(const char* at, const std::string& problem) const {
    fail_at_line(lines_before_ + line_at(text_, static_cast<std::size_t>(at - text_.data())),
                 problem);
  }

  std::int64_t integer(const char*& at, const char* end, std::string_view what, std::int64_t lowest,
                       std::int64_t highest) const {
    return take_integer(at, end, what, lowest, highest,
                        [&](const std::string& problem) -> std::int64_t { fail(at, problem); });
  }

  /// Reads the count, and returns where the matrices begin.
  const char* behind_count() {
    const char* at = end_ - without_byte_order_mark(text_).size();
    Separators().skip(at, end_);
    if (at == end_) {
      fail(at, "no count: the file is empty; a set begins with its number of matrices");
    }
    count_ = integer(at, end_, "count", 0, std::int64_t{1} << 60);
    count_line_ = line_at(text_, static_cast<std::size_t>(at - text_.data()));
    return at;
  }

  /// The matrices that begin in a section of the body; the first one begins with the body.
  std::int64_t read_section(int thread, const char* body, std::int64_t section) const {
    const char* at = body + static_cast<std::size_t>(section) * section_size_;
    const char* const stop = at + std::min(section_size_, static_cast<std::size_t>(end_ - at));
    if (section > 0) {
      const std::size_t feed = std::string_view(at - 1, stop).find("\n*");
      at = feed == std::string_view::npos ? end_ : at + feed;
    }
    // The text behind a section belongs to another one.
    const auto done = [&] { return at == end_ || (at >= stop && *at == '*' && at[-1] == '\n'); };
    std::array<Element, 9 * matrices_together> elements;
    std::size_t filled = 0;
    std::int64_t matrices = 0;
    while (!done()) {
      Element* const values = elements.data() + filled;
      const bool plain = at[-1] == '\n' && end_ - at > matrix_margin &&
                         (scan_matrix<Element, scan_short_integer>(at, values) ||
                          scan_matrix<std::int64_t, scan_integer>(at, values));
      if (!plain) {
        Separators().skip(at, end_);
        if (done()) break;
        take_matrix(at, values);
        Separators().skip(at, end_);  // to where scan_matrix() can go on
      }
      filled += 9;
      ++matrices;
      if (filled < elements.size()) continue;
      take_(thread, elements);
      filled = 0;
    }
    if (filled > 0) take_(thread, std::span(elements).first(filled));
    return matrices;
  }

  /// Reads a matrix that scan_matrix() cannot read; leaves `at` at the end of its last line.
  void take_matrix(const char*& at, Element* values) const {
    const std::string_view mark = number_token(at, end_);
    if (mark != "***" || at[-1] != '\n') {
      fail(at, fmt::format("{} where a matrix must begin: with a line of nothing but ***",
                           quoted(mark)));
    }
    at += mark.size();
    const auto end_line = [&](Separators& separators, const std::string& behind) {
      const char* const line_end = std::find(at, end_, '\n');
      separators.skip(at, line_end);
      if (at == line_end) return;
      fail(at, fmt::format("{} behind {} takes a line of its own", quoted(number_token(at, end_)),
                           behind));
    };
    Separators nothing;
    end_line(nothing, "***, which");
    for (int row = 1; row <= 3; ++row) {
      Separators().skip(at, end_);
      const char* const line_end = std::find(at, end_, '\n');
      Separators separators;
      for (int column = 0; column < 3; ++column) {
        separators.skip(at, line_end);
        if (at == line_end || *at == '*') {
          fail(at, fmt::format("{} in row {} of a matrix after {} of its 3 numbers",
                               at == end_   ? "the file ends"
                               : *at == '*' ? "*** begins another"
                                            : "the line ends",
                               row, column));
        }
        *values++ =
            static_cast<Element>(integer(at, line_end, "element", Limits::min(), Limits::max()));
      }
      end_line(separators, fmt::format("the 3 numbers of row {}; a row", row));
    }
  }

  std::string name_;
  std::size_t section_size_;
  int threads_;
  const TakeMatrices<Element>& take_;
  std::string_view text_;      ///< the piece
  const char* end_ = nullptr;  ///< of the piece
  std::int64_t lines_before_ = 0;
  std::int64_t count_line_ = 0;  ///< 0 until the count has been read
  std::int64_t count_ = 0;
  std::int64_t read_ = 0;  ///< matrices
};

}  // namespace

MatrixSet::MatrixSet(const MappedFile& file, std::size_t section_size)
    : file_(&file), section_size_(section_size) {
  look_at_array();
}

MatrixSet::MatrixSet(InputFile& file, std::size_t section_size, std::size_t piece_size)
    : section_size_(section_size), piece_size_(piece_size) {
  if (!file.can_be_mapped()) {
    constexpr std::size_t longest_magic = 8;
    begun_.resize(longest_magic);
    begun_.resize(file.read(begun_));
    reject_foreign_format(begun_, file.name());
    if (!begins_as_npy(begun_)) {
      pipe_ = &file;
      return;
    }
  }
  file_ = &mapped_.emplace(file, begun_);
  look_at_array();
}

void MatrixSet::look_at_array() {
  if (!is_npy(*file_)) return;
  const std::vector<std::int64_t>& shape = array_.emplace(*file_).shape();
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: {}", file_->name(), problem));
  };
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    fail(fmt::format("this array is {}; a set of matrices is N x 3 x 3", array_->shape_text()));
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

std::int64_t MatrixSet::read_pipe(int threads, const TakeMatrices<Element>& take) const {
  std::vector<char> buffer(piece_size_);
  std::ranges::copy(begun_, buffer.begin());
  std::size_t kept = begun_.size();
  TextSet set(pipe_->name(), section_size_, threads, take);
  for (;;) {
    const std::size_t size = kept + pipe_->read(std::span(buffer).subspan(kept));
    const std::string_view text(buffer.data(), size);
    if (size < buffer.size()) return set.read(text, true);
    // The last line feed with a matrix behind it; the next piece begins with it.
    const std::size_t feed = text.rfind("\n*");
    if (feed == std::string_view::npos || feed == 0) {
      throw InputError(fmt::format("{}: {} bytes without the *** of a matrix: this is not a set",
                                   pipe_->name(), size));
    }
    set.read(text.substr(0, feed + 1), false);
    kept = size - feed;
    std::memmove(buffer.data(), buffer.data() + feed, kept);
  }
}

template <class T>
std::int64_t MatrixSet::read(int threads, const TakeMatrices<T>& take) const {
  if constexpr (std::is_same_v<T, Element>) {
    if (pipe_ != nullptr) return read_pipe(threads, take);
    if (!array_) {
      return TextSet(file_->name(), section_size_, threads, take).read(file_->content(), true);
    }
  }
  const auto elements = std::get<std::span<const T>>(array_->values());
  const std::int64_t matrices = array_->shape()[0];
  const std::int64_t parts = (matrices + matrices_together - 1) / matrices_together;
  read_parts(threads, parts, [&](int thread, std::int64_t part) {
    const auto first = static_cast<std::size_t>(9 * matrices_together * part);
    constexpr auto most = static_cast<std::size_t>(9 * matrices_together);
    take(thread, elements.subspan(first, std::min(most, elements.size() - first)));
  });
  return matrices;
}
template std::int64_t MatrixSet::read(int, const TakeMatrices<std::int32_t>&) const;
template std::int64_t MatrixSet::read(int, const TakeMatrices<float>&) const;
template std::int64_t MatrixSet::read(int, const TakeMatrices<double>&) const;

void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file) {
  LineWriter writer(file);
  writer.line(elements.size() / 9);
  for (std::size_t at = 0; at < elements.size() / 9 * 9; at += 3) {
    if (at % 9 == 0) file.write(separator);
    writer.line(elements[at], elements[at + 1], elements[at + 2]);
  }
}

}  // namespace bombard
