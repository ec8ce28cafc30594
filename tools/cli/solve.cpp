#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/outputs.hpp"
#include "tools/cli/solve/problems.hpp"
#include "tools/cli/subcommands.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_solve =
    "Solves a problem on data of your own:\n"
    "  bombard solve jacobi A B   A x = B by Jacobi-Richardson iteration; A dense or sparse\n"
    "  bombard solve product A B  the matrix product\n"
    "  bombard solve dot A B      the scalar products of the rows of A with those of B\n"
    "  bombard solve sort V       the elements in order, NaN last\n"
    "  bombard solve minima SET   the element-wise minimum of a set of 3x3 matrices\n"
    "  bombard solve sum V        the sum of the elements\n"
    "  bombard solve max V        the largest element; NaN if there is one\n"
    "Matrices and vectors are files of Matrix Market (.mtx) or NumPy (.npy), vectors also text;\n"
    "- is standard input. Results go to standard output, notes to standard error.\n";

constexpr const char* examples_of_solve =
    "\nExamples:\n"
    "  bombard solve jacobi A.mtx b.mtx --tolerance 1e-10 --output x.mtx\n"
    "  bombard solve product A.npy B.npy --precision single --kernel tiled --output C.npy\n"
    "  bombard solve sort measured.txt --descending\n"
    "  bombard solve minima set.txt --validate\n"
    "  seq 100 | bombard solve sum -\n";

struct Problem {
  std::string name;
  std::string arguments;  ///< " A B"
  /// The options that it takes beside --device, --threads, --validate and --quiet.
  std::vector<std::string> options;
  int (*solve)(SolveRequest&);
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"jacobi",
       " A B",
       {"output", "precision", "tolerance", "error", "sweeps", "iterations", "start", "force"},
       solve_jacobi},
      {"product", " A B", {"output", "precision", "kernel"}, solve_product},
      {"dot", " A B", {"output", "precision"}, solve_dot},
      {"sort", " V", {"output", "precision", "kernel", "descending"}, solve_sort},
      {"minima", " SET", {"output"}, solve_minima},
      {"sum", " V", {"precision"}, solve_sum},
      {"max", " V", {"precision"}, solve_maximum},
  };
  return all;
}

const Problem& find_problem(const std::vector<std::string>& arguments) {
  constexpr const char* there_are = "jacobi, product, dot, sort, minima, sum";
  if (arguments.empty()) {
    throw InputError(
        fmt::format("a problem is missing: {} or max; see `bombard solve --help`", there_are));
  }
  std::vector<std::string> names;
  for (const Problem& problem : problems()) {
    if (problem.name == arguments.front()) return problem;
    names.push_back(problem.name);
  }
  throw InputError(
      fmt::format("\"{}\" is not a problem; there are {} and max{}; see `bombard solve --help`",
                  arguments.front(), there_are, did_you_mean(arguments.front(), names)));
}

double parse_number_from_0(const std::string& text, const std::string& option) {
  const std::optional<double> number = number_of<double>(text);
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  throw InputError(fmt::format("--{} \"{}\" is not {} {}; it is a number, 0 or more", option, text,
                               option == "error" ? "an" : "a", option));
}

/// Options that each say when an iteration stops.
void require_one_stop(const cxxopts::ParseResult& parsed) {
  using Two = std::pair<const char*, const char*>;
  for (const auto& [one, other] : {Two{"error", "tolerance"}, Two{"sweeps", "tolerance"},
                                   Two{"sweeps", "error"}, Two{"sweeps", "iterations"}}) {
    if (parsed.count(one) == 0 || parsed.count(other) == 0) continue;
    throw InputError(fmt::format("--{} and --{} exclude each other; leave one out", one, other));
  }
}

cxxopts::Options solve_options() {
  cxxopts::Options options("bombard solve", about_solve);
  options.custom_help("PROBLEM FILE... [OPTION...]");
  add_options(
      options, "",
      {{"output", "Write the result to this file: .mtx, .npy, or text by any other name", "FILE"},
       {"precision", "single or double; sort, sum and max keep the file's type when left out",
        "TYPE"},
       {"device", "auto, cpu, cuda or cuda:N (the GPU of that number)", "DEVICE", "auto"},
       {"threads", "Threads on the processor; all cores when left out", "N"},
       {"kernel", "On a GPU. product: naive, tiled or cublas; sort: bitonic or radix", "NAME"},
       {"validate", "Compare with Eigen or the standard library; exit code 1 when they differ"},
       {"tolerance", "jacobi: stop when max|x_new - x_old| / max|x_new| is at most this", "T",
        "1e-5"},
       {"error",
        "jacobi: stop when no element is farther from the solution than this part of the largest; "
        "A's rows must be dominant",
        "E"},
       {"sweeps", "jacobi: do exactly N iterations", "N"},
       {"iterations", "jacobi: give up after N iterations", "N", "10000"},
       {"start", "jacobi: the vector to start from instead of zeros", "FILE"},
       {"force", "jacobi: iterate even if A is not diagonally dominant"},
       {"descending", "sort: the largest first"},
       {"quiet", "No notes on standard error"},
       {"h,help", "Show this help"}});
  return options;
}

}  // namespace

int solve(int argc, char** argv) {
  cxxopts::Options options = solve_options();
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "solve");
  if (shows_help(parsed, options, {}, examples_of_solve)) return 0;

  const std::vector<std::string>& arguments = parsed.unmatched();
  const Problem& problem = find_problem(arguments);
  SolveRequest request;
  request.files.assign(arguments.begin() + 1, arguments.end());
  const auto files = static_cast<std::size_t>(std::ranges::count(problem.arguments, ' '));
  if (request.files.size() != files) {
    throw InputError(fmt::format("{} takes {} file{}, not {}: bombard solve {}{}", problem.name,
                                 files, files == 1 ? "" : "s", request.files.size(), problem.name,
                                 problem.arguments));
  }
  for (const Problem& other : problems()) {
    refuse_options(parsed, other.options, problem.options, problem.name);
  }

  const auto value = [&](const char* option) { return parsed[option].as<std::string>(); };
  request.device = request.jacobi.device = parse_device(value("device"));
  request.validate = parsed.count("validate") != 0;
  request.quiet = parsed.count("quiet") != 0;
  request.jacobi.force = parsed.count("force") != 0;
  request.descending = parsed.count("descending") != 0;
  if (const auto precision = given(parsed, "precision")) {
    request.precision = parse_precision(*precision);
  }
  request.kernel = given(parsed, "kernel").value_or("");
  request.start = given(parsed, "start").value_or("");
  request.jacobi.tolerance = parse_number_from_0(value("tolerance"), "tolerance");
  require_one_stop(parsed);
  if (const auto error = given(parsed, "error")) {
    request.jacobi.error = parse_number_from_0(*error, "error");
  }
  if (const auto sweeps = given(parsed, "sweeps")) {
    request.jacobi.sweeps = whole_number(*sweeps, "--sweeps", 1);
  }
  request.jacobi.iteration_limit = whole_number(value("iterations"), "--iterations", 1);
  if (const auto threads = given(parsed, "threads")) {
    request.threads = static_cast<int>(whole_number(*threads, "--threads", 1, most_threads));
    omp_set_num_threads(request.threads);
  }
  std::vector<std::string> inputs = request.files;
  if (!request.start.empty()) inputs.push_back(request.start);
  if (std::ranges::count(inputs, "-") > 1) {
    throw InputError("- (standard input) is named twice, but can be read only once");
  }
  if (const auto output = output_file(parsed)) {
    check_output("--output", *output, inputs, request.quiet);
    request.output.emplace(*output);
  }
  return problem.solve(request);
}

}  // namespace bombard::tools
