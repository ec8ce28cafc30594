#pragma once

#include <cstdint>
#include <string>

#include "bombard/settings.hpp"

namespace bombard {

/// The plan of a run: its engine and device, its time and memory, and the reason. The plan is made
/// once, before anything is computed. `--dry-run` prints it, and the run obeys it.
struct Plan {
  std::int64_t cells = 0, impacts = 0, storms = 0;  ///< impacts of all storms together
  std::string engine = {};                          ///< "cpu_direct"
  Method method = Method::direct;
  Precision precision = Precision::binary32;
  Rule rule = {};
  Reduction reduction = Reduction::cub;
  bool on_gpu = false;
  int gpu = 0;                  ///< the number of the GPU
  std::string device = {};      ///< the name of the GPU or of the CPU
  std::string reason = {};      ///< why this engine was chosen
  int threads = 0;              ///< threads of the engine, or of its part on the CPU
  int cores = 0;                ///< cores of the CPU that this process may use
  double start_up_seconds = 0;  ///< of the GPU
  double seconds = 0;           ///< an estimate, the start-up included
  /// Bytes of host memory: of the engine, of the storms that are kept or wait, and of a copy of the
  /// layer where one is wanted.
  std::int64_t host_bytes = 0;
  bool exactly_these = false;  ///< these storms will come, and nothing that is not wanted is asked
  Wanted wanted = Wanted::maxima;

  static constexpr double seconds_worth_telling = 60;
};

}  // namespace bombard
