#pragma once

namespace bombard::cuda {

/// `value` plus all addends of a warp, one after another, lane by lane and in each lane's order: it
/// gives what the sequential program's chain of rounded additions gives, to the last bit, in the
/// time of a short chain. All lanes must call it, with the same value, and all get the sum.
///
/// Between two powers of two, floats are evenly spaced, so an addend adds the same amount to the
/// bits of the sum wherever it comes in the chain, except at ties. From that each lane predicts the
/// value with which it begins. Then it adds. If every lane up to some lane began where the one
/// before it ended, they have added what the chain adds. Where this fails (the sum passed a power
/// of two, or a tie went the other way), the end of the lane before is known, and the rest is
/// predicted again from there; if it fails too often, the lanes take turns.
template <int count>
__device__ float sum_in_order(float value, const float (&addend)[count]) {
  constexpr int most_predictions = 8;
  constexpr unsigned all = ~0U;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto end_of_lane = [&](float begin) {
#pragma unroll
    for (int k = 0; k < count; ++k) begin += addend[k];
    return begin;
  };
  int first = 0;  // `value` is what this lane begins with
  for (int i = 0; i < most_predictions; ++i) {
    const unsigned bits = __float_as_uint(value);
    unsigned added = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) added += __float_as_uint(value + addend[k]);
    added = lane < first ? 0 : added - count * bits;
    unsigned up_to_here = added;
#pragma unroll
    for (int lanes = 1; lanes < 32; lanes *= 2) {
      const unsigned before = __shfl_up_sync(all, up_to_here, lanes);
      if (lane >= lanes) up_to_here += before;
    }
    const unsigned begin = bits + up_to_here - added;
    const float end = end_of_lane(__uint_as_float(begin));
    const unsigned end_before = __shfl_up_sync(all, __float_as_uint(end), 1);
    const unsigned wrong = __ballot_sync(all, lane > first && begin != end_before);
    if (wrong == 0) return __shfl_sync(all, end, 31);
    first = __ffs(static_cast<int>(wrong)) - 1;
    value = __shfl_sync(all, end, first - 1);
  }
  for (; first < 32; ++first) value = __shfl_sync(all, end_of_lane(value), first);
  return value;
}

}  // namespace bombard::cuda
