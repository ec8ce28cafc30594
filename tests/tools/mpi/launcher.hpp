#pragma once

#include <cstdlib>
#include <utility>

namespace bombard::tests {

/// Makes $mpirun the launcher of the MPI that bombard-mpi was built with, allowed to run as root
/// and with more ranks than cores: Open MPI 4 and 5 need variables of different names for that,
/// MPICH needs none. Variables that are already set stay. False where there is no such launcher.
inline bool set_mpirun() {
  const std::pair<const char*, const char*> variables[] = {
      {"mpirun", BOMBARD_MPIRUN},
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"PRTE_MCA_hwloc_default_binding_policy", "none"}};
  for (const auto& [name, value] : variables) setenv(name, value, 0);
  return std::system("command -v \"$mpirun\" >/dev/null") == 0;
}

}  // namespace bombard::tests
