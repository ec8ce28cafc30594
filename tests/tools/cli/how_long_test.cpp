// What `run` says of how long it takes.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class HowLong : public ProgramTest {
 protected:
  static std::string storm() {
    return std::string(BOMBARD_SOURCE_DIR) + "/inputs/samples/layer_60_storm_1.txt";
  }
};

TEST_F(HowLong, ADryRunComputesNothing) {
  const Outcome outcome =
      bombard({"run", "1e9", storm(), storm(), "--engine=cpu_double", "--dry-run", "--layers",
               path("all.npy"), "--output", path("r.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(matches(outcome.out,
                      "engine  cpu_double on *: it was asked for\n"
                      "work    1000000000 cells, 2 storms, 20 impacts\n"
                      "time    about *\n"
                      "memory  about 8.6 GB; * are free\n"
                      "writes  *r.json, *all.npy (16 GB)\n"
                      "nothing was computed\n"))
      << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(path("r.json")));
  EXPECT_FALSE(std::filesystem::exists(path("all.npy")));
}

TEST_F(HowLong, ADryRunIsRefusedAsTheRunWouldBe) {
  EXPECT_EQ(bombard({"run", "60", path("none.txt"), "--dry-run"}).exit_code, 2);
  EXPECT_EQ(bombard({"run", "60", storm(), "--dry-run", "--output", storm()}).exit_code, 2);
  EXPECT_EQ(bombard({"run", "60", storm(), "--dry-run", "--engine=none"}).exit_code, 2);
}

TEST_F(HowLong, ALongRunIsAnnouncedWithWhatWouldBeQuicker) {
  const Outcome outcome = shell(
      "\"$bombard\" generate --cells 20000000 --impacts 10000 --directory . >names && "
      "{ \"$bombard\" run 20000000 $(cat names) --engine reference 2>messages & } && "
      "for i in {1..100}; do sleep 0.1; grep -q about messages && break; done; "
      "kill -KILL $!; wait $!; cat messages");
  EXPECT_TRUE(matches(outcome.out,
                      "bombard: this takes about * (--engine cpu_*: *, --engine cpu_*: *, "
                      "--engine cpu_*: *)\n"))
      << outcome.out;
}

}  // namespace
}  // namespace bombard::tests
