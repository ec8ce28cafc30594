#include "kernels/base/cores.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/inputs/small_machine.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

class Cores : public TemporaryDirectory {
 protected:
  using Files = std::vector<std::pair<std::string, std::string>>;
  std::optional<double> quota(const Files& files) const {
    const SmallMachine machine(path("machine"), "1000 kB");
    for (const auto& [file, text] : files) machine.write(file, text);
    return quota_of_cores();
  }
};

TEST_F(Cores, AreNoMoreThanTheControlGroupsAllow) {
  const std::string v2 = "sys/fs/cgroup/", v1 = "sys/fs/cgroup/cpu/";
  EXPECT_EQ(quota({}), std::nullopt);
  const std::pair job{"proc/self/cgroup", "0::/user/job\n"};
  EXPECT_EQ(quota({job, {v2 + "user/job/cpu.max", "max 100000\n"}}), std::nullopt);
  EXPECT_EQ(quota({job, {v2 + "user/job/cpu.max", "150000 100000\n"}}), 1.5);
  EXPECT_EQ(quota({job, {v2 + "user/job/cpu.max", "100000 100000\n"}}), 1);
  EXPECT_EQ(quota({job,
                   {v2 + "user/job/cpu.max", "max 100000\n"},
                   {v2 + "user/cpu.max", "50000 100000\n"},
                   {v2 + "cpu.max", "400000 100000\n"}}),
            0.5);
  const std::pair old{"proc/self/cgroup", "7:memory:/other\n4:cpu,cpuacct:/job\n"};
  EXPECT_EQ(quota({old,
                   {v1 + "job/cpu.cfs_quota_us", "-1\n"},
                   {v1 + "cpu.cfs_quota_us", "300000\n"},
                   {v1 + "cpu.cfs_period_us", "100000\n"}}),
            3);
}

TEST_F(Cores, AreAsManyThreadsUnlessTheCallerSaysANumber) {
  const SmallMachine machine(path("machine"), "1000 kB");
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/cpu.max", "10000 100000\n");
  EXPECT_EQ(usable_cores(), 1);
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(default_threads(), 1);
  for (const char* const none : {"", "0", "x", "99999999"}) {
    ::setenv("OMP_NUM_THREADS", none, 1);
    EXPECT_EQ(default_threads(), 1) << none;
  }
  for (const char* const three : {"3", "3,2"}) {
    ::setenv("OMP_NUM_THREADS", three, 1);
    EXPECT_EQ(default_threads(), 3) << three;
  }
  set_default_threads(5);
  EXPECT_EQ(default_threads(), 5);
  set_default_threads(0);
  ::unsetenv("OMP_NUM_THREADS");
}

}  // namespace
}  // namespace bombard
