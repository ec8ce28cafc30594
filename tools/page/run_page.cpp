#include "tools/page/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "bombard/errors.hpp"
#include "inputs/table.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::tools {

namespace {

constexpr std::int64_t most_layers = 50;
constexpr std::int64_t most_rows = 1000;

// Each takes 11 bytes of the page. With this number a page of a layer of 1e8 cells has 2.9 MB at
// most.
constexpr std::int64_t most_bins_in_all = 240'000;
// Several for each column of a screen. A browser without a GPU draws them in half a second, and
// takes four times as long for twice this number.
constexpr std::int64_t most_overview_bins = 8192;
// About the number that leads from the overview of 1e8 cells down to single cells (plan_bins()).
constexpr std::int64_t bins_of_steps = 6 * 520;

/// If there are more than `most` storms, only the first and the last ones have a place.
bool has_place(std::int64_t storm, std::int64_t storms, std::int64_t most) {
  return storms <= most || storm < most / 2 || storm >= storms - most / 2;
}

std::string escaped(std::string_view text) {
  return html_text(printable(text));
}

/// A word of a command, quoted for a shell.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./,:=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = word;
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4) {
    quoted.replace(at, 1, "'\\''");
  }
  return '\'' + quoted + '\'';
}

std::string command_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

/// The rows of the table of maxima; `announced` storms were to come. A position is a button if the
/// storm's layer is shown.
std::string maxima(const SimulationResult& result, std::int64_t announced) {
  const auto storms = static_cast<std::int64_t>(result.storms.size());
  std::string rows;
  for (std::int64_t i = 0; i < storms; ++i) {
    if (!has_place(i, storms, most_rows)) {
      i = storms - most_rows / 2 - 1;
      rows +=
          fmt::format("<tr><td colspan=\"5\">{} storms left out</td></tr>\n", storms - most_rows);
      continue;
    }
    const StormResult& storm = result.storms[static_cast<std::size_t>(i)];
    const bool found = storm.maximum.value > 0;
    const std::string position = found ? std::to_string(storm.maximum.position) : "none";
    const bool drawn = found && has_place(i, announced, most_layers);
    rows += fmt::format(
        "<tr data-storm=\"{0}\"><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td>"
        "<td class=\"text\">{4}</td></tr>\n",
        i + 1, storm.impacts,
        drawn
            ? fmt::format("<button type=\"button\" data-storm=\"{}\">{}</button>", i + 1, position)
            : position,
        found ? fmt::format("{:f}", storm.maximum.value) : "none", escaped(storm.file));
  }
  return rows;
}

/// The engine, the machine and the time.
std::string facts(const SimulationResult& result, const Provenance& from) {
  const Plan& plan = result.plan;
  std::string rows;
  const auto fact = [&](std::string_view name, std::string_view value) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escaped(value));
  };
  fact("command", command_line(from.command));
  fact("date", from.date);
  fact("program", fmt::format("bombard {}, commit {}", build_info.version, from.commit));
  fact("engine", fmt::format("{}: {} method, {} precision", plan.engine, name_of(plan.method),
                             name_of(plan.precision)));
  fact("device", plan.device);
  fact("host", from.host);
  fact("threads", std::to_string(plan.threads));
  fact("rule",
       fmt::format("edition {}, attenuation {}, threshold {}", static_cast<int>(plan.rule.edition),
                   name_of(plan.rule.attenuation), plan.rule.threshold));
  if (result.storms_left > 0) {
    fact("stopped",
         fmt::format("by a signal, {} before the end", plural(result.storms_left, "storm")));
  }
  fact("reading", fmt::format("{:.6f} s", result.reading_seconds));
  if (result.start_seconds > 0) {
    fact("start-up of the device", fmt::format("{:.6f} s", result.start_seconds));
  }
  fact("simulation", fmt::format("{:.6f} s", result.simulation_seconds));
  fact("in all", fmt::format("{:.6f} s, this page's layers included", result.total_seconds));
  return rows;
}

std::string json_of(std::int64_t storm, const Maximum& maximum, const Envelope& layer) {
  std::string runs;
  for (const BinRun& run : layer.runs) {
    runs += fmt::format("{}[{},{},{}]", runs.empty() ? "" : ",", run.cells.begin, run.cells.end,
                        run.width);
  }
  return fmt::format(
      "{{\"storm\":{},\"position\":{},\"maximum\":\"{:f}\",\"runs\":[{}],\n\"lowest\":\"{}\",\n"
      "\"highest\":\"{}\"}}",
      storm, maximum.value > 0 ? std::to_string(maximum.position) : "null", maximum.value, runs,
      base64(std::as_bytes(std::span(layer.lowest))),
      base64(std::as_bytes(std::span(layer.highest))));
}

}  // namespace

RunPage::RunPage(std::int64_t cells, std::int64_t storms)
    : cells_(cells),
      storms_(storms),
      most_bins_(std::clamp(most_bins_in_all / std::min(storms, most_layers) - bins_of_steps,
                            std::int64_t{1024}, most_overview_bins)) {
  if (!embedded_files.dygraphs_script.empty()) return;
  throw CannotRun(
      "--report needs dygraphs, and it was not there when this program was built; install it "
      "(apt-get install libjs-dygraphs), then configure and build again");
}

void RunPage::add(const StormResult& storm, const LayerView& layer) {
  const std::int64_t i = added_++;
  if (!has_place(i, storms_, most_layers)) return;
  std::optional<std::int64_t> centre;
  if (storm.maximum.value > 0) centre = storm.maximum.position;
  if (!layers_.empty()) layers_ += ",\n";
  layers_ += json_of(i + 1, storm.maximum, envelope(layer, plan_bins(cells_, most_bins_, centre)));
}

std::string RunPage::text(const SimulationResult& result, const Provenance& from) const {
  const std::string left_out =
      storms_ <= most_layers ? ""
                             : fmt::format("Of {} storms the first {} and the last {} are shown.",
                                           storms_, most_layers / 2, most_layers / 2);
  const std::string title =
      fmt::format("{}, {}", plural(result.plan.cells, "cell"),
                  plural(static_cast<std::int64_t>(result.storms.size()), "storm"));
  const std::string summary =
      fmt::format("{} on {}: {:.3g} s of simulation, {:.3g} s in all", result.plan.engine,
                  result.plan.device, result.simulation_seconds, result.total_seconds);
  return fmt::format(
      fmt::runtime(embedded_files.page), fmt::arg("title", title),
      fmt::arg("summary", escaped(summary)), fmt::arg("left_out", left_out),
      fmt::arg("style", embedded_files.style), fmt::arg("script", embedded_files.script),
      fmt::arg("dygraphs_style", embedded_files.dygraphs_style),
      fmt::arg("dygraphs_script", embedded_files.dygraphs_script),
      fmt::arg("dygraphs_licence", html_text(embedded_files.dygraphs_licence)),
      fmt::arg("maxima", maxima(result, storms_)), fmt::arg("facts", facts(result, from)),
      fmt::arg("cells", cells_), fmt::arg("layers", layers_));
}

}  // namespace bombard::tools
