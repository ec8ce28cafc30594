#include <fmt/format.h>

#include <cmath>

#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

void write_result(SolveRequest& request, const Elements& elements,
                  const std::vector<std::int64_t>& shape) {
  if (request.output) {
    write_array(elements, shape, array_format(request.output->path()), *request.output);
    request.output->commit();
  } else {
    print(text_of(elements, shape.size() == 1 ? 1 : shape[1]));
  }
}

void tell(const SolveRequest& request, const std::string& text) {
  if (!request.quiet) note(text);
}

int compare(const SolveRequest& request, const Eigen::ArrayXd& found,
            const Eigen::ArrayXd& expected, const Eigen::ArrayXd& allowed,
            const std::string& with) {
  bool agrees = true;
  double largest = 0;
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) continue;
    const double difference = std::abs(found[i] - expected[i]);
    if (!(difference <= largest)) largest = difference;
    if (!(difference <= allowed[i])) agrees = false;
  }
  const std::string detail = fmt::format("the largest difference is {:.3g}", largest);
  if (agrees) {
    tell(request, fmt::format("agrees with {}: {}", with, detail));
  } else {
    note(fmt::format("DIFFERS from {}: {}", with, detail));
  }
  return agrees ? 0 : 1;
}

}  // namespace bombard::tools
