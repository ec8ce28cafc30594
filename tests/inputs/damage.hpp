#pragma once

#include <cstdint>
#include <random>
#include <string>

/// The text with one to `most` damages at random places: a character of the alphabet put in or in
/// the place of another, up to three characters left out, the rest cut off, or a part of the text
/// repeated.
inline std::string damaged(std::string text, const std::string& alphabet, std::uint64_t most,
                           std::mt19937_64& random) {
  for (std::uint64_t damages = 1 + random() % most; damages > 0; --damages) {
    const std::size_t at = random() % (text.size() + 1);
    const char character = alphabet[random() % alphabet.size()];
    switch (random() % 5) {
      case 0:
        text.insert(at, 1, character);
        break;
      case 1:
        text.erase(at, random() % 4);
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(text.size() / 2));
        break;
      default:
        if (at < text.size()) text[at] = character;
    }
  }
  return text;
}
