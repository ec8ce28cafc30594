#pragma once

#include <string>

namespace bombard {

/// Registers every engine with Google Benchmark, on shapes like the public waves, or on those that
/// `only` names ("1000000x5000x4,35x8x4"): interactions and bytes a second, the ratio to a plain
/// program measured in the same run, on the device also to the limit of its special-function
/// units. Device times come from events. Every result that is timed is checked; a wrong one is an
/// error, not a figure. Throws InputError for a name that is no shape.
void register_engines(bool with_device, const std::string& only);

}  // namespace bombard
