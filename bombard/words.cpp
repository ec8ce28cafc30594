#include "bombard/words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "inputs/token.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard {

namespace {

[[noreturn]] void refuse(const char* setting, const std::string& text, const char* what,
                         const char* there_are) {
  throw InputError(fmt::format("{} \"{}\" is not {}; it is {}", setting, text, what, there_are));
}

/// The parts of a text between its colons.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(':')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

Device parse_device(const std::string& text) {
  if (text == "auto") return Device::automatic;
  if (text == "cpu") return Device::cpu;
  if (text == "cuda") return Device::cuda;
  if (text.starts_with("cuda:")) {
    const auto index = number_of<int>(text.substr(5));
    if (index && *index >= 0) return {Device::cuda, *index};
  }
  refuse("device", text, "a device", "auto, cpu, cuda or cuda:N with N from 0 up");
}

std::optional<Method> parse_method(const std::string& text) {
  if (text == "auto") return {};
  for (const Method method : {Method::direct, Method::fast, Method::sparse}) {
    if (text == name_of(method)) return method;
  }
  refuse("method", text, "a method", "auto, direct, fast or sparse");
}

std::optional<Precision> parse_precision(const std::string& text) {
  if (text == "auto") return {};
  if (text == "single" || text == "float") return Precision::binary32;
  if (text == "double") return Precision::binary64;
  refuse("precision", text, "a precision", "single or double");
}

Edition parse_edition(const std::string& text) {
  if (text == "1") return Edition::first;
  if (text == "2") return Edition::second;
  refuse("edition", text, "an edition", "1 or 2");
}

Attenuation parse_attenuation(const std::string& text) {
  const std::vector<std::string_view> parts = parts_of(text);
  for (const NamedLaw& law : named_laws) {
    const int numbers = int{law.has_power} + int{law.has_range};
    if (parts.front() != law.word || std::ssize(parts) != 1 + numbers) continue;
    Attenuation attenuation{0};
    if (law.has_power) attenuation.power = number_of<double>(parts[1]).value_or(-1);
    if (law.has_range) attenuation.range = number_of<double>(parts.back()).value_or(-1);
    if (law.is_of(attenuation) && is_there(attenuation)) return attenuation;
  }
  refuse("attenuation", text, "an attenuation", attenuations_there_are);
}

float parse_threshold(const std::string& text) {
  const auto threshold = number_of<float>(text);
  if (threshold && std::isfinite(*threshold) && *threshold >= 0) return *threshold;
  refuse("threshold", text, "a threshold", "a finite binary32 number, 0 or more");
}

Wanted parse_wanted(const std::string& text) {
  if (text == "maxima") return Wanted::maxima;
  if (text == "cells") return Wanted::cells;
  if (text == "layer") return Wanted::layer;
  refuse("wanted", text, "what can be wanted", "maxima, cells or layer");
}

Reduction parse_reduction(const std::string& text) {
  if (text == "cub") return Reduction::cub;
  if (text == "inhouse") return Reduction::inhouse;
  refuse("reduction", text, "a reduction", "cub or inhouse");
}

}  // namespace bombard
