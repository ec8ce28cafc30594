#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/settings.hpp"

namespace bombard {

/// How quick the processor is with all threads that a run may use, in multiples of a thread of the
/// one that the costs of engines were measured on.
struct ProcessorSpeed {
  double interactions = 1;  ///< of direct engines
  double passes = 1;        ///< of the fast engines' over a layer
  double one_thread = 1;    ///< of interactions by the reference, which has no more

  /// How much quicker it is with interactions than with passes.
  double of_interactions_to_passes() const { return interactions / passes; }
};

/// Another way to run, by options of the command line, and its seconds.
struct QuickerWay {
  std::string options;
  double seconds;
};

/// What a run is going to be: which engine, where, how long, in how much memory, and why. It is
/// made once, before anything is computed; `--dry-run` prints it, and the run obeys it.
struct Plan {
  std::int64_t cells = 0, impacts = 0, storms = 0;  ///< impacts of all storms together
  std::string engine = {};                          ///< "cpu_direct"
  Method method = Method::direct;
  Precision precision = Precision::binary32;
  Rule rule = {};
  bool on_gpu = false;
  int gpu = 0;                  ///< its number
  std::string device = {};      ///< the name of the GPU or of the processor
  std::string reason = {};      ///< why this engine was chosen
  int threads = 0;              ///< that the engine, or its part on the processor, may use
  int cores = 0;                ///< of the processor, that this process may use
  ProcessorSpeed speed = {};    ///< of the processor, that the seconds rest on
  double start_up_seconds = 0;  ///< of the GPU
  double seconds = 0;           ///< these included
  std::int64_t host_bytes = 0;  ///< of memory for the layer, copies that were asked for included;
                                ///< without a layer, for impacts
  /// Of a run of more than seconds_worth_telling: what would take less than a tenth of them.
  std::vector<QuickerWay> quicker = {};

  static constexpr double seconds_worth_telling = 60;
};

}  // namespace bombard
