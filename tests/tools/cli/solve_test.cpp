// `bombard solve` and the data that `bombard generate` writes for it, as a user runs them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "inputs/array_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

const std::string samples = BOMBARD_SOURCE_DIR "/inputs/samples/";

class Solve : public ProgramTest {
 protected:
  Outcome solve(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "solve");
    return bombard(arguments, input);
  }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    write_file(path(name), content);
    return path(name);
  }
  std::string array(const std::string& name, const std::string& sizes_and_values) const {
    return file(name, "%%MatrixMarket matrix array real general\n" + sizes_and_values);
  }
  /// Ends with the code, says it in one line, and leaves standard output alone.
  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const std::string& message, const std::string& input = "") {
    const Outcome outcome = solve(arguments, input);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(starts_with(outcome.err, "bombard: "));
    EXPECT_TRUE(contains(outcome.err, message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  /// Succeeds and prints this; what is validated agrees.
  void expect_output(std::vector<std::string> arguments, const std::string& out,
                     const std::string& input = "") {
    const Outcome plain = solve(arguments, input);
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_EQ(plain.out, out);
    if (std::ranges::find(arguments, "-") != arguments.end()) return;
    arguments.push_back("--validate");
    const Outcome validated = solve(arguments, input);
    EXPECT_EQ(validated.exit_code, 0) << validated.err;
    EXPECT_EQ(validated.out, out);
    EXPECT_TRUE(contains(validated.err, "agrees with")) << validated.err;
  }
  std::string rod_matrix = samples + "heat_rod_matrix.mtx";
  std::string rod_temperatures = samples + "heat_rod_temperatures.mtx";
};

// ---- jacobi ----

// The solution in fractions: the first element is 360/233.
const std::vector<double> rod_solution = {
    1.5450643776824033, 4.635193133047211,  12.360515021459227, 32.44635193133047,
    64.97854077253218,  82.4892703862661,   82.4892703862661,   64.97854077253218,
    32.44635193133047,  12.360515021459227, 4.635193133047211,  1.5450643776824033};

TEST_F(Solve, JacobiSolvesTheSampleSystem) {
  const Outcome outcome =
      solve({"jacobi", rod_matrix, rod_temperatures, "--tolerance", "1e-15", "--validate"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream out(outcome.out);
  for (const double expected : rod_solution) {
    double x = 0;
    ASSERT_TRUE(out >> x);
    EXPECT_NEAR(x, expected, 1e-13 * expected);
  }
  EXPECT_TRUE(contains(outcome.err, "A is dominant by rows and columns; "));
  EXPECT_TRUE(contains(outcome.err, " iterations on the processor, last change "));
  EXPECT_TRUE(contains(outcome.err, ", relative residual "));
  EXPECT_TRUE(contains(outcome.err, ", error at most "));
  EXPECT_TRUE(contains(outcome.err, "agrees with Eigen's LU"));
  EXPECT_EQ(solve({"jacobi", rod_matrix, rod_temperatures, "--quiet"}).err, "");
}

TEST_F(Solve, JacobiWritesTheSolution) {
  for (const std::string name : {"x.mtx", "x.npy", "x.txt"}) {
    const Outcome outcome = solve(
        {"jacobi", rod_matrix, rod_temperatures, "--tolerance", "1e-15", "--output", path(name)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(matches(outcome.err,
                        "bombard: A is dominant by rows and columns; [0-9]* iterations on the "
                        "processor, last change *, relative residual *, error at most * of the "
                        "largest element\n"));
    const Outcome quiet = solve({"jacobi", rod_matrix, rod_temperatures, "--tolerance=1e-15",
                                 "--quiet", "--output", path(name)});
    EXPECT_EQ(quiet.out + quiet.err, "");
    const std::vector<double> x = read_vector_as<double>(path(name));
    ASSERT_EQ(x.size(), rod_solution.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], rod_solution[i], 1e-13 * rod_solution[i]);
    }
  }
}

TEST_F(Solve, JacobiTakesDenseMatricesFloatsAndAStart) {
  const std::string a = array("a.mtx", "3 3\n4\n1\n0\n1\n5\n2\n0\n1\n6\n");
  const std::string b = array("b.mtx", "3 1\n6\n14\n22\n");
  const std::string start = file("start.txt", "1 2 3\n");
  const Outcome outcome = solve({"jacobi", a, b, "--start", start, "--precision", "float"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "1\n2\n3\n");
  EXPECT_TRUE(contains(outcome.err, "; 1 iteration on "));
}

TEST_F(Solve, JacobiRejectsShapesThatDoNotFit) {
  const std::string a = array("a.mtx", "3 4\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  const std::string b = array("b.mtx", "5 1\n1\n2\n3\n4\n5\n");
  const std::string square = array("square.mtx", "2 2\n2\n1\n1\n2\n");
  expect_error({"jacobi", a, b}, 2,
               a + ", " + b + ": A is 3 x 4, b has 5 elements: A's rows must match");
  const std::string three = file("three.txt", "1 2 3\n");
  expect_error({"jacobi", a, three}, 2, "A is 3 x 4: Jacobi needs as many rows as columns");
  expect_error({"jacobi", square, b}, 2, "A is 2 x 2, b has 5 elements: A's rows must match");
  const std::string two = file("two.txt", "1 2\n");
  expect_error({"jacobi", square, two, "--start", b}, 2, "the start vector has 5 elements");
  expect_error({"jacobi", square, two, "--start", file("none.txt", "")}, 2,
               "the start vector has no elements");
  expect_error({"jacobi", square, square}, 2,
               "this array is 2 x 2; a vector has one dimension, or one row or one column");
}

TEST_F(Solve, JacobiRejectsSystemsThatItCannotSolve) {
  const std::string b = file("b.txt", "1 2\n");
  expect_error({"jacobi", array("zero.mtx", "2 2\n2\n1\n1\n0\n"), b}, 2,
               "A's diagonal is zero in row 2");
  const std::string weak = array("weak.mtx", "2 2\n1\n2\n2\n1\n");
  expect_error({"jacobi", weak, b}, 2, "not strictly diagonally dominant");
  expect_error({"jacobi", weak, b}, 2, "--force");
  expect_error({"jacobi", weak, b, "--force"}, 1, "no convergence: x overflowed in iteration ");
  expect_error({"jacobi", weak, b, "--force", "--error=1e-3"}, 2, "A is not dominant by rows");
  expect_error({"jacobi", weak, b, "--error=-1"}, 2, "--error \"-1\" is not an error");
  expect_error({"jacobi", weak, b, "--error=1", "--tolerance=1"}, 2, "exclude each other");
  expect_error({"jacobi", weak, b, "--sweeps=1", "--iterations=1"}, 2, "exclude each other");
  expect_error({"jacobi", weak, b, "--sweeps=1", "--validate"}, 2, "--sweeps need not come");
  expect_error({"jacobi", array("good.mtx", "2 2\n2\n1\n1\n2\n"), file("nan.txt", "1 nan\n")}, 2,
               "element 2 of b is nan");
}

TEST_F(Solve, JacobiWithoutConvergenceWritesTheLastIterateAndEndsWith1) {
  const Outcome outcome =
      solve({"jacobi", rod_matrix, rod_temperatures, "--iterations=3", "--output", path("x.txt")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.err, "; 3 iterations on the processor, "));
  EXPECT_TRUE(contains(outcome.err, ", relative residual "));
  EXPECT_TRUE(contains(outcome.err,
                       "bombard: no convergence in 3 iterations: max|x_new - x_old| / max|x_new| "
                       "came to "));
  const Outcome sweeps = solve({"jacobi", rod_matrix, rod_temperatures, "--sweeps=3"});
  EXPECT_EQ(sweeps.exit_code, 0) << sweeps.err;
  EXPECT_EQ(sweeps.out, content_of(path("x.txt")));
  EXPECT_EQ(std::count(sweeps.err.begin(), sweeps.err.end(), '\n'), 1) << sweeps.err;
}

// x = 1 / (1 - 0.99999), and every sweep adds a part in 10^5 of what is missing: small steps far
// from the solution. Floats of that size round steps of 0.1 by some per cent, doubles do not.
TEST_F(Solve, EndsWith1WhenItsResultIsNotTheSolution) {
  const std::string a = array("a.mtx", "2 2\n1\n-0.99999\n-0.99999\n1\n");
  const std::string b = file("b.txt", "1 1\n");
  const std::vector<std::string> arguments{"jacobi", a, b, "--iterations=10000000", "--validate"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return solve(all);
  };
  const Outcome far = with({});
  EXPECT_EQ(far.exit_code, 1) << far.err;
  EXPECT_TRUE(contains(far.err, "bombard: warning: the steps became small, but the residual"));
  EXPECT_TRUE(contains(far.err, "bombard: DIFFERS from Eigen's LU: ")) << far.err;
  EXPECT_NE(far.out, "");
  EXPECT_EQ(with({"--quiet"}).exit_code, 1);
  const Outcome near = with({"--error=1e-6"});
  EXPECT_EQ(near.exit_code, 0) << near.err;
  EXPECT_EQ(near.err.find("warning"), std::string::npos) << near.err;
  EXPECT_EQ(with({"--error=1e-3", "--precision=float"}).exit_code, 1);
}

TEST_F(Solve, JacobiOfNothing) {
  const std::string a = array("a.mtx", "0 0\n");
  expect_output({"jacobi", a, file("b.txt", "")}, "");
}

// A few bytes may announce billions of rows without an entry.
TEST_F(Solve, SaysWhatMemoryAnEmptyMatrixNeeds) {
  const std::string sizes = "2147483647 2147483647 1\n1 1 4\n";
  const std::string huge =
      file("huge.mtx", "%%MatrixMarket matrix coordinate real general\n" + sizes);
  if (available_host_memory() >= std::int64_t{16} * 2147483647) {
    GTEST_SKIP() << "this machine has the memory";
  }
  const std::string b = file("b.txt", "1 2\n");
  expect_error({"jacobi", huge, b}, 3, huge + " needs 34.4 GB of memory");
  expect_error({"product", huge, huge}, 3,
               huge + ", with every element stored, needs more than 9223372037 GB of memory");
  const std::string column = file(
      "column.mtx", "%%MatrixMarket matrix coordinate real general\n2147483647 1 1\n1 1 0.5\n");
  if (available_host_memory() < std::int64_t{8} * 2147483647) {
    expect_error({"sort", column}, 3, column + " needs 17.2 GB of memory");
  }
}

// Rows without columns take no byte of a file, but a result has an element for each.
TEST_F(Solve, SaysWhatMemoryAResultOfNothingNeeds) {
  const auto npy = [&](const std::string& name, std::vector<std::int64_t> shape) {
    OutputFile output(path(name));
    write_array<double>({}, shape, ArrayFormat::npy, output);
    output.commit();
    return path(name);
  };
  const std::int64_t most = std::int64_t{1} << 32;
  const std::string tall = npy("tall.npy", {most, 0});
  const std::string wide = npy("wide.npy", {0, most});
  expect_error({"product", tall, wide, "--output", path("c.npy")}, 3, "the product needs ");
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
  const std::string taller = npy("taller.npy", {std::int64_t{1} << 61, 0});
  expect_error({"product", taller, npy("five.npy", {0, 5})}, 3, "the product needs ");
  expect_error({"dot", taller, taller}, 3, "the vector of scalar products needs ");
}

// A file of 60 bytes that announces 1e8 elements: they take 0.4 GB.
TEST_F(Solve, SumsASparseVectorInLittleMemory) {
  if (shell("ulimit -v 900000; \"$bombard\" --version").exit_code != 0) {
    GTEST_SKIP() << "this build needs more address space";
  }
  file("column.mtx", "%%MatrixMarket matrix coordinate real general\n100000000 1 1\n9 1 4\n");
  const Outcome outcome = shell("ulimit -v 900000; \"$bombard\" solve sum column.mtx");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "4\n");
}

// ---- product, dot ----

TEST_F(Solve, ProductMultipliesDenseAndSparse) {
  expect_output({"product", samples + "corners_4x3.mtx", samples + "rotation_3x3.mtx"},
                "0 1 0\n-2 1 0\n-2 1 3\n-5 -4 6\n");
  expect_output({"product", samples + "corners_4x3.mtx", samples + "rotation_3x3.mtx",
                 "--precision", "float"},
                "0 1 0\n-2 1 0\n-2 1 3\n-5 -4 6\n");
  const std::string a = array("a.mtx", "1 2\n0.1\n0.2\n");
  const std::string b = array("b.mtx", "2 1\n1\n1\n");
  expect_output({"product", a, b}, "0.30000000000000004\n");
  expect_output({"product", a, b, "--precision", "float"}, "0.3\n");
}

TEST_F(Solve, NamesTheFilesOfAProblemWithoutAnAnswer) {
  const std::string wide = array("wide.mtx", "1 2\n1\n2\n");
  const std::string none = file("none.txt", "");
  expect_error({"product", wide, wide}, 2, wide + ", " + wide + ": A is 1 x 2, B is 1 x 2");
  expect_error({"dot", wide, rod_matrix}, 2, wide + ", " + rod_matrix + ": A is 1 x 2, B is ");
  expect_error({"max", none}, 2, none + ": there are no values, so there is no largest");
  expect_output({"sort", none, "--output", path("none.mtx")}, "");
  EXPECT_EQ(solve({"sum", path("none.mtx")}).out, "0\n");
}

TEST_F(Solve, ProductWritesAMatrix) {
  const Outcome outcome = solve({"product", samples + "corners_4x3.mtx",
                                 samples + "rotation_3x3.mtx", "--output", path("c.npy")});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  const auto c = std::get<DenseMatrix<double>>(read_matrix<double>(path("c.npy")));
  EXPECT_EQ(c.rows, 4);
  EXPECT_EQ(c.columns, 3);
  EXPECT_EQ(c.values, (std::vector<double>{0, 1, 0, -2, 1, 0, -2, 1, 3, -5, -4, 6}));
}

TEST_F(Solve, ProductAndDotRejectShapesThatDoNotFit) {
  const std::string a = samples + "corners_4x3.mtx";
  expect_error({"product", a, a}, 2, "A is 4 x 3, B is 4 x 3: A's columns must match B's rows");
  expect_error({"dot", a, samples + "rotation_3x3.mtx"}, 2, "A is 4 x 3, B is 3 x 3");
}

TEST_F(Solve, DotMultipliesRowByRow) {
  const std::string a = samples + "corners_4x3.mtx";
  expect_output({"dot", a, a}, "1\n5\n14\n77\n");
  // In double, also of floats: 1 + 2^-24 is none.
  expect_output({"dot", array("a.mtx", "1 2\n1\n1\n"),
                 array("b.mtx", "1 2\n1\n5.9604644775390625e-8\n"), "--precision", "float"},
                "1.0000000596046448\n");
}

// ---- sort, sum, max ----

TEST_F(Solve, SortKeepsTheTypeOfItsFile) {
  const std::string ints = file("ints.txt", "3\n-2147483648\n7\n2147483647\n-1\n");
  expect_output({"sort", ints}, "-2147483648\n-1\n3\n7\n2147483647\n");
  expect_output({"sort", ints, "--descending"}, "2147483647\n7\n3\n-1\n-2147483648\n");
  const Outcome decimals = solve({"sort", "-"}, "0.1 nan -3e5 inf 0.30000000000000004 -0.5");
  EXPECT_EQ(decimals.out, "-3e+05\n-0.5\n0.1\n0.30000000000000004\ninf\nnan\n");
  const Outcome descending = solve({"sort", "-", "--descending"}, "0.1 nan -3e5 inf -0.5");
  EXPECT_EQ(descending.out, "inf\n0.1\n-0.5\n-3e+05\nnan\n");
  expect_output({"sort", file("decimals.txt", "0.5 nan -0.25"), "--precision", "float"},
                "-0.25\n0.5\nnan\n");
  // 64-bit floats that are one of 32 bits.
  expect_output(
      {"sort", file("close.txt", "1.0000000000000002 1 1.0000000000000004 -0.0 0"), "--descending"},
      "1.0000000000000004\n1.0000000000000002\n1\n0\n-0\n");
  expect_output({"sort", samples + "tide_heights.txt", "--precision", "float"},
                "0.13\n0.23\n0.26\n0.33\n0.43\n0.68\n0.75\n0.98\n1.15\n1.49\n1.58\n1.84\n1.91\n"
                "2.46\n2.53\n2.78\n2.88\n3.34\n3.38\n3.54\n3.65\n3.89\n3.91\n3.95\n4.03\n");
  EXPECT_EQ(solve({"sort", "-"}, "").out, "");
}

TEST_F(Solve, SumAndMaxPrintANumber) {
  const std::string ints = file("ints.txt", "2147483647 2147483647 2147483647 -1");
  expect_output({"sum", ints}, "6442450940\n");
  expect_output({"max", ints}, "2147483647\n");
  const std::string decimals = file("decimals.txt", "0.1 0.2 -7.5");
  expect_output({"sum", decimals}, "-7.2\n");
  expect_output({"max", decimals}, "0.2\n");
  expect_output({"max", decimals, "--precision", "float"}, "0.2\n");
  expect_output({"max", file("nan.txt", "1 nan 3")}, "nan\n");
  EXPECT_EQ(solve({"sum", "-"}, "").out, "0\n");
  expect_error({"max", "-"}, 2, "there are no values");
}

// ---- minima ----

TEST_F(Solve, MinimaReducesTheSampleSet) {
  expect_output({"minima", samples + "matrix_set_5.txt"}, "0 -7 -6\n-5 -66 5\n1 -10 -12\n");
  const Outcome outcome = solve({"minima", "-"}, content_of(samples + "matrix_set_5.txt"));
  EXPECT_EQ(outcome.out, "0 -7 -6\n-5 -66 5\n1 -10 -12\n");
  EXPECT_EQ(outcome.err, "bombard: 5 matrices on the processor\n");
  expect_error({"minima", "-", "--validate"}, 2, "standard input can be read only once");
}

TEST_F(Solve, MinimaAreWrittenAsTheSetsElementsAre) {
  const std::string set =
      file("set.txt", "1\n***\n-1000000 1000000 2147483647\n-2147483648 0 7\n100000 1 2\n");
  const std::string minima = "-1000000 1000000 2147483647\n-2147483648 0 7\n100000 1 2\n";
  expect_output({"minima", set}, minima);
  EXPECT_EQ(solve({"minima", set}).err, "bombard: 1 matrix on the processor\n");
  EXPECT_EQ(solve({"minima", set, "--output", path("m.txt")}).exit_code, 0);
  EXPECT_EQ(content_of(path("m.txt")), minima);
  solve({"minima", set, "--output", path("m.npy")});
  EXPECT_TRUE(contains(content_of(path("m.npy")), "'<i4'"));
  OutputFile floats(path("floats.npy"));
  write_array<float>(std::vector<float>(9, 0.1F), {9}, ArrayFormat::npy, floats);
  floats.commit();
  std::string content = content_of(path("floats.npy"));
  content.replace(content.find("(9,), }      "), 13, "(1, 3, 3), } ");
  expect_output({"minima", file("floats.npy", content)}, "0.1 0.1 0.1\n0.1 0.1 0.1\n0.1 0.1 0.1\n");
}

TEST_F(Solve, MinimaTellsTheLineOfAMistake) {
  const std::string bad = file("bad.txt", "1\n***\n1 2 3\n4 5 six\n7 8 9\n");
  expect_error({"minima", bad}, 2, bad + ":4: element \"six\" is not an integer");
}

// ---- the command line ----

TEST_F(Solve, RejectsProblemsAndArgumentsThatAreNone) {
  expect_error({}, 2, "a problem is missing");
  expect_error({"knapsack", "a", "b"}, 2, "\"knapsack\" is not a problem");
  expect_error({"jacobi", "a.mtx"}, 2, "jacobi takes 2 files, not 1: bombard solve jacobi A B");
  expect_error({"sum", "a", "b"}, 2, "sum takes 1 file, not 2: bombard solve sum V");
  expect_error({"sum", "missing.txt"}, 2, "missing.txt: cannot be read: No such file");
  expect_error({"product", "-", "-"}, 2, "standard input");
  expect_error({"jacobi", "-", "b", "--start", "-"}, 2, "standard input");
}

TEST_F(Solve, RejectsOptionsThatHaveNoMeaning) {
  const std::string v = file("v.txt", "1 2 3\n");
  expect_error({"sum", v, "--descending"}, 2, "--descending has no meaning for sum");
  expect_error({"sum", v, "--output", "x"}, 2, "--output has no meaning for sum");
  expect_error({"minima", v, "--precision", "float"}, 2, "--precision has no meaning for minima");
  expect_error({"sort", v, "--tolerance", "1"}, 2, "--tolerance has no meaning for sort");
  expect_error({"sort", v, "--precision", "half"}, 2, "--precision \"half\" is not a precision");
  expect_error({"sort", v, "--kernel", "quick"}, 2, "--kernel \"quick\" does not sort");
  expect_error({"product", v, v, "--kernel", "fast"}, 2, "does not multiply matrices");
  expect_error({"sum", v, "--threads", "0"}, 2, "--threads");
  expect_error({"sum", v, "--device", "tpu"}, 2, "tpu");
  for (const std::string tolerance : {"-1", "nan", "small", "1e-5x"}) {
    expect_error({"jacobi", rod_matrix, rod_temperatures, "--tolerance=" + tolerance}, 2,
                 "--tolerance \"" + tolerance + "\" is not a tolerance");
  }
  expect_error({"jacobi", rod_matrix, rod_temperatures, "--iterations", "0"}, 2, "--iterations");
}

TEST_F(Solve, FindsOutBeforeTheWorkThatItsResultCannotBeKept) {
  expect_error({"product", "missing.mtx", "missing.mtx", "--output", "/nonexistent/c.mtx"}, 2,
               "/nonexistent/c.mtx: cannot be written");
  const std::string older = file("x.mtx", "older");
  const std::string weak = array("weak.mtx", "2 2\n1\n2\n2\n1\n");
  expect_error({"jacobi", weak, file("b.txt", "1 2\n"), "--force", "--output", older}, 1,
               "no convergence: x overflowed in iteration ");
  EXPECT_EQ(content_of(older), "older");
}

TEST_F(Solve, SaysThatThereIsNoGpu) {
  const std::string v = file("v.txt", "1 2 3\n");
  for (const std::string problem : {"sum", "max", "sort"}) {
    const Outcome outcome = solve({problem, v, "--device", "cuda"});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(solve({"minima", samples + "matrix_set_5.txt", "--device", "cuda"}).exit_code, 3);
  EXPECT_EQ(solve({"jacobi", rod_matrix, rod_temperatures, "--device", "cuda"}).exit_code, 3);
  EXPECT_EQ(solve({"product", rod_matrix, rod_matrix, "--device", "cuda"}).exit_code, 3);
  EXPECT_EQ(solve({"dot", rod_matrix, rod_matrix, "--device", "cuda"}).exit_code, 3);
}

TEST_F(Solve, SumsKeepWhatLargerNumbersHide) {
  EXPECT_EQ(solve({"sum", "-"}, "1e16 1 -1e16").out, "1\n");
  EXPECT_EQ(solve({"sum", "-"}, "inf -inf").out, "nan\n");
  const std::string a = array("a.mtx", "1 3\n1e16\n1\n-1e16\n");
  expect_output({"dot", a, array("b.mtx", "1 3\n1\n1\n1\n")}, "1\n");
  EXPECT_EQ(text_of<double>(std::vector<double>{-std::nan("")}, 1), "nan\n");
}

TEST_F(Solve, GivesTheSameOnAnyNumberOfThreads) {
  const std::string set = samples + "matrix_set_5.txt";
  for (const std::string threads : {"1", "2", "3"}) {
    EXPECT_EQ(solve({"minima", set, "--threads", threads}).out, "0 -7 -6\n-5 -66 5\n1 -10 -12\n");
    EXPECT_EQ(solve({"sum", samples + "tide_heights.txt", "--threads", threads}).out, "52.1\n");
  }
}

// ---- generate ----

class GenerateForSolve : public Solve {
 protected:
  /// The files whose names are printed.
  std::vector<std::string> generated(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    arguments.insert(arguments.end(), {"--directory", path("data")});
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    std::vector<std::string> files;
    std::istringstream names(outcome.out);
    for (std::string name; std::getline(names, name);) files.push_back(name);
    return files;
  }
  void expect_agreement(std::vector<std::string> arguments) {
    arguments.push_back("--validate");
    const Outcome outcome = solve(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "agrees with"));
  }
};

TEST_F(GenerateForSolve, SystemsAreSolved) {
  const std::vector<std::string> dense = generated({"system", "--rows", "33"});
  EXPECT_EQ(dense, (std::vector<std::string>{path("data/system_33_matrix.mtx"),
                                             path("data/system_33_vector.mtx")}));
  const std::vector<std::string> sparse =
      generated({"system", "--rows", "1025", "--others", "5", "--seed", "3"});
  const std::vector<std::string> one = generated({"system", "--rows", "1", "--others", "0"});
  const std::vector<std::string> arrays =
      generated({"system", "--rows", "7", "--format", "npy", "--precision", "float"});
  for (const auto& files : {dense, sparse, one, arrays}) {
    ASSERT_EQ(files.size(), 2u);
    for (const std::string precision : {"float", "double"}) {
      expect_agreement({"jacobi", files[0], files[1], "--precision", precision});
    }
  }
  const auto matrix = std::get<SparseMatrix<double>>(read_matrix<double>(sparse[0]));
  EXPECT_EQ(matrix.row_offsets.back(), 1025 * 6);
}

TEST_F(GenerateForSolve, MatricesAndVectorsAreTaken) {
  const std::string a = generated({"matrix", "--rows", "31", "--columns", "67"}).at(0);
  const std::string b =
      generated({"matrix", "--rows", "67", "--columns", "5", "--format", "mtx", "--seed", "2"})
          .at(0);
  EXPECT_EQ(a, path("data/matrix_31x67.npy"));
  EXPECT_EQ(b, path("data/matrix_67x5.mtx"));
  for (const std::string precision : {"float", "double"}) {
    expect_agreement({"product", a, b, "--precision", precision});
    expect_agreement({"dot", a, a, "--precision", precision});
  }
  const std::string v =
      generated({"vector", "--elements", "4099", "--values", "-1e3:1e3", "--precision", "float"})
          .at(0);
  EXPECT_EQ(v, path("data/vector_4099.npy"));
  expect_agreement({"sort", v});
  expect_agreement({"sum", v});
  expect_agreement({"max", v});
  const std::vector<double> values = read_vector_as<double>(v);
  EXPECT_EQ(values.size(), 4099u);
  for (const double value : values) EXPECT_LE(std::abs(value), 1e3);
}

TEST_F(GenerateForSolve, SetsAreReduced) {
  const std::string text = generated({"set", "--matrices", "1025", "--values", "-7:9999999"}).at(0);
  const std::string array =
      generated({"set", "--matrices", "1025", "--values", "-7:9999999", "--format", "npy"}).at(0);
  EXPECT_EQ(text, path("data/matrix_set_1025.txt"));
  EXPECT_EQ(array, path("data/matrix_set_1025.npy"));
  expect_agreement({"minima", text});
  expect_agreement({"minima", array});
  EXPECT_EQ(solve({"minima", text}).out, solve({"minima", array}).out);
}

TEST_F(GenerateForSolve, TheSameSeedGivesTheSameFile) {
  const std::string first = content_of(generated({"set", "--matrices", "3"}).at(0));
  EXPECT_EQ(content_of(generated({"set", "--matrices", "3"}).at(0)), first);
  EXPECT_NE(content_of(generated({"set", "--matrices", "3", "--seed", "2"}).at(0)), first);
  EXPECT_TRUE(starts_with(first, "3\n***\n"));
}

TEST_F(GenerateForSolve, StormsAreWrittenAsArrays) {
  const auto run = [&](const std::string& format) {
    const std::string storm =
        generated({"--cells", "1000", "--impacts", "50", "--format", format}).at(0);
    const Outcome outcome = bombard({"run", "1000", storm, "--format", "result"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out.substr(outcome.out.find("Result:"));
  };
  EXPECT_EQ(run("npy"), run("text"));
}

TEST_F(GenerateForSolve, RejectsWhatItCannotWrite) {
  const auto rejected = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "generate");
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, message));
  };
  rejected({"set"}, "--matrices is missing; see `bombard generate set --help`");
  rejected({"matrix", "--rows", "3"}, "--columns is missing");
  rejected({"vector", "--elements", "0"}, "--elements 0 is out of range");
  rejected({"vector", "--rows", "3"}, "--rows has no meaning for a vector; leave it out");
  rejected({"vector", "x", "--elements", "3"}, "\"x\" is not an option");
  rejected({"set", "--matrices", "3", "--values", "1.5:2"}, "is not a range of 32-bit integers");
  rejected({"set", "--matrices", "3", "--values", "5:2"}, "is not a range of 32-bit integers");
  rejected({"vector", "--elements", "3", "--values", "0:inf"}, "is not a range of numbers");
  rejected({"set", "--matrices", "3", "--format", "mtx"},
           "--format \"mtx\" is not a format of a set");
  rejected({"system", "--rows", "3", "--others", "1", "--format", "npy"}, "written as mtx only");
  rejected({"system", "--rows", "5", "--others", "7"},
           "--others 7 is too much: beside the diagonal");
  rejected({"system", "--rows", "3", "--precision", "half"},
           "--precision \"half\" is not a precision");
  rejected({"--cells", "3", "--impacts", "3", "--format", "mtx"}, "--format \"mtx\"");
}

}  // namespace
}  // namespace bombard::tests
