#include "kernels/layer/update.hpp"

#include <vector>

#include "kernels/layer/every_share.hpp"
#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

/// The loops of each law.
auto loop_for(SquareRootLaw) {
  return vector_kernels().update_by_square_root;
}
auto loop_for(GeneralLaw) {
  return vector_kernels().update_by_power;
}
auto loop_over_pieces_for(SquareRootLaw) {
  return vector_kernels().update_pieces_by_square_root;
}
auto loop_over_pieces_for(GeneralLaw) {
  return vector_kernels().update_pieces_by_power;
}

/// `extent` of the impacts.
template <class Law>
UpdateWork<Law> work_for(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
                         const ImpactExtent& extent, const DivisorTable<Law>& table,
                         const LayerPiece& piece) {
  const auto cells = static_cast<std::int64_t>(piece.cells.size());
  const bool all = every_share_counts(rule, extent, {piece.first, piece.first + cells});
  return {rule.law,
          impacts.data(),
          static_cast<std::int64_t>(impacts.size()),
          rule.smallest,
          all,
          table.middle(),
          table.farthest(),
          piece.first,
          piece.cells.data(),
          cells};
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer) {
  if (impacts.empty() || layer.empty()) return;
  loop_for(rule.law)(work_for(rule, impacts, extent_of(impacts), table, {first, layer}));
}

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
            const DivisorTable<Law>& table, std::span<const LayerPiece> pieces) {
  if (impacts.empty() || pieces.empty()) return;
  const ImpactExtent extent = extent_of(impacts);
  std::vector<UpdateWork<Law>> small;
  for (const LayerPiece& piece : pieces) {
    const UpdateWork<Law> work = work_for(rule, impacts, extent, table, piece);
    if (is_long(impacts) && work.cells <= small_piece_cells) {
      small.push_back(work);
    } else if (work.cells > 0) {
      loop_for(rule.law)(work);
    }
  }
  if (!small.empty()) {
    loop_over_pieces_for(rule.law)(small.data(), static_cast<std::int64_t>(small.size()));
  }
}

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, std::int64_t first,
            std::span<float> layer) {
  update(rule, impacts, first, DivisorTable<Law>(), layer);
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, std::int64_t,
                     const DivisorTable<SquareRootLaw>&, std::span<float>);
template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, std::int64_t,
                     std::span<float>);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, std::int64_t,
                     const DivisorTable<GeneralLaw>&, std::span<float>);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, std::int64_t,
                     std::span<float>);
template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>,
                     const DivisorTable<SquareRootLaw>&, std::span<const LayerPiece>);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>,
                     const DivisorTable<GeneralLaw>&, std::span<const LayerPiece>);

}  // namespace bombard::cpu
