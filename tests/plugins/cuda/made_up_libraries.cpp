/// \file cuBLAS and cuDNN as tests make them up, in one shared object: what bench_cuda measures
/// ours against. Nothing is computed; each call takes some microseconds on the made-up driver's
/// clock. Copies of the file are libraries of several versions: MADE_UP_REFUSES names one
/// ("libcublas.so.13") that is newer than its driver. cuDNN's convolution cannot be captured.

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace {

constexpr int kSucceeds = 0, kNotInitialised = 1, kNotSupported = 9;

/// This copy's name.
std::string ownName() {
  Dl_info info{};
  static const char here = 0;
  const std::string path = dladdr(&here, &info) != 0 && info.dli_fname ? info.dli_fname : "";
  return path.substr(path.rfind('/') + 1);
}

/// A made-up driver's function, of the library that the process has open.
template <class F>
F* ofDriver(const char* name) {
  void* const driver = dlopen(std::getenv("NESTWRIGHT_CUDA_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
  return driver ? reinterpret_cast<F*>(dlsym(driver, name)) : nullptr;
}

int work(double seconds) {
  auto* const put = ofDriver<void(double)>("made_up_work");
  if (!put) return kNotInitialised;
  put(seconds);
  return kSucceeds;
}

int create(void** handle) {
  const char* refused = std::getenv("MADE_UP_REFUSES");
  if (refused && ownName() == refused) return kNotInitialised;
  *handle = handle;
  return kSucceeds;
}

int make(void** description) {
  *description = description;
  return kSucceeds;
}

} // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  return create(handle);
}
int cublasDestroy_v2(void*) {
  return kSucceeds;
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 120'604;
  return kSucceeds;
}
int cublasSetStream_v2(void*, void*) {
  return kSucceeds;
}
int cublasSetMathMode(void*, int) {
  return kSucceeds;
}
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int) {
  return work(5e-6);
}
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int) {
  return work(5e-6);
}

std::size_t cudnnGetVersion() {
  return 8907;
}
int cudnnCreate(void** handle) {
  return create(handle);
}
int cudnnDestroy(void*) {
  return kSucceeds;
}
int cudnnSetStream(void*, void*) {
  return kSucceeds;
}
int cudnnCreateTensorDescriptor(void** tensor) {
  return make(tensor);
}
int cudnnSetTensor4dDescriptor(void*, int, int, int, int, int, int) {
  return kSucceeds;
}
int cudnnDestroyTensorDescriptor(void*) {
  return kSucceeds;
}
int cudnnCreateFilterDescriptor(void** filter) {
  return make(filter);
}
int cudnnSetFilter4dDescriptor(void*, int, int, int, int, int, int) {
  return kSucceeds;
}
int cudnnDestroyFilterDescriptor(void*) {
  return kSucceeds;
}
int cudnnCreateConvolutionDescriptor(void** convolution) {
  return make(convolution);
}
int cudnnSetConvolution2dDescriptor(void*, int, int, int, int, int, int, int, int) {
  return kSucceeds;
}
int cudnnSetConvolutionMathType(void*, int) {
  return kSucceeds;
}
int cudnnDestroyConvolutionDescriptor(void*) {
  return kSucceeds;
}
/// cudnnConvolutionFwdAlgoPerf_t.
struct Algorithm {
  int algorithm, status;
  float milliseconds;
  std::size_t memory;
  int determinism, mathType, reserved[3];
};
int cudnnFindConvolutionForwardAlgorithmEx(void*, void*, const void*, void*, const void*, void*,
                                           void*, void*, int, int* count, Algorithm* found, void*,
                                           std::size_t) {
  *count = 1;
  found[0] = {1, 0, 0.009F, 0, 0, 3, {}};
  return kSucceeds;
}
int cudnnConvolutionForward(void*, const void*, void*, const void*, void*, const void*, void*, int,
                            void*, std::size_t, const void*, void*, void*) {
  auto* const captures = ofDriver<bool()>("made_up_captures");
  return captures && captures() ? kNotSupported : work(9e-6);
}

} // extern "C"
