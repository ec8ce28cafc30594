#pragma once

#include <charconv>

#include "inputs/output_file.hpp"

namespace bombard {

/// Writes lines of numbers with blanks between them, every one with the fewest digits that give it
/// back.
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(file) {}

  template <class... Numbers>
  void line(Numbers... numbers) {
    char* at = text_;
    (append(at, numbers), ...);
    at[-1] = '\n';
    file_.write({text_, at});
  }

 private:
  template <class Number>
  void append(char*& at, Number number) {
    at = std::to_chars(at, text_ + sizeof text_, number).ptr;
    *at++ = ' ';
  }

  OutputFile& file_;
  char text_[128];
};

}  // namespace bombard
