#pragma once

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"

namespace bombard::tests {

/// Requirements on a text; the text itself is shown if it does not meet them.
inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << '"';
}
/// The whole text matches a pattern of the shell: * is anything, [0-9] a digit.
inline testing::AssertionResult matches(const std::string& text, const std::string& pattern) {
  if (fnmatch(pattern.c_str(), text.c_str(), 0) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not match " << pattern;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The message of the error that a call throws; "no error" if it throws none.
template <class Error = InputError, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Inputs, each with the message with which message_of_input(input) refuses it, behind `begin`.
using Refusals = std::vector<std::pair<std::string, std::string>>;
template <class Message>
void expect_messages(const Refusals& refusals, const Message& message_of_input,
                     const std::string& begin = {}) {
  for (const auto& [input, message] : refusals) {
    EXPECT_EQ(message_of_input(input), begin + message) << input;
  }
}

}  // namespace bombard::tests
