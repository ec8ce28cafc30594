#include "tools/judge/process_start.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace bombard::judge {

namespace {

// ---- in the new process ----

/// Between fork() and exec() nothing may allocate: other threads may have held the lock.
struct Start {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  int output, errors, failure;
  rlim_t file_bytes;
};

void limit(__rlimit_resource resource, rlim_t most) {
  rlimit limits{most, most};
  if (::getrlimit(resource, &limits) == 0) most = std::min(most, limits.rlim_max);
  limits = {most, most};
  ::setrlimit(resource, &limits);
}

/// When memory runs out, the kernel takes this process and not the one that judges it.
void be_first_without_memory() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) static_cast<void>(::write(file, "1000", 4));
}

[[noreturn]] void become(const Start& start) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ignored signals and the mask would be handed on.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, start.file_bytes);
  be_first_without_memory();
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 &&
      ::dup2(start.output, STDOUT_FILENO) >= 0 && ::dup2(start.errors, STDERR_FILENO) >= 0 &&
      ::chdir(start.directory) == 0) {
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execve(start.program, start.arguments, start.environment);
  }
  const int error = errno;
  static_cast<void>(::write(start.failure, &error, sizeof error));
  ::_exit(127);
}

// ---- in this process ----

/// As exec() wants them: with a null pointer behind the last one.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Where a program is whose name is no path. Not execvp(), which gives what is no program to a
/// shell.
std::string found_along_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr || name.find('/') != std::string::npos) return name;
  std::istringstream directories(path);
  for (std::string candidate; std::getline(directories, candidate, ':');) {
    candidate += '/';
    candidate += name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return name;
}

/// This process's environment, with others in place of some variables, with temporary files in the
/// directory, and with the files through which processes of Open MPI share memory: /dev/shm would
/// keep them when the processes are killed.
std::vector<std::string> environment_in(const std::string& directory,
                                        std::vector<std::string> variables) {
  for (const char* name :
       {"TMPDIR=", "OMPI_MCA_btl_vader_backing_directory=", "OMPI_MCA_btl_sm_backing_directory="}) {
    variables.push_back(name + directory);
  }
  const std::vector<std::string> own = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const auto replaces = [&](const std::string& other) { return other.starts_with(name); };
    if (std::ranges::none_of(own, replaces)) variables.emplace_back(text);
  }
  return variables;
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

StartedProcess start_process(const std::vector<std::string>& command, const std::string& directory,
                             std::int64_t file_bytes, const std::vector<std::string>& variables) {
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  Pipe failure = make_pipe();
  std::vector<std::string> words = command;
  std::vector<std::string> with_own = environment_in(directory, variables);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(with_own);
  const std::string program = found_along_path(command.front());
  const Start start{
      program.c_str(),    arguments.data(),   environment.data(),  directory.c_str(),
      output.in.number(), errors.in.number(), failure.in.number(), static_cast<rlim_t>(file_bytes)};
  const pid_t process = ::fork();
  if (process == 0) become(start);
  if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
  failure.in.close();  // so that its other end is at its end when the program has taken over
  for (const Descriptor* end : {&output.out, &errors.out}) {
    ::fcntl(end->number(), F_SETFL, O_NONBLOCK);
  }
  int error = 0;
  const bool failed = ::read(failure.out.number(), &error, sizeof error) == sizeof error;
  return {process, std::move(output.out), std::move(errors.out), failed ? error : 0};
}

}  // namespace bombard::judge
