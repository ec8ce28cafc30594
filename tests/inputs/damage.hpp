#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/text.hpp"

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

/// Reads texts that are damaged at random by read(text): it takes some, and rejects others with a
/// message that begins with `where`.
template <class Read>
void expect_survival(const std::vector<std::string>& sound, const std::string& alphabet,
                     std::uint64_t most, int trials, const std::string& where, const Read& read) {
  std::mt19937_64 random(3);
  int rejected = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::string text = damaged(sound[random() % sound.size()], alphabet, most, random);
    const std::string message = bombard::tests::message_of([&] { read(text); });
    if (message == "no error") continue;
    ++rejected;
    ASSERT_TRUE(message.starts_with(where)) << message;
  }
  EXPECT_GT(rejected, trials / 50);
  EXPECT_LT(rejected, trials - trials / 50);
}
