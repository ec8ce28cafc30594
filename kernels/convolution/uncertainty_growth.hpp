#pragma once

namespace bombard {

/// How one storm adds to the uncertainties of a cell of value f, docs/methods.md, The bound:
/// growth (uncertainty + |f|) before the storm and rounding |f| after its impacts.
struct UncertaintyGrowth {
  double growth;
  double rounding;
};

}  // namespace bombard
