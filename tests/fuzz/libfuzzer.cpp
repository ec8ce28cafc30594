// What libFuzzer calls: the target with which a program is linked.

#include <unistd.h>

#include <cstdint>
#include <string>

#include "kernels/base/cores.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/inputs/small_machine.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  bombard::set_default_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // What wants more than the megabyte that is always there is refused.
  static const bombard::SmallMachine machine("build-fuzz/machine_" + std::to_string(::getpid()),
                                             "0 kB");
  const auto& target = bombard::registered<bombard::fuzz::Target>().front();
  target.check({reinterpret_cast<const char*>(data), size});
  return 0;
}
