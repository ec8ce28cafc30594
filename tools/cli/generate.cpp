#include <fmt/format.h>

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
#include "inputs/storms/storm_npy.hpp"
#include "inputs/storms/storm_text.hpp"
#include "inputs/token.hpp"
#include "sim/generation.hpp"
#include "solvers/generation.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_storms =
    "Writes storms of random impacts and prints the names of the files:\n"
    "DIRECTORY/layer_CELLS_storm_1.txt and so on.\n"
    "Positions are uniform in 0..CELLS-1, energies uniform in LO..HI. The same seed gives the same "
    "files\n"
    "on every machine. Files of the same names are replaced.\n"
    "Data for `bombard solve`: bombard generate vector|matrix|system|set --help\n";

constexpr const char* examples_of_storms =
    "\nExamples:\n"
    "  bombard generate --cells 1000000 --impacts 5000 --storms 4 --seed 7 --directory storms\n"
    "  bombard generate --cells 60 --impacts 8 --energy -100:100\n"
    "  bombard generate system --rows 1000              data for `bombard solve`\n";

constexpr const char* about_arrays =
    "Writes random data for `bombard solve` and prints the names of the files:\n"
    "  bombard generate vector --elements N          vector_N.npy\n"
    "  bombard generate matrix --rows N --columns M  matrix_NxM.npy\n"
    "  bombard generate system --rows N              system_N_matrix.mtx and system_N_vector.mtx:\n"
    "                                                a diagonally dominant matrix, a right-hand "
    "side\n"
    "  bombard generate set --matrices N             matrix_set_N.txt: 3x3 matrices of integers\n"
    "The same seed gives the same files on every machine. Files of the same names are replaced.\n";

constexpr const char* examples_of_arrays =
    "\nExamples:\n"
    "  bombard generate set --matrices 5000000 --values -999:999 --directory data\n"
    "  bombard generate system --rows 100000 --others 6\n"
    "  bombard generate vector --elements 1048576 --precision single\n";

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
  const cxxopts::ParseResult& parsed;
  std::string kind;
  ArrayFormat format;
  bool single_precision;
  std::uint64_t seed;
  std::filesystem::path directory;

  std::int64_t number(const std::string& option, std::int64_t least, std::int64_t most) const {
    if (parsed.count(option) == 0 && !parsed[option].has_default()) {
      throw InputError(fmt::format("--{} is missing; see `bombard generate{}{} --help`", option,
                                   kind.empty() ? "" : " ", kind));
    }
    return whole_number(parsed[option].as<std::string>(), "--" + option, least, most);
  }

  /// The two numbers of LO:HI; without the option, `ends`.
  template <class Number>
  std::pair<Number, Number> range(const std::string& option, std::pair<Number, Number> ends) const {
    const auto whole = given(parsed, option);
    if (!whole) return ends;
    const std::size_t colon = whole->find(':');
    if (colon == std::string::npos) {
      throw InputError(
          fmt::format("--{} \"{}\" is not a range; it is LO:HI, as in -10:10", option, *whole));
    }
    const auto first = end_of_range<Number>(whole->substr(0, colon), "--" + option + " LO");
    const auto last = end_of_range<Number>(whole->substr(colon + 1), "--" + option + " HI");
    if (first > last) {
      throw InputError(fmt::format("--{} {} is empty: LO is above HI; swap them", option, *whole));
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
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t cells = request.number("cells", 1, largest_position);
  const std::int64_t impacts = request.number("impacts", 0, most);
  const std::int64_t storms = request.number("storms", 1, most);
  const auto [lowest, highest] = request.range<std::int32_t>("energy", {1, 1000});
  // Numbers of equal width, so that the shell lists the files in their order.
  const std::size_t width = std::to_string(storms).size();
  for (std::int64_t i = 0; i < storms; ++i) {
    const Storm storm = generate_storm(cells, impacts, lowest, highest, request.seed, i);
    const std::string path =
        request.path_of(fmt::format("layer_{}_storm_{:0{}}", cells, i + 1, width));
    (request.format == ArrayFormat::npy ? write_storm_npy : write_storm)(storm, path);
    print(shown_name(path) + '\n');
  }
}

void generate_vector(const Request& request) {
  const std::int64_t elements = request.number("elements", 1, std::int64_t{1} << 60);
  const auto [lowest, highest] = request.range<double>("values", {-1, 1});
  request.write_values(fmt::format("vector_{}", elements),
                       generate_values(elements, lowest, highest, request.seed), {elements});
}

void generate_matrix(const Request& request) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t rows = request.number("rows", 1, most);
  const std::int64_t columns = request.number("columns", 1, most);
  const auto [lowest, highest] = request.range<double>("values", {-1, 1});
  request.write_values(fmt::format("matrix_{}x{}", rows, columns),
                       generate_values(rows * columns, lowest, highest, request.seed),
                       {rows, columns});
}

void generate_system(const Request& request) {
  const std::int64_t n = request.number("rows", 1, std::numeric_limits<std::int32_t>::max());
  const std::string name = fmt::format("system_{}_matrix", n);
  if (request.parsed.count("others") != 0) {
    if (request.format != ArrayFormat::matrix_market) {
      throw InputError("a sparse matrix (--others) is written as mtx only; leave --format out");
    }
    const std::int64_t others = request.number("others", 0, 10'000);
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
  const std::int64_t matrices = request.number("matrices", 1, std::int64_t{1} << 55);
  const auto [lowest, highest] = request.range<std::int32_t>("values", {-1000, 1000});
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

struct Kind {
  std::string name;  ///< of the argument; empty for storms
  ArrayFormat format;
  std::string_view formats;
  void (*generate)(const Request&);
  std::vector<std::string> options;  ///< beside those of every kind

  std::string what() const { return name.empty() ? "storms" : "a " + name; }
};

const std::vector<Kind>& kinds() {
  using enum ArrayFormat;
  constexpr std::string_view all = "npy, mtx or text";
  static const std::vector<Kind> known = {
      {"", text, "text or npy", generate_storms, {"cells", "impacts", "storms", "energy"}},
      {"vector", npy, all, generate_vector, {"elements", "values", "precision"}},
      {"matrix", npy, all, generate_matrix, {"rows", "columns", "values", "precision"}},
      {"system", matrix_market, all, generate_system, {"rows", "others", "precision"}},
      {"set", text, "npy or text", generate_set, {"matrices", "values", "precision"}}};
  return known;
}

const Kind& find_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw InputError(fmt::format(
      "\"{}\" is no kind of data; there are vector, matrix, system and set, and without one storms "
      "are written{}; see `bombard generate --help`",
      name, did_you_mean(name, names)));
}

cxxopts::Options options_of(const Kind& kind) {
  const bool storms = kind.name.empty();
  cxxopts::Options options("bombard generate", storms ? about_storms : about_arrays);
  options.custom_help(storms ? "--cells N --impacts P [OPTION...]"
                             : "vector|matrix|system|set [OPTION...]");
  add_options(options, "Storms",
              {{"cells", "Cells of the layer", "N"},
               {"impacts", "Impacts of each storm", "P"},
               {"storms", "Number of storms", "S", "1"},
               {"energy", "Energies, in thousands", "LO:HI", "1:1000"}});
  add_options(
      options, "Arrays",
      {{"elements", "Elements of a vector", "N"},
       {"rows", "Rows of a matrix or a system", "N"},
       {"columns", "Columns of a matrix", "M"},
       {"others",
        "Make the system sparse, with K elements per row beside the diagonal; without this it is "
        "dense",
        "K"},
       {"matrices", "Matrices of a set", "N"},
       {"values", "The range of the elements; without it -1:1, for a set -1000:1000", "LO:HI"},
       {"precision", "The type of the elements of a vector, a matrix or a system: single or double",
        "TYPE", "double"}});
  add_options(
      options, "Files",
      {{"seed", "A whole number from 0 up", "X", "1"},
       {"format", storms ? "text, or npy for NumPy arrays" : "npy, mtx or text", "FORMAT"},
       {"directory", "The directory of the files; it is created if it is missing", "D", "."},
       {"h,help", "Show this help"}});
  return options;
}

ArrayFormat format_of(const Kind& kind, const cxxopts::ParseResult& parsed) {
  const auto text = given(parsed, "format");
  if (!text) return kind.format;
  if (text == "npy") return ArrayFormat::npy;
  if (text == "text") return ArrayFormat::text;
  if (text == "mtx" && kind.formats.find("mtx") != std::string_view::npos) {
    return ArrayFormat::matrix_market;
  }
  throw InputError(fmt::format("--format \"{}\" is not a format of {}; it is {}", *text,
                               kind.what(), kind.formats));
}

}  // namespace

int generate(int argc, char** argv) {
  // Its kind stands before its options.
  const bool named = argc > 1 && argv[1][0] != '-';
  const Kind& kind = find_kind(named ? argv[1] : "");
  cxxopts::Options options = options_of(kind);
  const int skipped = named ? 1 : 0;
  const cxxopts::ParseResult parsed = parse(options, argc - skipped, argv + skipped, "generate");
  if (shows_help(parsed, options, {named ? "Arrays" : "Storms", "Files"},
                 named ? examples_of_arrays : examples_of_storms)) {
    return 0;
  }
  if (!parsed.unmatched().empty()) {
    if (!named) find_kind(parsed.unmatched().front());
    throw InputError(fmt::format("\"{}\" is not an option; see `bombard generate --help`",
                                 parsed.unmatched().front()));
  }
  for (const Kind& other : kinds()) {
    refuse_options(parsed, other.options, kind.options, kind.what());
  }
  const auto text = [&](const char* option) { return parsed[option].as<std::string>(); };
  const Request request{parsed,
                        kind.name,
                        format_of(kind, parsed),
                        parse_precision(text("precision")) == Precision::binary32,
                        static_cast<std::uint64_t>(whole_number(text("seed"), "--seed", 0)),
                        text("directory")};
  make_directory(request.directory.string());
  kind.generate(request);
  return 0;
}

}  // namespace bombard::tools
