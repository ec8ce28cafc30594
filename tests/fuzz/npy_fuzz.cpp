// NumPy's arrays: inputs/npy.hpp. The first byte of an input says what the rest is: a whole file,
// or a header, which gets a right preamble, a line feed that is left out, and the elements.

#include <cstring>
#include <type_traits>

#include "inputs/npy.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/npy_oracle.hpp"

namespace bombard::fuzz {
namespace {

template <class T>
constexpr const char* type_code = std::is_same_v<T, std::int32_t>   ? "<i4"
                                  : std::is_same_v<T, std::int64_t> ? "<i8"
                                  : std::is_same_v<T, float>        ? "<f4"
                                                                    : "<f8";

std::string file_of(unsigned char mode, std::string_view input) {
  if (mode % 4 == 0) return std::string(input);
  const std::size_t header = std::min(input.find('\n'), input.size());
  const std::string_view elements = input.substr(std::min(header + 1, input.size()));
  return preamble(mode % 4, header).append(input.substr(0, header)).append(elements);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// Writes the elements, reads them again.
template <class T>
void through_a_file(std::span<const T> elements, const std::vector<std::int64_t>& shape) {
  static const MemoryFile memory;
  OutputFile output(memory.emptied());
  write_npy(elements, shape, output);
  output.commit();
  const std::string written = memory.content();
  const auto plain = plain_array(written);
  expect(plain && plain->type == type_code<T> && plain->shape == shape, "the header is right");
  expect(plain->elements.size() == elements.size_bytes() &&
             (elements.empty() ||
              std::memcmp(plain->elements.data(), elements.data(), elements.size_bytes()) == 0),
         "the elements are written as they are");
  expect((written.size() - plain->elements.size()) % 64 == 0, "the elements are aligned");
}

void check(std::string_view content, bool long_way) {
  const auto expected = plain_array(content);
  const MappedFile file(name, content);
  try {
    const NpyArray array(file);
    expect(expected.has_value(), "what is accepted is an array");
    expect(array.shape() == expected->shape, "the shape is the header's");
    expect(array.shape_text() == shape_text(expected->shape), "the shape is shown");
    std::visit(
        [&]<class T>(std::span<const T> elements) {
          expect(expected->type == type_code<T>, "the type is the header's");
          expect(elements.size_bytes() == expected->elements.size(), "all elements are there");
          expect(elements.empty() || std::memcmp(elements.data(), expected->elements.data(),
                                                 elements.size_bytes()) == 0,
                 "the elements are the file's");
          if constexpr (!std::is_same_v<T, std::int64_t>) {
            if (long_way) through_a_file(elements, array.shape());
          }
        },
        array.values());
  } catch (const InputError& error) {
    expect(!expected, "an array is accepted");
    line_of(error);
  }
}

}  // namespace
}  // namespace bombard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bombard::fuzz;
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(file_of(data[0], input), takes_the_long_way(input));
  return 0;
}
