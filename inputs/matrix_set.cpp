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
#include "inputs/integer_scanner.hpp"
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
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::int64_t> failed = parts;
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
template <class Number>
inline bool scan_matrix(const char*& at, Element* values, bool (*scan)(const char*&, Number&)) {
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
  TextSet(std::string name, std::string_view first_piece, std::size_t section_size)
      : name_(std::move(name)), text_(first_piece), section_size_(section_size) {
    const char* at = text_.data() + text_.size() - without_byte_order_mark(text_).size();
    Separators().skip(at, end());
    count_line_ = line_of(at);
    if (at == end()) {
      fail(at, "no count: the file is empty; a set begins with its number of matrices");
    }
    const std::string_view token = number_token(at, end());
    const IntegerToken count = parse_integer(token, "count", 0, std::int64_t{1} << 60);
    if (!count.problem.empty()) fail(at, count.problem);
    count_ = count.value;
    body_ = at + token.size();
  }

  /// Reads the matrices of the piece.
  void read(int threads, const TakeMatrices<Element>& take) {
    const auto size = static_cast<std::size_t>(end() - body_);
    const auto sections = static_cast<std::int64_t>((size + section_size_ - 1) / section_size_);
    std::atomic<std::int64_t> matrices = 0;
    read_parts(threads, sections, [&](int thread, std::int64_t section) {
      matrices += read_section(thread, section, take);
    });
    read_ += matrices;
  }

  /// Its last line feed comes again, with the next piece.
  void end_piece() {
    if (read_ > count_) fail_for_count("more");
    lines_before_ += std::count(text_.begin(), text_.end(), '\n') - 1;
  }
  void begin_piece(std::string_view text) {
    text_ = text;
    body_ = text.data() + 1;
  }

  /// The number of matrices; all have been read.
  std::int64_t finish() const {
    if (read_ != count_) fail_for_count(fmt::format("{}", read_));
    if (count_ == 0) fail_at_line(count_line_, empty_set);
    return count_;
  }

 private:
  std::int64_t line_of(const char* at) const {
    return lines_before_ + line_at(text_, static_cast<std::size_t>(at - text_.data()));
  }
  [[noreturn]] void fail_at_line(std::int64_t line, const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line, problem));
  }
  [[noreturn]] void fail(const char* at, const std::string& problem) const {
    fail_at_line(line_of(at), problem);
  }
  [[noreturn]] void fail_for_count(const std::string& held) const {
    fail_at_line(count_line_, fmt::format("the count says {} matri{} but the file holds {}", count_,
                                          count_ == 1 ? "x" : "ces", held));
  }
  const char* end() const { return text_.data() + text_.size(); }

  /// The first line from `begin` to before `stop` that begins with *; else the end of the text,
  /// where nothing begins.
  const char* first_matrix(const char* begin, const char* stop) const {
    for (const char* at = begin; at < stop; ++at) {
      at = static_cast<const char*>(std::memchr(at, '*', static_cast<std::size_t>(stop - at)));
      if (at == nullptr) break;
      if (at[-1] == '\n') return at;
    }
    return end();
  }

  /// The matrices that begin in a section of the body; the first one begins with the body.
  std::int64_t read_section(int thread, std::int64_t section,
                            const TakeMatrices<Element>& take) const {
    const auto left = [&](const char* from) { return static_cast<std::size_t>(end() - from); };
    const char* const begin = body_ + static_cast<std::size_t>(section) * section_size_;
    const char* const stop = begin + std::min(section_size_, left(begin));
    // The text behind a section belongs to another one.
    const auto done = [&](const char* at) {
      return at == end() || (at >= stop && *at == '*' && at[-1] == '\n');
    };
    std::array<Element, 9 * matrices_together> elements;
    std::size_t filled = 0;
    std::int64_t matrices = 0;
    const auto hand_on = [&] {
      if (filled > 0) take(thread, std::span(elements).first(filled));
      matrices += static_cast<std::int64_t>(filled / 9);
      filled = 0;
    };
    for (const char* at = section == 0 ? begin : first_matrix(begin, stop); !done(at);) {
      Element* const values = elements.data() + filled;
      const bool plain = at[-1] == '\n' && end() - at > matrix_margin &&
                         (scan_matrix<Element>(at, values, scan_short_integer) ||
                          scan_matrix<std::int64_t>(at, values, scan_integer));
      if (!plain) {
        Separators().skip(at, end());
        if (done(at)) break;
        take_matrix(at, values);
        Separators().skip(at, end());  // to where scan_matrix() can go on
      }
      filled += 9;
      if (filled == elements.size()) hand_on();
    }
    hand_on();
    return matrices;
  }

  /// Reads a matrix that scan_matrix() cannot read; leaves `at` at the end of its last line.
  void take_matrix(const char*& at, Element* values) const {
    const std::string_view mark = number_token(at, end());
    if (mark != "***" || at[-1] != '\n') {
      fail(at, fmt::format("{} where a matrix must begin: with a line of nothing but ***",
                           quoted(mark)));
    }
    at += mark.size();
    const char* line_end = std::find(at, end(), '\n');
    Separators().skip(at, line_end);
    if (at != line_end) {
      fail(at, fmt::format("{} behind ***, which takes a line of its own",
                           quoted(number_token(at, end()))));
    }
    for (int row = 1; row <= 3; ++row) {
      Separators().skip(at, end());
      line_end = std::find(at, end(), '\n');
      Separators separators;
      for (int column = 0; column < 3; ++column) {
        separators.skip(at, line_end);
        if (at == line_end || *at == '*') fail_for_numbers(at, row, column);
        const std::string_view token = number_token(at, line_end);
        const IntegerToken element = parse_integer(token, "element", Limits::min(), Limits::max());
        if (!element.problem.empty()) fail(at, element.problem);
        *values++ = static_cast<Element>(element.value);
        at += token.size();
      }
      separators.skip(at, line_end);
      if (at != line_end) {
        fail(at, fmt::format("{} behind the 3 numbers of row {}; a row takes a line of its own",
                             quoted(number_token(at, end())), row));
      }
    }
  }
  [[noreturn]] void fail_for_numbers(const char* at, int row, int found) const {
    const char* const ended = at == end()  ? "the file ends"
                              : *at == '*' ? "*** begins another"
                                           : "the line ends";
    fail(at, fmt::format("{} in row {} of a matrix after {} of its 3 numbers", ended, row, found));
  }

  std::string name_;
  std::string_view text_;
  std::size_t section_size_;
  std::int64_t lines_before_ = 0;  ///< of earlier pieces
  std::int64_t count_line_ = 0;
  const char* body_;
  std::int64_t count_;
  std::int64_t read_ = 0;  ///< matrices
};

/// The place of the last line that begins with *, behind another line; 0 without one.
std::size_t last_matrix(std::string_view text) {
  const std::size_t feed = text.rfind("\n*");
  return feed == std::string_view::npos ? 0 : feed + 1;
}

std::int64_t read_pipe(InputFile& file, std::string_view begun, std::size_t section_size,
                       std::size_t piece_size, int threads, const TakeMatrices<Element>& take) {
  std::vector<char> buffer(piece_size);
  std::ranges::copy(begun, buffer.begin());
  std::size_t kept = begun.size();
  std::optional<TextSet> set;
  for (;;) {
    const std::size_t size = kept + file.read(std::span(buffer).subspan(kept));
    const std::string_view text(buffer.data(), size);
    const bool is_last = size < buffer.size();
    const std::size_t end = is_last ? size : last_matrix(text);
    if (!is_last && end <= 1) {
      throw InputError(fmt::format("{}: {} bytes without the *** of a matrix: this is not a set",
                                   file.name(), size));
    }
    if (set) {
      set->begin_piece(text.substr(0, end));
    } else {
      set.emplace(file.name(), text.substr(0, end), section_size);
    }
    set->read(threads, take);
    if (is_last) return set->finish();
    set->end_piece();
    kept = size - (end - 1);
    std::memmove(buffer.data(), buffer.data() + end - 1, kept);
  }
}

/// Throws InputError unless an array is a set.
void require_set(const NpyArray& array, const std::string& name) {
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    throw InputError(fmt::format("{}: this array is {}; a set of matrices is N x 3 x 3", name,
                                 array.shape_text()));
  }
  if (shape[0] == 0) throw InputError(fmt::format("{}: {}", name, empty_set));
}

}  // namespace

MatrixSet::MatrixSet(const MappedFile& file, std::size_t section_size)
    : file_(&file), section_size_(section_size), piece_size_(0) {
  look_at(file);
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
  look_at(*file_);
}

void MatrixSet::look_at(const MappedFile& file) {
  if (!is_npy(file)) return;
  array_.emplace(file);
  require_set(*array_, file.name());
  std::visit(
      [&]<class T>(std::span<const T>) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          throw InputError(fmt::format(
              "{}: the elements of this set are int64; int32 (<i4), float32 (<f4) and float64 "
              "(<f8) are read: save a.astype(\"<i4\")",
              file.name()));
        } else {
          element_ = T{0};
        }
      },
      array_->values());
}

template <class T>
std::int64_t MatrixSet::read(int threads, const TakeMatrices<T>& take) const {
  if constexpr (std::is_same_v<T, Element>) {
    if (pipe_ != nullptr) {
      return read_pipe(*pipe_, begun_, section_size_, piece_size_, threads, take);
    }
    if (!array_) {
      TextSet set(file_->name(), file_->content(), section_size_);
      set.read(threads, take);
      return set.finish();
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
