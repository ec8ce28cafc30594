#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <utility>

#include "inputs/output_file.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/program_file.hpp"
#include "tools/judge/runs.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Changes with a program and the rights to it.
std::string state_of(const filesystem::path& program) {
  struct stat file {};
  ::stat(program.c_str(), &file);
  return fmt::format("{} {}.{}", file.st_ino, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

/// A program with what is in its folder, copied before any program runs: no other one can name the
/// copy.
struct Copied {
  Copied(const std::string& program, const Options& options)
      : given(program), original(absolute_path(program)), directory(*options.scratch) {
    path = filesystem::path(directory.work()) / original.filename();
    if (options.build.empty()) {
      trouble = why_not_startable(original, has_launcher(options));
      if (trouble.empty()) copy_program(options);
      if (!trouble.empty()) trouble.insert(0, "cannot be started: ");
    } else {
      trouble = copy({"-R", original.parent_path() / "."}, options.limits.file_bytes, options);
      ::unlink(path.c_str());  // no older program is taken for what is built
    }
    std::error_code error;
    filesystem::permissions(directory.work(), filesystem::perms::owner_all, error);
  }

  /// All that is beside it is copied, too, or nothing: where some of it is not for this program,
  /// may not be read, or is too much.
  void copy_program(const Options& options) {
    constexpr std::int64_t most_beside = 64 << 20;
    const filesystem::path own = without_links(original), folder = own.parent_path();
    const auto is_in_folder = [&](const filesystem::path& other) {
      return other != own && std::ranges::mismatch(folder, other).in1 == folder.end();
    };
    if (std::ranges::any_of(options.others, is_in_folder) ||
        !copy({"-R", folder / "."}, most_beside, options).empty()) {
      remove_tree(directory.work());
      std::error_code error;
      filesystem::create_directory(directory.work(), error);
    }
    ::unlink(path.c_str());  // it may be a link
    trouble = copy({"-L", original}, options.limits.file_bytes, options);
  }

  /// Copies with the judge's rights. Files keep their times, for makefiles. Returns why something
  /// is missing.
  std::string copy(const std::vector<std::string>& what, std::int64_t most_bytes,
                   const Options& options) const {
    Process process{{"cp", "--preserve=timestamps"}, directory, options.limits};
    process.limits.seconds = Limits().seconds;
    process.limits.file_bytes = most_bytes;
    process.words.insert(process.words.end(), what.begin(), what.end());
    process.words.push_back(directory.work());
    return failure_of(run_process(process));
  }

  std::string given;  ///< as it was given
  filesystem::path original, path;
  ScratchDirectory directory;
  std::string trouble = {};  ///< why it cannot be started, or what is missing for its build
  std::string state = state_of(original);
};

/// Writes all that a build says into the directory of `--keep`, in a file named after the program.
void keep_log(const ProcessOutcome& made, const filesystem::path& given, const Options& options) {
  constexpr std::size_t longest_name = 200;
  if (options.keep.empty()) return;
  std::string name = given.relative_path().string();
  std::ranges::replace(name, '/', '_');
  if (name.size() > longest_name) name.erase(0, name.size() - longest_name);
  write_whole(filesystem::path(options.keep) / (name + ".log"), made.output + made.errors);
}

/// Builds a program in its copy, within the limits of a run. Returns why there is no program; empty
/// if there is one.
std::string build(const Copied& program, const Options& options) {
  const auto made = run_words({"/bin/sh", "-c", options.build}, program.directory, options);
  keep_log(made, program.original, options);
  std::string failure = failure_of(made);
  if (failure.empty()) {
    const std::string why = why_not_startable(program.path, has_launcher(options));
    if (why.empty()) return {};
    failure = fmt::format("makes no program {}: {}", program.path.filename().string(), why);
  }
  // What may not be read may not be needed, either.
  return fmt::format("`{}` {}{}{}", options.build, failure,
                     program.trouble.empty() ? "" : "; its folder cannot be copied: cp ",
                     program.trouble);
}

/// Runs a program with each number of threads.
std::vector<ProgramJudgement> judge(const Copied& program, const std::vector<PreparedCase>& cases,
                                    Options options) {
  const StoppableWork comparing([](double) {
    if (tools::signal_has_come()) throw Stopped{};
  });
  options.scratch = &program.directory;
  const bool is_built = !options.build.empty();
  const std::string failed_build = is_built ? build(program, options) : "";
  std::vector<ProgramJudgement> judgements;
  for (const std::optional<int> threads : options.numbers_of_threads) {
    options.threads = threads;
    ProgramRuns runs{.options = options};
    if (failed_build.empty()) {
      runs = run_program(program.path, is_built ? "" : program.trouble, cases, options);
    }
    runs.program = program.given;
    runs.failed_build = failed_build;
    judgements.push_back(judgement_of(runs));
  }
  return judgements;
}

/// A hint about the programs that changed since it was called last; empty if none did.
std::string hint_about_originals(std::list<Copied>& programs) {
  std::string changed;
  for (Copied& program : programs) {
    const std::string before = std::exchange(program.state, state_of(program.original));
    if (program.state != before) changed += (changed.empty() ? "" : ", ") + program.given;
  }
  if (changed.empty()) return {};
  return fmt::format("While it was judged, {} changed: all are judged from earlier copies.",
                     changed);
}

}  // namespace

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 Options options,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged) {
  const ScratchDirectory all;
  struct statvfs found {};
  if (::statvfs(all.path().c_str(), &found) == 0 && (found.f_flag & ST_NOEXEC) != 0) {
    throw InputError(fmt::format(
        "nothing in {} can be started: it is mounted noexec; name another directory in TMPDIR",
        all.path()));
  }
  options.scratch = &all;
  options.threads = options.numbers_of_threads.front();
  try {
    options.hidden_races = try_launcher(programs.front(), options);
    std::list<Copied> copies;
    for (const std::string& program : programs) copies.emplace_back(program, options);
    for (const Copied& program : copies) {
      std::vector<ProgramJudgement> judgements = judge(program, cases, options);
      const std::string hint = hint_about_originals(copies);
      if (!hint.empty()) judgements.front().hints["originals"] = hint;
      judged(judgements);
    }
  } catch (const Stopped&) {  // those that have been judged stay
  }
}

}  // namespace bombard::judge
