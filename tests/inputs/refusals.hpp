#pragma once

#include <string>

#include "tests/text.hpp"

namespace bombard {

/// Inputs, each with the message with which read(input) refuses it, behind `begin`: the name of
/// the file, and perhaps more.
template <class Read>
void expect_refused(const Read& read, const tests::Refusals& inputs,
                    const std::string& begin = "a:") {
  const auto message = [&](const std::string& input) {
    return tests::message_of([&] { read(input); });
  };
  tests::expect_messages(inputs, message, begin);
}

}  // namespace bombard
