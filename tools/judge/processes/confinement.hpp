#pragma once

#include <string>
#include <vector>

namespace bombard::judge {

/// What a process and everything that it starts may do with files. Paths are absolute and need not
/// exist. Hidden paths may not be read, even if they are below readable ones.
struct Confinement {
  std::vector<std::string> readable = {};  ///< and executable, with everything below
  std::vector<std::string> writable = {};  ///< and readable and executable
  std::vector<std::string> hidden = {};
  bool may_connect = false;  ///< to TCP ports that the system gives to anyone who asks for any
};

/// Why this system confines no process; empty when it does.
std::string no_confinement_because();

/// What programs need from the system to be started by a launcher (its name or path, empty for
/// none) and to compute: libraries, compilers, interpreters, devices. Bombard itself is hidden, and
/// so are keys.
Confinement system_for(const std::string& launcher);

/// The folder of a program, or only the program if its folder holds more than programs.
std::string own_folder(const std::string& program);

/// Confines this process by Landlock, without privileges (landlock(7)); there is no way back. With
/// Linux 6.7 or newer it connects to no TCP port, or only to those that MPI's processes ask for;
/// with 6.12 it sends signals only to its own processes. Returns whether that was possible; if not,
/// errno says why.
bool confine(const Confinement& confinement);

}  // namespace bombard::judge
