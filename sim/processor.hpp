#pragma once

#include <string>

namespace bombard {

/// The processor as the system describes it.
struct Processor {
  std::string name;  ///< the model, or the architecture where the system tells no more
  int cores;         ///< logical cores that this process may use
};
Processor processor();

}  // namespace bombard
