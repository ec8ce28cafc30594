#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace bombard {

/// The directory that holds proc and sys. A test sets its own.
extern std::string system_root;

/// The number after the word `key` in a file, or the file's first word if no key is given; none if
/// the file is missing or the word is no number, "max" for example.
std::optional<std::int64_t> number_in(const std::filesystem::path& file,
                                      const std::string& key = {});

/// Calls look(directory, version) for the control group by which the kernel limits this process's
/// use of `controller` ("memory", "cpu"), and for the groups above it.
void for_each_control_group(
    const std::string& controller,
    const std::function<void(const std::filesystem::path& directory, int version)>& look);

}  // namespace bombard
