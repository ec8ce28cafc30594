#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/fast/kept_impacts.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The findings of screening after some storms: for each its highest peak and its number of
/// candidates, and the candidates, storm after storm.
struct ScreenedCall {
  std::size_t first_storm;  ///< of all storms of the engine
  std::vector<Screened> storms;
  std::vector<Candidate> candidates;
  /// Whether there was no room for the candidates of more storms.
  bool too_many = false;
};

/// The first three steps of screen_and_confirm.hpp on a GPU, for all storms of a call.
class ScreenedStorms {
 public:
  /// `part` with its margin; up to `threads` threads send impacts.
  ScreenedStorms(const Part& part, const Rule& rule, int threads);

  /// Applies storms to the fast layer and screens it after each, as far as a bound holds and every
  /// share counts; returns how many.
  std::size_t apply(std::span<const StormView> storms);
  /// Why not all, a clause for Evidence.
  const char* why_no_more() const { return why_no_more_; }

  /// The findings, waited for. `storms` is what apply() returned.
  ScreenedCall found(std::size_t storms);

  /// The impacts of all storms so far.
  KeptImpacts& impacts() { return impacts_; }

  /// The cells held, as the fast layer has them.
  std::vector<double> values() const;
  /// And how far each may lie from the rule's once it is rounded to binary32.
  std::vector<float> uncertainties() const;

  /// Gives the memory of the fast layer back.
  void release() { fast_.reset(); }
  /// A layer of 0 again.
  void reset();
  /// Begins with these cells, the ones held, instead. After construction or reset().
  void begin_with(std::span<const float> held);

 private:
  bool bounded(const StormView& storm);
  cuda::ConvolvedLayer& fast();
  std::vector<ErrorBound> send(std::span<const StormView> storms, std::size_t enough);
  void apply_sent(std::span<const StormView> sent, std::span<const ErrorBound> bounds,
                  std::size_t first);

  Part part_;
  Rule rule_;
  Reaches reaches_of_energies_;
  std::optional<cuda::ConvolvedLayer> fast_;  ///< the cells held; none once released
  ErrorBound bound_;
  KeptImpacts impacts_;
  const char* why_no_more_ = "";
  cuda::DeviceArray<Screened> screened_;  ///< after each storm of a call
  cuda::DeviceArray<Candidate> candidates_;
};

}  // namespace bombard
