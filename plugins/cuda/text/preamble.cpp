#include "plugins/cuda/text/preamble.h"

#include <cctype>
#include <set>
#include <string_view>

namespace nestwright::cuda {

const std::string& portablePreamble() {
  static const std::string text = R"(struct nw_f16 { unsigned short bits; };
struct nw_bf16 { unsigned short bits; };
template <class T, int N> struct alignas(sizeof(T) * N) nw_vec { T lane[N]; };
template <int Bytes> struct nw_carrier;
template <> struct nw_carrier<16> { typedef uint4 type; };
template <> struct nw_carrier<8> { typedef uint2 type; };
template <> struct nw_carrier<4> { typedef unsigned int type; };
template <> struct nw_carrier<2> { typedef unsigned short type; };

template <class To, class From> __host__ __device__ constexpr To nw_bits(const From& from) {
  return __builtin_bit_cast(To, from);
}
// One aligned access to N neighbours.
template <int N, class T> __device__ __forceinline__ nw_vec<T, N> nw_load(const T* from) {
  typedef typename nw_carrier<sizeof(T) * N>::type carrier;
  return nw_bits<nw_vec<T, N> >(*reinterpret_cast<const carrier*>(from));
}
template <int N, class T> __device__ __forceinline__ void nw_store(T* to, const nw_vec<T, N>& value) {
  typedef typename nw_carrier<sizeof(T) * N>::type carrier;
  *reinterpret_cast<carrier*>(to) = nw_bits<carrier>(value);
}
template <int N, class T> __device__ __forceinline__ nw_vec<T, N> nw_splat(T value) {
  nw_vec<T, N> all;
#pragma unroll
  for (int i = 0; i < N; ++i) all.lane[i] = value;
  return all;
}
template <class T> __device__ __forceinline__ T nw_min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ __forceinline__ T nw_max(T a, T b) { return a < b ? b : a; }
template <class T> __device__ __forceinline__ T nw_abs(T a) { return a < T(0) ? T(0) - a : a; }
// Both round down; by zero they give zero.
template <class T> __device__ __forceinline__ T nw_floordiv(T a, T b) {
  if (b == T(0)) return T(0);
  if (T(-1) < T(0) && b == T(-1)) return T(0) - a; // the lowest number has no quotient
  const T quotient = a / b, rest = a % b;
  return rest != T(0) && (rest < T(0)) != (b < T(0)) ? quotient - T(1) : quotient;
}
template <class T> __device__ __forceinline__ T nw_floormod(T a, T b) {
  if (b == T(0) || (T(-1) < T(0) && b == T(-1))) return T(0);
  const T rest = a % b;
  return rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
}
// What does not fit becomes the nearest value that does, and what is no number zero.
template <class To, class From> __device__ __forceinline__ To nw_round_to_zero(From a, To low, To high) {
  if (a != a) return To(0);
  if (a <= From(low)) return low;
  if (a >= From(high)) return high;
  return To(a);
}
// The row of a tile of 16 bits that a lane tells nw_ldmatrix; rows are `pitch` elements apart.
__host__ __device__ constexpr int nw_row_x4(int lane, int pitch) { return lane % 16 * pitch + lane / 16 * 8; }
__host__ __device__ constexpr int nw_row_x4_trans(int lane, int pitch) {
  return (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 8;
}
__host__ __device__ constexpr int nw_row_x2(int lane, int pitch) { return lane % 8 * pitch + lane / 8 % 2 * 8; }
__host__ __device__ constexpr int nw_row_x2_trans(int lane, int pitch) { return lane % 16 * pitch; }
// A lane's share of a tile, an element at a time: as mma.m16n8k16 wants it.
template <class T> __device__ __forceinline__ void nw_fragment_a(unsigned int* to, const T* from, long long rows, long long columns, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const T* const at = from + (lane / 4 + i % 2 * 8) * rows + (lane % 4 * 2 + i / 2 * 8) * columns;
    to[i] = at[0].bits | (unsigned int)at[columns].bits << 16;
  }
}
template <class T> __device__ __forceinline__ void nw_fragment_b(unsigned int* to, const T* from, long long rows, long long columns, int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const T* const at = from + (lane % 4 * 2 + i * 8) * rows + lane / 4 * columns;
    to[i] = at[0].bits | (unsigned int)at[rows].bits << 16;
  }
}
// The same as mma.m16n8k8 wants it, rounded to TF32: halves away from zero. Infinities and NaN stay.
__device__ __forceinline__ unsigned int nw_tf32(float a) {
  const unsigned int bits = nw_bits<unsigned int>(a);
  return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & 0xffffe000u;
}
__device__ __forceinline__ void nw_fragment_a(unsigned int* to, const float* from, long long rows, long long columns, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    to[i] = nw_tf32(from[(lane / 4 + i % 2 * 8) * rows + (lane % 4 + i / 2 * 4) * columns]);
}
__device__ __forceinline__ void nw_fragment_b(unsigned int* to, const float* from, long long rows, long long columns, int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) to[i] = nw_tf32(from[(lane % 4 + i * 4) * rows + lane / 4 * columns]);
}
)";
  return text;
}

const std::string& devicePreamble() {
  static const std::string text = R"(extern __shared__ __align__(128) unsigned char nw_shared[];
__device__ __forceinline__ float nw_f32(nw_f16 a) {
  float b;
  asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(a.bits));
  return b;
}
__device__ __forceinline__ float nw_f32(nw_bf16 a) {
  return nw_bits<float>((unsigned int)a.bits << 16);
}
__device__ __forceinline__ nw_f16 nw_to_f16(float a) {
  nw_f16 b;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b.bits) : "f"(a));
  return b;
}
__device__ __forceinline__ nw_bf16 nw_to_bf16(float a) {
  nw_bf16 b;
  const unsigned int bits = nw_bits<unsigned int>(a);
  b.bits = (unsigned short)(a != a ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  return b;
}
// Where an element of shared memory is, in 32 bits: of a pointer the compiler computes all 64.
template <class T> __device__ __forceinline__ unsigned int nw_shared_at(const T* shared, int element) {
  unsigned int start;
  asm("{ .reg .u64 nw_at; cvta.to.shared.u64 nw_at, %1; cvt.u32.u64 %0, nw_at; }" : "=r"(start) : "l"(shared));
  return start + (unsigned int)element * (unsigned int)sizeof(T);
}
// Copies into shared memory that go on while the thread does (sm_80 on): 4, 8 or 16 aligned bytes,
// zeros where there is nothing to copy.
template <int Bytes, class T> __device__ __forceinline__ void nw_copy_async(T* to, int element, const T* from, bool there = true) {
  const unsigned int shared = nw_shared_at(to, element);
  const int bytes = there ? Bytes : 0;
  if (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(shared), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" :: "r"(shared), "l"(from), "n"(Bytes), "r"(bytes) : "memory");
}
__device__ __forceinline__ void nw_commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Pending> __device__ __forceinline__ void nw_wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" :: "n"(Pending) : "memory");
}
template <class T> __device__ __forceinline__ T nw_shuffle_down(unsigned int mask, T value, int lane, int width) {
  return __shfl_down_sync(mask, value, lane, width);
}
template <class T> __device__ __forceinline__ T nw_shuffle_from(unsigned int mask, T value, int lane, int width) {
  return __shfl_sync(mask, value, lane, width);
}
__device__ __forceinline__ nw_f16 nw_shuffle_down(unsigned int mask, nw_f16 value, int lane, int width) {
  return {(unsigned short)__shfl_down_sync(mask, (unsigned int)value.bits, lane, width)};
}
__device__ __forceinline__ nw_f16 nw_shuffle_from(unsigned int mask, nw_f16 value, int lane, int width) {
  return {(unsigned short)__shfl_sync(mask, (unsigned int)value.bits, lane, width)};
}
__device__ __forceinline__ nw_bf16 nw_shuffle_down(unsigned int mask, nw_bf16 value, int lane, int width) {
  return {(unsigned short)__shfl_down_sync(mask, (unsigned int)value.bits, lane, width)};
}
__device__ __forceinline__ nw_bf16 nw_shuffle_from(unsigned int mask, nw_bf16 value, int lane, int width) {
  return {(unsigned short)__shfl_sync(mask, (unsigned int)value.bits, lane, width)};
}
#if __CUDA_ARCH__ >= 800
#define NW_LDMATRIX(form, to, at) \
  "ldmatrix.sync.aligned.m8n8." form ".shared.b16 {" to "}, [" at "];"
template <class T> __device__ __forceinline__ void nw_ldmatrix_x4(unsigned int* to, const T* shared, int row) {
  asm volatile(NW_LDMATRIX("x4", "%0, %1, %2, %3", "%4")
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(nw_shared_at(shared, row)) : "memory");
}
template <class T> __device__ __forceinline__ void nw_ldmatrix_x4_trans(unsigned int* to, const T* shared, int row) {
  asm volatile(NW_LDMATRIX("x4.trans", "%0, %1, %2, %3", "%4")
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(nw_shared_at(shared, row)) : "memory");
}
template <class T> __device__ __forceinline__ void nw_ldmatrix_x2(unsigned int* to, const T* shared, int row) {
  asm volatile(NW_LDMATRIX("x2", "%0, %1", "%2") : "=r"(to[0]), "=r"(to[1]) : "r"(nw_shared_at(shared, row)) : "memory");
}
template <class T> __device__ __forceinline__ void nw_ldmatrix_x2_trans(unsigned int* to, const T* shared, int row) {
  asm volatile(NW_LDMATRIX("x2.trans", "%0, %1", "%2") : "=r"(to[0]), "=r"(to[1]) : "r"(nw_shared_at(shared, row)) : "memory");
}
#define NW_MMA(shape, types) \
  asm("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
__device__ __forceinline__ void nw_mma_m16n8k16_bf16(float* sums, const unsigned int* a, const unsigned int* b) {
  NW_MMA("m16n8k16", "bf16.bf16");
}
__device__ __forceinline__ void nw_mma_m16n8k16_f16(float* sums, const unsigned int* a, const unsigned int* b) {
  NW_MMA("m16n8k16", "f16.f16");
}
__device__ __forceinline__ void nw_mma_m16n8k8_tf32(float* sums, const unsigned int* a, const unsigned int* b) {
  NW_MMA("m16n8k8", "tf32.tf32");
}
#endif
)";
  return text;
}

std::vector<std::string> preambleNames() {
  static constexpr std::string_view kPrefix = "nw_";
  const std::string& text = preamble();
  std::set<std::string> names;
  for (std::size_t at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at)) {
    const std::size_t begin = at += kPrefix.size();
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
      ++at;
    names.insert(text.substr(begin, at - begin));
  }
  return {names.begin(), names.end()};
}

const std::string& preamble() {
  static const std::string text = portablePreamble() + devicePreamble();
  return text;
}

} // namespace nestwright::cuda
