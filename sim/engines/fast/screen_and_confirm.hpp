#pragma once

#include "sim/engines/engine.hpp"

/// Screen and confirm: how cpu_fast and cuda_fast find the rule's maxima, to the last bit, with
/// almost none of its arithmetic (docs/methods.md, Screen and confirm). f is the fast layer, r the
/// rule's, which is never computed as a whole.
///
///   step     what happens                                        processor          GPU
///   bound    how far r may lie from f after the storm            error_bound.hpp error_bound.hpp
///   sum      f takes the storm's impacts and is relaxed          cpu::Convolved- cuda::Convolved-
///                                                                Layer              Layer
///   screen   the highest peak p of f; then the candidates: the   screening.hpp      screened_-
///            cells where r can have a peak that is at least                         storms.hpp
///            as high as the rule's value of p
///   confirm  the candidates by the rule, from all cells that     candidate_-        candidate_-
///            they need; the highest peak among them is r's       search.hpp, on     tiles.hpp
///                                                                exact_cells.hpp
///   direct   the whole layer by the rule, where no bound holds   cpu_direct.hpp  cuda_direct.hpp
///            or candidates would cost more than that
///
/// A processor takes the five steps storm by storm, so a storm that goes direct may be followed by
/// one that does not. On a GPU no storm waits for the confirmation of the one before it: bound, sum
/// and screen go through all storms of a call, then one confirmation serves them all; from the
/// first storm that cannot be confirmed on the engine stays direct.
namespace bombard {

/// Why a storm goes direct when its bound holds, for Evidence; otherwise ErrorBound says why.
inline constexpr const char* too_many_candidates = "too many cells may be the maximum";

/// The same when nothing was tried.
inline constexpr const char* costs_no_more = "all the arithmetic takes no longer";

/// The evidence of a storm that goes direct.
inline Evidence directly_computed(const Part& part, const char* why) {
  return {true, part.own.count(), 0, why};
}

}  // namespace bombard
