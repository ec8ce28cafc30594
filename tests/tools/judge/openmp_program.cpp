// A program of the assignment with OpenMP, as a student would write it, to test what `bombard
// judge` says of threads that share a layer. SUM says how they add impacts, MAXIMUM=unprotected how
// they compare.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

struct Impact {
  int position, energy;
};

static float share(const Impact& impact, int k, int cells) {
  const float energy = (float)impact.energy * 1000 / cells;
  const float share = energy / sqrtf((float)(abs(impact.position - k) + 1));
  return share >= 0.001f / cells || share <= -0.001f / cells ? share : 0;
}

static void add_impacts(const std::string& sum, const std::vector<Impact>& storm, int cells,
                        float* layer) {
  const int count = (int)storm.size();
  if (sum == "unprotected") {
#pragma omp parallel for
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) layer[k] += share(storm[i], k, cells);
  } else if (sum == "atomic") {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) {
#pragma omp atomic
        layer[k] += share(storm[i], k, cells);
      }
  } else if (sum == "reduction") {
#pragma omp parallel for reduction(+ : layer[:cells])
    for (int i = 0; i < count; i++)
      for (int k = 0; k < cells; k++) layer[k] += share(storm[i], k, cells);
  } else if (sum == "unprotected_merge") {
#pragma omp parallel
    {
      std::vector<float> own(cells);
#pragma omp for nowait
      for (int i = 0; i < count; i++)
        for (int k = 0; k < cells; k++) own[k] += share(storm[i], k, cells);
      for (int k = 0; k < cells; k++) layer[k] += own[k];
    }
  } else {
#pragma omp parallel for
    for (int k = 0; k < cells; k++)
      for (int i = 0; i < count; i++) layer[k] += share(storm[i], k, cells);
  }
}

static void find_maximum(const std::string& how, const std::vector<float>& layer, int& position,
                         float& maximum) {
  const int cells = (int)layer.size();
#pragma omp parallel for if (how == "unprotected")
  for (int k = 1; k < cells - 1; k++) {
    if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum) {
      if (how == "unprotected") usleep(1);  // makes a rare event happen in each run
      maximum = layer[k];
      position = k;
    }
  }
}

int main(int argc, char** argv) {
  const std::string sum = getenv("SUM") != nullptr ? getenv("SUM") : "";
  const std::string how = getenv("MAXIMUM") != nullptr ? getenv("MAXIMUM") : "";
  std::vector<float> layer(atoi(argv[1]));
  std::string result = "Result:";
  for (int storm = 2; storm < argc; storm++) {
    FILE* file = fopen(argv[storm], "r");
    int count = 0;
    if (file == nullptr || fscanf(file, "%d", &count) != 1) return 1;
    std::vector<Impact> impacts(count);
    for (Impact& impact : impacts)
      if (fscanf(file, "%d %d", &impact.position, &impact.energy) != 2) return 1;
    fclose(file);
    add_impacts(sum, impacts, (int)layer.size(), layer.data());
    const std::vector<float> copy = layer;
#pragma omp parallel for
    for (size_t k = 1; k < layer.size() - 1; k++)
      layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    int position = 0;
    float maximum = 0;
    find_maximum(how, layer, position, maximum);
    result += " " + std::to_string(position) + " " + std::to_string(maximum);
  }
  printf("%s\n", result.c_str());
}
