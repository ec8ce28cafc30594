#include "tests/fuzz/targets.hpp"

#include <unistd.h>

#include <string>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/array_file.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/storms/storm_file.hpp"

namespace bombard::fuzz {
namespace {

void expect(bool met, const std::string& what) {
  if (!met) throw NotSo("not so: " + what);
}

/// The file that write(file) has written.
template <class Write>
InputFile written_by(const Write& write) {
  const std::string path = "/dev/shm/bombard_fuzz_" + std::to_string(::getpid());
  OutputFile file(path);
  write(file);
  file.commit();
  return InputFile(path);
}

void storm(const InputFile& file) {
  for (const StormFormat* const format : storm_formats()) {
    if (!format->begins(file)) continue;
    const auto impacts = format->read(file, format->announced(file));
    const InputFile again = written_by([&](OutputFile& out) { format->write(impacts, out); });
    expect(format->read(again, std::ssize(impacts)) == impacts, "the same impacts");
  }
}

void npy(const InputFile& file) {
  if (!is_npy(file)) return;
  const NpyArray array(file);
  const InputFile again =
      written_by([&](OutputFile& out) { write_npy(array.values(), array.shape(), out); });
  expect(text_of(NpyArray(again).values(), 1) == text_of(array.values(), 1), "the same elements");
}

void write(const DenseMatrix<double>& matrix, OutputFile& out) {
  write_matrix_market(std::span(matrix.values), matrix.rows, matrix.columns, out);
}
void write(const SparseMatrix<double>& matrix, OutputFile& out) {
  write_matrix_market(matrix, out);
}

void matrix_market(const InputFile& file) {
  read_matrix_market<float>(file);
  std::visit(
      [&]<class M>(const M& matrix) {
        const InputFile again = written_by([&](OutputFile& out) { write(matrix, out); });
        const auto same = std::get<M>(read_matrix_market<double>(again));
        expect(same.rows == matrix.rows && same.columns == matrix.columns, "the same size");
        expect(same.values == matrix.values, "the same elements");
      },
      read_matrix_market<double>(file));
}

void matrix_set(const InputFile& file) {
  using Integers = std::vector<std::int32_t>;
  if (is_npy(file)) return;
  const auto elements = std::get<Integers>(read_matrix_set(file));
  const InputFile again = written_by([&](OutputFile& out) { write_matrix_set(elements, out); });
  expect(std::get<Integers>(read_matrix_set(again)) == elements, "the same matrices");
}

void vector_text(const InputFile& file) {
  if (is_npy(file) || is_matrix_market(file)) return;
  read_vector_as<float>(file);
  std::visit(
      [](const auto& vector) {
        const InputFile again("input", text_of(std::span(vector), 3));
        const std::vector<double> numbers(vector.begin(), vector.end());
        expect(text_of(read_vector_as<double>(again), 3) == text_of(numbers, 3),
               "the same elements");
      },
      read_vector(file));
}

/// Uses a file of this content; what is refused is refused with the file's name.
template <void (*use)(const InputFile&)>
void check(std::string_view content) {
  try {
    use(InputFile("input", std::string(content)));
  } catch (const InputError& error) {
    expect(std::string_view(error.what()).starts_with("input:"), "an error names the file");
  } catch (const CannotRun&) {  // much memory
  }
}

constexpr Target all[] = {{"storm", check<storm>},
                          {"npy", check<npy>},
                          {"matrix_market", check<matrix_market>},
                          {"matrix_set", check<matrix_set>},
                          {"vector_text", check<vector_text>}};

}  // namespace

std::span<const Target> targets() {
  return all;
}

}  // namespace bombard::fuzz
