#pragma once

#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"
#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"
#include "kernels/base/registry.hpp"

namespace bombard::fuzz {

/// A parser: check(input) does not crash, and throws NotSo where what was read and written again is
/// not read as the same. `const Registered target{Target{"npy", check}}` at the end of a file makes
/// it known.
struct Target {
  const char* name;
  void (*check)(std::string_view input);
};

/// No one catches it in a program of libFuzzer, which keeps the input.
struct NotSo : std::logic_error {
  using std::logic_error::logic_error;
};
inline void expect(bool met, const std::string& what) {
  if (!met) throw NotSo("not so: " + what);
}

/// Calls use(file) with a file of this content; what is refused is refused with the file's name.
template <class Use>
void with_file(std::string_view content, const Use& use) {
  try {
    use(InputFile("input", std::string(content)));
  } catch (const InputError& error) {
    expect(std::string_view(error.what()).starts_with("input:"), "an error names the file");
  } catch (const CannotRun&) {  // much memory
  }
}

/// The path of a file that write(file) has written.
template <class Write>
std::string written_by(const Write& write) {
  const std::string path = "/dev/shm/bombard_fuzz_" + std::to_string(::getpid());
  OutputFile file(path);
  write(file);
  file.commit();
  return path;
}

}  // namespace bombard::fuzz
