#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/base/vector.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/engines.hpp"
#include "sim/processor.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

std::string processor_line() {
  std::string cores = plural(usable_cores(), "core");
  if (usable_cores() < cores_of_process()) {
    cores += fmt::format(" of {} (a control group allows the time of {:.3g})", cores_of_process(),
                         *quota_of_cores());
  }
  return fmt::format("cpu     {}: {}, {} instructions\n", printable(processor_name()), cores,
                     cpu::instruction_set);
}

std::string gpu_line(const cuda::Device& gpu) {
  return fmt::format(
      "cuda:{:<2} {}: compute capability {}.{}, {:.1f} GB of memory, "
      "{} multiprocessors, {}\n",
      gpu.index, printable(gpu.name), gpu.major, gpu.minor, 1e-9 * static_cast<double>(gpu.memory),
      gpu.multiprocessors,
      gpu.has_code ? "this build holds its code" : "this build holds NO code for it");
}

std::string engine_lines() {
  std::size_t width = 0;
  for (const EngineEntry& entry : engines()) {
    width = std::max(width, std::string_view(entry.name).size());
  }
  std::string text = "\nengines:\n";
  for (const EngineEntry& entry : engines()) {
    text += fmt::format("{:<{}}  {}\n", entry.name, width, entry.description);
  }
  return text;
}

int devices(const Arguments& arguments) {
  std::string text = processor_line();
  const auto gpus = cuda::devices();
  for (const cuda::Device& gpu : gpus) text += gpu_line(gpu);
  if (gpus.empty()) {
    text += cuda::cuda_part() == nullptr ? "no GPU: this build holds no CUDA code\n"
                                         : "no GPU: this process sees no NVIDIA driver or device\n";
  }
  if (arguments.has("verbose")) text += engine_lines();
  print(text);
  return 0;
}

}  // namespace

Subcommand devices_subcommand() {
  return {.name = "devices",
          .summary = "list the CPU and the GPUs that can be used here",
          .work = devices,
          .about =
              "Lists the CPU and every GPU that this program can use here, under the names that "
              "--device takes.",
          .examples = "  bombard devices --verbose\n",
          .groups = {messages({{"verbose", "", "List the engines, too, each with what it does"}})}};
}

}  // namespace bombard::tools
