#pragma once

#include <cstdint>
#include <string>

namespace bombard {

/// Bytes that this process can still allocate without swapping: the kernel's estimate
/// (MemAvailable), or less where a control group (version 1 or 2) or the limit of the address space
/// (`ulimit -v`) allows less.
std::int64_t available_host_memory();

/// "34.4 GB", for messages; the largest std::int64_t means "more than" so much.
std::string gigabytes(std::int64_t bytes);

/// Whether the host has so much. Up to 1 MiB is not checked: that would take longer than a small
/// run.
bool has_host_memory(std::int64_t bytes);

/// Throws CannotRun with the GB needed and the GB free when it has not. `what` completes "...
/// needs".
void require_host_memory(std::int64_t bytes, const std::string& what);

}  // namespace bombard
