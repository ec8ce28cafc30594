#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "kernels/device/device.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

int compare_implementations(const Arguments& given) {
  const Study& chosen = *std::ranges::find(studies(), given.topic(), &Study::name);
  const std::string device = given.word("device");
  const std::string format = given.word("format");
  std::vector<std::int64_t> sizes = chosen.sizes;
  if (const auto asked = given.given("sizes")) {
    sizes = whole_numbers(*asked, "--sizes", 1, chosen.largest_size);
  }
  std::optional<OutputFile> output;
  if (const auto file = given.output()) output.emplace(*file);

  Findings findings{.cpu = device != "cuda",
                    .gpu = device == "cuda" || (device == "both" && !cuda::devices().empty())};
  if (findings.gpu) {
    cuda::use_device(0);
    findings.copy_bandwidth = on_device<CopyBandwidth>()();
  } else if (device == "both" && !given.has("quiet")) {
    note("no GPU here: its rows are left out");
  }
  for (const std::int64_t size : sizes) chosen.measure(findings, size);

  const std::string text = format == "csv"    ? findings.table.csv()
                           : format == "json" ? findings.table.json()
                                              : findings.table.text();
  if (output) {
    output->write(text);
    output->commit();
  } else {
    print(text);
  }
  if (!findings.valid) note("a result that was timed is wrong: see the column \"valid\"");
  return findings.valid ? 0 : 1;
}

}  // namespace

Subcommand study_subcommand() {
  std::vector<Subcommand> topics;
  for (const Study& study : studies()) topics.push_back({study.name, "", study.about});
  return {
      .name = "study",
      .arguments = "NAME",
      .summary = "compare implementations of one operation",
      .work = compare_implementations,
      .about =
          "Compares implementations of one operation with Eigen or the standard library and with "
          "the vendor's library, and checks each result. Times are medians of many repetitions "
          "after a warm-up; on the GPU they are taken between two events.",
      .examples =
          "  bombard study reduction --format csv --output reduction.csv\n"
          "  bombard study product --sizes 256,512 --device cpu\n",
      .topics = topics,
      .groups = {{"Study",
                  {{"sizes", "LIST",
                    "Sizes instead of the study's own: elements, or rows of a square matrix"},
                   {"device", "both|cpu|cuda", "Where to compute", "both"},
                   {"format", "table|csv|json", "csv is RFC 4180", "table"},
                   {"output", "FILE|-", "Write to this file instead of standard output"}}},
                 messages()}};
}

}  // namespace bombard::tools
