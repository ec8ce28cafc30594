// bombard: one process.

#include "tools/cli/ranks.hpp"

int main(int argc, char** argv) {
  return bombard::tools::program(argc, argv);
}
