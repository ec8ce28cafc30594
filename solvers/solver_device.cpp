#include "solvers/solver_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

bool started_gpu(const DeviceChoice& choice, double cpu_seconds) {
  if (choice.kind == DeviceChoice::Kind::cpu) return false;
  if (choice.kind == DeviceChoice::Kind::cuda) {
    cuda::use_device(choice.index);
    return true;
  }
  if (cpu_seconds < cuda::start_seconds) return false;
  const auto found = cuda::devices();
  const auto usable = std::ranges::find_if(found, &cuda::Device::has_code);
  if (usable == found.end()) return false;
  cuda::use_device(usable->index);
  return true;
}

}  // namespace

DeviceChoice device_of_word(const std::string& word) {
  using Kind = DeviceChoice::Kind;
  if (word == "auto") return {Kind::automatic, 0};
  if (word == "cpu") return {Kind::cpu, 0};
  if (word == "cuda") return {Kind::cuda, 0};
  constexpr std::string_view prefix = "cuda:";
  if (word.starts_with(prefix)) {
    int index = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + prefix.size(), end, index);
    if (error == std::errc{} && rest == end && index >= 0) return {Kind::cuda, index};
  }
  throw InputError(fmt::format(
      "--device \"{}\" is not a device; it is auto, cpu, cuda or cuda:N with N from 0 up", word));
}

SolverDevice::SolverDevice(const DeviceChoice& choice, double cpu_seconds)
    : is_gpu_(started_gpu(choice, cpu_seconds)) {}

}  // namespace bombard
