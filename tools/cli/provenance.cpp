#include "tools/cli/provenance.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "tools/cli/build_info.hpp"

namespace bombard::tools {

Provenance provenance(int argc, const char* const* argv) {
  Provenance provenance;
  provenance.command = {"bombard"};
  provenance.command.insert(provenance.command.end(), argv, argv + argc);
  provenance.commit = build_info.commit;
  std::array<char, 256> host{};  // a name has at most 64 bytes; the last byte stays 0
  if (::gethostname(host.data(), host.size() - 1) == 0) provenance.host = host.data();
  provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return provenance;
}

}  // namespace bombard::tools
