// The fuzz targets on the inputs of their corpora, and on these inputs damaged at random.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "tests/inputs/small_machine.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard::fuzz {
namespace {

/// The input with one to three damages at random places: a character that `others` has put in or in
/// the place of another, up to three characters left out, the rest cut off, or a part repeated.
std::string damaged(std::string input, const std::string& others, std::mt19937_64& random) {
  for (std::uint64_t damages = 1 + random() % 3; damages > 0; --damages) {
    const std::size_t at = random() % (input.size() + 1);
    const std::string character(1, others.empty() ? 'x' : others[random() % others.size()]);
    const std::pair<std::size_t, std::string> replacements[] = {
        {0, character},
        {1, character},
        {random() % 4, ""},
        {std::string::npos, ""},
        {0, input.substr(input.size() / 2)}};
    const auto& [size, text] = replacements[random() % 5];
    input.replace(at, size, text);
  }
  return input;
}

class Corpus : public TemporaryDirectory, public testing::WithParamInterface<Target> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST_P(Corpus, IsReadAndWrittenAgain) {
  const SmallMachine machine(path("machine"), "0 kB");
  const auto check = [&](const std::string& input) {
    try {
      GetParam().check(input);
    } catch (const NotSo& wrong) {
      FAIL() << wrong.what() << ": " << testing::PrintToString(input);
    }
  };
  std::vector<std::string> inputs;
  for (const auto& file : std::filesystem::directory_iterator(
           fmt::format("{}/tests/fuzz/corpus/{}", BOMBARD_SOURCE_DIR, GetParam().name))) {
    inputs.push_back(content_of(file.path()));
    check(inputs.back());
  }
  EXPECT_GE(inputs.size(), 10);
  std::mt19937_64 random(1);
  for (std::size_t trial = 0; trial < 1500 * inputs.size() && !HasFatalFailure(); ++trial) {
    const std::string& input = inputs[random() % inputs.size()];
    check(damaged(input, inputs[random() % inputs.size()], random));
  }
}

}  // namespace
}  // namespace bombard::fuzz
