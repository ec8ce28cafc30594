#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/words.hpp"
#include "inputs/array_file.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/token.hpp"
#include "sim/generation.hpp"
#include "solvers/generation.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

template <class Number>
Number end_of_range(const std::string& text, const std::string& what) {
  if constexpr (std::is_integral_v<Number>) {
    using Limits = std::numeric_limits<Number>;
    return static_cast<Number>(whole_number(text, what, Limits::min(), Limits::max()));
  } else {
    // The difference of two is a number, too.
    constexpr Number most = std::numeric_limits<Number>::max() / 2;
    const auto number = number_of<Number>(text);
    if (number && std::abs(*number) <= most) return *number;
    throw InputError(
        fmt::format("{} \"{}\" is not a number from {} to {}", what, text, -most, most));
  }
}

/// The options, and how the files are written.
struct Request {
  const Arguments& given;
  ArrayFormat format;
  bool single_precision;
  std::uint64_t seed;
  std::filesystem::path directory;

  /// The two numbers of LO:HI.
  template <class Number>
  std::pair<Number, Number> range(const std::string& option) const {
    const std::string whole = given.text(option);
    const std::size_t colon = whole.find(':');
    if (colon == std::string::npos) {
      throw InputError(
          fmt::format("--{} \"{}\" is not a range; it is LO:HI, as in -10:10", option, whole));
    }
    const auto first = end_of_range<Number>(whole.substr(0, colon), "--" + option + " LO");
    const auto last = end_of_range<Number>(whole.substr(colon + 1), "--" + option + " HI");
    if (first > last) {
      throw InputError(fmt::format("--{} {} is empty: LO is above HI; swap them", option, whole));
    }
    return {first, last};
  }

  std::string path_of(const std::string& name) const {
    const char* const extension = format == ArrayFormat::npy             ? ".npy"
                                  : format == ArrayFormat::matrix_market ? ".mtx"
                                                                         : ".txt";
    return (directory / (name + extension)).string();
  }

  /// Writes a file by write_into(file), and prints its name.
  template <class WriteInto>
  void write(const std::string& name, const WriteInto& write_into) const {
    OutputFile file(path_of(name));
    write_into(file);
    file.commit();
    print(shown_name(file.path()) + '\n');
  }

  void write_values(const std::string& name, const std::vector<double>& values,
                    const std::vector<std::int64_t>& shape) const {
    write(name, [&](OutputFile& file) {
      if (!single_precision) return write_array(values, shape, format, file);
      write_array(std::vector<float>(values.begin(), values.end()), shape, format, file);
    });
  }
};

void generate_storms(const Request& request) {
  const StormFormat& format =
      **std::ranges::find(storm_formats(), request.given.word("format"), &StormFormat::word);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t cells = request.given.number("cells", 1, largest_position);
  const std::int64_t impacts = request.given.number("impacts", 0, most);
  const std::int64_t storms = request.given.number("storms", 1, most);
  const auto [lowest, highest] = request.range<std::int32_t>("energy");
  // Numbers of equal width, so that the shell lists the files in their order.
  const std::size_t width = std::to_string(storms).size();
  for (std::int64_t i = 0; i < storms; ++i) {
    const Storm storm = generate_storm(cells, impacts, lowest, highest, request.seed, i);
    const std::string name =
        fmt::format("layer_{}_storm_{:0{}}{}", cells, i + 1, width, format.extension);
    const std::string path = (request.directory / name).string();
    write_storm(storm, path, format);
    print(shown_name(path) + '\n');
  }
}

void generate_vector(const Request& request) {
  const std::int64_t elements = request.given.number("elements", 1, std::int64_t{1} << 60);
  const auto [lowest, highest] = request.range<double>("values");
  request.write_values(fmt::format("vector_{}", elements),
                       generate_values(elements, lowest, highest, request.seed), {elements});
}

void generate_matrix(const Request& request) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t rows = request.given.number("rows", 1, most);
  const std::int64_t columns = request.given.number("columns", 1, most);
  const auto [lowest, highest] = request.range<double>("values");
  request.write_values(fmt::format("matrix_{}x{}", rows, columns),
                       generate_values(rows * columns, lowest, highest, request.seed),
                       {rows, columns});
}

void generate_system(const Request& request) {
  const std::int64_t n = request.given.number("rows", 1, std::numeric_limits<std::int32_t>::max());
  const std::string name = fmt::format("system_{}_matrix", n);
  if (request.given.has("others")) {
    if (request.format != ArrayFormat::matrix_market) {
      throw InputError("a sparse matrix (--others) is written as mtx only; leave --format out");
    }
    const std::int64_t others = request.given.number("others", 0, 10'000);
    if (others >= n) {
      throw InputError(fmt::format(
          "--others {} is too much: beside the diagonal a row of a system of {} has {} elements",
          others, n, n - 1));
    }
    const SparseMatrix<double> matrix = generate_sparse_system(n, others, request.seed);
    request.write(name, [&](OutputFile& file) { write_matrix_market(matrix, file); });
  } else {
    request.write_values(name, generate_dense_system(n, request.seed).values, {n, n});
  }
  request.write_values(fmt::format("system_{}_vector", n),
                       generate_values<double>(n, -1, 1, request.seed + 1), {n});
}

void generate_set(const Request& request) {
  const std::int64_t matrices = request.given.number("matrices", 1, std::int64_t{1} << 55);
  const auto [lowest, highest] = request.range<std::int32_t>("values");
  const std::vector<std::int32_t> values =
      generate_values(9 * matrices, lowest, highest, request.seed);
  request.write(fmt::format("matrix_set_{}", matrices), [&](OutputFile& file) {
    if (request.format == ArrayFormat::npy) {
      write_npy(values, {matrices, 3, 3}, file);
    } else {
      write_matrix_set(values, file);
    }
  });
}

constexpr std::pair<const char*, ArrayFormat> array_formats[] = {
    {"npy", ArrayFormat::npy}, {"mtx", ArrayFormat::matrix_market}, {"text", ArrayFormat::text}};

constexpr std::pair<const char*, void (*)(const Request&)> generators[] = {
    {"storms", generate_storms},
    {"vector", generate_vector},
    {"matrix", generate_matrix},
    {"system", generate_system},
    {"set", generate_set}};

/// The second part of the row that begins with the word.
template <class Rows>
auto found(const Rows& rows, std::string_view word) {
  return std::ranges::find(rows, word, [](const auto& row) { return row.first; })->second;
}

std::vector<std::string> words_of_storm_formats() {
  std::vector<std::string> words;
  for (const StormFormat* format : storm_formats()) words.emplace_back(format->word);
  return words;
}

int generate(const Arguments& given) {
  const bool storms = given.topic() == "storms";
  const Request request{
      given, storms ? ArrayFormat::text : found(array_formats, given.word("format")),
      parse_precision(given.text("precision")) == Precision::binary32,
      static_cast<std::uint64_t>(given.number("seed", 0)), given.text("directory")};
  make_directory(request.directory.string());
  found(generators, given.topic())(request);
  return 0;
}

}  // namespace

Subcommand generate_subcommand() {
  return {
      .name = "generate",
      .arguments = "[KIND]",
      .summary = "write storms of random impacts, or data for `bombard solve`",
      .about =
          "Writes random data and prints the names of the files, which are those of the examples. "
          "Positions of impacts are uniform in 0..CELLS-1. The same seed gives the same files on "
          "every machine. Files of the same names are replaced.",
      .examples =
          "  bombard generate --cells 1000000 --impacts 5000 --storms 4 --seed 7\n"
          "  bombard generate --cells 60 --impacts 8 --energy -100:100\n"
          "  bombard generate vector --elements 1000             vector_1000.npy\n"
          "  bombard generate matrix --rows 30 --columns 40      matrix_30x40.npy\n"
          "  bombard generate system --rows 1000 --others 6      system_1000_*.mtx\n"
          "  bombard generate set --matrices 50 --values -9:9    matrix_set_50.txt\n",
      .topics = {{"storms", "", "storms of random impacts; also without this word"},
                 {"vector", "", "a vector"},
                 {"matrix", "", "a matrix"},
                 {"system", "", "a diagonally dominant matrix and a right-hand side"},
                 {"set", "", "a set of 3x3 matrices of integers"}},
      .usual_topic = "storms",
      .groups =
          {{"Data",
            {{"cells", "N", "Cells of the layer", "", {}, {"storms"}},
             {"impacts", "P", "Impacts of each storm", "", {}, {"storms"}},
             {"storms", "S", "Number of storms", "1", {}, {"storms"}},
             {"energy",
              "LO:HI",
              "Energies are uniform in this range, in thousands",
              "1:1000",
              {},
              {"storms"}},
             {"elements", "N", "Elements of the vector", "", {}, {"vector"}},
             {"rows", "N", "Rows", "", {}, {"matrix", "system"}},
             {"columns", "M", "Columns", "", {}, {"matrix"}},
             {"others",
              "K",
              "Make the system sparse, with K elements per row beside the diagonal",
              "",
              {},
              {"system"}},
             {"matrices", "N", "Matrices of the set", "", {}, {"set"}},
             {"values",
              "LO:HI",
              "Elements are uniform in this range",
              "-1:1",
              {},
              {"vector", "matrix"}},
             {"values", "LO:HI", "Elements are uniform in this range", "-1000:1000", {}, {"set"}},
             {"precision",
              "",
              "The type of the elements",
              "double",
              {"single", "double"},
              {"vector", "matrix", "system"}}}},
           {"Files",
            {{"seed", "X", "A whole number from 0 up", "1"},
             {"format", "", "How storms are written", "text", words_of_storm_formats(), {"storms"}},
             {"format", "", "Text, or a NumPy array", "text", {"text", "npy"}, {"set"}},
             {"format",
              "",
              "A NumPy array, Matrix Market, or text",
              "npy",
              {"npy", "mtx", "text"},
              {"vector", "matrix"}},
             {"format",
              "",
              "A NumPy array, Matrix Market, or text",
              "mtx",
              {"npy", "mtx", "text"},
              {"system"}},
             {"directory", "DIR", "The directory of the files; it is created if it is missing",
              "."}}},
           messages()},
      .work = generate};
}

}  // namespace bombard::tools
