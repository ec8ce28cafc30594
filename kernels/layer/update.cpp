#include "kernels/layer/update.hpp"

#include <memory>
#include <vector>

#include "kernels/base/vector.hpp"
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

template <class Law>
UpdateWork<Law> work_for(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
                         bool all_count, const DivisorTable<Law>& table, const LayerPiece& piece) {
  return {rule.law,
          impacts.data(),
          static_cast<std::int64_t>(impacts.size()),
          rule.smallest,
          all_count,
          table.middle(),
          table.farthest(),
          piece.first,
          piece.cells.data(),
          static_cast<std::int64_t>(piece.cells.size())};
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer) {
  if (impacts.empty() || layer.empty()) return;
  const auto cells = static_cast<std::int64_t>(layer.size());
  const bool all = every_share_counts(rule, extent_of(impacts), {first, first + cells});
  loop_for(rule.law)(work_for(rule, impacts, all, table, {first, layer}));
}

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
            const DivisorTable<Law>& table, std::span<const LayerPiece> pieces,
            float share_tolerance) {
  if (impacts.empty() || pieces.empty()) return;
  std::vector<UpdateWork<Law>> small;
  for (const LayerPiece& piece : pieces) {
    const auto cells = static_cast<std::int64_t>(piece.cells.size());
    if (cells > small_piece_cells) {
      update(rule, impacts, piece.first, table, piece.cells);
    } else if (cells > 0) {
      // To know whether all shares count takes longer than to test the few that go one by one.
      small.push_back(work_for(rule, impacts, false, table, piece));
      small.back().share_tolerance = share_tolerance;
    }
  }
  if (!small.empty()) {
    const auto memory = std::make_unique_for_overwrite<PiecesMemory>();
    loop_over_pieces_for(rule.law)(small.data(), static_cast<std::int64_t>(small.size()), *memory);
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
                     const DivisorTable<SquareRootLaw>&, std::span<const LayerPiece>, float);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>,
                     const DivisorTable<GeneralLaw>&, std::span<const LayerPiece>, float);

const VectorKernels& vector_kernels() {
  if constexpr (BOMBARD_IS_X86_64) {
    return *widest(&avx512::vector_kernels, &avx2::vector_kernels, &baseline::vector_kernels);
  }
  return baseline::vector_kernels;
}

}  // namespace bombard::cpu
