/// \file What CUDA C has and C++ has not, put before generated kernels so that the host's compiler
/// takes them. The threads themselves are in the program that runs the kernels (host_threads.h).
/// Nothing is included, so that compiling takes a moment.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("nw_block")))

struct uint2 {
  unsigned x, y;
} __attribute__((aligned(8)));
struct uint4 {
  unsigned x, y, z, w;
} __attribute__((aligned(16)));

/// What the program that runs the kernels sets and calls; HostThreads::Link is the same.
struct nw_link {
  unsigned threadIdx[3], blockIdx[3];
  void (*barrier)();
  unsigned long long (*shuffle)(unsigned mask, unsigned long long told, unsigned lane);
  unsigned (*lane)();   // of the thread that runs, in its warp
  unsigned (*thread)(); // its number in its block
};
extern "C" nw_link nw_given;
nw_link nw_given;
static struct {
  unsigned &x = nw_given.threadIdx[0], &y = nw_given.threadIdx[1], &z = nw_given.threadIdx[2];
} threadIdx;
static struct {
  unsigned &x = nw_given.blockIdx[0], &y = nw_given.blockIdx[1], &z = nw_given.blockIdx[2];
} blockIdx;

__attribute__((section("nw_block"), aligned(128), used)) static unsigned char nw_shared[227 << 10];
extern "C" unsigned char __start_nw_block[], __stop_nw_block[];
/// Shared memory before a block has it.
extern "C" void nw_poison() {
  __builtin_memset(__start_nw_block, 0xff,
                   static_cast<unsigned long>(__stop_nw_block - __start_nw_block));
}

extern "C" {
#define NW_FUNCTION(name)                                                                          \
  float name##f(float) noexcept;                                                                   \
  double name(double) noexcept;
NW_FUNCTION(exp)
NW_FUNCTION(log)
NW_FUNCTION(sqrt)
NW_FUNCTION(tanh)
NW_FUNCTION(erf)
NW_FUNCTION(fabs)
NW_FUNCTION(floor)
NW_FUNCTION(ceil)
NW_FUNCTION(rint)
NW_FUNCTION(sin)
NW_FUNCTION(cos)
float powf(float, float) noexcept;
double pow(double, double) noexcept;
}
static inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
static inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}

static inline void __syncthreads() {
  nw_given.barrier();
}
template <class T>
T nw_told(unsigned mask, T value, unsigned lane) {
  unsigned long long told = 0;
  __builtin_memcpy(&told, &value, sizeof value);
  const unsigned long long heard = nw_given.shuffle(mask, told, lane);
  __builtin_memcpy(&value, &heard, sizeof value);
  return value;
}
template <class T>
T nw_shuffle_down(unsigned mask, T value, int by, int width) {
  const int lane = static_cast<int>(nw_given.lane()), segment = lane / width * width;
  return nw_told(mask, value,
                 static_cast<unsigned>(lane + by < segment + width ? lane + by : lane));
}
template <class T>
T nw_shuffle_from(unsigned mask, T value, int number, int width) {
  const int lane = static_cast<int>(nw_given.lane());
  return nw_told(mask, value, static_cast<unsigned>(lane / width * width + number));
}

/// A copy that is made when it is waited for, at the last moment that a GPU has.
struct nw_copy {
  void* to;
  const void* from; // null: zeros
  int bytes, group;
};
/// Of one thread of a block.
struct nw_copies {
  nw_copy waiting[512];
  int first, count, group; // of a ring; the group that is open
};
static nw_copies nw_copies_of[1024];

template <int Bytes, class T>
void nw_copy_async(T* shared, int element, const T* from, bool there = true) {
  T* const to = shared + element;
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  nw_copies& mine = nw_copies_of[nw_given.thread()];
  if (mine.count == 512 || reinterpret_cast<unsigned long long>(to) % Bytes != 0 ||
      (there && reinterpret_cast<unsigned long long>(from) % Bytes != 0))
    __builtin_trap();
  __builtin_memset(to, 0xff, Bytes);
  mine.waiting[(mine.first + mine.count++) % 512] = {to, there ? from : nullptr, Bytes, mine.group};
}
static inline void nw_commit_copies() {
  ++nw_copies_of[nw_given.thread()].group;
}
template <int Pending>
void nw_wait_for_copies() {
  nw_copies& mine = nw_copies_of[nw_given.thread()];
  for (; mine.count > 0; --mine.count, mine.first = (mine.first + 1) % 512) {
    const nw_copy& copy = mine.waiting[mine.first];
    if (copy.group >= mine.group - Pending) return;
    if (copy.from)
      __builtin_memcpy(copy.to, copy.from, static_cast<unsigned long>(copy.bytes));
    else
      __builtin_memset(copy.to, 0, static_cast<unsigned long>(copy.bytes));
  }
}

/// An argument of any pointer type.
struct nw_argument {
  void* address;
  template <class T>
  operator T*() const {
    return static_cast<T*>(address);
  }
};
