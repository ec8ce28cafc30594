#pragma once

#include <cstdint>
#include <vector>

/// The rule (docs/methods.md) as a plain sequential loop, written from the text alone: no type and
/// no function of the product.
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
  std::vector<Peak> peaks;   // one a storm
  std::vector<float> layer;  // after the last storm
};

Result bombard(long long cells, const std::vector<Storm>& storms, float threshold = 0.001f);

}  // namespace oracle
