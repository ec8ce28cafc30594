#pragma once

#include <string>
#include <vector>

namespace bombard::judge {

/// What a process may do with files, and with it all that it starts. Paths are absolute, and need
/// not be there. Hidden paths may not be read, even where they are below readable ones.
struct Confinement {
  std::vector<std::string> readable = {};  ///< and executable, with all below
  std::vector<std::string> writable = {};  ///< and readable and executable
  std::vector<std::string> hidden = {};
  bool may_connect = false;  ///< to TCP ports that a system gives to whoever asks for any
};

/// Why this system confines no process; empty when it does.
std::string no_confinement_because();

/// What programs need of the system to be started by a launcher (its name or path, empty for none)
/// and to compute: libraries, compilers, interpreters, devices. Bombard itself is hidden, and so
/// are keys.
Confinement system_for(const std::string& launcher);

/// The folder of a program, or the program alone where its folder holds more than programs.
std::string own_folder(const std::string& program);

/// Confines this process by Landlock, without privileges (landlock(7)); there is no way back. With
/// Linux 6.7 and newer it connects to no TCP port, or to those that MPI's processes ask for; with
/// 6.12 it sends signals to none but its own. Whether that was possible; else errno tells why not.
bool confine(const Confinement& confinement);

}  // namespace bombard::judge
