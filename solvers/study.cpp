#include "solvers/study.hpp"

namespace bombard {

const std::vector<Study>& studies() {
  constexpr std::int64_t most_elements = std::int64_t{1} << 31;
  constexpr std::int64_t most_rows = std::int64_t{1} << 28;  // of square matrices
  static const std::vector<Study> all{
      {"reduction",
       "sums by every scheme and block size, element-wise minima",
       most_elements,
       {32768, 65536, 131072, 262144, 1 << 20, 1 << 24, 1 << 28},
       measure_reductions},
      {"product",
       "matrix products: one thread for each element, tiles, cuBLAS",
       most_rows,
       {256, 512, 1024, 3800, 4096},
       measure_products},
      {"dot",
       "scalar products of the rows of two matrices",
       most_rows,
       {256, 512, 4000, 10000},
       measure_dots},
      {"jacobi",
       "sweeps of Jacobi's iteration over dense systems",
       most_rows,
       {256, 512, 2048, 8192},
       measure_jacobi},
      {"sort",
       "bitonic and radix sort of integers",
       most_elements,
       {65536, 524288, 1 << 20, 1 << 24},
       measure_sorts}};
  return all;
}

}  // namespace bombard
