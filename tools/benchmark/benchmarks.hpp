#pragma once

/// Registers its benchmarks with Google Benchmark. Device times come from events, every result
/// that is timed is checked, and a wrong one is an error, not a figure.
namespace bombard {

/// Every engine on shapes like the public waves: interactions and bytes a second, the ratio to a
/// plain program measured in the same run, on the device also to the limit of its special-function
/// units.
void register_engines(bool with_device);

/// The cost of a call of the library beside its arithmetic, and an ensemble of many small runs.
void register_library(bool with_device);

}  // namespace bombard
