#include "kernels/deposit_sums.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/gpu.hpp"
#include "tests/kernels/random_deposits.hpp"

using namespace bombard;

namespace {

class SmallDepositSums : public GpuTest {};
class DepositSumsOnGpu : public GpuTest {};

std::vector<std::int64_t> on_the_device(cuda::DepositSums& sums,
                                        const std::vector<Deposit>& deposits, std::int64_t first,
                                        std::int64_t size) {
  const cuda::DeviceArray<Deposit> there{std::span<const Deposit>(deposits)};
  const std::vector<std::int64_t> poison(static_cast<std::size_t>(size), 0x5555555555555555);
  cuda::DeviceArray<std::int64_t> result{std::span<const std::int64_t>(poison)};
  sums.sum(there.span(), first, result.span());
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  result.copy_to(values);
  return values;
}

std::vector<std::int64_t> one_by_one(const std::vector<Deposit>& deposits, std::int64_t first,
                                     std::int64_t size) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  for (const Deposit& deposit : deposits) {
    const std::int64_t i = deposit.position + first;
    if (i >= 0 && i < size) values[static_cast<std::size_t>(i)] += deposit.energy;
  }
  return values;
}

TEST_F(SmallDepositSums, ByHand) {
  cuda::DepositSums sums;
  const std::vector<Deposit> deposits{{0, 5, 0}, {2, -7, 0}, {0, 6, 0}, {-2, 9, 0}, {3, 1, 0}};
  EXPECT_EQ(on_the_device(sums, deposits, 1, 4), (std::vector<std::int64_t>{0, 11, 0, -7}));
}

TEST_F(SmallDepositSums, CarryIntoTheUpperHalf) {
  cuda::DepositSums sums;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  std::vector<Deposit> deposits;
  for (int i = 0; i < 1000; ++i) {
    deposits.push_back({0, most, 0});
    deposits.push_back({1, least, 0});
    deposits.push_back({2, i % 2 == 0 ? most : least, 0});
    deposits.push_back({3, i % 2 == 0 ? -1 : 1, 0});
  }
  EXPECT_EQ(on_the_device(sums, deposits, 0, 4),
            (std::vector<std::int64_t>{1000LL * most, 1000LL * least, -500, 0}));
}

TEST_F(DepositSumsOnGpu, AgreeWithALoop) {
  std::mt19937_64 random(5);
  cuda::DepositSums sums;
  for (const std::int64_t size : {1, 2, 8191, 8192, 8193, 100'003, 3'000'017}) {
    for (const std::int64_t count : {1, 31, 5000, 700'001}) {
      const auto deposits = random_deposits(random, count, -100, size + 100, true);
      EXPECT_EQ(on_the_device(sums, deposits, 64, size), one_by_one(deposits, 64, size))
          << size << " cells, " << count << " deposits";
    }
  }
}

TEST_F(DepositSumsOnGpu, ManyInOneCell) {
  cuda::DepositSums sums;
  const std::vector<Deposit> deposits(300'000, Deposit{70'000, 2'000'000'000, 0});
  EXPECT_EQ(on_the_device(sums, deposits, 0, 100'000), one_by_one(deposits, 0, 100'000));
}

}  // namespace
