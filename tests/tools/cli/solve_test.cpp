// `bombard solve` as a user runs it.

#include <gtest/gtest.h>

#include <algorithm>
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
  /// Succeeds and prints exactly this.
  void expect_output(const std::string& command, const std::string& out) {
    EXPECT_EQ(done(command).out, out) << command;
  }
  /// Problems with what they print, which is the same with --validate, and agrees.
  void expect_solved(const std::vector<std::pair<std::string, std::string>>& problems) {
    for (const auto& [problem, out] : problems) {
      expect_output("bombard solve " + problem, out);
      expect_output("bombard solve " + problem + " --validate 2>said", out);
      EXPECT_TRUE(contains(content("said"), "agrees with")) << problem;
    }
  }
  /// Problems, each with a part of the message with which it is refused.
  void refused(int exit_code, std::vector<std::pair<std::string, std::string>> problems) {
    for (auto& [problem, message] : problems) problem = "bombard solve " + problem;
    expect_refused(exit_code, problems);
  }
};

// ---- jacobi ----

const std::string rod = "jacobi $samples/heat_rod_matrix.mtx $samples/heat_rod_temperatures.mtx ";
const std::string solve_rod = "bombard solve " + rod;

// The solution in fractions: the first element is 360/233.
const std::vector<double> rod_solution = {
    1.5450643776824033, 4.635193133047211,  12.360515021459227, 32.44635193133047,
    64.97854077253218,  82.4892703862661,   82.4892703862661,   64.97854077253218,
    32.44635193133047,  12.360515021459227, 4.635193133047211,  1.5450643776824033};

TEST_F(Solve, JacobiSolvesTheSampleSystem) {
  const std::string said =
      "*A is dominant by rows and columns; [0-9]* iterations on the CPU, last change *, "
      "relative residual *, error at most * of the largest element\n";
  const std::string solve = solve_rod + "--tolerance 1e-15 --output ";
  expect(solve + "- --validate >x", "", said + "*agrees with Eigen*");
  expect(solve + "x.npy", "", said);
  for (const std::string name : {"x", "x.npy"}) {
    const std::vector<double> x = read_vector_as<double>(path(name));
    ASSERT_EQ(x.size(), rod_solution.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], rod_solution[i], 1e-13 * rod_solution[i]);
    }
  }
  expect(solve_rod + "--quiet", "*");
}

TEST_F(Solve, JacobiTakesDenseMatricesFloatsAndAStart) {
  array("a.mtx", "3 3\n4\n1\n0\n1\n5\n2\n0\n1\n6\n");
  array("b.mtx", "3 1\n6\n14\n22\n");
  written("start.txt", "1 2 3\n");
  expect("bombard solve jacobi a.mtx b.mtx --start start.txt --precision float", "1\n2\n3\n",
         "*; 1 iteration on *");
}

TEST_F(Solve, JacobiRejectsWhatItCannotSolve) {
  array("a.mtx", "3 4\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  array("b.mtx", "5 1\n1\n2\n3\n4\n5\n");
  array("square.mtx", "2 2\n2\n1\n1\n2\n");
  array("zero.mtx", "2 2\n2\n1\n1\n0\n");
  array("weak.mtx", "2 2\n1\n2\n2\n1\n");
  written("none.txt", "");
  written("two.txt", "1 2\n");
  written("three.txt", "1 2 3\n");
  written("nan.txt", "1 nan\n");
  const std::string weak = "jacobi weak.mtx two.txt ";
  const std::string start = "jacobi square.mtx two.txt --start ";
  refused(
      2,
      {{"jacobi a.mtx b.mtx", "a.mtx, b.mtx: A is 3 x 4, b has 5 elements: A's rows must match"},
       {"jacobi a.mtx three.txt", "A is 3 x 4: Jacobi needs as many rows as columns"},
       {start + "b.mtx", "the start vector has 5 elements"},
       {start + "none.txt", "the start vector has no elements"},
       {"jacobi zero.mtx two.txt", "A's diagonal is zero in row 2"},
       {weak,
        "A is not strictly diagonally dominant (first by rows in row 1, by columns in column 1): "
        "Jacobi may not converge; force runs it all the same"},
       {weak + "--force --error=1e-3", "A is not dominant by rows"},
       {weak + "--sweeps=1 --iterations=1", "exclude each other"},
       {weak + "--sweeps=1 --validate", "--sweeps and --validate exclude each other"},
       {"jacobi square.mtx nan.txt", "element 2 of b is nan"}});
  written("x.mtx", "older");
  refused(1, {{weak + "--force --output x.mtx", "no convergence: x overflowed in iteration "}});
  EXPECT_EQ(content("x.mtx"), "older");
}

TEST_F(Solve, JacobiWithoutConvergenceWritesTheLastIterateAndEndsWith1) {
  const Outcome outcome = shell(solve_rod + "--iterations=3 --output x.txt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(matches(outcome.err,
                      "*; 3 iterations on the CPU, *, relative residual *bombard: no "
                      "convergence in 3 iterations: max|x_new - x_old| / max|x_new| came to *"));
  const Outcome sweeps = done(solve_rod + "--sweeps=3");
  EXPECT_EQ(sweeps.out, content("x.txt"));
  EXPECT_EQ(std::ranges::count(sweeps.err, '\n'), 1) << sweeps.err;
}

// x = 1 / (1 - 0.99999), and every sweep adds 1e-5 of what is missing: small steps far from the
// solution. Floats of that size round steps of 0.1 by some per cent, doubles do not.
TEST_F(Solve, EndsWith1WhenItsResultIsNotTheSolution) {
  array("a.mtx", "2 2\n1\n-0.99997\n-0.99997\n1\n");
  written("b.txt", "1 1\n");
  const std::string solve = "bombard solve jacobi a.mtx b.txt --iterations=10000000 --validate ";
  const Outcome far = shell(solve);
  EXPECT_EQ(far.exit_code, 1) << far.err;
  EXPECT_TRUE(contains(far.err, "bombard: DIFFERS from Eigen: "));
  EXPECT_NE(far.out, "");
  EXPECT_EQ(shell(solve + "--quiet").exit_code, 1);
  done(solve + "--error=1e-6");
  EXPECT_EQ(shell(solve + "--error=1e-3 --precision=float").exit_code, 1);
}

// Rows without columns take no bytes of a file, but a result has an element for each.
TEST_F(Solve, SaysWhatMemoryAResultOfNothingNeeds) {
  const auto npy = [&](const std::string& name, std::vector<std::int64_t> shape) {
    written_by(name, [&](OutputFile& file) {
      write_array(std::vector<double>(), shape, ArrayFormat::npy, file);
    });
  };
  npy("tall.npy", {std::int64_t{1} << 32, 0});
  npy("wide.npy", {0, std::int64_t{1} << 32});
  npy("taller.npy", {std::int64_t{1} << 61, 0});
  npy("five.npy", {0, 5});
  refused(3, {{"product tall.npy wide.npy --output c.npy", "the product needs "},
              {"product taller.npy five.npy", "the product needs "},
              {"dot taller.npy taller.npy", "the vector of scalar products needs "}});
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
}

// ---- product, dot ----

TEST_F(Solve, MultipliesDenseAndSparse) {
  array("a.mtx", "1 2\n0.1\n0.2\n");
  array("b.mtx", "2 1\n1\n1\n");
  array("ones.mtx", "1 2\n1\n1\n");
  array("near.mtx", "1 2\n1\n5.9604644775390625e-8\n");
  const std::string corners = "$samples/corners_4x3.mtx ";
  const std::string rotation = "$samples/rotation_3x3.mtx ";
  const std::string rotated = "0 1 0\n-2 1 0\n-2 1 3\n-5 -4 6\n";
  expect_solved({{"product " + corners + rotation, rotated},
                 {"product " + corners + rotation + "--precision float", rotated},
                 {"product a.mtx b.mtx", "0.30000000000000004\n"},
                 {"dot " + corners + corners, "1\n5\n14\n77\n"},
                 // In double, even for floats: 1 + 2^-24 is not a float.
                 {"dot ones.mtx near.mtx --precision float", "1.0000000596046448\n"}});
  expect_output("bombard solve product --output c.npy " + corners + rotation, "");
  EXPECT_EQ(values_in<double>("c.npy", {4, 3}),
            (std::vector<double>{0, 1, 0, -2, 1, 0, -2, 1, 3, -5, -4, 6}));
  refused(2, {{"product " + corners + corners,
               "A is 4 x 3, B is 4 x 3: A's columns must match B's rows"},
              {"product a.mtx b.mtx --kernel tiled --device cpu",
               "the kernels naive, tiled and cublas run on a GPU; leave kernel or device "
               "cpu out"},
              {"dot a.mtx " + rotation,
               "/rotation_3x3.mtx: A is 1 x 2, B is 3 x 3: a row of one goes with a row of the "
               "other, so the shapes must match"}});
}

// ---- sort, sum, max ----

TEST_F(Solve, SortKeepsTheTypeOfItsFile) {
  written("ints.txt", "3\n-2147483648\n7\n2147483647\n-1\n");
  written("decimals.txt", "0.5 nan -0.25");
  // 64-bit floats that are equal in 32 bits.
  written("close.txt", "1.0000000000000002 1 1.0000000000000004");
  expect_solved({{"sort ints.txt", "-2147483648\n-1\n3\n7\n2147483647\n"},
                 {"sort ints.txt --descending", "2147483647\n7\n3\n-1\n-2147483648\n"},
                 {"sort decimals.txt --precision float", "-0.25\n0.5\nnan\n"},
                 {"sort close.txt --descending", "1.0000000000000004\n1.0000000000000002\n1\n"}});
  expect_output("printf '0.1 nan -3e5 inf -0.5' | bombard solve sort - --descending",
                "inf\n0.1\n-0.5\n-3e+05\nnan\n");
}

TEST_F(Solve, SumAndMaxPrintANumber) {
  written("ints.txt", "2147483647 2147483647 2147483647 -1");
  written("decimals.txt", "0.1 0.2 -7.5");
  written("nan.txt", "1 nan 3");
  expect_solved({{"sum ints.txt", "6442450940\n"},
                 {"max ints.txt", "2147483647\n"},
                 {"sum decimals.txt", "-7.2\n"},
                 {"max decimals.txt --precision float", "0.2\n"},
                 {"max nan.txt", "nan\n"}});
  expect_output("printf 'inf -inf' | bombard solve sum -", "nan\n");
  EXPECT_EQ(text_of(std::vector<double>{-std::nan("")}, 1), "nan\n");
}

TEST_F(Solve, ProblemsWithoutElements) {
  array("a.mtx", "0 0\n");
  written("none.txt", "");
  expect_solved({{"jacobi a.mtx none.txt", ""}, {"sort none.txt --output none.mtx", ""}});
  for (const std::string file : {"none.mtx", "-"}) {
    expect_output("bombard solve sum " + file, "0\n");
  }
  expect_output("bombard solve sort -", "");
  refused(2, {{"max none.txt", "none.txt: there are no values, so there is no largest"},
              {"max -", "there are no values"}});
}

// ---- minima ----

TEST_F(Solve, MinimaAreWrittenAsTheSetsElementsAre) {
  const std::string minima = "-1000000 1000000 2147483647\n-2147483648 0 7\n100000 1 2\n";
  const std::string of_sample = "0 -7 -6\n-5 -66 5\n1 -10 -12\n";
  written("set.txt", "1\n***\n" + minima);
  written_by("floats.npy", [](OutputFile& file) {
    write_array(std::vector<float>(9, 0.1F), {1, 3, 3}, ArrayFormat::npy, file);
  });
  expect_solved({{"minima set.txt", minima},
                 {"minima floats.npy", "0.1 0.1 0.1\n0.1 0.1 0.1\n0.1 0.1 0.1\n"},
                 {"minima $samples/matrix_set_5.txt --threads 2", of_sample}});
  expect_output("bombard solve minima - --validate 2>said <$samples/matrix_set_5.txt", of_sample);
  expect_output("bombard solve minima set.txt --output m.npy", "");
  EXPECT_EQ(values_in<std::int32_t>("m.npy", {3, 3})[2], 2147483647);
}

// ---- the command line ----

TEST_F(Solve, RejectsArgumentsThatHaveNoMeaning) {
  written("v.txt", "1 2 3\n");
  refused(2, {{"", "bombard solve: jacobi, product, dot, sort, minima, sum or max must follow"},
              {"sum missing.txt", "missing.txt: cannot be read: No such file"},
              {"product - -", "standard input) is given twice"},
              {"sum v.txt --output x", "--output has no meaning for sum"},
              {"sort v.txt --precision half", "precision \"half\" is not a precision"},
              {rod + "--iterations 0", "--iterations 0 is out of range"},
              {"sort v.txt --kernel quick", "kernel \"quick\" does not sort"},
              {"product v.txt v.txt --kernel fast", "does not multiply matrices"},
              // Before the work.
              {"product missing.mtx missing.mtx --output /nonexistent/c.mtx",
               "/nonexistent/c.mtx: cannot be written"}});
}

TEST_F(Solve, SaysThatThereIsNoGpu) {
  written("v.txt", "1 2 3\n");
  const std::string matrix = " $samples/heat_rod_matrix.mtx";
  for (const std::string& problem : std::vector<std::string>{
           "sum v.txt", "max v.txt", "sort v.txt", "minima $samples/matrix_set_5.txt", rod,
           "product missing missing --kernel tiled", "dot" + matrix + matrix}) {
    refused(3, {{problem + " --device cuda", ""}});
  }
}

// ---- on what `bombard generate` writes ----

TEST_F(Solve, GeneratedSystems) {
  for (const auto& [options, type] : {std::pair<std::string, std::string>("33", "mtx"),
                                      {"259 --others 5 --seed 3", "mtx"},
                                      {"1 --others 0", "mtx"},
                                      {"7 --format npy --precision float", "npy"}}) {
    expect("bombard generate system --rows " + options + " | tee names",
           "./system_*_matrix." + type + "\n./system_*_vector." + type + "\n");
    for (const std::string precision : {"float", "double"}) {
      expect("bombard solve --validate jacobi $(cat names) --precision " + precision, "*",
             "*agrees with*");
    }
  }
  const auto matrix =
      std::get<SparseMatrix<double>>(read_matrix<double>(path("system_259_matrix.mtx")));
  EXPECT_EQ(matrix.row_offsets.back(), 259 * 6);
}

TEST_F(Solve, GeneratedArraysAndSets) {
  for (const auto& [what, name] :
       {std::pair<std::string, std::string>("matrix --rows 31 --columns 67", "matrix_31x67.npy"),
        {"matrix --rows 67 --columns 5 --format mtx --seed 2", "matrix_67x5.mtx"},
        {"vector --elements 4099 --values -1e3:1e3 --precision float", "vector_4099.npy"},
        {"set --matrices 1025 --values -7:9999999", "matrix_set_1025.txt"},
        {"set --matrices 1025 --values -7:9999999 --format npy", "matrix_set_1025.npy"}}) {
    expect("bombard generate " + what, "./" + name + "\n");
  }
  for (const std::string problem :
       {"product matrix_31x67.npy matrix_67x5.mtx --precision float",
        "dot matrix_31x67.npy matrix_31x67.npy --precision float", "sort vector_4099.npy",
        "sum vector_4099.npy", "max vector_4099.npy", "minima matrix_set_1025.txt"}) {
    expect("bombard solve --validate " + problem, "*", "*agrees with*");
  }
  for (const float value : values_in<float>("vector_4099.npy", {4099})) {
    EXPECT_LE(std::abs(value), 1e3F);
  }
  expect_output("bombard solve minima matrix_set_1025.txt",
                done("bombard solve minima matrix_set_1025.npy").out);
}

}  // namespace
}  // namespace bombard::tests
