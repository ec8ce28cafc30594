#pragma once

#include <cstdint>

#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

/// Completes a sweep, after all of its blocks: relaxes the cells on either side of the borders
/// between blocks, writes the ends of the layer, and of the padded one, which are not relaxed, and
/// lets the highest values of groups cover these cells. There is a second field where uncertainties
/// are tracked.
void finish_borders(const Sweep& sweep, const Field* fields);

}  // namespace bombard::cpu
