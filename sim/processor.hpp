#pragma once

#include <string>

#include "kernels/base/cores.hpp"

/// The processor as the system describes it.
namespace bombard {

/// The model, or the architecture where the system tells no more.
std::string processor_name();
}  // namespace bombard
