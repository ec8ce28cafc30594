#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"

/// Storms of a kind that is hard for one engine or another.
struct StormKind {
  const char* name;
  /// Up to about `most` impacts on a layer and around it.
  std::vector<bombard::Impact> (*impacts)(Random&, std::int64_t cells, std::int64_t most);
  /// The fraction of such storms, several on a small layer, for which a fast engine may go direct.
  double most_direct = 0.3;
  /// A layer that is not stored may take them: energies above 0 and few impacts to a cell.
  bool sparse = false;
};
std::span<const StormKind> storm_kinds();

/// The rule, the size and the kinds of storms, for the message of a failure.
std::string told(const Bombardment& bombardment);

/// One of the elements of a list.
template <class List>
auto one_of(Random& random, const List& list) {
  return list[static_cast<std::size_t>(below(random, std::ssize(list)))];
}

/// `storms` storms of `impacts` impacts each, anywhere; they differ for each number of cells.
Bombardment generated_at_random(std::int64_t cells, std::int64_t storms, std::int64_t impacts);

/// A few storms of one kind on a layer of an awkward size.
Bombardment generated_of_kind(Random& random, const StormKind& kind);

/// Storms of all kinds in both editions, with thresholds that end shares at every awkward place.
Bombardment generated_of_family(Random& random);

/// Storms on layers so large that the neighbourhoods of their impacts do not cover them. All shares
/// count.
Bombardment generated_sparse(Random& random);
