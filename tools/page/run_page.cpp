#include "tools/page/run_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
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
  std::string quoted;
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return '\'' + quoted + '\'';
}

/// The rows of the table of maxima; `announced` storms were to come. A position is a button if the
/// storm's layer is shown.
std::string maxima(const SimulationResult& result, std::int64_t announced) {
  std::string rows;
  std::int64_t number = 0;
  for (const StormResult& storm : result.storms) {
    const bool is_shown = is_drawn(number++, announced);
    std::string position = "none", maximum = "none";
    if (storm.maximum.value > 0) {
      position = fmt::format(
          fmt::runtime(is_shown ? "<button type=\"button\" data-storm=\"{}\">{}</button>" : "{1}"),
          number, storm.maximum.position);
      maximum = fmt::format("{:f}", storm.maximum.value);
    }
    rows += fmt::format(
        "<tr data-storm=\"{0}\"><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td>"
        "<td class=\"text\">{4}</td></tr>\n",
        number, storm.impacts, position, maximum, escaped(storm.file));
  }
  return rows;
}

/// The engine, the machine and the time.
std::string facts(const SimulationResult& result, const Provenance& from) {
  const Plan& plan = result.plan;
  std::vector<std::string> command(from.command);
  std::ranges::transform(command, command.begin(), shell_word);
  std::string rows;
  const auto fact = [&](std::string_view name, std::string_view value) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escaped(value));
  };
  const auto time = [&](std::string_view name, double seconds, std::string_view remark = "") {
    fact(name, fmt::format("{:.6f} s{}", seconds, remark));
  };
  fact("command", fmt::format("{}", fmt::join(command, " ")));
  fact("date", from.date);
  fact("program", fmt::format("bombard {}, commit {}", build_info::version, from.commit));
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
  time("reading", result.reading_seconds);
  if (result.start_seconds > 0) time("start-up of the device", result.start_seconds);
  time("simulation", result.simulation_seconds);
  time("in all", result.total_seconds, ", this page's layers included");
  return rows;
}

template <class T>
std::string json_of(std::int64_t storm, const Maximum& maximum, std::span<const T> layer) {
  // Floats have fewer digits, and are enough to draw.
  using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                    std::int64_t, std::uint64_t, float>;
  const std::int64_t cells = std::ssize(layer), at = maximum.position;
  const std::int64_t width = (cells + most_bins - 1) / most_bins;
  const bool found = maximum.value > 0;
  const CellRange single = found ? CellRange{at - cells_beside, at + cells_beside} : CellRange{};
  Json points = Json::array();
  for (std::int64_t cell = 0, next = 0; cell < cells; cell = next) {
    next = single.contains(cell) ? cell + 1 : std::min((cell / width + 1) * width, cells);
    if (cell < single.begin) next = std::min(next, single.begin);
    const auto [least, most] = std::ranges::minmax(slice(layer, {cell, next}));
    points.push_back({cell, static_cast<float>(least)});
    if (next > cell + 1) points.back().push_back(static_cast<float>(most));
  }
  return Json{{"storm", storm},
              {"position", found ? Json(at) : Json()},
              {"maximum", fmt::format("{:f}", maximum.value)},
              {"points", points}}
      .dump();
}

}  // namespace

RunPage::RunPage(std::int64_t cells, std::int64_t storms) : cells_(cells), storms_(storms) {
  if (!embedded_run_page.empty()) return;
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
  const std::string left_out = storms_ <= most_layers
                                   ? ""
                                   : fmt::format("Storms 1 to {} and from {} on are shown.",
                                                 most_layers / 2, storms_ - most_layers / 2 + 1);
  const std::string title = fmt::format("{}, {}", plural(result.plan.cells, "cell"),
                                        plural(std::ssize(result.storms), "storm"));
  const std::string summary =
      fmt::format("{} on {}: {:.3g} s of simulation, {:.3g} s in all", result.plan.engine,
                  result.plan.device, result.simulation_seconds, result.total_seconds);
  return fmt::format(fmt::runtime(embedded_run_page), fmt::arg("title", title),
                     fmt::arg("summary", escaped(summary)), fmt::arg("left_out", left_out),
                     fmt::arg("maxima", maxima(result, storms_)),
                     fmt::arg("facts", facts(result, from)), fmt::arg("cells", cells_),
                     fmt::arg("layers", layers_));
}

}  // namespace bombard::tools
