#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"
#include "kernels/base/instruction_set.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/engines.hpp"
#include "sim/processor.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_devices =
    "Lists the processor and every GPU that this program can use here, as --device takes them.\n"
    "With --verbose it also lists the engines that --engine takes.\n";

std::string processor_line() {
  return fmt::format("cpu     {}: {}, {} instructions\n", printable(processor_name()),
                     plural(usable_cores(), "core"), cpu::instruction_set());
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

}  // namespace

int devices(int argc, char** argv) {
  cxxopts::Options options("bombard devices", about_devices);
  options.custom_help("[OPTION...]");
  add_options(
      options, "",
      {{"verbose", "List the engines, too, each with what it does"}, {"h,help", "Show this help"}});
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "devices");
  if (shows_help(parsed, options)) return 0;
  if (!parsed.unmatched().empty()) {
    throw InputError(fmt::format("\"{}\" cannot stand here: `bombard devices` takes no arguments",
                                 parsed.unmatched().front()));
  }

  std::string text = processor_line();
  const auto gpus = cuda::devices();
  for (const cuda::Device& gpu : gpus) text += gpu_line(gpu);
  if (gpus.empty()) {
    text += cuda::cuda_part() == nullptr ? "no GPU: this build holds no CUDA code\n"
                                         : "no GPU: this process sees no NVIDIA driver or device\n";
  }
  if (parsed.count("verbose") != 0) text += engine_lines();
  print(text);
  return 0;
}

}  // namespace bombard::tools
