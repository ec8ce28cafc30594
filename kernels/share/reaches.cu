#include "kernels/device/launch.cuh"
#include "kernels/share/reaches.hpp"

namespace bombard::cuda {

namespace {

template <class AnyRule>
__global__ void reaches_kernel(const AnyRule rule, const Impact* deposits, std::int64_t count,
                               std::int64_t* reaches) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) reaches[i] = reach(rule, deposits[i].energy);
}

}  // namespace

template <class AnyRule>
void find_reaches(const AnyRule& rule, std::span<const Impact> deposits,
                  std::span<std::int64_t> reaches) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  launch("find reaches", one_thread_each(count), reaches_kernel<AnyRule>, rule, deposits.data(),
         count, reaches.data());
}

template void find_reaches(const LayerRule<SquareRootLaw>&, std::span<const Impact>,
                           std::span<std::int64_t>);
template void find_reaches(const LayerRule<GeneralLaw>&, std::span<const Impact>,
                           std::span<std::int64_t>);
template void find_reaches(const TrueRule&, std::span<const Impact>, std::span<std::int64_t>);

}  // namespace bombard::cuda
