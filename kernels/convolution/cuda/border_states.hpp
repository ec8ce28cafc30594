#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cuda/outside.hpp"
#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/device_memory.hpp"

/// The states that cross the borders of a slab (docs/methods.md, The fast layer): of all sources on
/// one side of a border what they are as moments of the chunk before it on their way, as if they
/// lay outside (outside.hpp). To be called when the tiles have added to the states, and before
/// these are scanned. `sums` is memory to work in.
namespace bombard::cuda {

struct States;
struct Terms;

/// The state that all sources before this chunk, 0 to `chunks`, give to the cells behind it on
/// their way, [term]; a source's exponentials are 1 at `unit` cells before the end of its chunk.
/// Waits for it.
std::vector<double> leaving_states(bool to_right, std::int64_t chunk, const Terms& terms,
                                   const States& states, const SourceArray<std::int64_t>& sources,
                                   double unit, DeviceArray<double>& sums);
/// The states that come in, [side][term], lie outside from now on.
void add_coming_in(const std::vector<double>& both, const Terms& terms, const States& states,
                   Outside& outside, DeviceArray<double>& sums);

}  // namespace bombard::cuda
