#include "inputs/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "bombard/errors.hpp"

namespace bombard {
namespace {

std::string written(const std::vector<float>& values) {
  const std::string path =
      testing::TempDir() + "bombard_layer_" + std::to_string(::getpid()) + ".npy";
  write_npy(values, path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return bytes;
}

// 128 bytes in front of the data: magic, version 1.0, 118 more bytes of header, padded with spaces.
std::string header(const std::string& shape) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + ",), }";
  const std::string preamble("\x93NUMPY\x01\x00\x76\x00", 10);
  return preamble + text + std::string(117 - text.size(), ' ') + "\n";
}

TEST(Npy, WritesTheBytesOfVersionOne) {
  EXPECT_EQ(written({1.0F, -2.5F, 0.0F}),
            header("3") + std::string("\x00\x00\x80\x3F\x00\x00\x20\xC0\x00\x00\x00\x00", 12));
  EXPECT_EQ(written({}), header("0"));
}

TEST(Npy, KeepsEveryBit) {
  std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::denorm_min(), -0.0F};
  values.resize(100003, 3.1415927F);
  const std::string bytes = written(values);
  ASSERT_EQ(bytes.size(), 128 + 4 * values.size());
  EXPECT_EQ(bytes.substr(0, 128), header("100003"));
  EXPECT_EQ(std::memcmp(bytes.data() + 128, values.data(), 4 * values.size()), 0);
}

TEST(Npy, SaysWhyItCannotWrite) {
  try {
    write_npy(std::vector<float>{1.0F}, "/nonexistent/layer.npy");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "/nonexistent/layer.npy: cannot be written: there is no directory "
                 "\"/nonexistent\"; create it first");
  }
}

}  // namespace
}  // namespace bombard
