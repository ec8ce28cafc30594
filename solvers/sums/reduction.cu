#include "kernels/device/device.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/reduction.hpp"

namespace bombard::cuda {

namespace {

/// Sends the values, reduces them, and brings the answer back. Empty spans give the identity.
template <class Operator>
typename Operator::Value reduced(std::span<const typename Operator::Element> values) {
  if (values.empty()) return Operator::identity();
  require_device_memory(static_cast<std::int64_t>(values.size_bytes()), "the reduction");
  const DeviceArray<typename Operator::Element> there(values);
  DeviceArray<typename Operator::Value> result(1);
  const auto count = static_cast<std::int64_t>(values.size());
  InhouseReduction<Operator>{count}(there.span().data(), result.span().data());
  typename Operator::Value answer;
  result.copy_to({&answer, 1});
  return answer;
}

template <class T>
SumOf<T> sum(std::span<const T> values) {
  if constexpr (std::is_integral_v<T>) {
    return reduced<Sum<T>>(values);
  } else {
    return reduced<AccurateSum<T>>(values).value();
  }
}

const Registered of_integers{DeviceReductions<std::int32_t>{sum, reduced<Maximum<std::int32_t>>}};
const Registered in_single{DeviceReductions<float>{sum, reduced<Maximum<float>>}};
const Registered in_double{DeviceReductions<double>{sum, reduced<Maximum<double>>}};

}  // namespace

}  // namespace bombard::cuda
