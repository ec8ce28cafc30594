#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/chunks.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/ranks/agreement.hpp"
#include "sim/ranks/layers_file_of_ranks.hpp"
#include "sim/ranks/shared_search.hpp"
#include "sim/ranks/slab.hpp"
#include "sim/ranks/slab_neighbours.hpp"
#include "sim/ranks/storms_for_slabs.hpp"

namespace bombard {

namespace {

enum class Task {
  start_device,
  make,
  share,
  apply,
  begin_with,
  begin_with_double,
  reset,
  layer,
  layer_in_double,
  layer_uncertainty,
  layer_pieces,
  layer_pieces_in_double,
  open_layers_file,
  write_layer,
  close_layers_file,
  evidence,
  end_engine,
  leave
};

/// What rank 0 tells the others before each step.
struct Command {
  Task task;
  /// share: storms; write_layer: its number; evidence: storms so far;
  /// leave: the exit code
  std::int64_t count = 0;
};

/// EngineOptions and the engine's name, as they cross.
struct Setup {
  std::array<char, 64> engine = {};
  std::int64_t total, storms;
  Rule rule;
  bool keep_layer;
  int threads;
  double speed_of_interactions;
  int device;
  Reduction reduction;
};

struct Place {
  std::array<char, 160> text = {};
};

/// Evidence without its clauses, which are addresses in another process.
struct EvidenceOfSlab {
  bool direct, true_sums;
  std::int64_t candidates;
  double bound;
};

void tell(Communicator& communicator, Task task, std::int64_t count = 0) {
  Command command{task, count};
  broadcast(communicator, command);
}

template <std::size_t size>
std::array<char, size> as_characters(std::string_view text) {
  std::array<char, size> characters = {};
  text.copy(characters.data(), size - 1);
  return characters;
}

/// Of the devices of its machine the one of this rank.
int device_of_rank(const Communicator& communicator, int of_rank_0) {
  // The driver takes its time to say so.
  static const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + communicator.rank_on_host()) % devices;
}

Setup setup_of(const EngineEntry& entry, const EngineOptions& options) {
  return {.engine = as_characters<64>(entry.name),
          .total = options.part.total,
          .storms = options.storms,
          .rule = options.rule,
          .keep_layer = options.keep_layer,
          .threads = options.threads,
          .speed_of_interactions = options.speed_of_interactions,
          .device = options.device,
          .reduction = options.reduction};
}

/// `setup` is rank 0's, empty on the others.
void start_device_of_rank(Communicator& communicator, Setup setup) {
  broadcast(communicator, setup);
  do_together(communicator, [&] {
    find_engine(setup.engine.data())
        ->start_device(device_of_rank(communicator, setup.device), setup.rule, setup.total);
  });
}

std::vector<float> layer_of(const Engine& engine) {
  return engine.layer();
}
std::vector<double> layer_in_double_of(const Engine& engine) {
  return engine.layer_in_double();
}
std::vector<float> uncertainty_of(const Engine& engine) {
  return engine.layer_uncertainty();
}

}  // namespace

/// A rank's part of an engine of ranks. Every rank calls the same members in the same order; what
/// is said of rank 0 is empty on the others.
class SlabEngine {
 public:
  /// `options` are rank 0's, null on the others.
  SlabEngine(Communicator& communicator, Setup setup, const EngineOptions* options)
      : communicator_(communicator) {
    broadcast(communicator_, setup);
    const EngineEntry& entry = *find_engine(setup.engine.data());
    const int ranks = communicator_.ranks();
    part_ = part_of_layer(slab_of_rank(communicator_.rank(), ranks, setup.total), setup.total);
    storms_ = setup.storms;
    in_double_ = entry.precision == Precision::binary64;
    if (exchanges_states(entry)) {
      counting_ = counting_rule(setup.rule, setup.total);
      neighbours_.emplace(communicator_, slabs());
    } else if (entry.method == Method::fast) {
      search_.emplace(communicator_, entry.on_device);
    }
    // All ranks of a machine ask for memory before one of them takes any.
    do_together(communicator_, [&] { require_memory(entry); });
    do_together(communicator_, [&] { make(entry, setup, options); });
  }

  /// Gives each rank what it needs of rank 0's storms or of their files.
  std::vector<WholeStorm> share(std::span<const Storm> storms, std::span<const std::string> files,
                                std::int64_t count) {
    if (!neighbours_) {
      received_ = broadcast_storms(communicator_, storms, count);
      shared_ = communicator_.rank() == 0 ? storms : received_;
      return {};
    }
    const auto some_shares_end = [&](const StormExtent& storm) {
      return !every_share_counts(*counting_, storm, {0, part_.total});
    };
    StormsForSlab own = share_storms(communicator_, storms, files, count,
                                     {part_.total, needs(), some_shares_end, threads_});
    received_ = std::move(own.storms);
    shared_ = received_;
    neighbours_->begin(own.whole);
    return own.whole;
  }

  /// Applies what was shared; returns on rank 0 the layer's maxima.
  std::vector<Maximum> apply() {
    std::vector<Maximum> own = applied();
    std::vector<Maximum> all(communicator_.rank() == 0 ? own.size() * ranks() : 0);
    communicator_.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    for (std::size_t i = own.size(); i < all.size(); ++i) {
      Maximum& storm = own[i % own.size()];
      storm = larger(storm, all[i]);
    }
    return own;
  }

  /// Each rank gets the cells that it holds.
  template <class Value>
  void begin_with(std::span<const Value> layer) {
    if (communicator_.rank() == 0) {
      for (int rank = 1; rank < communicator_.ranks(); ++rank) {
        communicator_.send(rank, std::as_bytes(slice(layer, held_by(rank))));
      }
      do_together(communicator_, [&] { take(slice(layer, held_by(0))); });
      return;
    }
    std::vector<Value> held(static_cast<std::size_t>(held_by(communicator_.rank()).count()));
    communicator_.receive(0, std::as_writable_bytes(std::span(held)));
    do_together(communicator_, [&] { take(std::span<const Value>(held)); });
  }

  void reset() {
    do_together(communicator_, [&] {
      if (engine_) engine_->reset();
    });
  }

  /// On rank 0 the cells of all slabs, some at a time, in order: what `of_slab` gives for each,
  /// which may be nothing, to take(first cell, cells).
  template <class Value, class OfSlab, class Take>
  void give(const OfSlab& of_slab, const Take& take) {
    std::vector<Value> own;
    do_together(communicator_, [&] {
      if (engine_) own = of_slab(*engine_);
    });
    const auto counts = gather(communicator_, static_cast<std::int64_t>(own.size()));
    if (communicator_.rank() != 0) {
      each_piece(static_cast<std::int64_t>(own.size()), [&](const CellRange& piece) {
        communicator_.send(0, std::as_bytes(slice(std::span(own), piece)));
      });
      return;
    }
    // The others send what they have, whether or not it can be taken.
    std::exception_ptr failure;
    const auto take_piece = [&](std::int64_t first, std::span<const Value> cells) {
      try {
        if (!failure && !cells.empty()) take(first, cells);
      } catch (const std::exception&) {
        failure = std::current_exception();
      }
    };
    take_piece(0, own);
    own = std::vector<Value>();
    for (int rank = 1; rank < communicator_.ranks(); ++rank) {
      const std::int64_t first = slab_of_rank(rank, communicator_.ranks(), part_.total).begin;
      each_piece(counts[static_cast<std::size_t>(rank)], [&](const CellRange& piece) {
        own.resize(static_cast<std::size_t>(piece.count()));
        communicator_.receive(rank, std::as_writable_bytes(std::span(own)));
        take_piece(first + piece.begin, own);
      });
    }
    if (failure) std::rethrow_exception(failure);
  }

  /// On rank 0 the whole layer; empty where all slabs give nothing.
  template <class Value, class OfSlab>
  std::vector<Value> gathered(const OfSlab& of_slab) {
    std::vector<Value> layer;
    const auto of_slab_with_room = [&](const Engine& engine) {
      if (communicator_.rank() == 0) layer.reserve(static_cast<std::size_t>(part_.total));
      return of_slab(engine);
    };
    give<Value>(of_slab_with_room, [&](std::int64_t first, std::span<const Value> cells) {
      layer.resize(static_cast<std::size_t>(part_.total));
      std::ranges::copy(cells, layer.begin() + first);
    });
    return layer;
  }

  /// Whether all ranks see rank 0's file.
  bool open_layers_file(const SharedPlace& place) {
    layers_file_.emplace(communicator_, place);
    return layers_file_->seen_by_all();
  }

  void write_layer(std::int64_t layer) {
    in_double_ ? write_layer<double>(layer, layer_in_double_of)
               : write_layer<float>(layer, layer_of);
  }

  void close_layers_file() {
    layers_file_->close();
    layers_file_.reset();
  }

  /// On rank 0: candidates of all slabs, the largest bound, and whether one of them went direct.
  std::vector<Evidence> evidence(std::int64_t storms) {
    std::vector<Evidence> total = engine_ ? engine_->evidence() : std::vector<Evidence>();
    std::vector<EvidenceOfSlab> own(static_cast<std::size_t>(storms), EvidenceOfSlab{});
    for (std::size_t i = 0; i < total.size(); ++i) {
      own[i] = {total[i].direct, total[i].true_sums, total[i].candidates, total[i].bound};
    }
    std::vector<EvidenceOfSlab> all(communicator_.rank() == 0 ? own.size() * ranks() : 0);
    communicator_.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    if (total.empty()) return {};  // an engine that always does all the arithmetic
    for (std::size_t i = own.size(); i < all.size(); ++i) {
      Evidence& storm = total[i % own.size()];
      storm.direct |= all[i].direct;
      storm.candidates += all[i].candidates;
      storm.bound = std::max(storm.bound, all[i].bound);
    }
    return total;
  }

  /// On rank 0, a line a rank.
  std::vector<std::string> places() {
    const CellRange& own = part_.own;
    const std::string cells = own.count() > 0
                                  ? fmt::format("cells {} to {}", own.begin, own.end - 1)
                                  : std::string("no cells");
    const auto texts = gather(
        communicator_, Place{as_characters<160>(fmt::format(
                           "rank {} of {} on {}: {}, {}", communicator_.rank(),
                           communicator_.ranks(), communicator_.host(), cells, computes_with_))});
    std::vector<std::string> lines;
    for (const Place& place : texts) lines.emplace_back(place.text.data());
    return lines;
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(communicator_.ranks()); }

  CellRange held_by(int rank) const {
    const CellRange own = slab_of_rank(rank, communicator_.ranks(), part_.total);
    // A rank without cells needs none.
    if (own.count() == 0) return own;
    return with_margin(part_of_layer(own, part_.total), storms_).held;
  }

  template <class Value, class OfSlab>
  void write_layer(std::int64_t layer, const OfSlab& of_slab) {
    std::vector<Value> own;
    do_together(communicator_, [&] {
      if (engine_) own = of_slab(*engine_);
    });
    layers_file_->write(layer, part_.total, std::span<const Value>(own));
  }

  template <class Work>
  static void each_piece(std::int64_t cells, const Work& work) {
    constexpr std::int64_t most = EngineOfRanks::most_cells_of_piece;
    for (std::int64_t begin = 0; begin < cells; begin += most) {
      work(CellRange{begin, std::min(begin + most, cells)});
    }
  }

  /// Those whose sums are asked for to a bound: single precision needs every impact anyway.
  static bool exchanges_states(const EngineEntry& entry) {
    return entry.precision == Precision::binary64;
  }

  static_assert(held_begins_at % group_cells == 0);

  std::vector<Slab> slabs() const {
    std::vector<Slab> all;
    for (int rank = 0; rank < communicator_.ranks(); ++rank) {
      const CellRange held = held_by(rank);
      all.push_back({held.begin, held.count(), part_.total});
    }
    return all;
  }

  /// Where impacts lie that a slab needs: on it, or not far from it, since it begins and ends with
  /// whole chunks; and outside the layer, where the layer ends.
  std::vector<CellRange> needs() const {
    constexpr std::int64_t near = 8 * chunk_cells;
    constexpr auto all = std::numeric_limits<std::int64_t>();
    std::vector<CellRange> ranges;
    for (const Slab& slab : slabs()) {
      ranges.push_back({slab.has_left() ? slab.first - near : all.min(),
                        slab.has_right() ? slab.first + slab.cells + near : all.max()});
      if (slab.cells == 0) ranges.back() = {all.max(), all.max()};
    }
    return ranges;
  }

  /// What was shared, while ranks meet where they exchange anything.
  std::vector<Maximum> applied() {
    std::vector<Maximum> maxima(shared_.size());
    const auto apply = [&] {
      if (engine_) {
        maxima = engine_->apply(shared_);
      } else if (neighbours_) {
        neighbours_->exchange_nothing(shared_.size());
      } else if (search_) {
        search_->say_nothing(shared_.size());
      }
    };
    neighbours_ || search_ ? do_and_meet(communicator_, apply) : do_together(communicator_, apply);
    return maxima;
  }

  void require_memory(const EngineEntry& entry) const {
    if (entry.on_device) return;  // its cells are not in the host's; and the question takes time
    const auto cells = static_cast<double>(held_by(communicator_.rank()).count());
    const double bytes = entry.costs.host_bytes_per_cell * cells * communicator_.ranks_on_host();
    require_host_memory(
        static_cast<std::int64_t>(bytes),
        fmt::format("{} in {} ranks of a machine", entry.name, communicator_.ranks_on_host()));
  }

  void make(const EngineEntry& entry, const Setup& setup, const EngineOptions* options) {
    EngineOptions own{.part = part_,
                      .storms = setup.storms,
                      .neighbours = neighbours_ ? &*neighbours_ : nullptr,
                      .others = search_ ? &*search_ : nullptr,
                      .rule = setup.rule,
                      .keep_layer = setup.keep_layer,
                      .threads = setup.threads > 0 ? setup.threads : communicator_.threads(),
                      .speed_of_interactions = setup.speed_of_interactions,
                      .reduction = setup.reduction};
    threads_ = own.threads;
    computes_with_ = fmt::format("{} thread{}", own.threads, own.threads == 1 ? "" : "s");
    if (entry.on_device) {
      cuda::require_cuda_part();
      own.device = device_of_rank(communicator_, setup.device);
      cuda::make_current(own.device);
      computes_with_ = fmt::format("GPU {}", own.device);
    }
    if (options != nullptr) {
      own.bytes_beside = options->bytes_beside;
      if (options->worked) {
        own.worked = [worked = options->worked, ranks = communicator_.ranks()](double done) {
          worked(done * ranks);  // the others have slabs of the same size
        };
      }
    }
    if (part_.own.count() > 0) engine_ = entry.make(own);
  }

  void take(std::span<const float> held) {
    if (engine_) engine_->begin_with(held);
  }
  void take(std::span<const double> held) {
    if (engine_) engine_->begin_with_double(held);
  }

  Communicator& communicator_;
  Part part_;
  std::int64_t storms_ = 0;
  bool in_double_ = false;
  int threads_ = 1;
  std::optional<CountingRule> counting_;          ///< where states are exchanged
  std::optional<SlabNeighbours> neighbours_;      ///< likewise
  std::optional<SharedSearch> search_;            ///< of a fast engine in single precision
  std::unique_ptr<Engine> engine_;                ///< none where the slab has no cells
  std::vector<Storm> received_;                   ///< what was shared last, but for rank 0's own
  std::span<const Storm> shared_;                 ///< the same, and those
  std::optional<LayersFileOfRanks> layers_file_;  ///< while it is open
  std::string computes_with_;                     ///< for people
};

namespace {

void give_layer_of(SlabEngine& slab, const LayerPieceSink& sink) {
  slab.give<float>(layer_of,
                   [&](std::int64_t, std::span<const float> cells) { sink(LayerView(cells)); });
}
void give_layer_in_double_of(SlabEngine& slab, const LayerPieceSink& sink) {
  slab.give<double>(layer_in_double_of,
                    [&](std::int64_t, std::span<const double> cells) { sink(LayerView(cells)); });
}

}  // namespace

void start_devices(Communicator& communicator, const EngineEntry& entry,
                   const EngineOptions& options) {
  tell(communicator, Task::start_device);
  start_device_of_rank(communicator, setup_of(entry, options));
}

EngineOfRanks::EngineOfRanks(Communicator& communicator, const EngineEntry& entry,
                             const EngineOptions& options)
    : communicator_(communicator) {
  if (entry.method == Method::sparse) {
    throw InputError(fmt::format(
        "{} stores no layer and needs one process; take --method direct or fast, or the program "
        "bombard",
        entry.name));
  }
  tell(communicator_, Task::make);
  slab_ = std::make_unique<SlabEngine>(communicator_, setup_of(entry, options), &options);
  places_ = slab_->places();
}

EngineOfRanks::~EngineOfRanks() {
  tell(communicator_, Task::end_engine);
}

std::vector<Maximum> EngineOfRanks::apply(std::span<const StormView> storms) {
  if (storms.empty()) return {};
  std::vector<Storm> copies;
  for (const StormView& storm : storms) copies.push_back(copy_of(storm));
  share(copies);
  return apply_shared();
}

std::vector<WholeStorm> EngineOfRanks::share(std::span<const Storm> storms,
                                             std::span<const std::string> files) {
  storms_shared_ = static_cast<std::int64_t>(storms.size());
  tell(communicator_, Task::share, storms_shared_);
  return slab_->share(storms, files, storms_shared_);
}

std::vector<Maximum> EngineOfRanks::apply_shared() {
  tell(communicator_, Task::apply);
  storms_applied_ += storms_shared_;
  return slab_->apply();
}

void EngineOfRanks::begin_with(std::span<const float> layer) {
  tell(communicator_, Task::begin_with);
  slab_->begin_with(layer);
}

void EngineOfRanks::begin_with_double(std::span<const double> layer) {
  tell(communicator_, Task::begin_with_double);
  slab_->begin_with(layer);
}

void EngineOfRanks::reset() {
  tell(communicator_, Task::reset);
  storms_applied_ = 0;
  slab_->reset();
}

std::vector<float> EngineOfRanks::layer() const {
  tell(communicator_, Task::layer);
  return slab_->gathered<float>(layer_of);
}

std::vector<double> EngineOfRanks::layer_in_double() const {
  tell(communicator_, Task::layer_in_double);
  return slab_->gathered<double>(layer_in_double_of);
}

std::vector<float> EngineOfRanks::layer_uncertainty() const {
  tell(communicator_, Task::layer_uncertainty);
  return slab_->gathered<float>(uncertainty_of);
}

void EngineOfRanks::give_layer(const LayerPieceSink& sink) const {
  tell(communicator_, Task::layer_pieces);
  give_layer_of(*slab_, sink);
}

void EngineOfRanks::give_layer_in_double(const LayerPieceSink& sink) const {
  tell(communicator_, Task::layer_pieces_in_double);
  give_layer_in_double_of(*slab_, sink);
}

bool EngineOfRanks::open_layers_file(const SharedPlace& place) {
  tell(communicator_, Task::open_layers_file);
  return slab_->open_layers_file(place);
}

void EngineOfRanks::write_layer(std::int64_t layer) {
  tell(communicator_, Task::write_layer, layer);
  slab_->write_layer(layer);
}

void EngineOfRanks::close_layers_file() {
  tell(communicator_, Task::close_layers_file);
  slab_->close_layers_file();
}

std::vector<Evidence> EngineOfRanks::evidence() const {
  tell(communicator_, Task::evidence, storms_applied_);
  return slab_->evidence(storms_applied_);
}

namespace {

/// One step of a rank other than 0.
void serve_step(Communicator& communicator, std::unique_ptr<SlabEngine>& slab,
                const Command& command) {
  switch (command.task) {
    case Task::start_device:
      start_device_of_rank(communicator, Setup{});
      return;
    case Task::make:
      slab = std::make_unique<SlabEngine>(communicator, Setup{}, nullptr);
      slab->places();
      return;
    case Task::share:
      slab->share({}, {}, command.count);
      return;
    case Task::apply:
      slab->apply();
      return;
    case Task::begin_with:
      slab->begin_with(std::span<const float>());
      return;
    case Task::begin_with_double:
      slab->begin_with(std::span<const double>());
      return;
    case Task::reset:
      slab->reset();
      return;
    case Task::layer:
      slab->gathered<float>(layer_of);
      return;
    case Task::layer_in_double:
      slab->gathered<double>(layer_in_double_of);
      return;
    case Task::layer_uncertainty:
      slab->gathered<float>(uncertainty_of);
      return;
    case Task::layer_pieces:
      give_layer_of(*slab, {});
      return;
    case Task::layer_pieces_in_double:
      give_layer_in_double_of(*slab, {});
      return;
    case Task::open_layers_file:
      slab->open_layers_file({});
      return;
    case Task::write_layer:
      slab->write_layer(command.count);
      return;
    case Task::close_layers_file:
      slab->close_layers_file();
      return;
    case Task::evidence:
      slab->evidence(command.count);
      return;
    case Task::end_engine:
      slab.reset();
      return;
    case Task::leave:
      return;
  }
}

}  // namespace

int serve(Communicator& communicator) {
  std::unique_ptr<SlabEngine> slab;
  while (true) {
    Command command{};
    broadcast(communicator, command);
    if (command.task == Task::leave) return static_cast<int>(command.count);
    try {
      serve_step(communicator, slab, command);
    } catch (const StepFailed&) {
      // Rank 0 tells why, and what comes next.
    }
  }
}

void let_go(Communicator& communicator, int exit_code) {
  tell(communicator, Task::leave, exit_code);
}

}  // namespace bombard
