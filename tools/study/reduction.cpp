#include "solvers/sums/reduction.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "tools/study/measure.hpp"
#include "tools/study/on_device.hpp"
#include "tools/study/studies.hpp"

namespace bombard::tools {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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
    const bool valid = error <= 512 * 0x1p-24;
    findings_.valid = findings_.valid && valid;
    const auto count = static_cast<double>(count_);
    findings_.table.add({std::string("sum"), count_, scheme, block, 1e6 * seconds, 1e6 * single,
                         1e-6 * (count - 1) / seconds, 1e-9 * 4 * count / seconds,
                         loop_seconds_ / seconds, operations_per_access, occupancy, error,
                         std::string(valid ? "yes" : "NO")});
  }

 private:
  StudyFindings& findings_;
  std::int64_t count_;
  double exact_ = 0;
  double sizes_ = 0;
  double loop_seconds_ = 0;
  volatile double kept_ = 0;
};

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
  if (request.gpu) {
    const auto add = [&](const auto&... row) { rows.add(row...); };
    on_device<DeviceReductionStudy>().sums(values, request.once, add);
  }
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
    findings.valid = findings.valid && valid;
    const auto elements = static_cast<double>(matrices * matrix_positions);
    findings.table.add({std::string("minima"), matrices * matrix_positions, scheme, std::int64_t{0},
                        1e6 * seconds, 1e6 * single, 1e-6 * elements / seconds,
                        1e-9 * 4 * elements / seconds, eigen / seconds, 1.0, unknown,
                        valid ? 0.0 : unknown, std::string(valid ? "yes" : "NO")});
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
  if (request.gpu) {
    const auto add_found = [&](const std::string& scheme, double seconds, double single) {
      add(scheme, seconds, single, found);
    };
    on_device<DeviceReductionStudy>().minima(values, request.once, found, add_found);
  }
}

}  // namespace

StudyFindings study_reduction(const StudyRequest& request) {
  StudyFindings findings{
      Table({"operation", "elements", "scheme", "block", "microseconds", "single call", "MFLOP/s",
             "GB/s", "speed-up", "operations/access", "occupancy", "error", "valid"}),
      {}};
  const std::vector<std::int64_t> own{32768, 65536, 131072, 262144, 1 << 20, 1 << 24, 1 << 28};
  for (const std::int64_t count : request.sizes.empty() ? own : request.sizes) {
    require_host_memory(4 * count, fmt::format("the study of reducing {} elements", count));
    sums(findings, request, count);
    if (count >= matrix_positions) minima(findings, request, count);
  }
  if (request.gpu && !request.once) {
    const DeviceLimits& limits = on_device<DeviceLimits>();
    findings.notes.push_back(
        fmt::format("device copy: {:.0f} GB/s", 1e-9 * limits.copy_bandwidth()));
    findings.notes.push_back(fmt::format(
        "a kernel that does nothing: {:.2f} microseconds, {:.2f} as a single call",
        1e6 * limits.empty_launch_seconds(), 1e6 * limits.single_empty_launch_seconds()));
  }
  return findings;
}

}  // namespace bombard::tools
