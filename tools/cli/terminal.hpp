#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "bombard/simulation_observer.hpp"

namespace bombard::tools {

/// Whether this process prints, including messages and progress. Only one of several ranks does,
/// unless another rank has to end the program by itself.
void set_printing(bool prints);

/// Writes results to standard output and makes sure that they arrive; throws InputError if they
/// cannot be written (a full disk, a closed descriptor), and NoReader for a pipe without a reader.
void print(std::string_view text);

/// Ends the program by SIGPIPE, as it ends others, once the files that it has begun are gone.
struct NoReader : std::exception {
  const char* what() const noexcept override { return "standard output has no reader"; }
};

/// The name of a file for standard output: unchanged for a program, printable for a terminal.
std::string shown_name(const std::string& path);

/// Writes text for people to standard error, if possible: text that cannot be written is lost, but
/// no result is lost with it.
void print_aside(std::string_view text) noexcept;

/// A note or a warning on standard error, "bombard: ..." on a line of its own, where possible.
void note(std::string_view text) noexcept;

/// The same for the error that ends the program; its "bombard:" is red where a terminal has colour.
void complain(std::string_view text) noexcept;

/// The text for `stream`: in this style (the parameters of an escape sequence) if `stream` is a
/// terminal with colours, and NO_COLOR is not set.
std::string styled(std::string_view text, std::string_view style, std::FILE* stream);
inline constexpr std::string_view bold = "1", bold_red = "1;31", green = "32";

/// Whether the locale's characters are UTF-8; if no locale is set at all, they are assumed to be.
bool shows_utf8();

/// The width of the terminal behind `stream`: $COLUMNS, otherwise what the terminal reports,
/// otherwise 80.
int columns(std::FILE* stream);

/// "less than 1 s", "12 s", "34 min", "5.6 h".
std::string duration_text(double seconds);

/// "storm 3 of 40, 2.1e+10 interactions/s, 12 s left"; without the pace until something is done.
std::string progress_text(const Progress& progress);

/// "[######..............]  30%  ", showing the part of the seconds that has passed.
std::string progress_bar(double seconds, double seconds_left);

/// Progress on standard error, for work that takes over a second. On a terminal it is a bar that is
/// updated as the work goes on, and wiped by the destructor, even when an error ends the work;
/// elsewhere it is a line per minute.
class ProgressLine {
 public:
  /// `wanted` false (--quiet): never shown.
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const Progress& progress);
  /// Any other work, which has taken and will take these seconds.
  void show(std::string text, double seconds, double seconds_left);
  /// Removes the line from a terminal, so that other text can be written.
  void wipe();

 private:
  bool wanted_, terminal_;
  double told_ = 0;  ///< seconds, when the last line was written
};

/// Removes a progress line from the terminal; a signal handler may call it.
void erase_progress() noexcept;

}  // namespace bombard::tools
