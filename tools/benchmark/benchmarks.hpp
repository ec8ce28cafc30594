#pragma once

/// Registers its benchmarks with Google Benchmark. Device times come from events, every result
/// that is timed is checked, and a wrong one is an error, not a figure.
namespace bombard {

/// Every engine on shapes like the public waves: interactions and bytes a second, the ratio to a
/// plain program measured in the same run, on the device also to the limit of its special-function
/// units.
void register_engines(bool with_device);

/// growth/cells/..., impacts, both, methods and sparse: how the time of two storms grows, 1, 3, 10,
/// 30, ... cells or impacts, or one impact for each cell. Every fast engine over cells, impacts and
/// both; every engine of the processor in single precision over cells (methods); every engine that
/// stores no layer over both (sparse). Sizes end where the estimate says many seconds, rows where
/// memory does.
void register_growth(bool with_device);

/// The cost of a call of the library beside its arithmetic, and an ensemble of many small runs.
void register_library(bool with_device);

}  // namespace bombard
