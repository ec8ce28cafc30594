#pragma once

#include <cstdint>
#include <string>

namespace bombard {

/// Bytes that this process can still take without swapping: the kernel's estimate (MemAvailable),
/// less where a control group limits it.
std::int64_t available_host_memory();

/// Throws CannotRun with the GB needed and the GB free when the host has less.
/// `what` completes "... needs".
void require_host_memory(std::int64_t bytes, const std::string& what);

}  // namespace bombard
