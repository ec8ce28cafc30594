#include "kernels/convolution/cpu/border_cells.hpp"

#include <algorithm>

#include "kernels/convolution/cpu/border_states.hpp"

namespace bombard::cpu {

namespace {

///     block b - 1: ..., last[0], last[1] | first[0], first[1], ... : block b
template <class T, class Round>
void write_borders(const Sweep& sweep, const Field& field, T* values, const Round& round) {
  const std::int64_t blocks = blocks_of(sweep.chunks);
  for (std::int64_t b = 1; b < blocks; ++b) {
    const double* const last = field.edges[b - 1].last;
    const double* const first = field.edges[b].first;
    T* const border = values + b * block_cells;
    border[-1] = round((last[0] + last[1] + first[0]) / 3);
    border[0] = round((last[1] + first[0] + first[1]) / 3);
  }
  values[0] = round(field.edges[0].first[0]);
  values[sweep.chunks * chunk_cells - 1] = round(field.edges[blocks - 1].last[1]);
  for (int i = 0; i < 2; ++i) values[sweep.ends[i]] = round(field.ends[i]);
}

}  // namespace

void finish_borders(const Sweep& sweep, const Field* fields) {
  const bool tracked = sweep.uncertainty != nullptr;
  write_borders(sweep, fields[0], sweep.layer, [](double x) { return x; });
  if (tracked) write_borders(sweep, fields[1], sweep.uncertainty, rounded_up);
  for (std::int64_t b = 1; b < blocks_of(sweep.chunks); ++b) {
    double& highest = sweep.highest[b * (block_cells / group_cells)];
    for (std::int64_t cell = b * block_cells - 1; cell <= b * block_cells; ++cell) {
      const double bound = tracked ? double{sweep.uncertainty[cell]} : 0;
      highest = std::max(highest, sweep.layer[cell] + bound);
    }
  }
}

}  // namespace bombard::cpu
