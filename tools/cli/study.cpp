#include "solvers/study.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "kernels/device/device.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_study =
    "Compares implementations of one operation, each result checked:\n"
    "  bombard study reduction   sums by every scheme and block size, element-wise minima\n"
    "  bombard study product     matrix products: one thread for each element, tiles, cuBLAS\n"
    "  bombard study dot         scalar products of the rows of two matrices\n"
    "  bombard study jacobi      sweeps of Jacobi's iteration\n"
    "  bombard study sort        bitonic and radix sort\n"
    "beside a loop on one core, Eigen and the vendor's library. Times are medians of many\n"
    "repetitions after a warm-up, on the GPU between two events.\n";

const Study& find_study(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) {
    for (const Study& study : studies()) {
      if (arguments[0] == study.name) return study;
    }
  }
  throw InputError(fmt::format(
      "{}: one of reduction, product, dot, jacobi and sort must follow `bombard study`",
      arguments.empty() ? std::string("no study is named")
                        : fmt::format("\"{}\" is no study", fmt::join(arguments, " "))));
}

/// "256,512".
std::vector<std::int64_t> parse_sizes(const std::string& text, std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  std::istringstream list(text);
  for (std::string size; std::getline(list, size, ',');) {
    sizes.push_back(whole_number(size, "--sizes", 1, largest));
  }
  if (sizes.empty()) throw InputError("--sizes needs numbers, like 256,512");
  return sizes;
}

std::string format_of(const cxxopts::ParseResult& parsed) {
  if (parsed.count("csv") + parsed.count("json") + parsed.count("format") > 1) {
    throw InputError("--format, --csv and --json exclude each other");
  }
  if (parsed.count("csv") != 0) return "csv";
  if (parsed.count("json") != 0) return "json";
  std::string format = parsed["format"].as<std::string>();
  if (format != "table" && format != "csv" && format != "json") {
    throw InputError(
        fmt::format("--format \"{}\" is not a format; it is table, csv or json", format));
  }
  return format;
}

/// `both` runs everything that this machine can, and says so where there is no GPU.
void choose_devices(const std::string& device, StudyRequest& request) {
  if (device != "both" && device != "cpu" && device != "cuda") {
    throw InputError(fmt::format("--device \"{}\" is none of both, cpu and cuda", device));
  }
  request.cpu = device != "cuda";
  request.gpu = device == "cuda" || (device == "both" && !cuda::devices().empty());
  if (request.gpu) {
    cuda::use_device(0);
  } else if (device == "both") {
    note("no GPU here: its rows are left out");
  }
}

}  // namespace

int study(int argc, char** argv) {
  cxxopts::Options options("bombard study", about_study);
  options.custom_help("NAME [OPTION...]");
  options.positional_help("");
  add_options(
      options, "",
      {{"sizes", "Sizes instead of the study's own: elements, or rows of a square matrix", "LIST"},
       {"device", "both, cpu or cuda", "NAME", "both"},
       {"once", "Launch each reduction once and time none: for a profiler"},
       {"format", "table, csv (RFC 4180) or json", "FORMAT", "table"},
       {"csv", "The same as --format csv"},
       {"json", "The same as --format json"},
       {"output", "Write to this file instead of standard output", "FILE"},
       {"h,help", "Show this help"}});
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "study");
  if (shows_help(parsed, options)) return 0;
  const Study& chosen = find_study(parsed.unmatched());
  const std::string format = format_of(parsed);
  StudyRequest request;
  if (const auto sizes = given(parsed, "sizes")) {
    request.sizes = parse_sizes(*sizes, chosen.largest_size);
  }
  request.once = parsed.count("once") != 0;
  if (request.once && chosen.name != "reduction") {
    throw InputError("--once goes with `bombard study reduction`");
  }
  choose_devices(parsed["device"].as<std::string>(), request);
  std::optional<OutputFile> output;
  if (const auto file = output_file(parsed)) output.emplace(*file);

  const StudyFindings findings = chosen.findings(request);
  const std::string text = format == "csv"    ? findings.table.csv()
                           : format == "json" ? findings.table.json()
                                              : findings.table.text();
  if (output) {
    output->write(text);
    output->commit();
  } else {
    print(text);
  }
  for (const std::string& line : findings.notes) note(line);
  if (!findings.valid) note("a result that was timed is wrong: see the column \"valid\"");
  return findings.valid ? 0 : 1;
}

}  // namespace bombard::tools
