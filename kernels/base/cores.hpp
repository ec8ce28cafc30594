#pragma once

#include <optional>

namespace bombard {

/// The logical cores on which this process may run; taskset or a batch system may have made them
/// fewer.
int cores_of_process();

/// How many cores' time the control groups of this process allow it, 1.5 for example; nothing where
/// they allow all of it.
std::optional<double> quota_of_cores();

/// The cores that this process can keep busy: those on which it may run, no more than the quota.
int usable_cores();

/// How many threads work where no option says so: what the caller has set by OMP_NUM_THREADS or
/// omp_set_num_threads(), up to most_threads; else one for each usable core.
int default_threads();

}  // namespace bombard
