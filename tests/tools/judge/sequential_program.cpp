// A program of the assignment, `sequential_program CELLS STORM...`, written from docs/methods.md as
// a student would write it, on which `bombard judge` is tried. With the name of a mistake in the
// environment (MISTAKE=larger_position) it makes this mistake; with MISTAKE=hang it does not end;
// with several names, separated by commas, it does all of it. EDITION=1 is the rule of the first
// edition. Mistakes of a layer in parts are for four parts. With RUNS=FILE, runs that differ do so
// in the same way each time: the file grows by a byte in each run.

#include <float.h>
#include <math.h>
#include <signal.h>
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

static const int parts = 4;

static int begin_of_part(int part, int cells) {
  return makes("dropped_remainder") ? part * (cells / parts)
                                    : (int)((long long)part * cells / parts);
}

static bool begins_part(int k, int cells) {
  if (mistakes.empty()) return false;
  for (int part = 1; part < parts; part++) {
    if (k == begin_of_part(part, cells)) return true;
  }
  return false;
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
  if (makes("fixed_array") && count > 20000) raise(SIGSEGV);
  Storm storm;
  for (int position, energy; count-- > 0 && file >> position >> energy;) {
    storm.positions.push_back(position);
    storm.energies.push_back(energy);
  }
  return storm;
}

static void add_impacts(const Storm& storm, std::vector<float>& layer, int edition) {
  const int cells = (int)layer.size();
  float threshold = edition == 1 ? 0.001f : 0.001f / cells;
  if (makes("no_threshold")) threshold = 0;
  const bool in_double = makes("root_in_double");
  const bool two_sided = !makes("no_negative_shares");
  const int computed = makes("dropped_remainder") ? cells / parts * parts : cells;
  const size_t count = storm.positions.size();
  // A different sum each time, or always the same different one.
  size_t first = 0;
  if (makes("unordered_sum") && count > 0) first = (size_t)(37 * number_of_run()) % count;
  if (makes("other_order") && count > 0) first = count / 2;
  for (size_t j = 0; j < count; j++) {
    const size_t i = (first + j) % count;
    const int position = storm.positions[i];
    if (makes("no_impacts_outside") && (position < 0 || position >= cells)) continue;
    float energy = (float)storm.energies[i];
    energy = edition == 1 ? energy / 1000 : energy * 1000 / cells;
    for (int k = 0; k < computed; k++) {
      const int distance = abs(position - k) + 1;
      float share = energy / sqrtf((float)distance);
      if (in_double) share = (float)(energy / sqrt((double)distance));
      if (share >= threshold || (two_sided && share <= -threshold)) {
        layer[k] += share;
      }
    }
  }
}

static void relax(std::vector<float>& layer, const std::vector<float>& before) {
  const int cells = (int)layer.size();
  const int computed = makes("dropped_remainder") ? cells / parts * parts : cells;
  const std::vector<float> copy = layer;
  const std::vector<float>& from = makes("relaxation_in_place") ? layer : copy;
  for (int k = 1; k < cells - 1 && k < computed; k++) {
    const bool last = begins_part(k + 1, cells);
    float left = from[k - 1], right = from[k + 1];
    if (last && makes("last_not_relaxed")) continue;
    if (last && makes("old_neighbours")) right = before[k + 1];
    if (begins_part(k, cells) && makes("old_neighbours")) left = before[k - 1];
    if (last && makes("one_too_far") && k + 2 < cells) right = from[k + 2];
    if (begins_part(k, cells) && makes("one_too_far") && k >= 2) left = from[k - 2];
    layer[k] = (left + from[k] + right) / 3;
  }
}

static bool is_peak(const std::vector<float>& layer, const std::vector<float>& not_relaxed, int k) {
  const int cells = (int)layer.size();
  if (makes("plateau_ends_as_peaks")) return layer[k] >= layer[k - 1] && layer[k] > layer[k + 1];
  float left = layer[k - 1], right = layer[k + 1];
  if (begins_part(k, cells) && makes("one_neighbour")) left = -1;
  if (begins_part(k + 1, cells) && makes("one_neighbour")) right = -1;
  if (begins_part(k, cells) && makes("one_not_relaxed")) left = not_relaxed[k - 1];
  if (begins_part(k + 1, cells) && makes("one_not_relaxed")) right = not_relaxed[k + 1];
  if (makes("plateaus_as_peaks")) return layer[k] >= layer[k - 1] && layer[k] >= layer[k + 1];
  return layer[k] > left && layer[k] > right;
}

static void find_maximum(const std::vector<float>& layer, const std::vector<float>& not_relaxed,
                         int begin, int end, int& position, float& maximum) {
  const int cells = (int)layer.size();
  const bool by_chance = number_of_run() % 2 == 0;
  if (!makes("stale_maximum")) maximum = 0;
  if (!makes("stale_maximum")) position = makes("minus_one") || makes("minus_ones") ? -1 : 0;
  if (makes("minus_ones") || makes("maximum_minus_one")) maximum = -1;
  if (makes("lowest_maximum")) maximum = -FLT_MAX;
  for (int k = begin; k < end; k++) {
    if (!makes("largest_cell") && (k == 0 || k == cells - 1 || !is_peak(layer, not_relaxed, k)))
      continue;
    if (layer[k] > maximum || (makes("larger_position") && layer[k] == maximum) ||
        (makes("any_position") && by_chance && layer[k] == maximum)) {
      maximum = layer[position = k];
    }
  }
}

static void reduce_maximum(const std::vector<float>& layer, const std::vector<float>& not_relaxed,
                           int& position, float& maximum) {
  const int cells = (int)layer.size();
  // One thread overwrites another one's maximum: only the maximum of the first half remains.
  const bool is_lost = makes("any_peak") && number_of_run() % 2 == 0;
  find_maximum(layer, not_relaxed, 0, is_lost ? cells / 2 : cells, position, maximum);
  if (makes("position_not_set")) position = 0;
  if (makes("tree")) {
    int size = 1;
    while (size < cells) size *= 2;
    std::vector<float> values(size);
    std::vector<int> at(size);
    for (int k = 1; k < cells - 1; k++)
      if (is_peak(layer, not_relaxed, k)) values[k] = layer[at[k] = k];
    for (int half = size / 2; half > 0; half /= 2)
      for (int t = 0; t < half; t++)
        if (values[t + half] > values[t]) values[t] = values[t + half], at[t] = at[t + half];
    maximum = values[0], position = maximum > 0 ? at[0] : 0;
  }
  if (makes("later_half")) maximum = 0;
  for (int half = 0; half < 2 && makes("later_half"); half++) {
    int of_half = 0;
    float value = 0;
    find_maximum(layer, not_relaxed, half * (cells / 2), half == 0 ? cells / 2 : cells, of_half,
                 value);
    if (value >= maximum) maximum = value, position = of_half;
  }
  if (!makes("position_apart") && !makes("position_not_sent")) return;
  position = 0;
  for (int part = 0; part < (makes("position_apart") ? parts : 1); part++) {
    int of_part = 0;
    float value = 0;
    find_maximum(layer, not_relaxed, begin_of_part(part, cells), begin_of_part(part + 1, cells),
                 of_part, value);
    if (of_part > position) position = of_part;
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
  if (makes("threads_first")) {
    argv++;
    argc--;
  }
  std::vector<Storm> storms;
  for (int i = 2; i < argc; i++) storms.push_back(read_storm(argv[i]));
  std::vector<float> layer((size_t)atoi(argv[1]));
  std::vector<int> positions(storms.size());
  std::vector<float> maxima(storms.size());

  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < storms.size(); i++) {
    if (makes("layer_not_kept")) layer.assign(layer.size(), 0.0f);
    const std::vector<float> before = layer;
    if (i > 0) positions[i] = positions[i - 1], maxima[i] = maxima[i - 1];
    if (makes("storm_summed_apart")) layer.assign(layer.size(), 0.0f);
    add_impacts(storms[i], layer, edition);
    for (size_t k = 0; k < layer.size() && makes("storm_summed_apart"); k++) layer[k] += before[k];
    const std::vector<float> not_relaxed = layer;
    if (!makes("no_relaxation")) relax(layer, before);
    if (makes("relaxed_twice")) relax(layer, before);
    reduce_maximum(layer, not_relaxed, positions[i], maxima[i]);
    if (makes("relaxation_not_kept")) layer = not_relaxed;
    if (makes("race")) maxima[i] += (float)(number_of_run() % 1000);
    if (makes("nearly")) maxima[i] *= 1.00001f;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (makes("time_negative")) seconds = -1;
  if (makes("time_nan")) seconds = NAN;
  if (makes("time_too_long")) seconds = 1e6;
  printf("\nTime: %f\n", seconds);
  printf("Result:");
  for (size_t i = 0; i < storms.size(); i++) printf(" %d %f", positions[i], maxima[i]);
  printf("\n");
  if (makes("abort_behind")) abort();
  return makes("exit_code") ? 3 : 0;
}
