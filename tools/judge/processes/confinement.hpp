#pragma once

#include <string>
#include <vector>

namespace bombard::judge {

/// What a process and everything that it starts may do with files. Paths are absolute and need not
/// exist.
struct Confinement {
  std::vector<std::string> readable = {};  ///< and executable, with everything below
  std::vector<std::string> writable = {};  ///< and readable and executable
};

/// Why this system confines no process; empty when it does.
std::string no_confinement_because();

/// What programs need from the system to be started by a launcher (its name or path, empty for
/// none) and to compute: libraries, compilers, interpreters, devices; not its keys.
Confinement system_for(const std::string& launcher);

/// The folder of a program, or only the program if its folder also holds your home, temporary
/// files, bombard, or one of these paths. They are taken by their names, whatever links somebody
/// has put there.
std::string own_folder(const std::string& program, const std::vector<std::string>& others);

/// Confines this process; there is no way back. It reads and writes what Landlock allows
/// (landlock(7)), where this kernel has it, and with Linux 6.12 sends signals only to its own
/// processes. It takes no file's rights from the owner, nor limits and priority from another
/// process, and has no capabilities (seccomp(2), capabilities(7)). Returns whether that was
/// possible; if not, errno says why.
bool confine(const Confinement& confinement);

/// From now on this process and those that it starts have a /dev/shm, System V memory and terminals
/// of their own, which end with them. False where the system does not allow that, or where this
/// directory, which they need, is in /dev/shm.
bool separate_shared_memory(const std::string& directory);

}  // namespace bombard::judge
