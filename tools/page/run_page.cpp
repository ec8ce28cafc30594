#include "tools/page/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <variant>

#include "bombard/errors.hpp"
#include "kernels/layer/cell_range.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::tools {

namespace {

constexpr std::int64_t most_layers = 50;
constexpr std::int64_t most_bins = 2000;     // two for each column of a screen
constexpr std::int64_t cells_beside = 1000;  // of a maximum, on each side

/// If there are many storms, only the first and the last ones are drawn.
bool is_drawn(std::int64_t storm, std::int64_t storms) {
  return storms <= most_layers || storm < most_layers / 2 || storm >= storms - most_layers / 2;
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
    const StormResult& storm = result.storms[static_cast<std::size_t>(i)];
    const bool found = storm.maximum.value > 0;
    const std::string position = found ? std::to_string(storm.maximum.position) : "none";
    const bool drawn = found && is_drawn(i, announced);
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

template <class T>
std::string json_of(std::int64_t storm, const Maximum& maximum, std::span<const T> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  const std::int64_t width = (cells + most_bins - 1) / most_bins;
  std::vector<T> lowest(static_cast<std::size_t>((cells + width - 1) / width)), highest(lowest);
  for (std::size_t bin = 0; bin < lowest.size(); ++bin) {
    const std::int64_t first = static_cast<std::int64_t>(bin) * width;
    const auto [least, most] =
        std::ranges::minmax(slice(layer, {first, std::min(first + width, cells)}));
    lowest[bin] = least;
    highest[bin] = most;
  }
  CellRange single{cells, cells};
  if (width > 1 && maximum.value > 0) {
    const std::int64_t at = maximum.position;
    single = CellRange{at - cells_beside, at + cells_beside}.common({0, cells});
  }
  const auto cells_there = slice(layer, single);
  // Floats have fewer digits, and are enough to draw.
  using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                    std::int64_t, std::uint64_t, float>;
  return Json{{"storm", storm},
              {"position", maximum.value > 0 ? Json(maximum.position) : Json()},
              {"maximum", fmt::format("{:f}", maximum.value)},
              {"width", width},
              {"first", single.begin},
              {"lowest", lowest},
              {"highest", highest},
              {"cells", std::vector<T>(cells_there.begin(), cells_there.end())}}
      .dump();
}

}  // namespace

RunPage::RunPage(std::int64_t cells, std::int64_t storms) : cells_(cells), storms_(storms) {
  if (!embedded_files.dygraphs_script.empty()) return;
  throw CannotRun(
      "--report needs dygraphs, and it was not there when this program was built; install it "
      "(apt-get install libjs-dygraphs), then configure and build again");
}

void RunPage::add(const StormResult& storm, const LayerView& layer) {
  const std::int64_t i = added_++;
  if (!is_drawn(i, storms_)) return;
  if (!layers_.empty()) layers_ += ",\n";
  layers_ +=
      std::visit([&](const auto& cells) { return json_of(i + 1, storm.maximum, cells); }, layer);
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
