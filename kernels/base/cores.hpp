#pragma once

#include <optional>

namespace bombard {

/// The number of logical cores on which this process may run; taskset or a batch system may have
/// restricted it.
int cores_of_process();

/// The CPU time that the control groups of this process allow it, in cores, 1.5 for example;
/// nothing where they set no limit.
std::optional<double> quota_of_cores();

/// The cores that this process can keep busy: those on which it may run, up to the quota.
int usable_cores();

/// The number of threads where no option gives one: what set_default_threads() has set; else
/// OMP_NUM_THREADS, if that is from 1 to most_threads; else one for each usable core.
int default_threads();
/// 0: nothing is set.
void set_default_threads(int threads);

}  // namespace bombard
