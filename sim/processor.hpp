#pragma once

#include <string>

#include "kernels/base/cores.hpp"

/// The CPU as the system describes it.
namespace bombard {

/// The model, or the architecture if the system reports no more.
std::string processor_name();
}  // namespace bombard
