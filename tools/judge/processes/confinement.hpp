#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bombard::judge {

/// What a process and everything that it starts may do with files. Paths are absolute and need not
/// exist. With `is_apart`, they have name spaces of their own as
/// well (fork_apart()).
struct Confinement {
  std::vector<std::string> readable = {};  ///< and executable, with everything below
  std::vector<std::string> writable = {};  ///< and readable and executable
  bool is_apart = false;
};

/// Why this system confines no process; empty when it does.
std::string no_confinement_because();

/// What programs need from the system to be started by a launcher (its name or path, empty for
/// none) and to compute: libraries, compilers, interpreters, devices; not its keys.
Confinement system_for(const std::string& launcher);

/// fork() into name spaces: the new process and those that it starts see and change no others, and
/// have /dev/shm, System V memory and terminals of their own. They end with it. Its user stays who
/// he is. Returns -1 where that is not possible; the new process ends at once where less is.
pid_t fork_apart();

/// Whether this system allows that to programs that work in this directory.
bool allows_name_spaces(const std::string& directory);

/// Confines this process; there is no way back. It reads and writes what Landlock allows
/// (landlock(7)), where this kernel has it, with Linux 6.12 it sends signals only to its own
/// processes, and it has no capabilities. Returns whether that was possible; if not, errno says
/// why.
bool confine(const Confinement& confinement);

}  // namespace bombard::judge
