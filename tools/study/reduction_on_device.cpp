#include <limits>

#include "kernels/device/device_memory.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "solvers/sums/reduction.hpp"
#include "solvers/sums/schemes.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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

void sums(std::span<const float> values, bool once, const DeviceReductionStudy::AddSum& add) {
  const cuda::DeviceArray<float> there{values};
  const auto measure = [&](ReductionScheme scheme, const std::string& name, int block) {
    const auto sum = cuda::make_sum(scheme, block, static_cast<std::int64_t>(values.size()));
    const auto work = [&] { sum->launch(there.span()); };
    if (once) work();
    const double seconds = once ? unknown : device_seconds(work);
    const double single = once ? unknown : single_call_seconds(work);
    add(name, block, seconds, single, sum->result(), sum->operations_per_access(),
        sum->occupancy());
  };
  for (const auto& [scheme, name] : one_element_a_thread) {
    for (const int block : {32, 128, 256, 1024}) measure(scheme, name, block);
  }
  measure(ReductionScheme::inhouse, "in-house", 0);
  measure(ReductionScheme::cub, "CUB", 0);
}

void minima(std::span<const std::int32_t> values, bool once, std::span<std::int32_t> found,
            const DeviceReductionStudy::AddMinima& add) {
  const std::int64_t matrices = static_cast<std::int64_t>(values.size()) / matrix_positions;
  const std::vector<std::int32_t> none(matrix_positions, std::numeric_limits<std::int32_t>::max());
  const cuda::DeviceArray<std::int32_t> there{values};
  cuda::DeviceArray<std::int32_t> minima_there{std::span<const std::int32_t>(none)};
  const auto inhouse = [&] {
    cuda::minima<std::int32_t>(there.span(), matrices, matrices, minima_there.span());
  };
  const auto measure = [&](const std::string& scheme, const auto& work) {
    minima_there.copy_from(none);
    if (once) work();
    const double seconds = once ? unknown : device_seconds(work);
    const double single = once ? unknown : single_call_seconds(work);
    minima_there.copy_to(found);
    add(scheme, seconds, single);
  };
  measure("in-house", inhouse);
  cuda::CubMinima cub(matrices, matrix_positions);
  measure("CUB in nine calls", [&] { cub.launch(there.span(), minima_there.span()); });
}

const Registered study{DeviceReductionStudy{sums, minima}};

}  // namespace

}  // namespace bombard::tools
