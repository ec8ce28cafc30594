// copy CELLS, for tools/numbers: the seconds that all cores take to copy CELLS binary64 numbers,
// the least of a second: a storm on a layer that is kept in memory cannot take less.

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const long long cells = argc > 1 ? std::atoll(argv[1]) : 1;
  std::vector<double> from(static_cast<std::size_t>(cells), 1.0), to(from);
  double least = 1e300;
  const double first = omp_get_wtime();
  for (int i = 0; i < 7 || omp_get_wtime() < first + 1; ++i) {
    const double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (long long k = 0; k < cells; ++k) to[k] = from[k];
    least = std::min(least, omp_get_wtime() - start);
  }
  std::printf("%.9f\n", to.back() == 1 ? least : 0);
}
