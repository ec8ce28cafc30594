#include "kernels/device/launch.cuh"
#include "kernels/share/reaches.hpp"

namespace bombard::cuda {

namespace {

template <class AnyRule>
__global__ void reaches_kernel(const AnyRule rule, const Impact* impacts, std::int64_t count,
                               std::int64_t* reaches) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) reaches[i] = reach(rule, impacts[i].energy);
}

}  // namespace

template <class AnyRule>
std::span<const std::int64_t> find_reaches(const AnyRule& rule, std::span<const Impact> impacts,
                                           DeviceArray<std::int64_t>& room) {
  const auto count = static_cast<std::int64_t>(impacts.size());
  room.at_least(count);
  const std::span<std::int64_t> reaches = room.span().first(impacts.size());
  launch("find reaches", one_thread_each(count), reaches_kernel<AnyRule>, rule, impacts.data(),
         count, reaches.data());
  return reaches;
}

template std::span<const std::int64_t> find_reaches(const LayerRule<SquareRootLaw>&,
                                                    std::span<const Impact>,
                                                    DeviceArray<std::int64_t>&);
template std::span<const std::int64_t> find_reaches(const LayerRule<GeneralLaw>&,
                                                    std::span<const Impact>,
                                                    DeviceArray<std::int64_t>&);
template std::span<const std::int64_t> find_reaches(const TrueRule&, std::span<const Impact>,
                                                    DeviceArray<std::int64_t>&);

}  // namespace bombard::cuda
