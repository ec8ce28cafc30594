#include "tools/judge/process_start.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <system_error>

namespace bombard::judge {

namespace {

// ---- in the new process ----

void limit(__rlimit_resource resource, std::int64_t most) {
  rlimit limits{};
  ::getrlimit(resource, &limits);
  limits.rlim_max = std::min(static_cast<rlim_t>(most), limits.rlim_max);
  limits.rlim_cur = limits.rlim_max;
  ::setrlimit(resource, &limits);
}

/// Where a program is whose name is no path. Not execvp(), which gives what is no program to a
/// shell.
std::string found_along_path(const std::string& name) {
  const char* const path = ::getenv("PATH");
  if (path == nullptr || name.find('/') != std::string::npos) return name;
  std::istringstream directories(path);
  for (std::string candidate; std::getline(directories, candidate, ':');) {
    candidate += '/' + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return name;
}

/// Returns only when the program cannot be started.
void become(std::vector<std::string> command, const std::string& directory, std::int64_t file_bytes,
            std::vector<std::string> variables) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ignored signals and the mask would be handed on.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, file_bytes);
  // When memory runs out, the kernel takes this process and not the one that judges it.
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) static_cast<void>(::write(file, "1000", 4));
  // Open MPI shares memory through files: /dev/shm would keep them when its processes are killed.
  for (const char* name :
       {"TMPDIR=", "OMPI_MCA_btl_vader_backing_directory=", "OMPI_MCA_btl_sm_backing_directory="}) {
    variables.push_back(name + directory);
  }
  for (std::string& variable : variables) ::putenv(variable.data());
  const std::string program = found_along_path(command.front());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::chdir(directory.c_str()) != 0) return;
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(program.c_str(), arguments.data());
}

}  // namespace

pid_t start_process(const std::vector<std::string>& command, const std::string& directory,
                    std::int64_t file_bytes, const std::vector<std::string>& variables, int output,
                    int errors, int& error) {
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
  if (process > 0) return process;
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(errors, STDERR_FILENO) >= 0) {
    become(command, directory, file_bytes, variables);
  }
  error = errno;
  ::_exit(127);
}

}  // namespace bombard::judge
