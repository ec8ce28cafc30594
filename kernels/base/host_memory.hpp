#pragma once

#include <cstdint>
#include <string>

namespace bombard {

/// Bytes that this process can still take without swapping: the kernel's estimate (MemAvailable),
/// less where a control group (version 1 or 2), or its address space (`ulimit -v`), limits it.
std::int64_t available_host_memory();

/// "34.4 GB", for messages; the largest std::int64_t stands for more than it counts.
std::string gigabytes(std::int64_t bytes);

/// Throws CannotRun with the GB needed and the GB free when the host has less. `what` completes
/// "... needs". Less than 1 MiB is always there: to ask takes longer than a small run.
void require_host_memory(std::int64_t bytes, const std::string& what);

}  // namespace bombard
