// Energy storms on all cores: a solution of the tour's exercises 2 to 4.
//   gcc -O3 -fopenmp solution.c -lm -o solution && ./solution 60 ../../inputs/samples/layer_60_storm_*.txt
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  int count, *position, *energy;
} Storm;

static Storm read_storm(const char* name) {
  Storm storm = {0, NULL, NULL};
  FILE* file = fopen(name, "r");
  if (file == NULL || fscanf(file, "%d", &storm.count) != 1) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(2);
  }
  storm.position = malloc(sizeof(int) * (storm.count + 1));
  storm.energy = malloc(sizeof(int) * (storm.count + 1));
  for (int i = 0; i < storm.count; i++) {
    if (fscanf(file, "%d %d", &storm.position[i], &storm.energy[i]) != 2) exit(2);
  }
  fclose(file);
  return storm;
}

// Adds the share of one impact to one cell. All arithmetic is float.
static void update(float* layer, int cells, int k, int position, float energy) {
  float share = energy / cells / sqrtf((float)(abs(position - k) + 1));
  if (share >= 0.001f / cells || share <= -0.001f / cells) layer[k] = layer[k] + share;
}

// Exercise 3: a thread has cells of its own and takes all impacts, in their order, to a few of them at a time. The cells stay in
// the cache, and threads wait for each other once.
static void add_impacts(float* layer, int cells, const Storm* storm) {
  const int block = 1024;
#pragma omp parallel for schedule(static)
  for (int begin = 0; begin < cells; begin += block) {
    int end = begin + block < cells ? begin + block : cells;
    for (int i = 0; i < storm->count; i++) {
      float energy = (float)storm->energy[i] * 1000;
      for (int k = begin; k < end; k++) update(layer, cells, k, storm->position[i], energy);
    }
  }
}

static void relax(float* layer, float* copy, int cells) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < cells; k++) copy[k] = layer[k];
#pragma omp parallel for schedule(static)
  for (int k = 1; k < cells - 1; k++) layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
}

// Exercise 4: each thread has its own highest peak. Of equal ones the smallest position wins, whatever thread comes first.
static void find_maximum(const float* layer, int cells, int* position, float* maximum) {
  *position = 0, *maximum = 0;
#pragma omp parallel
  {
    int my_position = 0;
    float my_maximum = 0;
#pragma omp for schedule(static)
    for (int k = 1; k < cells - 1; k++) {
      if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > my_maximum) {
        my_position = k, my_maximum = layer[k];
      }
    }
#pragma omp critical
    if (my_maximum > *maximum || (my_maximum == *maximum && my_maximum > 0 && my_position < *position)) {
      *position = my_position, *maximum = my_maximum;
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s CELLS STORM...\n", argv[0]);
    return 2;
  }
  int cells = atoi(argv[1]), storms = argc - 2;
  float* layer = calloc(cells, sizeof(float));
  float* copy = calloc(cells, sizeof(float));
  int* positions = malloc(sizeof(int) * storms);
  float* maxima = malloc(sizeof(float) * storms);
  Storm* all = malloc(sizeof(Storm) * storms);
  for (int s = 0; s < storms; s++) all[s] = read_storm(argv[s + 2]);

  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int s = 0; s < storms; s++) {
    add_impacts(layer, cells, &all[s]);
    relax(layer, copy, cells);
    find_maximum(layer, cells, &positions[s], &maxima[s]);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);

  printf("\nTime: %lf\nResult:", end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec));
  for (int s = 0; s < storms; s++) printf(" %d %f", positions[s], maxima[s]);
  printf("\n");
  return 0;
}
