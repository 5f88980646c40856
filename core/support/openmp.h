#pragma once
/// \file What we call of libgomp, GCC's OpenMP runtime, which parallel kernels run on. Its header
/// comes with GCC alone; another compiler would find that of a runtime of its own, or none.

extern "C" {
int omp_get_max_threads();
int omp_get_thread_num();
int omp_get_num_threads();
void omp_set_num_threads(int threads);
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
}
