#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "inputs/shared_file.hpp"
#include "sim/engines/engines.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/ranks/storms_for_slabs.hpp"

namespace bombard {

/// EngineEntry::start_device() on all ranks at once: rank 0's GPU is that of the options, and the
/// others on its machine take the next ones in turn. Throws CannotRun as cuda::use_device() does on
/// any of them.
void start_devices(Communicator& communicator, const EngineEntry& entry,
                   const EngineOptions& options);

/// Rank 0's end of an engine that all ranks make for their slabs of the layer, each with a margin
/// of a cell a storm that it computes itself. In single precision every rank is given every impact
/// in file order, so the digits are those of one process; of the slabs' maxima it takes the larger
/// one, then the smaller position. A storm moves its impacts, 16 bytes each, and some bytes a rank,
/// however many cells there are. layer() and what is like it gather the cells on rank 0.
/// Every member throws what a rank's engine threw. One lives at a time.
class EngineOfRanks final : public Engine {
 public:
  /// `options` as for one process, with the whole layer as the part; threads are those of a rank, 0
  /// for its share of the cores; the device is that of rank 0, and the others on its machine take
  /// the next ones in turn. Throws InputError for a sparse engine, CannotRun as the factory does.
  EngineOfRanks(Communicator& communicator, const EngineEntry& entry, const EngineOptions& options);
  ~EngineOfRanks() override;

  /// Where each rank runs and which cells it owns, a line each.
  const std::vector<std::string>& places() const { return places_; }

  using Engine::apply;
  std::vector<Maximum> apply(std::span<const StormView> storms) override;

  /// The two halves of apply(): every rank gets the impacts that it needs; and applies them. Until
  /// then rank 0's storms stay where they are.
  /// In double precision impacts may be in files: where files[i] has a name, storms[i] has none,
  /// and each rank reads its part. Returns what is known of the storms then, nothing in single
  /// precision.
  std::vector<WholeStorm> share(std::span<const Storm> storms,
                                std::span<const std::string> files = {});
  std::vector<Maximum> apply_shared();

  void begin_with(std::span<const float> layer) override;
  void begin_with_double(std::span<const double> layer) override;
  void reset() override;
  std::vector<float> layer() const override;
  /// What layer() and layer_in_double() return, in pieces: at most so many cells of another rank
  /// are on this one at a time.
  static constexpr std::int64_t most_cells_of_piece = std::int64_t{1} << 22;
  void give_layer(const LayerPieceSink& sink) const;
  void give_layer_in_double(const LayerPieceSink& sink) const;
  /// A file that every rank writes its cells into, in the precision computed in: whether all see
  /// it. If so, layers, counted from 0, and then its end, after which the disk has them.
  bool open_layers_file(const SharedPlace& place);
  void write_layer(std::int64_t layer);
  void close_layers_file();
  std::vector<double> layer_in_double() const override;
  std::vector<float> layer_uncertainty() const override;
  std::vector<Evidence> evidence() const override;

 private:
  Communicator& communicator_;
  std::unique_ptr<class SlabEngine> slab_;
  std::int64_t storms_shared_ = 0, storms_applied_ = 0;
  std::vector<std::string> places_;
};

/// What the other ranks do: their part of each engine that rank 0 makes, until it lets them go.
/// Returns the exit code that rank 0 gave.
int serve(Communicator& communicator);
/// Rank 0 lets them go.
void let_go(Communicator& communicator, int exit_code);

}  // namespace bombard
