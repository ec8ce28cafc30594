#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/convolution/cuda/deposit_sums.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class SmallDepositSums : public GpuTest {};
class DepositSumsOnGpu : public GpuTest {};

std::vector<std::int64_t> on_the_device(cuda::DepositSums& sums,
                                        const std::vector<CellDeposit>& deposits,
                                        std::int64_t size) {
  const cuda::DeviceArray<CellDeposit> there{std::span<const CellDeposit>(deposits)};
  const std::vector<std::int64_t> poison(static_cast<std::size_t>(size), 0x5555555555555555);
  cuda::DeviceArray<std::int64_t> result{std::span<const std::int64_t>(poison)};
  sums.sum(there.span(), result.span());
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  result.copy_to(values);
  return values;
}

std::vector<std::int64_t> one_by_one(const std::vector<CellDeposit>& deposits, std::int64_t size) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  for (const CellDeposit& deposit : deposits) values[deposit.cell] += deposit.energy;
  return values;
}

/// Deposits on the cells first .. end - 1, of any energy up to `most` or down to its negative.
std::vector<CellDeposit> random_cell_deposits(std::mt19937_64& random, std::int64_t count,
                                              std::int64_t first, std::int64_t end,
                                              std::int32_t most) {
  std::vector<CellDeposit> deposits;
  std::uniform_int_distribution<std::int64_t> cell(first, end - 1);
  std::uniform_int_distribution<std::int32_t> energy(-most, most);
  for (std::int64_t i = 0; i < count; ++i) {
    deposits.push_back({static_cast<std::uint32_t>(cell(random)), energy(random)});
  }
  return deposits;
}

TEST_F(SmallDepositSums, ByHand) {
  cuda::DepositSums sums;
  EXPECT_EQ(on_the_device(sums, {{1, 5}, {3, -7}, {1, 6}}, 4),
            (std::vector<std::int64_t>{0, 11, 0, -7}));
}

TEST_F(SmallDepositSums, MoreThan32Bits) {
  cuda::DepositSums sums;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  std::vector<CellDeposit> deposits;
  for (int i = 0; i < 1000; ++i) {
    deposits.push_back({0, most});
    deposits.push_back({1, least});
    deposits.push_back({2, i % 2 == 0 ? most : least});
    deposits.push_back({3, i % 2 == 0 ? -1 : 1});
    deposits.push_back({30'000, i % 2 == 0 ? -1 : -2});
  }
  std::vector<std::int64_t> expected(30'001);
  expected[0] = 1000LL * most;
  expected[1] = 1000LL * least;
  expected[2] = -500;
  expected[30'000] = -1500;
  EXPECT_EQ(on_the_device(sums, deposits, 30'001), expected);
}

TEST_F(SmallDepositSums, JustTooLargeOnOneSide) {
  cuda::DepositSums sums;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(on_the_device(sums, {{0, most}, {1, -most}, {1, -1}}, 2),
            (std::vector<std::int64_t>{most, -most - 1LL}));
  EXPECT_EQ(on_the_device(sums, {{0, most}, {0, 1}, {1, -most}, {1, -2}}, 2),
            (std::vector<std::int64_t>{most + 1LL, -most - 2LL}));
}

TEST_F(DepositSumsOnGpu, AgreeWithALoop) {
  std::mt19937_64 random(5);
  cuda::DepositSums sums;
  for (const std::int64_t size : {1, 2, 24'575, 49'151, 49'152, 49'153, 100'003, 3'000'017}) {
    for (const std::int64_t count : {1, 31, 5000, 20'480, 20'481, 700'001}) {
      for (const std::int32_t most : {1'000'000, 2'000'000'000}) {
        const auto deposits = random_cell_deposits(random, count, 0, size, most);
        EXPECT_EQ(on_the_device(sums, deposits, size), one_by_one(deposits, size))
            << size << " cells, " << count << " deposits up to " << most;
      }
    }
  }
}

TEST_F(DepositSumsOnGpu, ManyInFewCells) {
  // More than one block adds up of a bucket.
  std::mt19937_64 random(6);
  cuda::DepositSums sums;
  const std::vector<CellDeposit> in_one(600'000, CellDeposit{70'000, 2'000'000'000});
  EXPECT_EQ(on_the_device(sums, in_one, 100'000), one_by_one(in_one, 100'000));
  const auto in_some = random_cell_deposits(random, 2'000'003, 49'000, 49'300, 1'000'000);
  EXPECT_EQ(on_the_device(sums, in_some, 200'000), one_by_one(in_some, 200'000));
}

TEST_F(DepositSumsOnGpu, BucketsOfSeveralWindows) {
  // 4096 windows are a bucket each; 250 million cells are more.
  std::mt19937_64 random(7);
  const std::int64_t size = 250'000'001;
  cuda::DepositSums sums;
  auto deposits = random_cell_deposits(random, 1'000'000, 0, size, 1'000'000);
  const auto heaped = random_cell_deposits(random, 1'100'000, 98'000, 98'600, 2'000'000'000);
  deposits.insert(deposits.end(), heaped.begin(), heaped.end());
  EXPECT_EQ(on_the_device(sums, deposits, size), one_by_one(deposits, size));
}

}  // namespace
