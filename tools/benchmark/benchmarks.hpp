#pragma once

/// Each registers its benchmarks with Google Benchmark. Device times come from events, every result
/// that is timed is checked, and a wrong one is an error, not a figure.
namespace bombard {

/// Every engine on shapes like the public waves: interactions and bytes a second, the ratio to a
/// plain program measured in the same run, on the device also to the limit of its special-function
/// units.
void register_engines(bool with_device);

/// Both arg-max reductions of 1e8 floats, and against a device copy in the same run.
void register_arg_max();

}  // namespace bombard
