#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// The processes that this one has started, and those that they have started.
namespace bombard::judge {

/// The processes that this one started: those alive, and those that have ended and were not waited
/// for.
std::vector<pid_t> descendants();

/// Bytes of memory that these processes hold and that no file backs. Memory that two of them share
/// counts twice.
std::int64_t memory_of(const std::vector<pid_t>& processes);

/// Removes what LLVM's OpenMP leaves in /dev/shm when its process is killed.
void remove_traces(pid_t process);

/// Kills every descendant, until there is none, and waits for all of them: whoever calls this has
/// no other children. Throws CannotRun when some do not end.
void end_descendants();

}  // namespace bombard::judge
