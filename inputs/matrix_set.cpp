#include "inputs/matrix_set.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/foreign_format.hpp"
#include "inputs/integer_scanner.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/separators.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

using Element = std::int32_t;
using Limits = std::numeric_limits<Element>;

constexpr char separator[] = "***\n";
constexpr std::ptrdiff_t separator_size = sizeof separator - 1;

/// Bytes that scan_matrix() may look at: the separator, and nine numbers of a sign, 14 digits and
/// what follows them.
constexpr std::ptrdiff_t matrix_margin = separator_size + 9 * 16 + scan_margin;

constexpr const char* empty_set = "the set is empty, and no matrices have no minimum";

/// What is wrong with a text and where.
struct Problem {
  std::size_t offset = std::string_view::npos;
  std::string text;
};

/// Reads the matrices at all `streams` at once if they look as write_matrix_set() leaves them and
/// scan(at, value) can read their elements, std::int32_t or wider. Two places of a text in turn
/// hide the time from the beginning of one number to the beginning of the next. Otherwise returns
/// false with `begin` unchanged; `values` then mean nothing.
template <class Number, int streams>
inline bool scan_matrices(const char* (&begin)[streams], Element (&values)[streams][9],
                          bool (*scan)(const char*&, Number&)) {
  const char* at[streams];
  bool good = true;
  for (int s = 0; s < streams; ++s) {
    good &= std::memcmp(begin[s], separator, separator_size) == 0;
    at[s] = begin[s] + separator_size;
  }
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      for (int s = 0; s < streams; ++s) {
        Number value;
        good &= scan(at[s], value);
        good &= *at[s]++ == (column < 2 ? ' ' : '\n');
        values[s][3 * row + column] = static_cast<Element>(value);
        good &= value == values[s][3 * row + column];
      }
    }
    if (!good) return false;
  }
  std::copy_n(at, streams, begin);
  return true;
}

/// The same for elements of any size, the short ones quickest.
template <int streams>
inline bool scan_matrices(const char* (&begin)[streams], Element (&values)[streams][9]) {
  return scan_matrices<Element>(begin, values, scan_short_integer) ||
         scan_matrices<std::int64_t>(begin, values, scan_integer);
}

/// A set's text behind its count, looked at character by character where scan_matrices() cannot.
class CarefulParser {
 public:
  explicit CarefulParser(std::string_view text) : text_(text), end_(text.data() + text.size()) {}

  /// Reads the matrix that must begin on the line at `at`; leaves `at` behind its last number.
  void take_matrix(const char*& at, Element (&values)[9]) const {
    take_separator(at);
    for (int row = 0; row < 3; ++row) take_row(at, row, values + 3 * row);
  }

  /// Moves to the beginning of the next line with more than a comment on it, or to the end.
  void skip_blank_lines(const char*& at) const {
    for (const char* ahead = at;; ++ahead) {
      skip_comment(ahead);
      if (ahead == end_) {
        at = end_;
        return;
      }
      if (!is_white(*ahead)) return;
      if (*ahead == '\n') at = ahead + 1;
    }
  }

 private:
  [[noreturn]] void fail(const char* at, std::string problem) const {
    throw Problem{static_cast<std::size_t>(at - text_.data()), std::move(problem)};
  }

  /// From # to the end of the line.
  void skip_comment(const char*& at) const {
    if (at != end_ && *at == '#') at = std::find(at, end_, '\n');
  }

  /// What stands within a line between others, at its end a comment.
  void skip_blanks(const char*& at) const {
    while (at != end_ && is_blank(*at)) ++at;
    skip_comment(at);
  }

  void take_separator(const char*& at) const {
    const bool indented = at[-1] != '\n' || is_blank(*at);
    skip_blanks(at);
    const std::string_view token = number_token(at, end_);
    if (token != "***" || indented) {
      fail(at, fmt::format("{} where a matrix must begin: with a line of nothing but ***",
                           quoted(token)));
    }
    at += token.size();
    skip_blanks(at);
    if (at != end_ && *at != '\n') {
      fail(at, fmt::format("{} behind ***, which takes a line of its own",
                           quoted(number_token(at, end_))));
    }
  }

  void take_row(const char*& at, int row, Element* values) const {
    skip_blank_lines(at);
    for (int column = 0; column < 3; ++column) {
      skip_blanks(at);
      if (at == end_ || is_white(*at) || *at == '*') {
        const char* const ended = at == end_   ? "the file ends"
                                  : *at == '*' ? "*** begins another"
                                               : "the line ends";
        fail(at, fmt::format("{} in row {} of a matrix after {} of its 3 numbers", ended, row + 1,
                             column));
      }
      const std::string_view token = number_token(at, end_);
      const IntegerToken element = parse_integer(token, "element", Limits::min(), Limits::max());
      if (!element.problem.empty()) fail(at, element.problem);
      values[column] = static_cast<Element>(element.value);
      at += token.size();
      skip_blanks(at);
      if (at != end_ && *at == ',') ++at;
    }
    skip_blanks(at);
    if (at != end_ && !is_white(*at)) {
      fail(at, fmt::format("{} behind the 3 numbers of row {}; a row takes a line of its own",
                           quoted(number_token(at, end_)), row + 1));
    }
  }

  std::string_view text_;
  const char* end_;
};

/// The first problem in the order of the text, and what a consumer threw.
class Failures {
 public:
  bool any() const { return any_; }
  void add(Problem problem) {
    const std::lock_guard lock(mutex_);
    if (problem.offset < problem_.offset) problem_ = std::move(problem);
    any_ = true;
  }
  void add_exception(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::move(exception);
    any_ = true;
  }
  const Problem& problem() const { return problem_; }
  const std::exception_ptr& exception() const { return exception_; }

 private:
  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  Problem problem_;
  std::exception_ptr exception_;
};

/// Where one thread reads: the matrices that begin in a part of the text.
struct Section {
  const char* at;
  const char* end;
};

class TextSet {
 public:
  explicit TextSet(const MappedFile& file, std::size_t section_size = matrix_section_size)
      : name_(file.name()), text_(file.content()), careful_(text_), section_size_(section_size) {
    const char* at = text_.data() + text_.size() - without_byte_order_mark(text_).size();
    Separators().skip(at, end());
    count_offset_ = static_cast<std::size_t>(at - text_.data());
    if (at == end())
      fail(count_offset_, "no count: the file is empty; a set begins with its number of matrices");
    const std::string_view token = number_token(at, end());
    const IntegerToken count = parse_integer(token, "count", 0, std::int64_t{1} << 60);
    if (!count.problem.empty()) fail(count_offset_, count.problem);
    count_ = count.value;
    body_ = count_offset_ + token.size();
  }

  /// Gives every matrix to a consumer, one a thread, and tells it when it has seen all of its own;
  /// returns how many there were.
  template <class Consumer>
  std::int64_t read(std::vector<Consumer>& consumers) const;

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_at(text_, offset), problem));
  }

  /// Section k of the body: from the first line in its range that begins with * to the end of the
  /// range. The first begins with the body.
  Section section(std::int64_t k) const;
  /// Whether a section is read: its range is left and what follows is another one's.
  bool done(const Section& section) const {
    return section.at == end() ||
           (section.at >= section.end && *section.at == '*' && section.at[-1] == '\n');
  }
  const char* end() const { return text_.data() + text_.size(); }

  /// Reads two sections at once; returns their number of matrices.
  template <class Consumer>
  std::int64_t read_pair(Section first, Section second, Consumer& consume,
                         Failures& failures) const;
  /// Reads a matrix of any look at the beginning of the section; false when there is none left or
  /// it is wrong.
  bool take_carefully(Section& section, Element (&values)[9], Failures& failures) const;

  const std::string& name_;
  std::string_view text_;
  CarefulParser careful_;
  std::size_t section_size_;
  std::int64_t count_;
  std::size_t count_offset_;
  std::size_t body_;
};

Section TextSet::section(std::int64_t k) const {
  const std::size_t begin =
      std::min(body_ + static_cast<std::size_t>(k) * section_size_, text_.size());
  const std::size_t stop = std::min(begin + section_size_, text_.size());
  const Section found{text_.data() + begin, text_.data() + stop};
  if (k == 0) return found;
  const char* at = found.at;
  while ((at = static_cast<const char*>(std::memchr(at, '*', found.end - at))) != nullptr) {
    if (at[-1] == '\n') return {at, found.end};
    ++at;
  }
  return {end(), end()};  // nothing begins here
}

bool TextSet::take_carefully(Section& section, Element (&values)[9], Failures& failures) const {
  careful_.skip_blank_lines(section.at);
  if (done(section)) return false;
  try {
    careful_.take_matrix(section.at, values);
    careful_.skip_blank_lines(section.at);  // to where scan_matrices() can go on
    return true;
  } catch (const Problem& problem) {
    failures.add(problem);
    section.at = end();
    return false;
  }
}

template <class Consumer>
std::int64_t TextSet::read_pair(Section first, Section second, Consumer& consume,
                                Failures& failures) const {
  std::int64_t matrices = 0;
  const auto take = [&](std::span<const Element, 9> values) {
    consume(values);
    ++matrices;
  };
  const char* const last = text_.size() < matrix_margin ? text_.data() : end() - matrix_margin;

  Element values[2][9];
  while (first.at < first.end && second.at < second.end && first.at < last && second.at < last) {
    const char* at[] = {first.at, second.at};
    if (scan_matrices(at, values)) {
      take(values[0]);
      take(values[1]);
      first.at = at[0];
      second.at = at[1];
    } else {
      if (take_carefully(first, values[0], failures)) take(values[0]);
      if (take_carefully(second, values[1], failures)) take(values[1]);
    }
  }
  for (Section section : {first, second}) {
    while (!done(section)) {
      const char* at[] = {section.at};
      Element single[1][9];
      if (section.at < last && scan_matrices(at, single)) {
        take(single[0]);
        section.at = at[0];
      } else if (take_carefully(section, single[0], failures)) {
        take(single[0]);
      }
    }
  }
  return matrices;
}

template <class Consumer>
std::int64_t TextSet::read(std::vector<Consumer>& consumers) const {
  const std::int64_t sections =
      static_cast<std::int64_t>((text_.size() - body_ + section_size_ - 1) / section_size_);
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::int64_t> matrices = 0;
  Failures failures;
  const int threads = static_cast<int>(consumers.size());
#pragma omp parallel num_threads(threads)
  try {
    // Sections are taken in order, so that all before a problem are read: the first is the first
    // in the text.
    Consumer& consume = consumers[static_cast<std::size_t>(omp_get_thread_num())];
    std::int64_t read = 0;
    for (std::int64_t k; !failures.any() && (k = next.fetch_add(2)) < sections;) {
      read += read_pair(section(k), section(k + 1), consume, failures);
    }
    if (!failures.any()) consume.finish();
    matrices += read;
  } catch (...) {
    failures.add_exception(std::current_exception());
  }
  if (failures.exception()) std::rethrow_exception(failures.exception());
  if (failures.any()) fail(failures.problem().offset, failures.problem().text);
  if (matrices != count_) {
    fail(count_offset_, fmt::format("the count says {} matri{} but the file holds {}", count_,
                                    count_ == 1 ? "x" : "ces", matrices.load()));
  }
  if (count_ == 0) fail(count_offset_, empty_set);
  return count_;
}

/// Keeps the minimum of each position.
struct Minima {
  Element values[9];
  Minima() { std::fill_n(values, 9, Limits::max()); }

  void operator()(std::span<const Element, 9> matrix) {
    for (int i = 0; i < 9; ++i) values[i] = std::min(values[i], matrix[i]);
  }
  void finish() {}
};

/// Fills a sink's batches.
template <class T>
class Batches {
 public:
  Batches(MatrixBatchSink<T>& sink, int thread, std::int64_t capacity)
      : sink_(&sink), thread_(thread), capacity_(capacity) {}

  void operator()(std::span<const T, 9> matrix) {
    if (room_.empty()) room_ = sink_->room(thread_);
    for (int i = 0; i < 9; ++i) room_[i * capacity_ + filled_] = matrix[i];
    if (++filled_ == capacity_) finish();
  }
  void finish() {
    if (filled_ > 0) sink_->take(thread_, room_, filled_);
    filled_ = 0;
    room_ = {};
  }

 private:
  MatrixBatchSink<T>* sink_;
  int thread_;
  std::int64_t capacity_;
  std::int64_t filled_ = 0;
  std::span<T> room_;
};

/// The number of matrices of a .npy set.
std::int64_t checked_shape(const NpyArray& array, const std::string& name) {
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 3 || shape[1] != 3 || shape[2] != 3) {
    throw InputError(fmt::format("{}: this array is {}; a set of matrices is N x 3 x 3", name,
                                 array.shape_text()));
  }
  if (shape[0] == 0) throw InputError(fmt::format("{}: {}", name, empty_set));
  if (std::holds_alternative<std::span<const std::int64_t>>(array.values())) {
    throw InputError(fmt::format(
        "{}: the elements of this set are int64; int32 (<i4), float32 (<f4) and float64 (<f8) are "
        "read: save a.astype(\"<i4\")",
        name));
  }
  return shape[0];
}

/// The minimum of each position among matrices that stand one after another.
template <class T>
std::array<double, 9> minima_of(std::span<const T> elements, int threads) {
  const std::int64_t matrices = static_cast<std::int64_t>(elements.size() / 9);
  // NaN wins and stays, and -0 is below +0: in any order the same bits, but for those of NaN.
  const auto smaller = [](T a, T b) {
    return b < a || b != b || (b == a && std::signbit(b)) ? b : a;
  };
  std::vector<std::array<T, 9>> found(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t begin = matrices * thread / omp_get_num_threads();
    const std::int64_t end = matrices * (thread + 1) / omp_get_num_threads();
    std::array<T, 9> minima;
    std::copy_n(elements.begin() + 9 * std::min(begin, matrices - 1), 9, minima.begin());
    for (std::int64_t m = begin; m < end; ++m) {
      const T* const matrix = elements.data() + 9 * m;
      for (int i = 0; i < 9; ++i) minima[i] = smaller(minima[i], matrix[i]);
    }
    found[static_cast<std::size_t>(thread)] = minima;
#pragma omp single
    found.resize(static_cast<std::size_t>(omp_get_num_threads()));
  }
  std::array<T, 9> minima = found.front();
  for (const std::array<T, 9>& part : found) {
    for (int i = 0; i < 9; ++i) minima[i] = smaller(minima[i], part[i]);
  }
  std::array<double, 9> result;
  std::ranges::transform(minima, result.begin(), [](double value) {
    return value == value ? value : std::numeric_limits<double>::quiet_NaN();  // of positive sign
  });
  return result;
}

int thread_count(int threads) {
  return threads > 0 ? threads : omp_get_max_threads();
}

}  // namespace

MatrixSetMinima matrix_set_minima(const std::string& path, int threads) {
  return matrix_set_minima(MappedFile(path), threads);
}

MatrixSetMinima matrix_set_minima(const MappedFile& file, int threads, std::size_t section_size) {
  reject_foreign_format(file.content(), file.name());
  if (is_npy(file)) {
    const NpyArray array(file);
    const std::int64_t matrices = checked_shape(array, file.name());
    return std::visit(
        [&]<class T>(std::span<const T> elements) -> MatrixSetMinima {
          if constexpr (std::is_same_v<T, std::int64_t>) {
            return {};  // refused above
          } else {
            return {matrices, minima_of(elements, thread_count(threads)), T{0}};
          }
        },
        array.values());
  }
  std::vector<Minima> minima(static_cast<std::size_t>(thread_count(threads)));
  MatrixSetMinima result;
  result.matrices = TextSet(file, section_size).read(minima);
  result.values.fill(Limits::max());
  for (const Minima& part : minima) {
    for (int i = 0; i < 9; ++i) {
      result.values[i] = std::min(result.values[i], static_cast<double>(part.values[i]));
    }
  }
  return result;
}

MatrixSetFile::MatrixSetFile(const std::string& path) : file_(path) {
  reject_foreign_format(file_.content(), file_.name());
  if (!is_npy(file_)) return;
  array_.emplace(file_);
  checked_shape(*array_, file_.name());
}

std::variant<std::int32_t, float, double> MatrixSetFile::element() const {
  if (!array_) return std::int32_t{0};
  return std::visit(
      []<class T>(std::span<const T>) -> std::variant<std::int32_t, float, double> {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          return 0;  // refused when the file was opened
        } else {
          return T{0};
        }
      },
      array_->values());
}

template <class T>
std::int64_t MatrixSetFile::read_batches(int threads, std::int64_t capacity,
                                         MatrixBatchSink<T>& sink) const {
  std::vector<Batches<T>> batches;
  threads = thread_count(threads);
  for (int thread = 0; thread < threads; ++thread) {
    batches.emplace_back(sink, thread, capacity);
  }
  if constexpr (std::is_same_v<T, Element>) {
    if (!array_) return TextSet(file_).read(batches);
  }
  const auto elements = std::get<std::span<const T>>(array_->values());
  const std::int64_t matrices = array_->shape()[0];
  Failures failures;
#pragma omp parallel num_threads(threads)
  try {
    Batches<T>& batch = batches[static_cast<std::size_t>(omp_get_thread_num())];
    const std::int64_t begin = matrices * omp_get_thread_num() / omp_get_num_threads();
    const std::int64_t end = matrices * (omp_get_thread_num() + 1) / omp_get_num_threads();
    for (std::int64_t m = begin; m < end && !failures.any(); ++m) {
      batch(elements.subspan(9 * static_cast<std::size_t>(m)).template first<9>());
    }
    batch.finish();
  } catch (...) {
    failures.add_exception(std::current_exception());
  }
  if (failures.exception()) std::rethrow_exception(failures.exception());
  return matrices;
}
template std::int64_t MatrixSetFile::read_batches(int, std::int64_t,
                                                  MatrixBatchSink<std::int32_t>&) const;
template std::int64_t MatrixSetFile::read_batches(int, std::int64_t, MatrixBatchSink<float>&) const;
template std::int64_t MatrixSetFile::read_batches(int, std::int64_t,
                                                  MatrixBatchSink<double>&) const;

void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file) {
  file.write(fmt::format("{}\n", elements.size() / 9));
  constexpr int digits = 11;  // with the sign
  char text[separator_size + 9 * (digits + 1)];
  for (; elements.size() >= 9; elements = elements.subspan(9)) {
    char* at = std::copy_n(separator, separator_size, text);
    for (int i = 0; i < 9; ++i) {
      at = std::to_chars(at, at + digits, elements[i]).ptr;
      *at++ = i % 3 < 2 ? ' ' : '\n';
    }
    file.write({text, at});
  }
}

}  // namespace bombard
