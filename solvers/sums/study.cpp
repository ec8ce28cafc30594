#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "solvers/sums/reduction.hpp"
#include "solvers/sums/schemes.hpp"

namespace bombard {

namespace {

/// The loop that everything is compared with, in double so that it can judge the others.
double sum_by_loop(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

class SumRows {
 public:
  SumRows(StudyFindings& findings, std::span<const float> values)
      : findings_(findings), count_(static_cast<std::int64_t>(values.size())) {
    for (const float value : values) sizes_ += std::abs(value);
    exact_ = sum_by_loop(values);
    loop_seconds_ = host_seconds([&] { kept_ = sum_by_loop(values); });
    add("loop on one core", 0, loop_seconds_, unknown, exact_, unknown, unknown);
  }

  /// A sum in float of a tree's depth of additions, or of a thread's run of them, is within a few
  /// hundred units in the last place of the sum of magnitudes.
  void add(const std::string& scheme, std::int64_t block, double seconds, double single, double sum,
           double operations_per_access, double occupancy) {
    const double error = std::abs(sum - exact_) / sizes_;
    const auto count = static_cast<double>(count_);
    findings_.table.add({std::string("sum"), count_, scheme, block, 1e6 * seconds, 1e6 * single,
                         1e-6 * (count - 1) / seconds, 1e-9 * 4 * count / seconds,
                         loop_seconds_ / seconds, operations_per_access, occupancy, error,
                         findings_.checked(error <= 512 * 0x1p-24)});
  }

 private:
  StudyFindings& findings_;
  std::int64_t count_;
  double exact_ = 0;
  double sizes_ = 0;
  double loop_seconds_ = 0;
  volatile double kept_ = 0;
};

struct NamedScheme {
  ReductionScheme scheme;
  const char* name;
};
constexpr NamedScheme one_element_a_thread[] = {
    {ReductionScheme::interleaved_global, "interleaved in global memory"},
    {ReductionScheme::sequential_global, "sequential in global memory"},
    {ReductionScheme::interleaved_shared, "interleaved in shared memory"},
    {ReductionScheme::sequential_shared, "sequential in shared memory"},
    {ReductionScheme::warp_shuffles, "warp shuffles"}};

void sums(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  const auto values = study_values<float>(count, 1);
  SumRows rows(findings, values);
  if (request.cpu) {
    volatile double kept = 0;
    const Eigen::Map<const Eigen::VectorXf> vector(values.data(), count);
    const double eigen = host_seconds([&] { kept = vector.sum(); });
    rows.add("Eigen on one core", 0, eigen, unknown, kept, unknown, unknown);
    const double own = host_seconds([&] { kept = cpu::sum<float>(values); });
    rows.add("bombard on all cores", 0, own, unknown, kept, unknown, unknown);
  }
  if (!request.gpu) return;
  const auto measure = [&](ReductionScheme scheme, const char* name, int block) {
    KernelTiming timing{.single_calls = true};
    const SumByScheme found =
        on_device<DeviceSchemes>().sum(values, scheme, block, request.once ? nullptr : &timing);
    rows.add(name, block, timing.seconds, timing.single_seconds, found.sum,
             found.operations_per_access, found.occupancy);
  };
  for (const auto& [scheme, name] : one_element_a_thread) {
    for (const int block : {32, 128, 256, 1024}) measure(scheme, name, block);
  }
  measure(ReductionScheme::inhouse, "in-house", 0);
  measure(ReductionScheme::cub, "CUB", 0);
}

/// The minima of nine positions of `count` / 9 matrices.
void minima(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  const std::int64_t matrices = count / matrix_positions;
  const auto values = study_values<std::int32_t>(matrices * matrix_positions, 2);
  using Rows = Eigen::Matrix<std::int32_t, matrix_positions, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> rows(values.data(), matrix_positions, matrices);
  Eigen::Matrix<std::int32_t, matrix_positions, 1> expected;
  const double eigen = host_seconds([&] { expected = rows.rowwise().minCoeff(); });
  const auto add = [&](const std::string& scheme, double seconds, double single,
                       std::span<const std::int32_t> found) {
    const bool valid = std::ranges::equal(found, expected);
    const auto elements = static_cast<double>(matrices * matrix_positions);
    findings.table.add({std::string("minima"), matrices * matrix_positions, scheme, std::int64_t{0},
                        1e6 * seconds, 1e6 * single, 1e-6 * elements / seconds,
                        1e-9 * 4 * elements / seconds, eigen / seconds, 1.0, unknown,
                        valid ? 0.0 : unknown, findings.checked(valid)});
  };
  const std::vector<std::int32_t> none(matrix_positions, std::numeric_limits<std::int32_t>::max());
  std::vector<std::int32_t> found(expected.begin(), expected.end());
  add("Eigen on one core", eigen, unknown, found);
  if (request.cpu) {
    const double own = host_seconds([&] {
      found = none;
      cpu::minima<std::int32_t>(values, matrices, matrices, found);
    });
    add("bombard on all cores", own, unknown, found);
  }
  if (!request.gpu) return;
  for (const MinimaKernel kernel : {MinimaKernel::inhouse, MinimaKernel::cub}) {
    found = none;
    KernelTiming timing{.single_calls = true};
    on_device<DeviceMinimaByPosition<std::int32_t>>().minima(
        values, matrices, matrices, found, kernel, request.once ? nullptr : &timing);
    add(kernel == MinimaKernel::inhouse ? "in-house" : "CUB in nine calls", timing.seconds,
        timing.single_seconds, found);
  }
}

}  // namespace

StudyFindings study_reduction(const StudyRequest& request) {
  StudyFindings findings{
      Table({"operation", "elements", "scheme", "block", "microseconds", "single call", "MFLOP/s",
             "GB/s", "speed-up", "operations/access", "occupancy", "error", "valid"}),
      {}};
  for (const std::int64_t count :
       request.sizes_or({32768, 65536, 131072, 262144, 1 << 20, 1 << 24, 1 << 28})) {
    require_host_memory(4 * count, fmt::format("the study of reducing {} elements", count));
    sums(findings, request, count);
    if (count >= matrix_positions) minima(findings, request, count);
  }
  if (request.gpu && !request.once) {
    const DeviceLimits& limits = on_device<DeviceLimits>();
    copy_bandwidth(request, findings);
    findings.notes.push_back(fmt::format(
        "a kernel that does nothing: {:.2f} microseconds, {:.2f} as a single call",
        1e6 * limits.empty_launch_seconds(), 1e6 * limits.single_empty_launch_seconds()));
  }
  return findings;
}

}  // namespace bombard
