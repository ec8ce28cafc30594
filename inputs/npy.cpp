#include "inputs/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace bombard {

static_assert(std::endian::native == std::endian::little,
              "values are written as they lie in memory");

void write_npy(std::span<const float> values, OutputFile& file) {
  // The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Six bytes of magic,
  // two of version, two of the header's length; header and its preamble together a multiple of 64
  // bytes.
  constexpr std::size_t preamble = 10;
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.size());
  header.resize((preamble + header.size() + 1 + 63) / 64 * 64 - preamble - 1, ' ');
  header += '\n';
  const char length[] = {static_cast<char>(header.size() & 0xFF),
                         static_cast<char>(header.size() >> 8)};
  file.write({"\x93NUMPY\x01\x00", 8});
  file.write({length, 2});
  file.write(header);
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void write_npy(std::span<const float> values, const std::string& path) {
  OutputFile file(path);
  write_npy(values, file);
  file.commit();
}

}  // namespace bombard
