#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

/// The processes that this one has started, and those started by them.
namespace bombard::judge {

/// The processes that this one started, directly or not: those alive, and those that have ended but
/// have not been waited for.
std::vector<pid_t> descendants();

/// Bytes of memory that these processes hold and that no file backs. Memory shared by two of them
/// counts twice.
std::int64_t memory_of(const std::vector<pid_t>& processes);

/// Bytes of all files in /dev/shm.
std::int64_t bytes_of_shared_memory();

/// Kills every descendant until there is none, and waits for all of them, but not for ever: the
/// caller must have no other children. Returns the status of one of them, as waitpid() tells it.
int end_descendants(pid_t process);

}  // namespace bombard::judge
