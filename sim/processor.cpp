#include "sim/processor.hpp"

#include <sys/utsname.h>

#include <fstream>

namespace bombard {

namespace {

std::string model_name() {
  // x86-64 writes "model name<tab>: ..."; arm64 gives no name there.
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? std::string(system.machine) + " processor" : "processor";
}

}  // namespace

std::string processor_name() {
  static const std::string model = model_name();
  return model;
}

}  // namespace bombard
