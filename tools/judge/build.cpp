#include "tools/judge/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "tools/judge/process.hpp"
#include "tools/judge/run.hpp"

namespace bombard::judge {

BuiltProgram::BuiltProgram(const std::string& program, const std::string& command,
                           const Limits& limits) {
  namespace filesystem = std::filesystem;
  const filesystem::path given = filesystem::absolute(program);
  const filesystem::path folder = directory_.path() + "/build";
  path_ = (folder / given.filename()).string();
  std::error_code error;
  filesystem::copy(given.parent_path(), folder,
                   filesystem::copy_options::recursive | filesystem::copy_options::copy_symlinks,
                   error);
  if (error) {
    failure_ =
        fmt::format("its folder cannot be copied to {}: {}", folder.string(), error.message());
    return;
  }
  ProcessOutcome outcome = run_process({"/bin/sh", "-c", command}, folder.string(), limits);
  if (const std::size_t at = outcome.errors.find("error:"); at != std::string::npos) {
    const std::size_t begin = outcome.errors.rfind('\n', at) + 1;  // the compiler's first words
    outcome.errors = outcome.errors.substr(begin, outcome.errors.find('\n', at) - begin);
  }
  failure_ = failure_of(outcome, limits);
  if (failure_.empty() && ::access(path_.c_str(), X_OK) != 0) {
    failure_ = fmt::format("makes no program {}", given.filename().string());
  }
  if (!failure_.empty()) failure_ = fmt::format("`{}` {}", command, failure_);
}

}  // namespace bombard::judge
