#include "oracle.hpp"

#include <math.h>

namespace oracle {

Result bombard(long long cells, const std::vector<Storm>& storms, const Rule& rule) {
  return bombard(std::vector<float>(cells, 0.0f), storms, rule);
}

Result bombard(std::vector<float> layer, const std::vector<Storm>& storms, const Rule& rule) {
  const long long cells = layer.size();
  std::vector<float> copy(cells);
  Result result;
  const float threshold = rule.edition == 1 ? rule.threshold : rule.threshold / (float)cells;
  for (const Storm& storm : storms) {
    for (const Impact& impact : storm) {
      float energy = 0;
      if (rule.edition == 1) {
        energy = (float)impact.energy / 1000;
      } else {
        energy = (float)impact.energy * 1000 / (float)cells;
      }
      for (long long k = 0; k < cells; k++) {
        long long apart = impact.position - k;
        if (apart < 0) apart = -apart;
        float share = energy / sqrtf((float)(apart + 1));
        if (share >= threshold || share <= -threshold) {
          layer[k] = layer[k] + share;
        }
      }
    }
    copy = layer;
    for (long long k = 1; k < cells - 1; k++) {
      layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    }
    Peak peak = {0, 0};
    for (long long k = 1; k < cells - 1; k++) {
      if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > peak.value) {
        peak = {k, layer[k]};
      }
    }
    result.peaks.push_back(peak);
  }
  result.layer = layer;
  return result;
}

}  // namespace oracle
