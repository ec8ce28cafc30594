#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Messages name settings, and each front door has its own words for them: the command line says
/// `--method direct`, Python method="direct", C++ `method direct`.
///
///   throw InputError("take " + named(Setting::method, "direct"));
///   fmt::print(stderr, "{}\n", worded(error.message(), FrontDoor::command_line));
namespace bombard {

/// The settings that messages name, in the order of setting_words.
enum class Setting {
  attenuation,
  cells_at,
  device,
  devices,  ///< the list of them
  edition,
  engine,
  error,
  force,
  initial,
  kernel,
  layer,  ///< whatever shows or writes the layer
  method,
  peaks,
  precision,
  reduction,
  threads,
  threshold,
  tolerance,
  wanted
};

enum class FrontDoor { command_line, python, library };

struct SettingWords {
  const char *option, *keyword, *member;  ///< for each front door
  bool is_text;                           ///< its value is a string in Python
};

inline constexpr SettingWords setting_words[] = {
    {"--attenuation", "attenuation", "attenuation", true},
    {"--cells-at", "cells", "cells_at", false},
    {"--device", "device", "device", true},
    {"`bombard devices`", "bombard.devices()", "`bombard devices`", false},
    {"--edition", "edition", "edition", false},
    {"--engine", "engine", "engine", true},
    {"--error", "error", "error", false},
    {"--force", "force", "force", false},
    {"--initial", "initial", "initial_path", true},
    {"--kernel", "kernel", "kernel", true},
    {"--layer, --layers, --plot and --report", "layers", "keep_layer and the sinks of layers",
     false},
    {"--method", "method", "method", true},
    {"--peaks", "peaks", "peaks", false},
    {"--precision", "precision", "precision", true},
    {"--reduction", "reduction", "reduction", true},
    {"--threads", "threads", "threads", false},
    {"--threshold", "threshold", "threshold", false},
    {"--tolerance", "tolerance", "tolerance", false},
    {"wanted", "wanted", "wanted", true}};

constexpr const SettingWords& words_of(Setting setting) {
  return setting_words[static_cast<std::size_t>(setting)];
}

// A setting in a message stands between these characters, which occur in no text for people: its
// place in setting_words, counted from 'A', and its value.
inline constexpr char begin_of_setting = '\x01', end_of_setting = '\x02';

/// A setting and its value, for a message.
inline std::string named(Setting setting, std::string_view value = {}) {
  std::string text{begin_of_setting, static_cast<char>('A' + static_cast<int>(setting))};
  return text.append(value) + end_of_setting;
}

/// The setting in the words of a front door.
inline std::string worded(Setting setting, std::string_view value, FrontDoor door) {
  const SettingWords& words = words_of(setting);
  std::string text = door == FrontDoor::command_line ? words.option
                     : door == FrontDoor::python     ? words.keyword
                                                     : words.member;
  if (value.empty()) return text;
  text += door == FrontDoor::python ? '=' : ' ';
  const bool quoted = door == FrontDoor::python && words.is_text && value.front() != '"';
  const char* const quote = quoted ? "\"" : "";
  return text.append(quote).append(value).append(quote);
}

/// The message in the words of a front door.
inline std::string worded(std::string_view message, FrontDoor door) {
  std::string text;
  while (!message.empty()) {
    const std::size_t begin = message.find(begin_of_setting);
    const std::size_t end = message.find(end_of_setting, begin);
    text += message.substr(0, begin);
    if (end == std::string_view::npos || end < begin + 2) break;
    text += worded(static_cast<Setting>(message[begin + 1] - 'A'),
                   message.substr(begin + 2, end - begin - 2), door);
    message.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace bombard
