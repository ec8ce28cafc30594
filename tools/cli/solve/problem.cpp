#include "tools/cli/solve/problem.hpp"

#include <algorithm>
#include <cmath>

#include "bombard/words.hpp"
#include "kernels/base/cores.hpp"
#include "tools/cli/outputs.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

Problem::Problem(const Arguments& arguments)
    : given(arguments), files(given.words()), device(parse_device(given.text("device"))) {
  if (const auto word = given.given("precision")) precision = parse_precision(*word);
  if (given.has("threads")) {
    set_default_threads(static_cast<int>(given.number("threads", 1, most_threads)));
  }
  std::vector<std::string> inputs = files;
  if (const auto start = given.given("start")) inputs.push_back(*start);
  if (std::ranges::count(inputs, "-") > 1) {
    throw InputError("- (standard input) is given twice, but can be read only once");
  }
  if (const auto file = given.output()) {
    check_output("--output", *file, inputs, given.has("quiet"));
    output.emplace(*file);
  }
}

void Problem::write(const Elements& result, const std::vector<std::int64_t>& shape) {
  if (!output) return print(text_of(result, shape.size() == 1 ? 1 : shape[1]));
  write_array(result, shape, *output);
  output->commit();
}

void Problem::tell(const std::string& text) const {
  if (!given.has("quiet")) note(text);
}

int Problem::compare(const Elements& result, const std::function<Expected()>& expected) const {
  if (!given.has("validate")) return 0;
  const auto [numbers, allowed] = expected();
  const auto found = std::visit(
      [](const auto& all) { return std::vector<double>(all.begin(), all.end()); }, result);
  bool agrees = true;
  double largest = 0;
  for (Eigen::Index i = 0; i < std::ssize(found); ++i) {
    if (found[i] == numbers[i] || (std::isnan(found[i]) && std::isnan(numbers[i]))) continue;
    const double difference = std::abs(found[i] - numbers[i]);
    if (!(difference <= largest)) largest = difference;
    // Beside numbers too large for a bound, all would be near.
    if (!(difference <= allowed[i]) || std::isinf(difference)) agrees = false;
  }
  const auto say = [&](const char* verdict) {
    return fmt::format("{} the reference: the largest difference is {:.3g}", verdict, largest);
  };
  if (agrees) {
    tell(say("agrees with"));
  } else {
    note(say("DIFFERS from"));
  }
  return agrees ? 0 : 1;
}

}  // namespace bombard::tools
