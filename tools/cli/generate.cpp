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
    // The difference of two of them is still a number.
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
  std::uint64_t seed = static_cast<std::uint64_t>(given.number("seed", 0));
  std::filesystem::path directory = given.text("directory");

  explicit Request(const Arguments& arguments) : given(arguments) {
    make_directory(directory.string());
  }

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

  /// Writes a file by write_into(file), and prints its name.
  template <class WriteInto>
  void write(const std::string& name, const WriteInto& write_into) const {
    const std::string format = given.word("format");
    OutputFile file((directory / (name + (format == "text" ? ".txt" : '.' + format))).string());
    write_into(file);
    file.commit();
    print(shown_name(file.path()) + '\n');
  }

  void write_values(const std::string& name, const std::vector<double>& values,
                    const std::vector<std::int64_t>& shape) const {
    const bool single = parse_precision(given.text("precision")) == Precision::binary32;
    write(name, [&](OutputFile& file) {
      if (!single) return write_array(values, shape, file);
      write_array(std::vector<float>(values.begin(), values.end()), shape, file);
    });
  }
};

int generate_storms(const Arguments& given) {
  const Request request(given);
  const StormFormat& format =
      **std::ranges::find(storm_formats(), given.word("format"), &StormFormat::word);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t cells = given.number("cells", 1, largest_position);
  const std::int64_t impacts = given.number("impacts", 0, most);
  const std::int64_t storms = given.number("storms", 1, most);
  const auto [lowest, highest] = request.range<std::int32_t>("energy");
  // Numbers of equal width, so that the shell lists the files in order.
  const std::size_t width = std::to_string(storms).size();
  const std::string_view ending = &format == &storm_text ? "txt" : format.word;
  for (std::int64_t i = 0; i < storms; ++i) {
    const Storm storm = generate_storm(cells, impacts, lowest, highest, request.seed, i);
    const std::string name = fmt::format("layer_{}_storm_{:0{}}.{}", cells, i + 1, width, ending);
    const std::string path = (request.directory / name).string();
    write_storm(storm, path, format);
    print(shown_name(path) + '\n');
  }
  return 0;
}

int generate_vector(const Arguments& given) {
  const Request request(given);
  const std::int64_t elements = given.number("elements", 1, std::int64_t{1} << 60);
  const auto [lowest, highest] = request.range<double>("values");
  request.write_values(fmt::format("vector_{}", elements),
                       generate_values(elements, lowest, highest, request.seed), {elements});
  return 0;
}

int generate_matrix(const Arguments& given) {
  const Request request(given);
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t rows = given.number("rows", 1, most);
  const std::int64_t columns = given.number("columns", 1, most);
  const auto [lowest, highest] = request.range<double>("values");
  request.write_values(fmt::format("matrix_{}x{}", rows, columns),
                       generate_values(rows * columns, lowest, highest, request.seed),
                       {rows, columns});
  return 0;
}

int generate_system(const Arguments& given) {
  const Request request(given);
  const std::int64_t n = given.number("rows", 1, std::numeric_limits<std::int32_t>::max());
  const std::string name = fmt::format("system_{}_matrix", n);
  if (given.has("others")) {
    if (given.word("format") != "mtx") {
      throw InputError("a sparse matrix (--others) is written as mtx only; leave --format out");
    }
    const std::int64_t others = given.number("others", 0, 10'000);
    if (others >= n) {
      throw InputError(fmt::format(
          "--others {} is too much: beside the diagonal a row of a system of {} has {} elements",
          others, n, n - 1));
    }
    const SparseMatrix<double> matrix = bombard::generate_system(n, others, request.seed);
    request.write(name, [&](OutputFile& file) { write_matrix_market(matrix, file); });
  } else {
    request.write_values(name, dense(bombard::generate_system(n, n - 1, request.seed)).values,
                         {n, n});
  }
  request.write_values(fmt::format("system_{}_vector", n),
                       generate_values<double>(n, -1, 1, request.seed + 1), {n});
  return 0;
}

int generate_set(const Arguments& given) {
  const Request request(given);
  const std::int64_t matrices = given.number("matrices", 1, std::int64_t{1} << 55);
  const auto [lowest, highest] = request.range<std::int32_t>("values");
  const std::vector<std::int32_t> values =
      generate_values(9 * matrices, lowest, highest, request.seed);
  request.write(fmt::format("matrix_set_{}", matrices), [&](OutputFile& file) {
    if (given.word("format") == "npy") {
      write_npy(values, {matrices, 3, 3}, file);
    } else {
      write_matrix_set(values, file);
    }
  });
  return 0;
}

std::string words_of_storm_formats() {
  std::vector<std::string_view> words;
  for (const StormFormat* format : storm_formats()) words.push_back(format->word);
  return fmt::to_string(fmt::join(words, "|"));
}

}  // namespace

Subcommand generate_subcommand() {
  return {
      .name = "generate",
      .arguments = "[KIND]",
      .summary = "write storms of random impacts, or data for `bombard solve`",
      .about =
          "Writes random data and prints the names of the files; the examples show these names. "
          "Positions of impacts are uniform in 0..CELLS-1. The same seed gives the same files on "
          "every machine. Files of the same names are replaced.",
      .examples =
          "  bombard generate --cells 1000000 --impacts 5000 --storms 4 --seed 7\n"
          "  bombard generate --cells 60 --impacts 8 --energy -100:100\n"
          "  bombard generate vector --elements 1000             vector_1000.npy\n"
          "  bombard generate matrix --rows 30 --columns 40      matrix_30x40.npy\n"
          "  bombard generate system --rows 1000 --others 6      system_1000_*.mtx\n"
          "  bombard generate set --matrices 50 --values -9:9    matrix_set_50.txt\n",
      .topics = {{"storms", "", "storms of random impacts; also without this word",
                  generate_storms},
                 {"vector", "", "a vector", generate_vector},
                 {"matrix", "", "a matrix", generate_matrix},
                 {"system", "", "a diagonally dominant matrix and a right-hand side",
                  generate_system},
                 {"set", "", "a set of 3x3 matrices of integers", generate_set}},
      .usual_topic = "storms",
      .groups = {
          {"Data",
           {{"cells", "N", "Cells of the layer", "", "storms"},
            {"impacts", "P", "Impacts of each storm", "", "storms"},
            {"storms", "S", "Number of storms", "1", "storms"},
            {"energy", "LO:HI", "Energies are uniform in this range, in thousands", "1:1000",
             "storms"},
            {"elements", "N", "Elements of the vector", "", "vector"},
            {"rows", "N", "Rows", "", "matrix system"},
            {"columns", "M", "Columns", "", "matrix"},
            {"others", "K", "Make the system sparse, with K elements per row beside the diagonal",
             "", "system"},
            {"matrices", "N", "Matrices of the set", "", "set"},
            {"values", "LO:HI", "Elements are uniform in this range", "-1:1", "vector matrix"},
            {"values", "LO:HI", "Elements are uniform in this range", "-1000:1000", "set"},
            {"precision", "single|double", "The type of the elements", "double",
             "vector matrix system"}}},
          {"Files",
           {{"seed", "X", "A whole number from 0 up", "1"},
            {"format", words_of_storm_formats(), "How storms are written", "text", "storms"},
            {"format", "text|npy", "Text, or a NumPy array", "text", "set"},
            {"format", "npy|mtx|text", "A NumPy array, Matrix Market, or text", "npy",
             "vector matrix"},
            {"format", "npy|mtx|text", "A NumPy array, Matrix Market, or text", "mtx", "system"},
            {"directory", "DIR", "The directory of the files; it is created if it is missing",
             "."}}},
          messages()}};
}

}  // namespace bombard::tools
