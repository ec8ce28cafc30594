#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bombard::judge {

/// Starts a program without a shell, in a session of its own, in `directory`, which it also has for
/// temporary files. It has nothing on standard input, it writes into the open files `output` and
/// `errors`, and no file of its own may become larger than `file_bytes`. It ends with this process,
/// which must have one thread. The first word of the command is a path, or a name that is looked
/// for along $PATH. `variables` (NAME=VALUE) take the place of those in this process's environment.
/// Returns the new process; where this ends with code 127 before it is the program, `error`, in
/// memory that processes share, has the errno.
pid_t start_process(const std::vector<std::string>& command, const std::string& directory,
                    std::int64_t file_bytes, const std::vector<std::string>& variables, int output,
                    int errors, int& error);

}  // namespace bombard::judge
