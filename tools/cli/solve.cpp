#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "tools/cli/outputs.hpp"
#include "tools/cli/solve/problems.hpp"
#include "tools/cli/subcommands.hpp"

namespace bombard::tools {

namespace {

struct Problem {
  std::string_view name;
  int (*solve)(SolveRequest&);
};

constexpr Problem problems[] = {{"jacobi", solve_jacobi}, {"product", solve_product},
                                {"dot", solve_dot},       {"sort", solve_sort},
                                {"minima", solve_minima}, {"sum", solve_sum},
                                {"max", solve_maximum}};

double parse_number_from_0(const std::string& text, const std::string& option) {
  const std::optional<double> number = number_of<double>(text);
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  throw InputError(fmt::format("--{} \"{}\" is not {} {}; it is a number, 0 or more", option, text,
                               option == "error" ? "an" : "a", option));
}

/// Options that each say when an iteration stops.
void require_one_stop(const Arguments& given) {
  using Two = std::pair<const char*, const char*>;
  for (const auto& [one, other] : {Two{"error", "tolerance"}, Two{"sweeps", "tolerance"},
                                   Two{"sweeps", "error"}, Two{"sweeps", "iterations"}}) {
    if (!given.has(one) || !given.has(other)) continue;
    throw InputError(fmt::format("--{} and --{} exclude each other; leave one out", one, other));
  }
}

void take_jacobi(const Arguments& given, SolveRequest& request) {
  solve::JacobiSettings& settings = request.jacobi;
  require_one_stop(given);
  settings.device = request.device;
  settings.force = given.has("force");
  settings.tolerance = parse_number_from_0(given.text("tolerance"), "tolerance");
  if (const auto error = given.given("error")) {
    settings.error = parse_number_from_0(*error, "error");
  }
  if (given.has("sweeps")) settings.sweeps = given.number("sweeps", 1);
  settings.iteration_limit = given.number("iterations", 1);
  request.start = given.given("start").value_or("");
}

int solve_problem(const Arguments& given) {
  SolveRequest request;
  request.files = given.words();
  request.device = parse_device(given.text("device"));
  request.validate = given.has("validate");
  request.quiet = given.has("quiet");
  request.descending = given.has("descending");
  if (const auto precision = given.given("precision")) {
    request.precision = parse_precision(*precision);
  }
  request.kernel = given.given("kernel").value_or("");
  take_jacobi(given, request);
  if (given.has("threads")) {
    request.threads = static_cast<int>(given.number("threads", 1, most_threads));
    omp_set_num_threads(request.threads);
  }
  std::vector<std::string> inputs = request.files;
  if (!request.start.empty()) inputs.push_back(request.start);
  if (std::ranges::count(inputs, "-") > 1) {
    throw InputError("- (standard input) is named twice, but can be read only once");
  }
  if (const auto output = given.output()) {
    check_output("--output", *output, inputs, request.quiet);
    request.output.emplace(*output);
  }
  return std::ranges::find(problems, given.topic(), &Problem::name)->solve(request);
}

}  // namespace

Subcommand solve_subcommand() {
  const std::vector<std::string> with_file{"jacobi", "product", "dot", "sort", "minima"};
  const std::vector<std::string> with_precision{"jacobi", "product", "dot", "sort", "sum", "max"};
  return {
      .name = "solve",
      .arguments = "PROBLEM FILE...",
      .summary = "linear systems, products, sorting, minima, sums",
      .about =
          "Solves a problem on data of your own. Matrices and vectors are files of Matrix Market "
          "(.mtx) or NumPy (.npy), vectors also text; - is standard input. Results go to standard "
          "output, notes to standard error.",
      .examples =
          "  bombard solve jacobi A.mtx b.mtx --tolerance 1e-10 --output x.mtx\n"
          "  bombard solve product A.npy B.npy --precision single --output C.npy\n"
          "  bombard solve sort measured.txt --descending\n"
          "  bombard solve minima set.txt --validate\n"
          "  seq 100 | bombard solve sum -\n",
      .topics = {{"jacobi", "A B", "A x = B by Jacobi-Richardson iteration; A dense or sparse"},
                 {"product", "A B", "the matrix product"},
                 {"dot", "A B", "the scalar products of the rows of A with those of B"},
                 {"sort", "V", "the elements in order, NaN last"},
                 {"minima", "SET", "the element-wise minimum of a set of 3x3 matrices"},
                 {"sum", "V", "the sum of the elements"},
                 {"max", "V", "the largest element; NaN if there is one"}},
      .groups =
          {{"Solver",
            {{"output",
              "FILE|-",
              "Write the result to this file: .mtx, .npy, or text by any other name",
              "",
              {},
              with_file},
             {"precision",
              "",
              "sort, sum and max keep the file's type without it, others double",
              "",
              {"single", "double"},
              with_precision},
             {"device",
              "",
              "Where; cuda:N is the GPU of that number",
              "auto",
              {"auto", "cpu", "cuda", "cuda:N"}},
             {"threads", "N", "Threads on the processor; without it, all cores"},
             {"kernel",
              "",
              "Multiply on a GPU by this",
              "",
              {"naive", "tiled", "cublas"},
              {"product"}},
             {"kernel", "", "Sort on a GPU by this", "", {"bitonic", "radix"}, {"sort"}},
             {"validate", "",
              "Compare with Eigen or the standard library; exit code 1 when they differ"},
             {"tolerance",
              "T",
              "Stop when max|x_new - x_old| / max|x_new| is at most this",
              "1e-5",
              {},
              {"jacobi"}},
             {"error",
              "E",
              "Stop when no element is farther from the solution than this part of the largest; "
              "A's rows must be dominant",
              "",
              {},
              {"jacobi"}},
             {"sweeps", "N", "Do exactly N iterations", "", {}, {"jacobi"}},
             {"iterations", "N", "Give up after N iterations", "10000", {}, {"jacobi"}},
             {"start", "FILE|-", "The vector to start from instead of zeros", "", {}, {"jacobi"}},
             {"force", "", "Iterate even if A is not diagonally dominant", "", {}, {"jacobi"}},
             {"descending", "", "The largest first", "", {}, {"sort"}}}},
           messages()},
      .work = solve_problem};
}

}  // namespace bombard::tools
