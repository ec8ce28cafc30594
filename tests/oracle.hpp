#pragma once

#include <vector>

/// The rules (docs/methods.md) as a plain sequential loop, written from the text alone, with no
/// type and no function of the product.
namespace oracle {

struct Impact {
  long long position;
  int energy;  // thousands
};
using Storm = std::vector<Impact>;

struct Peak {
  long long position;
  float value;
};

struct Result {
  std::vector<Peak> peaks;   // one per storm
  std::vector<float> layer;  // after the last storm
};

struct Rule {
  float threshold = 0.001f;
  int edition = 2;
};

Result bombard(long long cells, const std::vector<Storm>& storms, const Rule& rule = Rule());
/// The same on a layer that is not 0 at first.
Result bombard(std::vector<float> layer, const std::vector<Storm>& storms, const Rule& rule);

}  // namespace oracle
