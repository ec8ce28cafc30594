#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/messages.hpp"
#include "bombard/settings.hpp"

namespace bombard {

/// The speed of the CPU with all threads that a run may use, as a multiple of one thread of
/// the CPU on which the costs of engines were measured.
struct ProcessorSpeed {
  double interactions = 1;  ///< interactions of direct engines
  double passes = 1;        ///< passes of fast engines over a layer
  double one_thread = 1;    ///< interactions of the reference, which has one thread
};

/// Another way to run: a setting with this value takes this many seconds.
struct QuickerWay {
  Setting setting;
  std::string value;
  double seconds;
};

/// The plan of a run: its engine and device, its time and memory, and the reason. The plan is made
/// once, before anything is computed. `--dry-run` prints it, and the run obeys it.
struct Plan {
  std::int64_t cells = 0, impacts = 0, storms = 0;  ///< impacts of all storms together
  std::string engine = {};                          ///< "cpu_direct"
  Method method = Method::direct;
  Precision precision = Precision::binary32;
  Rule rule = {};
  bool on_gpu = false;
  int gpu = 0;                  ///< the number of the GPU
  std::string device = {};      ///< the name of the GPU or of the CPU
  std::string reason = {};      ///< why this engine was chosen
  int threads = 0;              ///< threads of the engine, or of its part on the CPU
  int cores = 0;                ///< cores of the CPU that this process may use
  ProcessorSpeed speed = {};    ///< the CPU's, on which the seconds depend
  double start_up_seconds = 0;  ///< of the GPU
  /// If few cells can be the maximum; and if all the arithmetic must be done because many can. Of a
  /// sparse engine in double precision, the second is with a layer that it has to store after all.
  /// Both include the start-up.
  double seconds = 0, most_seconds = 0;
  /// Bytes of host memory: of the engine, of impacts that wait, and of a requested copy of the
  /// layer; and if a sparse engine has to store the layer after all.
  std::int64_t host_bytes = 0, most_host_bytes = 0;
  /// For a run that is likely to take more than seconds_worth_a_choice: other ways that take less
  /// than a tenth of the time. A sparse engine gives the maxima, and has no layer to show.
  std::vector<QuickerWay> quicker = {};

  static constexpr double seconds_worth_a_choice = 1, seconds_worth_telling = 60;

  /// From about this number of impacts on, of all storms together and at random, very many cells
  /// can be the maximum (docs/methods.md, When too little is proved).
  static constexpr std::int64_t many_impacts = 300'000;
  /// Whether a run with this number of impacts is likely to take `seconds`, not `most_seconds`.
  static constexpr bool is_likely_short(Precision precision, std::int64_t impacts) {
    return precision == Precision::binary64 || impacts < many_impacts;
  }
  double likely_seconds() const {
    return is_likely_short(precision, impacts) ? seconds : most_seconds;
  }
};

}  // namespace bombard
