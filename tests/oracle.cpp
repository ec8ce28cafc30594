#include "oracle.hpp"

#include <math.h>

namespace oracle {

Result bombard(long long cells, const std::vector<Storm>& storms, float threshold) {
  std::vector<float> layer(cells, 0.0f);
  std::vector<float> copy(cells);
  Result result;
  for (const Storm& storm : storms) {
    for (const Impact& impact : storm) {
      for (long long k = 0; k < cells; k++) {
        long long apart = impact.position - k;
        if (apart < 0) apart = -apart;
        float energy = (float)impact.energy * 1000;
        float share = energy / (float)cells / sqrtf((float)(apart + 1));
        if (share >= threshold / (float)cells || share <= -threshold / (float)cells) {
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
