#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace bombard {

/// The directory that holds proc and sys. A test gives one of its own.
extern std::string system_root;

/// The number behind `key` among the words of a file, or its first word if no key is given; none
/// for a missing file or a word such as "max".
std::optional<std::int64_t> number_in(const std::filesystem::path& file,
                                      const std::string& key = {});

/// Calls look(directory, version) for the control group by which the kernel limits what this
/// process takes of `controller` ("memory", "cpu"), and for the groups above it.
void for_each_control_group(
    const std::string& controller,
    const std::function<void(const std::filesystem::path& directory, int version)>& look);

}  // namespace bombard
