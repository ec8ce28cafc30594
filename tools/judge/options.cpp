#include "tools/judge/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "sim/processor.hpp"
#include "tools/cli/options.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view program_word = "{program}", cells_word = "{cells}",
                           storms_word = "{storms}";

bool contain(const std::vector<std::string>& words, std::string_view part) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

}  // namespace

std::vector<std::string> command_of(const std::string& program, std::int64_t cells,
                                    const std::vector<std::string>& storms, const Options& options,
                                    const Start& start) {
  const int ranks = options.threads.value_or(usable_cores());
  const int threads = start.threads.value_or(ranks);
  std::vector<std::string> all;
  for (const std::string& word : options.command) {
    if (word == storms_word) {
      all.insert(all.end(), storms.begin(), storms.end());
    } else {
      all.push_back(fmt::format(fmt::runtime(word), fmt::arg("program", program),
                                fmt::arg("cells", cells), fmt::arg("threads", threads),
                                fmt::arg("ranks", ranks)));
    }
  }
  return all;
}

Environment environment_of(const Options& options, const Start& start) {
  Environment all;
  const bool has_ranks = contain(options.command, "{ranks}");
  const std::optional<int> threads = start.threads || has_ranks ? start.threads : options.threads;
  if (threads) all["OMP_NUM_THREADS"] = std::to_string(*threads);
  // Open MPI 4 and 5, Slurm and Intel MPI bind each of few processes to a core.
  if (start.threads) {
    all.merge(Environment{{"OMPI_MCA_hwloc_base_binding_policy", "none"},
                          {"PRTE_MCA_hwloc_default_binding_policy", "none"},
                          {"SLURM_CPU_BIND", "none"},
                          {"I_MPI_PIN", "0"}});
  }
  if (!start.is_timed) all["OMP_WAIT_POLICY"] = start.waits_actively ? "active" : "passive";
  return all;
}

std::vector<std::string> command_words(const std::string& text) {
  std::istringstream stream(text);
  Options options{.command = {std::istream_iterator<std::string>(stream), {}}};
  const std::vector<std::string>& words = options.command;
  bool is_valid = std::ranges::count(words, program_word) > 0 && contain(words, cells_word) &&
                  std::ranges::count(words, storms_word) > 0;
  try {
    command_of("", 0, {}, options, {});
  } catch (const fmt::format_error&) {
    is_valid = false;
  }
  if (is_valid) return words;
  throw InputError(fmt::format(
      "--command \"{}\" must have {{program}}, {{cells}} and {{storms}}, the first and the last as "
      "words of their own; of other words in braces it may have {{threads}} and {{ranks}}",
      text));
}

bool has_launcher(const Options& options) {
  return options.command.front() != program_word;
}

void take_tolerance(const std::string& text, Options& options) {
  const std::size_t blank = text.find(' ');
  options.is_absolute_tolerance = blank != std::string::npos;
  options.tolerance = number_of<double>(text.substr(0, blank));
  if (options.tolerance && std::isfinite(*options.tolerance) && *options.tolerance >= 0 &&
      (!options.is_absolute_tolerance || text.substr(blank) == " absolute")) {
    return;
  }
  throw InputError(fmt::format(
      "--tolerance \"{}\" is not a number from 0 up, a part of the right maximum; as \"1e-4 "
      "absolute\" it is what a maximum may be off by",
      text));
}

void take_points(const std::string& text, Options& options) {
  double* const members[] = {&options.right_points, &options.speed_points, &options.full_speedup};
  const std::vector<std::string> parts = tools::parts_of(text + ',', ',');
  bool valid = parts.size() <= std::size(members);
  for (std::size_t i = 0; valid && i < parts.size(); ++i) {
    *members[i] = number_of<double>(parts[i]).value_or(-1);
    valid = std::isfinite(*members[i]) && *members[i] >= 0;
  }
  if (valid && options.right_points + options.speed_points > 0 && options.full_speedup > 1) return;
  throw InputError(fmt::format(
      "--points \"{}\" is not RIGHT[,SPEED[,SPEEDUP]], as 70,30,4: points from 0 up for right "
      "cases and for speed, and the speedup above 1 that earns all of the latter",
      text));
}

}  // namespace bombard::judge
