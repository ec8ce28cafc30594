#pragma once

#include <string>
#include <string_view>

namespace bombard {

/// Throws InputError when content begins as no format that is read but as one that often comes in
/// its place: compressed files, archives, text of 16 bits a character, zero bytes. The message
/// names what to do.
void reject_foreign_format(std::string_view content, const std::string& name);

}  // namespace bombard
