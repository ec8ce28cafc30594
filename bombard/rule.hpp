#pragma once

#include <cstdint>
#include <limits>
#include <string>

/// The rule is a family (docs/methods.md, The rule is a family): a Rule is a member of it.
namespace bombard {

/// The editions of the assignment. They differ in the scaled energy and in the threshold: for an
/// energy v in thousands, v / 1000 and T in the first edition, v * 1000 / L and T / L in the
/// second.
enum class Edition { first = 1, second = 2 };

/// How an energy falls with the distance n = |p - k| + 1: n^-power exp(-(n - 1) / range).
struct Attenuation {
  double power = 0.5;                                      ///< 0: an exponential alone
  double range = std::numeric_limits<double>::infinity();  ///< in cells; infinite: a power alone

  friend bool operator==(const Attenuation&, const Attenuation&) = default;
};

inline constexpr Attenuation square_root_attenuation{};

/// As the command line writes it, "power:0.5".
[[gnu::visibility("default")]] std::string name_of(const Attenuation& attenuation);

struct Rule {
  Edition edition = Edition::second;
  Attenuation attenuation = {};
  float threshold = 0.001F;  ///< T >= 0

  friend bool operator==(const Rule&, const Rule&) = default;

  /// The share nearest to 0 that counts, in a layer of `cells` cells: the rule adds a share when
  /// share >= it or share <= -it.
  float smallest_share(std::int64_t cells) const {
    return edition == Edition::first ? threshold : threshold / static_cast<float>(cells);
  }

  /// In binary64, for the true sums: the scaled energy is v * scale.
  double scale_in_double(std::int64_t cells) const {
    return edition == Edition::first ? 1.0 / 1000 : 1000.0 / static_cast<double>(cells);
  }
};

}  // namespace bombard
