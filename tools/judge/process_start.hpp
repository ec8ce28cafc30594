#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/descriptor.hpp"

namespace bombard::judge {

/// A new process, and where its output comes from; reading there does not wait.
struct StartedProcess {
  pid_t process;
  Descriptor output, errors;
  int error = 0;  ///< errno, why the program was not started; 0 when it was
};

/// Starts a program without a shell, in a session of its own, in `directory`, which it also has for
/// temporary files. It has nothing on standard input, no other file that is open here, and no file
/// of its own may become larger than `file_bytes`. It ends with this process, which must have one
/// thread. The first word of the command is a path, or a name that is looked for along $PATH.
/// `variables` (NAME=VALUE) take the place of those in this process's environment.
StartedProcess start_process(const std::vector<std::string>& command, const std::string& directory,
                             std::int64_t file_bytes, const std::vector<std::string>& variables);

}  // namespace bombard::judge
