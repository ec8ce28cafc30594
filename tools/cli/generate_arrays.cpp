#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/array_file.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"
#include "inputs/token.hpp"
#include "solvers/generation.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

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

struct ArrayRequest {
  ArrayFormat format;
  bool single_precision;
  std::uint64_t seed;
  std::filesystem::path directory;
};

std::string path_of(const ArrayRequest& request, const std::string& name) {
  const char* const extension = request.format == ArrayFormat::npy             ? ".npy"
                                : request.format == ArrayFormat::matrix_market ? ".mtx"
                                                                               : ".txt";
  return (request.directory / (name + extension)).string();
}

/// Writes what `write` puts into a file and prints its name.
template <class Write>
void write_file(const std::string& path, const Write& write) {
  OutputFile file(path);
  write(file);
  file.commit();
  print(shown_name(path) + '\n');
}

void write_values(const ArrayRequest& request, const std::string& name,
                  const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  write_file(path_of(request, name), [&](OutputFile& file) {
    if (request.single_precision) {
      const std::vector<float> rounded(values.begin(), values.end());
      write_array<float>(rounded, shape, request.format, file);
    } else {
      write_array<double>(values, shape, request.format, file);
    }
  });
}

std::int64_t number(const cxxopts::ParseResult& parsed, const std::string& kind,
                    const std::string& option, std::int64_t most) {
  if (parsed.count(option) == 0) {
    throw InputError(
        fmt::format("--{} is missing; see `bombard generate {} --help`", option, kind));
  }
  return whole_number(parsed[option].as<std::string>(), "--" + option, 1, most);
}

template <class Number>
std::pair<Number, Number> range(const cxxopts::ParseResult& parsed, Number lowest, Number highest) {
  if (parsed.count("values") == 0) return {lowest, highest};
  const std::string text = parsed["values"].as<std::string>();
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    const auto first = number_of<Number>(std::string_view(text).substr(0, colon));
    const auto last = number_of<Number>(std::string_view(text).substr(colon + 1));
    if (first && last && *first <= *last &&
        std::isfinite(static_cast<double>(*last) - static_cast<double>(*first))) {
      return {*first, *last};
    }
  }
  throw InputError(fmt::format("--values \"{}\" is not a range of {}; it is LO:HI, as in -10:10",
                               text, std::is_integral_v<Number> ? "32-bit integers" : "numbers"));
}

void generate_vector(const ArrayRequest& request, const cxxopts::ParseResult& parsed) {
  const std::int64_t elements = number(parsed, "vector", "elements", std::int64_t{1} << 60);
  const auto [lowest, highest] = range<double>(parsed, -1, 1);
  write_values(request, fmt::format("vector_{}", elements),
               generate_values(elements, lowest, highest, request.seed), {elements});
}

void generate_matrix(const ArrayRequest& request, const cxxopts::ParseResult& parsed) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t rows = number(parsed, "matrix", "rows", most);
  const std::int64_t columns = number(parsed, "matrix", "columns", most);
  const auto [lowest, highest] = range<double>(parsed, -1, 1);
  write_values(request, fmt::format("matrix_{}x{}", rows, columns),
               generate_values(rows * columns, lowest, highest, request.seed), {rows, columns});
}

void generate_system(const ArrayRequest& request, const cxxopts::ParseResult& parsed) {
  const std::int64_t n = number(parsed, "system", "rows", std::numeric_limits<std::int32_t>::max());
  const std::string name = fmt::format("system_{}_matrix", n);
  if (parsed.count("others") != 0) {
    if (request.format != ArrayFormat::matrix_market) {
      throw InputError("a sparse matrix (--others) is written as mtx only; leave --format out");
    }
    const std::int64_t others =
        whole_number(parsed["others"].as<std::string>(), "--others", 0, 10'000);
    if (others >= n) {
      throw InputError(fmt::format(
          "--others {} is too much: beside the diagonal a row of a system of {} has {} elements",
          others, n, n - 1));
    }
    const SparseMatrix<double> matrix = generate_sparse_system(n, others, request.seed);
    write_file(path_of(request, name),
               [&](OutputFile& file) { write_matrix_market(matrix, file); });
  } else {
    write_values(request, name, generate_dense_system(n, request.seed).values, {n, n});
  }
  write_values(request, fmt::format("system_{}_vector", n),
               generate_values(n, -1, 1, request.seed + 1), {n});
}

void generate_set(const ArrayRequest& request, const cxxopts::ParseResult& parsed) {
  const std::int64_t matrices = number(parsed, "set", "matrices", std::int64_t{1} << 55);
  const auto [lowest, highest] = range<std::int32_t>(parsed, -1000, 1000);
  const std::vector<std::int32_t> values =
      generate_integers(9 * matrices, lowest, highest, request.seed);
  write_file(path_of(request, fmt::format("matrix_set_{}", matrices)), [&](OutputFile& file) {
    if (request.format == ArrayFormat::npy) {
      write_npy<std::int32_t>(values, {matrices, 3, 3}, file);
    } else {
      write_matrix_set(values, file);
    }
  });
}

struct Kind {
  std::string_view name;
  ArrayFormat format;
  std::vector<std::string_view> options;  ///< of its own
  void (*generate)(const ArrayRequest&, const cxxopts::ParseResult&);
};

constexpr std::string_view options_of_kinds[] = {"elements", "rows",   "columns",
                                                 "matrices", "others", "values"};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"vector", ArrayFormat::npy, {"elements", "values"}, generate_vector},
      {"matrix", ArrayFormat::npy, {"rows", "columns", "values"}, generate_matrix},
      {"system", ArrayFormat::matrix_market, {"rows", "others"}, generate_system},
      {"set", ArrayFormat::text, {"matrices", "values"}, generate_set},
  };
  return all;
}

ArrayFormat parse_format(const std::string& text, const Kind& kind) {
  if (text == "npy") return ArrayFormat::npy;
  if (text == "text") return ArrayFormat::text;
  if (text == "mtx" && kind.name != "set") return ArrayFormat::matrix_market;
  throw InputError(fmt::format("--format \"{}\" is not a format of a {}; it is npy{} or text", text,
                               kind.name, kind.name == "set" ? "" : ", mtx"));
}

cxxopts::Options array_options() {
  cxxopts::Options options("bombard generate", about_arrays);
  options.custom_help("vector|matrix|system|set [OPTION...]");
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options()                                      //
      ("elements", "Elements of a vector", text(), "N")      //
      ("rows", "Rows of a matrix or a system", text(), "N")  //
      ("columns", "Columns of a matrix", text(), "M")        //
      ("others",
       "Make the system sparse, with K elements per row beside the diagonal; without this it is "
       "dense",
       text(), "K")                                   //
      ("matrices", "Matrices of a set", text(), "N")  //
      ("values", "The range of the elements; without it -1:1, for a set -1000:1000", text(),
       "LO:HI")  //
      ("precision", "The type of the elements of a vector, a matrix or a system: single or double",
       text()->default_value("double"), "TYPE")                              //
      ("format", "npy, mtx or text", text(), "FORMAT")                       //
      ("seed", "A whole number from 0 up", text()->default_value("1"), "X")  //
      ("directory", "The directory of the files; it is created if it is missing",
       text()->default_value("."), "D")  //
      ("h,help", "Show this help");
  return options;
}

}  // namespace

bool generates_arrays(std::string_view kind) {
  return std::ranges::find(kinds(), kind, &Kind::name) != kinds().end();
}

int generate_arrays(int argc, char** argv) {
  cxxopts::Options options = array_options();
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "generate");
  if (parsed.count("help") != 0) {
    print(options.help() + examples_of_arrays);
    return 0;
  }
  const Kind& kind = *std::ranges::find(kinds(), std::string_view(argv[0]), &Kind::name);
  if (!parsed.unmatched().empty()) {
    throw InputError(fmt::format("\"{}\" is not an option; see `bombard generate {} --help`",
                                 parsed.unmatched().front(), kind.name));
  }
  for (const std::string_view option : options_of_kinds) {
    if (parsed.count(std::string(option)) != 0 &&
        std::ranges::find(kind.options, option) == kind.options.end()) {
      throw InputError(
          fmt::format("--{} has no meaning for a {}; leave it out", option, kind.name));
    }
  }

  const auto value = [&](const char* option) { return parsed[option].as<std::string>(); };
  ArrayRequest request{kind.format, false, 0, value("directory")};
  if (parsed.count("format") != 0) request.format = parse_format(value("format"), kind);
  const std::string precision = value("precision");
  request.single_precision = precision == "single" || precision == "float";
  if (!request.single_precision && precision != "double") {
    throw InputError(
        fmt::format("--precision \"{}\" is not a precision; it is single or double", precision));
  }
  request.seed = static_cast<std::uint64_t>(whole_number(value("seed"), "--seed", 0));
  make_directory(request.directory.string());
  kind.generate(request, parsed);
  return 0;
}

}  // namespace bombard::tools
