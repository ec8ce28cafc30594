// A program of the assignment, `sequential_program CELLS STORM...`, written from docs/methods.md as
// a student would write it: what `bombard judge` is tried on. With the name of a mistake in the
// environment (MISTAKE=larger_position) it makes that mistake; with the name of a misbehaviour
// (MISTAKE=hang) it misbehaves. EDITION=1 is the rule of the first edition.

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vector>

static const char* mistake = "";

static bool makes(const char* name) {
  return strcmp(mistake, name) == 0;
}

struct Storm {
  std::vector<int> positions, energies;
};

static Storm read_storm(const char* name) {
  FILE* file = fopen(name, "r");
  int count = 0;
  if (file == nullptr || fscanf(file, "%d", &count) != 1) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(1);
  }
  if (makes("fixed_array") && count > 20000) raise(SIGSEGV);
  Storm storm;
  for (int i = 0; i < count; i++) {
    int position = 0, energy = 0;
    if (fscanf(file, "%d %d", &position, &energy) != 2) exit(1);
    storm.positions.push_back(position);
    storm.energies.push_back(energy);
  }
  fclose(file);
  return storm;
}

static void add_impacts(const Storm& storm, std::vector<float>& layer, int edition) {
  const int cells = (int)layer.size();
  float threshold = edition == 1 ? 0.001f : 0.001f / cells;
  if (makes("no_threshold")) threshold = 0;
  const bool in_double = makes("root_in_double");
  const bool two_sided = !makes("no_negative_shares");
  for (size_t i = 0; i < storm.positions.size(); i++) {
    const int position = storm.positions[i];
    if (makes("no_impacts_outside") && (position < 0 || position >= cells)) continue;
    float energy = (float)storm.energies[i];
    energy = edition == 1 ? energy / 1000 : energy * 1000 / cells;
    for (int k = 0; k < cells; k++) {
      const int distance = abs(position - k) + 1;
      float share = energy / sqrtf((float)distance);
      if (in_double) share = (float)(energy / sqrt((double)distance));
      if (share >= threshold || (two_sided && share <= -threshold)) {
        layer[k] += share;
      }
    }
  }
}

static void relax(std::vector<float>& layer) {
  const int cells = (int)layer.size();
  const std::vector<float> copy = layer;
  const std::vector<float>& from = makes("relaxation_in_place") ? layer : copy;
  for (int k = 1; k < cells - 1; k++) layer[k] = (from[k - 1] + from[k] + from[k + 1]) / 3;
}

static void find_maximum(const std::vector<float>& layer, int& position, float& maximum) {
  const int cells = (int)layer.size();
  position = 0;
  maximum = 0;
  if (makes("largest_cell")) {
    for (int k = 0; k < cells; k++) {
      if (layer[k] > maximum) maximum = layer[position = k];
    }
    return;
  }
  for (int k = 1; k < cells - 1; k++) {
    const bool is_plateau = layer[k] >= layer[k - 1] && layer[k] >= layer[k + 1];
    const bool is_peak = layer[k] > layer[k - 1] && layer[k] > layer[k + 1];
    if (is_peak || (is_plateau && makes("plateaus_as_peaks"))) {
      if (layer[k] > maximum || (makes("larger_position") && layer[k] == maximum)) {
        maximum = layer[position = k];
      }
    }
  }
}

// What is not a mistake in the rule.
static void misbehave() {
  if (makes("hang")) {
    while (true) pause();
  }
  if (makes("crash")) raise(SIGSEGV);
  if (makes("fork")) {  // children in sessions of their own, which have lost their parents
    for (int i = 0; i < 3; i++) {
      if (fork() == 0) {
        setsid();
        if (fork() == 0) sleep(1000);
        _exit(0);
      }
    }
  }
  if (makes("fork_and_fork")) {  // as without end, but no machine is lost if nobody ends it
    for (int doublings = 0; doublings < 12; doublings++) fork();
    sleep(60);
  }
  if (makes("gigabyte")) {
    const std::vector<char> zeros(1 << 20, '0');
    for (int i = 0; i < 1024; i++) fwrite(zeros.data(), 1, zeros.size(), stdout);
  }
  if (makes("memory")) {
    while (true) memset(malloc(1 << 20), 1, 1 << 20);
  }
  if (makes("files")) {
    FILE* file = fopen("large", "w");
    fseek(file, 2L << 30, SEEK_SET);
    fputc('x', file);
    fclose(file);
  }
  if (makes("locked_directory")) {  // nobody may look into it
    mkdir("locked", 0700);
    fclose(fopen("locked/file", "w"));
    chmod("locked", 0);
  }
  if (makes("needs_launcher") && getenv("LAUNCHED") == nullptr) {
    fprintf(stderr, "start me with my launcher\x1b[2J\n");
    exit(13);
  }
}

int main(int argc, char** argv) {
  if (getenv("MISTAKE") != nullptr) mistake = getenv("MISTAKE");
  const int edition = getenv("EDITION") != nullptr ? atoi(getenv("EDITION")) : 2;
  if (argc < 3) {
    fprintf(stderr, "usage: %s CELLS STORM...\n", argv[0]);
    return 1;
  }
  misbehave();
  std::vector<Storm> storms;
  for (int i = 2; i < argc; i++) storms.push_back(read_storm(argv[i]));
  std::vector<float> layer((size_t)atoi(argv[1]));
  std::vector<int> positions(storms.size());
  std::vector<float> maxima(storms.size());

  timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (size_t i = 0; i < storms.size(); i++) {
    if (makes("layer_not_kept")) layer.assign(layer.size(), 0.0f);
    add_impacts(storms[i], layer, edition);
    if (!makes("no_relaxation")) relax(layer);
    find_maximum(layer, positions[i], maxima[i]);
    if (makes("race")) maxima[i] += (float)(getpid() % 1000);
    if (makes("roundings")) maxima[i] *= 1.00001f;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);

  printf("\nTime: %f\n",
         (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
  if (makes("no_result")) return 0;
  printf("Result:");
  for (size_t i = 0; i < storms.size(); i++) printf(" %d %f", positions[i], maxima[i]);
  printf("\n");
  return 0;
}
