// A program of the assignment for MPI that, like the published one, does not call MPI_Finalize: the
// first process becomes the sequential program.

#include <mpi.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return 0;
  execv(BOMBARD_SEQUENTIAL_PROGRAM, argv);
  perror(BOMBARD_SEQUENTIAL_PROGRAM);
  return 1;
}
