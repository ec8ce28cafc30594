#include "kernels/base/host_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/inputs/small_machine.hpp"
#include "tests/text.hpp"

namespace bombard::tests {
namespace {

struct Machine {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;
  std::int64_t available;
};

/// The kernel estimates that 1000 kB are available, but groups may allow less.
const Machine machines[] = {
    {"without groups", {}, 1'024'000},
    {"a group of version 2; cache is given back",
     {{"proc/self/cgroup", "0::/user/job\n"},
      {"sys/fs/cgroup/user/job/memory.max", "500000\n"},
      {"sys/fs/cgroup/user/job/memory.current", "300000\n"},
      {"sys/fs/cgroup/user/job/memory.stat",
       "anon 200000\ninactive_file 50000\nactive_file 20000\n"}},
     270'000},
    {"a group above, and no statistics",
     {{"proc/self/cgroup", "0::/user/job\n"},
      {"sys/fs/cgroup/user/job/memory.max", "max\n"},
      {"sys/fs/cgroup/user/job/memory.current", "300000\n"},
      {"sys/fs/cgroup/user/memory.max", "400000\n"},
      {"sys/fs/cgroup/user/memory.current", "300000\n"}},
     100'000},
    {"in a container the path may be the host's",
     {{"proc/self/cgroup", "0::/of/the/host\n"},
      {"sys/fs/cgroup/memory.max", "400000\n"},
      {"sys/fs/cgroup/memory.current", "300000\n"}},
     100'000},
    {"a group of version 1; the statistics of one without a limit may be newer than its usage",
     {{"proc/self/cgroup", "7:cpu:/other\n4:memory:/job\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n"},
      {"sys/fs/cgroup/memory/job/memory.usage_in_bytes", "450000\n"},
      {"sys/fs/cgroup/memory/job/memory.stat",
       "inactive_file 7\ntotal_inactive_file 10000\ntotal_active_file 2000\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/memory/memory.usage_in_bytes", "450000\n"},
      {"sys/fs/cgroup/memory/memory.stat", "total_inactive_file 460000\n"}},
     62'000},
    {"more used than the limit",
     {{"proc/self/cgroup", "0::/\n"},
      {"sys/fs/cgroup/memory.max", "400000\n"},
      {"sys/fs/cgroup/memory.current", "500000\n"}},
     0},
};

TEST(HostMemory, IsWhatTheKernelEstimatesAndGroupsAllow) {
  for (const auto& [name, files, available] : machines) {
    const SmallMachine machine{
        testing::TempDir() + "/bombard_host_memory_" + std::to_string(getpid()), "1000 kB"};
    for (const auto& [file, text] : files) machine.write(file, text);
    EXPECT_EQ(available_host_memory(), available) << name;
  }
}

TEST(Gigabytes, AreReadable) {
  EXPECT_EQ(gigabytes(0), "0 bytes");
  EXPECT_EQ(gigabytes(999'999), "999999 bytes");
  EXPECT_EQ(gigabytes(1'234'567), "0.00123 GB");
  EXPECT_EQ(gigabytes(34'359'738'368), "34.4 GB");
  EXPECT_EQ(gigabytes(4'000'000'000'000), "4000 GB");
  EXPECT_EQ(gigabytes(std::numeric_limits<std::int64_t>::max()), "more than 9223372037 GB");
}

TEST(RequireHostMemory, SaysWhatIsNeededAndWhatIsFree) {
  EXPECT_NO_THROW(require_host_memory(0, "a test"));
  EXPECT_TRUE(
      matches(message_of<CannotRun>([] { require_host_memory(std::int64_t{1} << 60, "a test"); }),
              "*a test needs 1152921505 GB of memory*GB are free*"));
}

}  // namespace
}  // namespace bombard::tests
