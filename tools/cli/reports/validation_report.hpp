#pragma once

#include <string>

#include "sim/validation.hpp"

namespace bombard {

/// A table of both answers after each storm, the cells that differ (by more than is allowed), and
/// the verdict.
std::string report(const ValidationResult& result);

}  // namespace bombard
