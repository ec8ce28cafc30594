#pragma once

#include <nv/target>

// Which lane of a warp holds which number of the matrices that the matrix units multiply, C += A B
// (PTX ISA, mma.m8n8k4 and mma.m16n8k8 for f64):
//
//     A, 8 x 4                 B, 4 x 8                   C, 8 x 8
//            inner                    column                      column
//            0  1  2  3               0  1  2 ..  7               0  1  2  3  4  5  6  7
//     row 0  0  1  2  3     inner 0   0  4  8 .. 28         row 0  0  0  1  1  2  2  3  3
//         1  4  5  6  7           1   1  5  9 .. 29             1  4  4  5  5  6  6  7  7
//        ..                       2   2  6 10 .. 30            ..
//         7 28 29 30 31           3   3  7 11 .. 31             7 28 28 29 29 30 30 31 31
//
// The larger instruction takes four A (rows 0 .. 7 and 8 .. 15, inner 0 .. 3 and 4 .. 7), two B and
// two C, each laid out like that. So a lane holds two numbers of B, 8 x 8 then, with the column
// lane / 4: those of the inner indices lane % 4 and lane % 4 + 4. Any other order of the inner
// indices will do that is the same in A and B (tables.cpp, InnerIndices).

namespace bombard::cuda {

/// The place of a lane's elements in small matrices that a warp holds together: one element each of
/// an 8 x 4 matrix A and a 4 x 8 matrix B, A[row][inner] and B[inner][row], and two of an 8 x 8
/// matrix C, C[row][column] and C[row][column + 1].
struct Fragment {
  int row, inner, column;

  __device__ Fragment()
      : row(static_cast<int>(threadIdx.x) % 32 / 4),
        inner(static_cast<int>(threadIdx.x) % 4),
        column(2 * inner) {}
};

/// C += A B in binary64: one instruction of the matrix units where there are any. All lanes take
/// part.
__device__ inline void multiply_add(double a, double b, double (&c)[2]) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_80,
      (asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
           : "+d"(c[0]), "+d"(c[1])
           : "d"(a), "d"(b));),
      (const Fragment at; for (int k = 0; k < 4; ++k) {
        const double of_row = __shfl_sync(~0U, a, 4 * at.row + k);
        const double first = __shfl_sync(~0U, b, 4 * at.column + k);
        const double second = __shfl_sync(~0U, b, 4 * at.column + 4 + k);
        c[0] = fma(of_row, first, c[0]);
        c[1] = fma(of_row, second, c[1]);
      }))
}

/// The same for sixteen rows and eight inner ones at once. A lane holds the values of two calls of
/// the function above: `top` and `bottom` of the rows, of the first four inner ones and of the
/// last. Where there is an instruction for this, it takes the time of two of the other, not of
/// four.
__device__ inline void multiply_add(const double (&top)[2], const double (&bottom)[2],
                                    const double (&b)[2], double (&top_sum)[2],
                                    double (&bottom_sum)[2]) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90,
      (asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
           "{%8, %9}, {%0, %1, %2, %3};"
           : "+d"(top_sum[0]), "+d"(top_sum[1]), "+d"(bottom_sum[0]), "+d"(bottom_sum[1])
           : "d"(top[0]), "d"(bottom[0]), "d"(top[1]), "d"(bottom[1]), "d"(b[0]), "d"(b[1]));),
      (for (int half = 0; half < 2; ++half) {
        multiply_add(top[half], b[half], top_sum);
        multiply_add(bottom[half], b[half], bottom_sum);
      }))
}

}  // namespace bombard::cuda
