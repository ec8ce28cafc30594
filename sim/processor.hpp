#pragma once

#include <omp.h>

#include <string>

/// The processor as the system describes it.
namespace bombard {

/// The model, or the architecture where the system tells no more.
std::string processor_name();
/// The logical cores that this process may use; taskset or a batch system may have made them fewer.
inline int usable_cores() {
  return omp_get_num_procs();
}

}  // namespace bombard
