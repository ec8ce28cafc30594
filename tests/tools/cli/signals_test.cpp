#include "tools/cli/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "inputs/mapped_file.hpp"
#include "inputs/output_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

class Signals : public TemporaryDirectory {};

/// Adds up the bytes of a file that loses all of them on the way, and writes another.
void read_while_it_shrinks(const std::string& input, const std::string& output) {
  tools::handle_signals();
  const MappedFile file(input);
  OutputFile half(output);
  half.write(std::string(100'000, 'x'));
  if (::truncate(input.c_str(), 0) != 0) return;
  const volatile char last = file.content().back();
  static_cast<void>(last);
}

TEST_F(Signals, AFileThatShrinksWhileItIsReadIsAMessageAndExitCode2) {
  const std::string input = written("storm\x1b[2J.txt", std::string(20'000, '1'));
  EXPECT_EXIT(read_while_it_shrinks(input, path("result")), testing::ExitedWithCode(2),
              "bombard: .*/storm\\?\\[2J.txt: became shorter while it was read");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST_F(Signals, AnyOtherBusErrorEndsTheProgram) {
  EXPECT_EXIT(
      {
        tools::handle_signals();
        std::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace bombard
