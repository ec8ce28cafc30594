// The yardsticks of tools/workloads, which compiles this file with -O3 and nothing else. yardsticks
// run CELLS STORM...: the rule as a plain sequential program. Prints what the published one prints.
// Storms are text files: a count, then pairs. yardsticks copy CELLS: the seconds that all cores
// take to copy CELLS numbers in binary64: the least time of a storm on a layer that is kept in
// memory.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/oracle.hpp"

namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

oracle::Storm read_storm(const char* name) {
  std::FILE* const file = std::fopen(name, "r");
  long long count = 0;
  bool whole = file != nullptr && std::fscanf(file, "%lld", &count) == 1;
  oracle::Storm storm(static_cast<std::size_t>(whole ? count : 0));
  for (oracle::Impact& impact : storm) {
    whole = whole && std::fscanf(file, "%lld %d", &impact.position, &impact.energy) == 2;
  }
  if (!whole) {
    std::fprintf(stderr, "yardsticks: %s: not a storm\n", name);
    std::exit(2);
  }
  std::fclose(file);
  return storm;
}

void run(long long cells, int files, char** names) {
  std::vector<oracle::Storm> storms;
  for (int i = 0; i < files; ++i) storms.push_back(read_storm(names[i]));
  oracle::Result result;
  const double seconds = seconds_of([&] { result = oracle::bombard(cells, storms); });
  std::printf("\nTime: %f\nResult:", seconds);
  for (const oracle::Peak& peak : result.peaks) {
    std::printf(" %lld %f", peak.position, static_cast<double>(peak.value));
  }
  std::printf("\n");
}

/// The least of several: what the memory can do.
void copy(long long cells) {
  std::vector<double> from(static_cast<std::size_t>(cells), 1.0), to(from);
  double least = 1e300;
  for (int i = 0; i < 7; ++i) {
    least = std::min(least, seconds_of([&] {
#pragma omp parallel for schedule(static)
                       for (long long k = 0; k < cells; ++k) to[k] = from[k];
                     }));
  }
  std::printf("%.9f\n", to[static_cast<std::size_t>(cells) - 1] == 1 ? least : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const long long cells = argc > 2 ? std::atoll(argv[2]) : 0;
  if (cells > 0 && argc > 3 && std::strcmp(argv[1], "run") == 0) {
    run(cells, argc - 3, argv + 3);
  } else if (cells > 0 && argc == 3 && std::strcmp(argv[1], "copy") == 0) {
    copy(cells);
  } else {
    std::fprintf(stderr, "usage: yardsticks run CELLS STORM... | yardsticks copy CELLS\n");
    return 2;
  }
}
