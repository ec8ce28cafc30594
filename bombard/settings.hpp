#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bombard/device.hpp"
#include "bombard/rule.hpp"

/// How to simulate. bombard/words.hpp makes these values from the words of a user.
namespace bombard {

/// All the arithmetic, almost none of it, or almost none of it and no stored layer
/// (docs/methods.md).
enum class Method { direct, fast, sparse };

/// The rule's sums, rounded to binary32 at every step, or the true ones in binary64.
enum class Precision { binary32, binary64 };

/// The code by which the engine cuda_staged finds the maximum.
enum class Reduction { cub, inhouse };

/// The most threads that may be asked for.
inline constexpr int most_threads = 4096;

/// What is asked for after the storms: their maxima alone, the values of some cells and the highest
/// peaks as well, or whole layers.
enum class Wanted { maxima, cells, layer };

/// A choice that you leave empty is made for you: the fastest one, by an estimate.
struct SimulationSettings {
  Device device = {};
  std::optional<Method> method = {};
  std::optional<Precision> precision = {};  ///< none: the precision of the engine, or binary32
  std::string engine = {};                  ///< the name of an engine
  /// Threads of an engine on the CPU, or those that send storms to a GPU; 0: all cores.
  int threads = 0;
  Rule rule = {};
  Reduction reduction = Reduction::cub;
  /// The automatic choice takes an engine that has what is wanted. Anything else can be asked for,
  /// too: an engine that does not have it is replaced by one that takes all storms so far again.
  Wanted wanted = Wanted::maxima;
  /// The impacts to come, of all storms together: they decide which engine is chosen. Any other
  /// number may come, unless these are exact: then nothing but what is wanted is asked for, either.
  std::int64_t expected_storms = 100, expected_impacts = 100'000;
  bool exactly_these = false;
  /// Called several times a second in the thread that computes for the caller: between storms, and
  /// within a long storm on the CPU. An exception from it ends the call.
  std::function<void()> interrupt = {};
};

/// After which storms a run hands over the layer.
enum class Layers { none, last, each };

/// The request of `bombard run`.
struct RunOptions {
  std::int64_t cells = 0;                ///< 1 or more
  std::vector<std::string> storm_paths;  ///< files; "-" is standard input, once
  /// What is wanted and expected does not matter, because the other members and the files say it.
  /// `interrupt` is called together with the progress.
  SimulationSettings settings = {};
  Layers layers = Layers::none;  ///< for the observer of the run
  /// The result has the values of these cells after each storm, and this number of highest peaks.
  /// In single precision they are the rule's, bit for bit.
  std::vector<std::int64_t> cells_at = {};
  std::int64_t peaks = 0;
  /// A file with the layer on which the first storm falls, instead of 0 (docs/formats.md).
  std::optional<std::string> initial_path = {};
};

/// As the command line writes them.
constexpr const char* name_of(Method method) {
  return method == Method::direct ? "direct" : method == Method::fast ? "fast" : "sparse";
}
constexpr const char* name_of(Precision precision) {
  return precision == Precision::binary32 ? "single" : "double";
}

}  // namespace bombard
