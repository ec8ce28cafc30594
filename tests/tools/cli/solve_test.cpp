// `bombard solve` as a user runs it: from files to results and exit codes. What an operation
// computes and refuses is tested at its own door (tests/solvers, tests/bombard/solve_test.cpp).

#include <cmath>
#include <string>
#include <vector>

#include "inputs/array_file.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Solve : public ProgramTest {
 protected:
  void array(const std::string& name, const std::string& sizes_and_values) const {
    written(name, "%%MatrixMarket matrix array real general\n" + sizes_and_values);
  }
  /// Problems, each with a part of the message with which it is refused.
  void refused(int exit_code, std::vector<std::pair<std::string, std::string>> problems) {
    for (auto& [problem, message] : problems) problem = "bombard solve " + problem;
    expect_refused(exit_code, problems);
  }
};

const std::string rod = "jacobi $samples/heat_rod_matrix.mtx $samples/heat_rod_temperatures.mtx ";
const std::string solve_rod = "bombard solve " + rod;

TEST_F(Solve, JacobiSolvesTheSampleSystem) {
  done(solve_rod + "--tolerance 1e-15 --output - --validate >x");
  done(solve_rod + "--tolerance 1e-15 --output x.npy");
  for (const std::string name : {"x", "x.npy"}) {
    const std::vector<double> x = read_vector_as<double>(path(name));
    ASSERT_EQ(x.size(), 12U);
    EXPECT_NEAR(x[0], 360.0 / 233, 1e-13);
    EXPECT_NEAR(x[3], 32.44635193133047, 1e-11);
  }
  EXPECT_EQ(done(solve_rod + "--quiet").err, "");
}

TEST_F(Solve, JacobiWithoutConvergenceWritesTheLastIterateAndEndsWith1) {
  const Outcome outcome = shell(solve_rod + "--iterations=3 --output x.txt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "bombard: no convergence in 3 iterations: "));
  EXPECT_EQ(done(solve_rod + "--sweeps=3").out, content("x.txt"));
  array("weak.mtx", "2 2\n1\n2\n2\n1\n");
  written("two.txt", "1 2\n");
  written("x.mtx", "older");
  refused(1, {{"jacobi weak.mtx two.txt --force --output x.mtx", "x overflowed in iteration "}});
  EXPECT_EQ(content("x.mtx"), "older");
}

// x = 1 / (1 - 0.99999), and every sweep adds 1e-5 of what is missing: small steps far from the
// solution. Floats of that size round steps of 0.1 by some per cent, doubles do not.
TEST_F(Solve, EndsWith1WhenItsResultIsNotTheSolution) {
  array("a.mtx", "2 2\n1\n-0.99997\n-0.99997\n1\n");
  written("b.txt", "1 1\n");
  const std::string solve = "bombard solve jacobi a.mtx b.txt --iterations=10000000 --validate ";
  const Outcome far = shell(solve);
  EXPECT_EQ(far.exit_code, 1) << far.err;
  EXPECT_TRUE(contains(far.err, "bombard: DIFFERS from the reference: "));
  EXPECT_NE(far.out, "");
  EXPECT_EQ(shell(solve + "--quiet").exit_code, 1);
  done(solve + "--error=1e-6");
  EXPECT_EQ(shell(solve + "--error=1e-3 --precision=float").exit_code, 1);
  // Another order of the sum does not overflow (with vectors of eight).
  done("(echo 1e308 0 1e308 0 -1e308; yes 0 | head -n 59) >huge.txt");
  EXPECT_FALSE(matches(shell("bombard solve sum huge.txt --validate").err, "*agrees*inf*"));
}

TEST_F(Solve, EachProblem) {
  array("a.mtx", "1 2\n0.1\n0.2\n");
  array("b.mtx", "2 1\n1\n1\n");
  array("square.mtx", "3 3\n4\n1\n0\n1\n5\n2\n0\n1\n6\n");
  array("right.mtx", "3 1\n6\n14\n22\n");
  written("start.txt", "1 2 3\n");
  written("ints.txt", "3\n-2147483648\n7\n2147483647\n2147483647\n");
  // 64-bit floats that are equal in 32 bits.
  written("close.txt", "1.0000000000000002 1 1.0000000000000004");
  const std::string minima = "-1000000 1000000 2147483647\n-2147483648 0 7\n100000 1 2\n";
  written("set.txt", "1\n***\n" + minima);
  const std::string corners = "$samples/corners_4x3.mtx ";
  // What they print is the same with --validate, and agrees.
  for (const auto& [problem, out] : std::vector<std::pair<std::string, std::string>>{
           {"jacobi square.mtx right.mtx --start start.txt --precision float", "1\n2\n3\n"},
           {"product " + corners + "$samples/rotation_3x3.mtx --precision float",
            "0 1 0\n-2 1 0\n-2 1 3\n-5 -4 6\n"},
           {"product a.mtx b.mtx", "0.30000000000000004\n"},
           {"dot " + corners + corners, "1\n5\n14\n77\n"},
           {"sort ints.txt --descending", "2147483647\n2147483647\n7\n3\n-2147483648\n"},
           {"sort close.txt --descending", "1.0000000000000004\n1.0000000000000002\n1\n"},
           {"minima set.txt", minima},
           {"minima $samples/matrix_set_5.txt --threads 2", "0 -7 -6\n-5 -66 5\n1 -10 -12\n"},
           {"sum ints.txt", "2147483656\n"},
           {"max ints.txt", "2147483647\n"}}) {
    EXPECT_EQ(done("bombard solve " + problem).out, out) << problem;
    const Outcome validated = done("bombard solve " + problem + " --validate");
    EXPECT_EQ(validated.out, out) << problem;
    EXPECT_TRUE(contains(validated.err, "agrees with")) << problem;
  }
  done("bombard solve product --output c.npy a.mtx b.mtx --precision float");
  EXPECT_EQ(values_in<float>("c.npy", {1, 1}), std::vector<float>{0.3F});
  done("bombard solve minima - --output m.npy <set.txt");
  EXPECT_EQ(values_in<std::int32_t>("m.npy", {3, 3})[2], 2147483647);
}

TEST_F(Solve, RejectsArgumentsThatHaveNoMeaning) {
  written("v.txt", "1 2 3\n");
  refused(2, {{"", "bombard solve: jacobi, product, "},
              {"sum missing.txt", "missing.txt: cannot be read: No such file"},
              {"product - -", "standard input) is given twice"},
              {rod + "--sweeps=1 --validate", "--sweeps and --validate exclude each other"},
              {"jacobi v.txt v.txt", "v.txt: "},
              // What a solver refuses is told with the files.
              {"dot $samples/corners_4x3.mtx $samples/rotation_3x3.mtx",
               "corners_4x3.mtx, " BOMBARD_SOURCE_DIR "/inputs/samples/rotation_3x3.mtx: A is 4 x"},
              {"max -", "there are no values, so there is no largest"},
              // Before the work.
              {"sort v.txt --kernel quick", "kernel \"quick\" does not sort"},
              {"product missing.mtx missing.mtx --output /nonexistent/c.mtx",
               "/nonexistent/c.mtx: cannot be written"}});
  const std::string matrix = " $samples/heat_rod_matrix.mtx";
  for (const std::string& problem : std::vector<std::string>{
           "sum v.txt", "max v.txt", "sort v.txt", "minima $samples/matrix_set_5.txt", rod,
           "product missing missing --kernel tiled", "dot" + matrix + matrix}) {
    refused(3, {{problem + " --device cuda", ""}});
  }
}

// On what `bombard generate` writes.
TEST_F(Solve, GeneratedProblems) {
  for (const auto& [what, names] : std::vector<std::pair<std::string, std::string>>{
           {"system --rows 259 --others 5 --seed 3",
            "./system_259_matrix.mtx\n./system_259_vector.mtx\n"},
           {"system --rows 7 --format npy --precision float",
            "./system_7_matrix.npy\n./system_7_vector.npy\n"},
           {"matrix --rows 31 --columns 67", "./matrix_31x67.npy\n"},
           {"matrix --rows 67 --columns 5 --format mtx --seed 2", "./matrix_67x5.mtx\n"},
           {"vector --elements 4099 --values -1e3:1e3 --precision float", "./vector_4099.npy\n"},
           {"set --matrices 1025 --values -7:9999999", "./matrix_set_1025.txt\n"},
           {"set --matrices 1025 --values -7:9999999 --format npy", "./matrix_set_1025.npy\n"}}) {
    EXPECT_EQ(done("bombard generate " + what).out, names);
  }
  done("bombard solve --validate jacobi system_259_matrix.mtx system_259_vector.mtx");
  done("bombard solve --validate product matrix_31x67.npy matrix_67x5.mtx --precision float");
  const auto matrix =
      std::get<SparseMatrix<double>>(read_matrix<double>(path("system_259_matrix.mtx")));
  EXPECT_EQ(matrix.row_offsets.back(), 259 * 6);
  for (const float value : values_in<float>("vector_4099.npy", {4099})) {
    EXPECT_LE(std::abs(value), 1e3F);
  }
  EXPECT_EQ(done("bombard solve minima matrix_set_1025.txt").out,
            done("bombard solve minima matrix_set_1025.npy").out);
}

}  // namespace
}  // namespace bombard::tests
