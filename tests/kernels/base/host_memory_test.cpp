#include "kernels/base/host_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <string>

#include "bombard/errors.hpp"
#include "tests/inputs/small_machine.hpp"

/// A machine as its files describe it: 1000 kB available.
class HostMemory : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const { machine_.write(file, text); }
  static std::int64_t available() { return bombard::available_host_memory(); }

 private:
  bombard::SmallMachine machine_{
      testing::TempDir() + "/bombard_host_memory_" + std::to_string(getpid()), "1000 kB"};
};

TEST_F(HostMemory, WithoutGroupsTheKernelsEstimate) {
  EXPECT_EQ(available(), 1'024'000);
}

TEST_F(HostMemory, AVersion2GroupLimits) {
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "500000\n");
  write("sys/fs/cgroup/user/job/memory.current", "300000\n");
  EXPECT_EQ(available(), 200'000);
  // Cache is given back.
  write("sys/fs/cgroup/user/job/memory.stat",
        "anon 200000\ninactive_file 50000\nactive_file 20000\n");
  EXPECT_EQ(available(), 270'000);
}

TEST_F(HostMemory, AGroupAboveLimits) {
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  write("sys/fs/cgroup/user/job/memory.current", "300000\n");
  write("sys/fs/cgroup/user/memory.max", "400000\n");
  write("sys/fs/cgroup/user/memory.current", "300000\n");
  EXPECT_EQ(available(), 100'000);
}

TEST_F(HostMemory, InAContainerThePathMayBeTheHosts) {
  write("proc/self/cgroup", "0::/of/the/host\n");
  write("sys/fs/cgroup/memory.max", "400000\n");
  write("sys/fs/cgroup/memory.current", "300000\n");
  EXPECT_EQ(available(), 100'000);
}

TEST_F(HostMemory, AVersion1GroupLimits) {
  write("proc/self/cgroup", "7:cpu:/other\n4:memory:/job\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "450000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "450000\n");
  EXPECT_EQ(available(), 50'000);
  write("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 7\ntotal_inactive_file 10000\ntotal_active_file 2000\n");
  EXPECT_EQ(available(), 62'000);
  // The statistics of a group without a limit may be newer than its usage.
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 460000\n");
  EXPECT_EQ(available(), 62'000);
}

TEST_F(HostMemory, MoreUsedThanTheLimitLeavesNothing) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "400000\n");
  write("sys/fs/cgroup/memory.current", "500000\n");
  EXPECT_EQ(available(), 0);
}

TEST(Gigabytes, AreReadable) {
  EXPECT_EQ(bombard::gigabytes(0), "0 bytes");
  EXPECT_EQ(bombard::gigabytes(999'999), "999999 bytes");
  EXPECT_EQ(bombard::gigabytes(1'234'567), "0.00123 GB");
  EXPECT_EQ(bombard::gigabytes(34'359'738'368), "34.4 GB");
  EXPECT_EQ(bombard::gigabytes(4'000'000'000'000), "4000 GB");
  EXPECT_EQ(bombard::gigabytes(std::numeric_limits<std::int64_t>::max()),
            "more than 9223372037 GB");
}

TEST(RequireHostMemory, SaysWhatIsNeededAndWhatIsFree) {
  EXPECT_NO_THROW(bombard::require_host_memory(0, "a test"));
  try {
    bombard::require_host_memory(std::int64_t{1} << 60, "a test");
    FAIL() << "2^60 bytes are there";
  } catch (const bombard::CannotRun& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("a test needs 1152921505 GB of memory"), std::string::npos) << message;
    EXPECT_NE(message.find("GB are free"), std::string::npos) << message;
  }
}
