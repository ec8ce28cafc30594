#include "tools/cli/terminal.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::tools {

namespace {

bool printing = true;
std::atomic<bool> progress_is_shown = false;  // no lock: a signal handler may read it
constexpr std::string_view erase_line = "\r\x1b[K";

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Whether terminal escape sequences have an effect there.
bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1 && !variable("TERM").empty() && variable("TERM") != "dumb";
}

template <class Name>
void print_message(std::string_view text, const Name& name) noexcept {
  try {
    print_aside(fmt::format("{} {}\n", name(), printable(text)));
  } catch (const std::bad_alloc&) {
    print_aside("bombard: out of memory\n");
  }
}

}  // namespace

void set_printing(bool prints) {
  printing = prints;
}

void print(std::string_view text) {
  if (!printing) return;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw NoReader();
  if (error == 0) return;
  throw InputError(
      fmt::format("standard output cannot be written: {}", std::generic_category().message(error)));
}

std::string shown_name(const std::string& path) {
  return isatty(STDOUT_FILENO) == 1 ? printable(path) : path;
}

void print_aside(std::string_view text) noexcept {
  if (printing) static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void note(std::string_view text) noexcept {
  print_message(text, [] { return std::string("bombard:"); });
}

void complain(std::string_view text) noexcept {
  print_message(text, [] { return styled("bombard:", bold_red, stderr); });
}

std::string styled(std::string_view text, std::string_view style, std::FILE* stream) {
  if (!is_terminal(stream) || !variable("NO_COLOR").empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", style, text);
}

bool shows_utf8() {
  // In order of precedence.
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    return ::strcasestr(value, "utf-8") != nullptr || ::strcasestr(value, "utf8") != nullptr;
  }
  return true;
}

int columns(std::FILE* stream) {
  constexpr int widest = 1000;
  if (const char* text = std::getenv("COLUMNS"); text != nullptr) {
    if (const int number = number_of<int>(text).value_or(0); number > 0) {
      return std::min(number, widest);
    }
  }
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::min<int>(size.ws_col, widest);
  }
  return 80;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const Progress& progress) {
  const std::string pace =
      progress.interactions_done > 0
          ? fmt::format("{:.1e} interactions/s, ", progress.interactions_done / progress.seconds)
          : "";
  return fmt::format("storm {} of {}, {}{} left",
                     std::min(progress.storms_done + 1, progress.storms), progress.storms, pace,
                     duration_text(progress.seconds_left));
}

std::string progress_bar(double seconds, double seconds_left) {
  constexpr int width = 20;
  const double part = std::clamp(seconds / (seconds + seconds_left), 0.0, 1.0);
  std::string bar(width, '.');
  std::fill_n(bar.begin(), static_cast<int>(part * width), '#');
  return fmt::format("[{}] {:3.0f}%  ", bar, std::floor(100 * part));
}

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted), terminal_(is_terminal(stderr)) {}

void ProgressLine::show(const Progress& progress) {
  show(progress_text(progress), progress.seconds, progress.seconds_left);
}

void ProgressLine::show(std::string text, double seconds, double seconds_left) {
  constexpr double seconds_between_lines = 60;
  if (!wanted_ || seconds + seconds_left < 1) return;
  if (!terminal_) {
    if (seconds < told_ + seconds_between_lines) return;
    told_ = seconds;
    note(text);
    return;
  }
  text.insert(0, progress_bar(seconds, seconds_left));
  // Back to the start of the line, then the text, no wider than the terminal; then what is left of
  // the old one is erased.
  text.resize(std::min(text.size(), static_cast<std::size_t>(columns(stderr) - 1)));
  progress_is_shown = true;
  print_aside(fmt::format("\r{}\x1b[K", text));
}

void ProgressLine::wipe() {
  erase_progress();
}

void erase_progress() noexcept {
  if (!progress_is_shown.exchange(false)) return;
  static_cast<void>(::write(STDERR_FILENO, erase_line.data(), erase_line.size()));
}

ProgressLine::~ProgressLine() {
  wipe();
}

}  // namespace bombard::tools
