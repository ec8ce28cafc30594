#pragma once

#include <filesystem>
#include <string>

/// The file of a program, which a student made: it may be anything. Nothing is opened that is not a
/// regular file, and nothing throws.
namespace bombard::judge {

/// Why this cannot be started; empty for a regular file that, unless it is for a launcher, may be
/// executed.
std::string why_not_startable(const std::string& path, bool is_for_launcher);

/// Whether it is for an interpreter, as far as its first bytes tell.
bool is_script(const std::string& path);

/// What is wrong with the interpreter in its first line (#!), or with its loader; empty if nothing
/// is.
std::string trouble_of_interpreter(const std::string& path);

/// A path from the root, by the current directory alone. Throws InputError if that is gone.
std::string absolute_path(const std::string& path);

/// An absolute path whose folders are no links, as far as they can be read; the last name in it may
/// be one.
std::string without_links(const std::filesystem::path& path);

}  // namespace bombard::judge
