// What libFuzzer calls: the target that the environment names.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernels/base/cores.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/inputs/small_machine.hpp"

using bombard::fuzz::Target;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  bombard::set_default_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // What wants more than the megabyte that is always there is refused.
  static const bombard::SmallMachine machine("build-fuzz/machine_" + std::to_string(::getpid()),
                                             "0 kB");
  static const Target& target =
      *std::ranges::find(bombard::fuzz::targets(),
                         std::string_view(std::getenv("BOMBARD_FUZZ_TARGET")), &Target::name);
  target.check({reinterpret_cast<const char*>(data), size});
  return 0;
}
