#include <stdint.h>

#ifndef _OPENMP
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

/* Vectors that begin at any element. Functions that take them are inside of this file alone. */
#pragma GCC diagnostic ignored "-Wpsabi"
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
/* This element of an array and its neighbours, as one vector. */
#define LANES(type, element) (*(type *)&(element))

void matmul(const float *restrict A, const float *restrict B, float *restrict C, int threads) {
  (void)threads; // not used without OpenMP
  #pragma omp parallel for num_threads(threads)
  for (int64_t i_0 = 0; i_0 < 4; ++i_0) {
    #pragma GCC unroll 4
    for (int64_t i_1_init = 0; i_1_init < 4; ++i_1_init)
      LANES(f32x16, C[(i_0 * 4 + i_1_init) * 16]) = (f32x16){0};
    for (int64_t k = 0; k < 16; ++k)
      #pragma GCC unroll 4
      for (int64_t i_1 = 0; i_1 < 4; ++i_1)
        LANES(f32x16, C[(i_0 * 4 + i_1) * 16]) +=
            A[(i_0 * 4 + i_1) * 16 + k] * LANES(f32x16, B[k * 16]);
  }
}
