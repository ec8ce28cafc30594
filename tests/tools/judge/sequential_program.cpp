// A program of the assignment, `sequential_program CELLS STORM...`, written from docs/methods.md as
// a student would write it, on which `bombard judge` is tried. With the name of a mistake in the
// environment (MISTAKE=larger_position) it makes this mistake; with MISTAKE=hang it does not end;
// with several names, separated by commas, it does all of it. EDITION=1 is the rule of the first
// edition. With RUNS=FILE, runs that differ do so in the same way each time: the file grows by a
// byte in each run. Compiled with OpenMP, some of the mistakes are of threads that share a layer.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

static std::set<std::string, std::less<>> mistakes;

static bool makes(const char* name) {
  return !mistakes.empty() && mistakes.find(name) != mistakes.end();
}

/// Differs from run to run.
static int number_of_run() {
  static const int number = [] {
    const char* runs = getenv("RUNS");
    if (runs == nullptr) return (int)getpid();
    std::ofstream file(runs, std::ios::app);
    file << '.';
    return (int)file.tellp();
  }();
  return number;
}

struct Storm {
  std::vector<int> positions, energies;
};

static Storm read_storm(const char* name) {
  std::ifstream file(name);
  int count = 0;
  if (!(file >> count)) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(1);
  }
  Storm storm;
  for (int position, energy; count-- > 0 && file >> position >> energy;) {
    storm.positions.push_back(position);
    storm.energies.push_back(energy);
  }
  return storm;
}

static float share(const Storm& storm, int i, int k, int cells) {
  const float energy = (float)storm.energies[i] * 1000 / cells;
  const float share = energy / sqrtf((float)(abs(storm.positions[i] - k) + 1));
  return share >= 0.001f / cells || share <= -0.001f / cells ? share : 0;
}

/// Adds impacts in one of the ways in which students use threads, if it is told to.
static bool add_in_threads(const Storm& storm, int cells, float* layer) {
  const int count = (int)storm.positions.size();
  if (makes("unprotected")) {
#pragma omp parallel for
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) layer[k] += share(storm, i, k, cells);
  } else if (makes("atomic")) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) {
#pragma omp atomic
        layer[k] += share(storm, i, k, cells);
      }
  } else if (makes("reduction")) {
#pragma omp parallel for reduction(+ : layer[:cells])
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) layer[k] += share(storm, i, k, cells);
  } else if (makes("unprotected_merge")) {
#pragma omp parallel
    {
      std::vector<float> own(cells);
#pragma omp for nowait
      for (int i = 0; i < count; i++)
        for (int k = 0; k < cells; k++) own[k] += share(storm, i, k, cells);
      for (int k = 0; k < cells; k++) layer[k] += own[k];
    }
  } else if (makes("cells")) {
#pragma omp parallel for
    for (int k = 0; k < cells; k++)
      for (int i = 0; i < count; i++) layer[k] += share(storm, i, k, cells);
  } else {
    return false;
  }
  return true;
}

static void add_impacts(const Storm& storm, std::vector<float>& layer, int edition) {
  const int cells = (int)layer.size();
  const float threshold = edition == 1 ? 0.001f : 0.001f / cells;
  const bool has_threshold = !makes("no_threshold");
  const size_t count = storm.positions.size();
  // A different sum each time, or always the same different one.
  size_t first = 0;
  if (makes("unordered_sum") && count > 0) first = (size_t)(37 * number_of_run()) % count;
  if (makes("other_order") && count > 0) first = count / 2;
  for (size_t j = 0; j < count; j++) {
    const size_t i = (first + j) % count;
    float energy = (float)storm.energies[i];
    energy = edition == 1 ? energy / 1000 : energy * 1000 / cells;
    for (int k = 0; k < cells; k++) {
      const int distance = abs(storm.positions[i] - k) + 1;
      const float share = energy / sqrtf((float)distance);
      if (share >= threshold || share <= -threshold || !has_threshold) layer[k] += share;
    }
  }
}

static void relax(std::vector<float>& layer) {
  const std::vector<float> copy = layer;
  for (size_t k = 1; k + 1 < layer.size(); k++) {
    layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
  }
}

static void find_maximum(const std::vector<float>& layer, int& position, float& maximum) {
  const int cells = (int)layer.size();
  const bool takes_later =
      makes("larger_position") || (makes("any_position") && number_of_run() % 2 == 0);
  // One thread overwrites another one's maximum: only the maximum of the first half remains.
  const bool is_lost = makes("any_peak") && number_of_run() % 2 == 0;
  const bool in_threads = makes("unprotected_maximum");
#pragma omp parallel for if (in_threads)
  for (int k = 1; k < (is_lost ? cells / 2 : cells - 1); k++) {
    if (layer[k] <= layer[k - 1] || layer[k] <= layer[k + 1]) continue;
    if (layer[k] < maximum || (!takes_later && layer[k] == maximum)) continue;
    if (in_threads) usleep(1);  // makes a rare event happen in each run
    maximum = layer[k];
    position = k;
  }
}

int main(int argc, char** argv) {
  std::istringstream names(getenv("MISTAKE") != nullptr ? getenv("MISTAKE") : "");
  for (std::string name; std::getline(names, name, ',');) mistakes.insert(name);
  const int edition = getenv("EDITION") != nullptr ? atoi(getenv("EDITION")) : 2;
  if (argc < 3) {
    fprintf(stderr, "usage: %s CELLS STORM...\n", argv[0]);
    return 1;
  }
  while (makes("hang")) pause();
  std::vector<Storm> storms;
  for (int i = 2; i < argc; i++) storms.push_back(read_storm(argv[i]));
  std::vector<float> layer((size_t)atoi(argv[1]));
  std::vector<int> positions(storms.size());
  std::vector<float> maxima(storms.size());

  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < storms.size(); i++) {
    if (!add_in_threads(storms[i], (int)layer.size(), layer.data())) {
      add_impacts(storms[i], layer, edition);
    }
    if (!makes("no_relaxation")) relax(layer);
    find_maximum(layer, positions[i], maxima[i]);
    if (makes("race")) maxima[i] += (float)(number_of_run() % 1000);
    if (makes("nearly")) maxima[i] *= 1.00001f;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printf("\nTime: %f\nResult:", seconds);
  for (size_t i = 0; i < storms.size(); i++) printf(" %d %f", positions[i], maxima[i]);
  printf("\n");
  if (makes("abort_behind")) abort();
  return makes("exit_code") ? 3 : 0;
}
