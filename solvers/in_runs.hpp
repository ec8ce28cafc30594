#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/base/cores.hpp"
#include "kernels/base/share_out.hpp"

namespace bombard {

/// Calls work(first, end) for each run of `run` indices of 0 .. count - 1, on all cores where
/// `elements`, the elements of all runs, are many. The runs do not depend on the number of threads.
template <class Work>
void in_runs(std::int64_t count, std::int64_t run, std::int64_t elements, const Work& work) {
  constexpr std::int64_t elements_for_one_core = 500'000;  // waking threads takes longer
  const int threads = elements > elements_for_one_core ? default_threads() : 1;
  cpu::share_out((count + run - 1) / run, threads, [&](const auto& each) {
    each([&](std::int64_t r) { work(r * run, std::min(count, (r + 1) * run)); });
  });
}

}  // namespace bombard
