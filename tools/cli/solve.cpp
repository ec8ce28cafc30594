#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/cli/solve/problem.hpp"
#include "tools/cli/subcommands.hpp"

namespace bombard::tools {

Subcommand solve_subcommand() {
  std::vector<Subcommand> problems = problems_of_matrices();
  std::ranges::copy(problems_of_vectors(), std::back_inserter(problems));
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
      .topics = std::move(problems),
      .groups = {
          {"Solver",
           {{"output", "FILE|-",
             "Write the result to this file: .mtx, .npy, or text by any other name", "",
             "jacobi product dot sort minima"},
            {"precision", "single|double",
             "sort, sum and max keep the file's type without it, others double", "",
             "jacobi product dot sort sum max"},
            {"device", "auto|cpu|cuda|cuda:N", "Where to compute; cuda:N is GPU number N", "auto"},
            {"threads", "N", "Threads on the CPU; without it, all cores"},
            {"kernel", "naive|tiled|cublas", "Multiply on a GPU by this", "", "product"},
            {"kernel", "bitonic|radix", "Sort on a GPU by this", "", "sort"},
            {"validate", "",
             "Compare with Eigen or the standard library; exit code 1 when they differ"},
            {"tolerance", "T", "Stop when max|x_new - x_old| / max|x_new| is at most this", "1e-5",
             "jacobi"},
            {"error", "E",
             "Stop when no element is farther from the solution than this part of the largest; A's "
             "rows must be dominant",
             "", "jacobi"},
            {"sweeps", "N", "Do exactly N iterations", "", "jacobi"},
            {"iterations", "N", "Give up after N iterations", "10000", "jacobi"},
            {"start", "FILE|-", "The vector to start from instead of zeros", "", "jacobi"},
            {"force", "", "Iterate even if A is not diagonally dominant", "", "jacobi"},
            {"descending", "", "The largest first", "", "sort"}}},
          messages()}};
}

}  // namespace bombard::tools
