#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace bombard::judge {

/// The processes that this one started, and those started by them: those alive, and those that have
/// ended but have not been waited for.
std::vector<pid_t> descendants_of(pid_t process);

/// Bytes of memory that these processes hold and that no file backs. Memory shared by two of them
/// counts twice.
std::int64_t memory_of(const std::vector<pid_t>& processes);

/// Kills every descendant of this process until there is none, and waits for all of them, but not
/// for ever: the caller must have no other children.
void end_descendants();

}  // namespace bombard::judge
