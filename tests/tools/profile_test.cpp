// tools/profile, with programs in place of NVIDIA's profilers: they run bombard, and no more.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Profile : public ProgramTest {
 protected:
  Profile() {
    for (const std::string profiler : {"nsys", "ncu"}) {
      written(profiler,
              "#!/bin/sh\n"
              "case $1 in stats | --import) echo counters && exit ;; esac\n"
              "while [ $# != 0 ] && [ \"$1\" != \"$BOMBARD\" ]; do\n"
              "  [ \"$1\" = --log-file ] && : >\"$2\"\n"
              "  shift\n"
              "done\n"
              "\"$@\"\n");
      std::filesystem::permissions(path(profiler), std::filesystem::perms::owner_all);
    }
  }

  Outcome profile(const std::string& arguments) {
    return shell("PATH=.:$PATH BOMBARD='" BOMBARD_PROGRAM "' '" BOMBARD_SOURCE_DIR
                 "/tools/profile' " +
                 arguments);
  }
};

TEST_F(Profile, FailsWhenTheRunFails) {
  for (const std::string kind : {"timeline", "kernels"}) {
    const Outcome good = profile(kind + " run 60 $samples/layer_60_storm_1.txt");
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_TRUE(contains(good.out, "counters")) << good.out;
    const Outcome bad = profile(kind + " run 60 missing.txt");
    EXPECT_EQ(bad.exit_code, 2) << bad.err;
    EXPECT_FALSE(contains(bad.out, "counters")) << bad.out;
  }
}

}  // namespace
}  // namespace bombard::tests
