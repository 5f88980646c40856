#include "tests/bench/gpu_peers.h"

#include "core/measure/elements.h"
#include "core/support/error.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/context.h"
#include "plugins/cuda/driver/device_memory.h"
#include "plugins/cuda/driver/nvml.h"
#include "plugins/cuda/system/shared_library.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace nestwright::bench {
namespace {

using cuda::CuAddress;
using cuda::SharedLibrary;
using Status = int; // of both libraries; 0 is success

// Numbers as the libraries count them.
constexpr int kPedanticMath = 2, kNoTranspose = 0, kFloat = 0, kHalfBrain = 14, kSumsInFloat = 68;
constexpr int kDefaultAlgorithm = -1;
constexpr int kCrossCorrelation = 1, kFmaMath = 3, kNchw = 0, kNhwc = 1;
constexpr std::size_t kWorkspace = std::size_t{256} << 20;

void require(Status status, const char* what) {
  if (status != 0) throw Error(fmt::format("{} fails with status {}", what, status));
}

struct Cublas {
  Status (*create)(void** handle) = nullptr;
  Status (*destroy)(void*) = nullptr;
  Status (*version)(void*, int*) = nullptr;
  Status (*setStream)(void*, cuda::CuStream) = nullptr;
  Status (*setMathMode)(void*, int) = nullptr;
  Status (*gemm)(void*, int, int, int m, int n, int k, const void* alpha, const void* a, int aType,
                 int lda, const void* b, int bType, int ldb, const void* beta, void* c, int cType,
                 int ldc, int computeType, int algorithm) = nullptr;
  Status (*sgemm)(void*, int, int, int m, int n, int k, const float* alpha, const float* a, int lda,
                  const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;

  bool resolve(const SharedLibrary& library) {
    return library.get(create, "cublasCreate_v2") && library.get(destroy, "cublasDestroy_v2") &&
           library.get(version, "cublasGetVersion_v2") &&
           library.get(setStream, "cublasSetStream_v2") &&
           library.get(setMathMode, "cublasSetMathMode") && library.get(gemm, "cublasGemmEx") &&
           library.get(sgemm, "cublasSgemm_v2");
  }
};

/// cudnnConvolutionFwdAlgoPerf_t.
struct FoundAlgorithm {
  int algorithm = 0;
  Status status = 0;
  float milliseconds = 0;
  std::size_t memory = 0;
  int determinism = 0, mathType = 0;
  int reserved[3] = {};
};

struct Cudnn {
  std::size_t (*version)() = nullptr;
  Status (*create)(void**) = nullptr;
  Status (*destroy)(void*) = nullptr;
  Status (*setStream)(void*, cuda::CuStream) = nullptr;
  Status (*createTensor)(void**) = nullptr;
  Status (*setTensor)(void*, int format, int type, int n, int c, int h, int w) = nullptr;
  Status (*destroyTensor)(void*) = nullptr;
  Status (*createFilter)(void**) = nullptr;
  Status (*setFilter)(void*, int type, int format, int k, int c, int h, int w) = nullptr;
  Status (*destroyFilter)(void*) = nullptr;
  Status (*createConvolution)(void**) = nullptr;
  Status (*setConvolution)(void*, int padH, int padW, int strideH, int strideW, int dilationH,
                           int dilationW, int mode, int computeType) = nullptr;
  Status (*setMathType)(void*, int) = nullptr;
  Status (*destroyConvolution)(void*) = nullptr;
  Status (*find)(void*, void* xDescription, const void* x, void* wDescription, const void* w,
                 void* convolution, void* yDescription, void* y, int wanted, int* found,
                 FoundAlgorithm*, void* workspace, std::size_t bytes) = nullptr;
  Status (*forward)(void*, const void* alpha, void* xDescription, const void* x, void* wDescription,
                    const void* w, void* convolution, int algorithm, void* workspace,
                    std::size_t bytes, const void* beta, void* yDescription, void* y) = nullptr;

  bool resolve(const SharedLibrary& library) {
    return library.get(version, "cudnnGetVersion") && library.get(create, "cudnnCreate") &&
           library.get(destroy, "cudnnDestroy") && library.get(setStream, "cudnnSetStream") &&
           library.get(createTensor, "cudnnCreateTensorDescriptor") &&
           library.get(setTensor, "cudnnSetTensor4dDescriptor") &&
           library.get(destroyTensor, "cudnnDestroyTensorDescriptor") &&
           library.get(createFilter, "cudnnCreateFilterDescriptor") &&
           library.get(setFilter, "cudnnSetFilter4dDescriptor") &&
           library.get(destroyFilter, "cudnnDestroyFilterDescriptor") &&
           library.get(createConvolution, "cudnnCreateConvolutionDescriptor") &&
           library.get(setConvolution, "cudnnSetConvolution2dDescriptor") &&
           library.get(setMathType, "cudnnSetConvolutionMathType") &&
           library.get(destroyConvolution, "cudnnDestroyConvolutionDescriptor") &&
           library.get(find, "cudnnFindConvolutionForwardAlgorithmEx") &&
           library.get(forward, "cudnnConvolutionForward");
  }
};

constexpr std::array<const char*, 8> kAlgorithms{
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
    "WINOGRAD",      "WINOGRAD_NONFUSED"};

/// A library with its functions, looked for once.
template <class Api>
struct Found {
  Api api;
  bool there = false;
  std::string why;

  explicit Found(const std::vector<std::string>& names) {
    std::string reason;
    const auto library = SharedLibrary::openFirst(names, reason);
    there = library && api.resolve(*library);
    if (!there) why = reason.empty() ? names.front() + " was not found" : reason;
  }
};

std::vector<std::string> namesOf(const std::string& library, const std::vector<int>& versions) {
  std::vector<std::string> names;
  for (const int version : versions)
    names.push_back(fmt::format("lib{}.so.{}", library, version));
  for (const int version : versions)
    names.push_back(fmt::format("/usr/local/cuda/lib64/lib{}.so.{}", library, version));
  return names;
}

void* pointer(CuAddress address) {
  return reinterpret_cast<void*>(address);
}

} // namespace

struct GpuPeers::Impl {
  explicit Impl(const std::string& wanted)
      : driver(cuda::Driver::instance()), ordinal(choose(driver, wanted)),
        bus(driver.pciBusId(ordinal)), context(driver, ordinal), memory(context, 0),
        cublas(namesOf("cublas", {13, 12, 11})), cudnn(namesOf("cudnn", {9, 8})) {
    std::string why;
    const auto library = SharedLibrary::openFirst({driver.status().path}, why);
    if (!library || !library->get(copyWithin, "cuMemcpyDtoDAsync_v2"))
      throw Error("the driver has no cuMemcpyDtoDAsync_v2");
  }

  static int choose(const cuda::Driver& driver, const std::string& wanted) {
    std::vector<GpuFacts> devices;
    for (int i = 0; i < driver.deviceCount(); ++i)
      devices.push_back(driver.facts(i));
    return cuda::chooseDevice(devices, wanted);
  }

  /// Random numbers in [-1, 1]: with zeros a card draws less power, and is faster.
  CuAddress tensor(std::int64_t elements, DataType type) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(elements * type.elementBytes()));
    fillRandom(bytes, type, 1, ++tensors);
    const CuAddress address = memory.allocate(bytes.size());
    context.check(context.api().copyIn(address, bytes.data(), bytes.size()), "fill a tensor");
    return address;
  }

  /// The median of a few repeats of 20 ms and more, after 50 ms of work.
  double timeOf(const std::function<void()>& run) {
    const auto seconds = [&](int runs) {
      cuda::TimeMark begin(context), end(context);
      begin.record();
      for (int i = 0; i < runs; ++i)
        run();
      end.record();
      context.wait(60, "run a library's kernel");
      return cuda::TimeMark::between(begin, end);
    };
    seconds(1);
    double once = std::max(seconds(3) / 3, 1e-7), worked = 0;
    while (worked < 0.05) {
      const int runs = std::clamp(static_cast<int>(0.02 / once), 1, 20'000);
      const double spent = seconds(runs);
      worked += spent;
      once = std::max(spent / runs, 1e-7);
    }
    std::vector<double> repeats;
    const int runs = std::clamp(static_cast<int>(0.02 / once), 1, 20'000);
    for (int i = 0; i < 5; ++i)
      repeats.push_back(seconds(runs) / runs);
    std::ranges::sort(repeats);
    return repeats[2];
  }

  void* cublasHandle() {
    if (!blas) {
      require(cublas.api.create(&blas), "cublasCreate");
      require(cublas.api.setStream(blas, context.stream()), "cublasSetStream");
    }
    return blas;
  }
  void* cudnnHandle() {
    if (!dnn) {
      require(cudnn.api.create(&dnn), "cudnnCreate");
      require(cudnn.api.setStream(dnn, context.stream()), "cudnnSetStream");
    }
    return dnn;
  }

  const cuda::Driver& driver;
  int ordinal;
  std::string bus;
  cuda::Nvml nvml;
  cuda::Context context;
  cuda::DeviceMemory memory;
  Found<Cublas> cublas;
  Found<Cudnn> cudnn;
  cuda::CuResult (*copyWithin)(CuAddress, CuAddress, std::size_t, cuda::CuStream) = nullptr;
  void *blas = nullptr, *dnn = nullptr;
  std::uint64_t tensors = 0;
};

GpuPeers::GpuPeers(const std::string& device) : impl_(std::make_unique<Impl>(device)) {}

GpuPeers::~GpuPeers() {
  if (impl_->blas) (void)impl_->cublas.api.destroy(impl_->blas);
  if (impl_->dnn) (void)impl_->cudnn.api.destroy(impl_->dnn);
}

std::optional<PeerTime> GpuPeers::product(const GpuProduct& product, std::string& missing) {
  Impl& gpu = *impl_;
  if (!gpu.cublas.there) {
    missing = "cuBLAS: " + gpu.cublas.why;
    return std::nullopt;
  }
  const Cublas& api = gpu.cublas.api;
  void* const handle = gpu.cublasHandle();
  const auto m = static_cast<int>(product.m), n = static_cast<int>(product.n),
             k = static_cast<int>(product.k);
  const DataType type = product.bf16 ? DataType{DataType::Code::BFloat, 16, 1} : kFloat32;
  const CuAddress a = gpu.tensor(product.m * product.k, type),
                  b = gpu.tensor(product.k * product.n, type),
                  c = gpu.tensor(product.m * product.n, type);
  const float one = 1, zero = 0;
  require(api.setMathMode(handle, product.bf16 ? 0 : kPedanticMath), "cublasSetMathMode");
  // Columns first, as BLAS has them: the transposed product is B's transpose times A's.
  const auto run = [&] {
    if (product.bf16)
      require(api.gemm(handle, kNoTranspose, kNoTranspose, n, m, k, &one, pointer(b), kHalfBrain, n,
                       pointer(a), kHalfBrain, k, &zero, pointer(c), kHalfBrain, n, kSumsInFloat,
                       kDefaultAlgorithm),
              "cublasGemmEx");
    else
      require(api.sgemm(handle, kNoTranspose, kNoTranspose, n, m, k, &one,
                        static_cast<const float*>(pointer(b)), n,
                        static_cast<const float*>(pointer(a)), k, &zero,
                        static_cast<float*>(pointer(c)), n),
              "cublasSgemm");
  };
  const double seconds = gpu.timeOf(run);
  for (const CuAddress tensor : {a, b, c})
    gpu.memory.release(tensor);
  return PeerTime{seconds, product.bf16 ? "GemmEx, sums in fp32" : "Sgemm, pedantic math"};
}

std::optional<PeerTime> GpuPeers::convolution(const GpuConvolution& shape, std::string& missing) {
  Impl& gpu = *impl_;
  if (!gpu.cudnn.there) {
    missing = "cuDNN: " + gpu.cudnn.why;
    return std::nullopt;
  }
  const Cudnn& api = gpu.cudnn.api;
  void* const handle = gpu.cudnnHandle();
  const std::int64_t out = (shape.size + 2 * shape.padding - shape.kernel) / shape.stride + 1;
  const CuAddress x = gpu.tensor(shape.size * shape.size * shape.inputs, kFloat32),
                  w = gpu.tensor(shape.outputs * shape.kernel * shape.kernel * shape.inputs,
                                 kFloat32),
                  y = gpu.tensor(out * out * shape.outputs, kFloat32),
                  work = gpu.memory.allocate(kWorkspace);
  const auto whole = [](std::int64_t extent) { return static_cast<int>(extent); };
  const float one = 1, zero = 0;
  std::optional<PeerTime> best;
  for (const int format : {kNhwc, kNchw}) {
    void *xs = nullptr, *ws = nullptr, *ys = nullptr, *convolution = nullptr;
    require(api.createTensor(&xs), "cudnnCreateTensorDescriptor");
    require(api.createTensor(&ys), "cudnnCreateTensorDescriptor");
    require(api.createFilter(&ws), "cudnnCreateFilterDescriptor");
    require(api.createConvolution(&convolution), "cudnnCreateConvolutionDescriptor");
    require(api.setTensor(xs, format, kFloat, 1, whole(shape.inputs), whole(shape.size),
                          whole(shape.size)),
            "cudnnSetTensor4dDescriptor");
    require(api.setTensor(ys, format, kFloat, 1, whole(shape.outputs), whole(out), whole(out)),
            "cudnnSetTensor4dDescriptor");
    require(api.setFilter(ws, kFloat, format, whole(shape.outputs), whole(shape.inputs),
                          whole(shape.kernel), whole(shape.kernel)),
            "cudnnSetFilter4dDescriptor");
    require(api.setConvolution(convolution, whole(shape.padding), whole(shape.padding),
                               whole(shape.stride), whole(shape.stride), 1, 1, kCrossCorrelation,
                               kFloat),
            "cudnnSetConvolution2dDescriptor");
    require(api.setMathType(convolution, kFmaMath), "cudnnSetConvolutionMathType");
    std::array<FoundAlgorithm, 8> found{};
    int count = 0;
    const Status searched = api.find(handle, xs, pointer(x), ws, pointer(w), convolution, ys,
                                     pointer(y), whole(static_cast<std::int64_t>(found.size())),
                                     &count, found.data(), pointer(work), kWorkspace);
    // The first is the fastest; in a layout that has none, none is found.
    if (searched == 0 && count > 0 && found[0].status == 0) {
      const double seconds = gpu.timeOf([&] {
        require(api.forward(handle, &one, xs, pointer(x), ws, pointer(w), convolution,
                            found[0].algorithm, pointer(work), kWorkspace, &zero, ys, pointer(y)),
                "cudnnConvolutionForward");
      });
      const auto named = static_cast<std::size_t>(found[0].algorithm);
      if (!best || seconds < best->seconds)
        best = PeerTime{seconds,
                        fmt::format("{}, {}", named < kAlgorithms.size() ? kAlgorithms[named] : "?",
                                    format == kNhwc ? "NHWC" : "NCHW")};
    }
    (void)api.destroyTensor(xs);
    (void)api.destroyTensor(ys);
    (void)api.destroyFilter(ws);
    (void)api.destroyConvolution(convolution);
  }
  for (const CuAddress tensor : {x, w, y, work})
    gpu.memory.release(tensor);
  if (!best) missing = "cuDNN: no algorithm for this convolution with FMA math";
  return best;
}

PeerTime GpuPeers::copy(std::int64_t bytes) {
  Impl& gpu = *impl_;
  const CuAddress from = gpu.tensor(bytes / 4, kFloat32), to = gpu.tensor(bytes / 4, kFloat32);
  const double seconds = gpu.timeOf([&] {
    gpu.context.check(
        gpu.copyWithin(to, from, static_cast<std::size_t>(bytes), gpu.context.stream()),
        "copy within the device");
  });
  gpu.memory.release(from);
  gpu.memory.release(to);
  return {seconds, "cuMemcpyDtoDAsync"};
}

DeviceState GpuPeers::state() const {
  return impl_->nvml.state(impl_->bus);
}

std::string GpuPeers::versions() {
  Impl& gpu = *impl_;
  std::string text;
  int blas = 0;
  if (gpu.cublas.there)
    require(gpu.cublas.api.version(gpu.cublasHandle(), &blas), "cublasGetVersion");
  text = gpu.cublas.there
             ? fmt::format("cuBLAS {}.{}.{}", blas / 10000, blas / 100 % 100, blas % 100)
             : "no cuBLAS (" + gpu.cublas.why + ")";
  const auto dnn = gpu.cudnn.there ? gpu.cudnn.api.version() : 0;
  text += gpu.cudnn.there ? fmt::format(", cuDNN {}.{}.{}", dnn / 10000, dnn / 100 % 100, dnn % 100)
                          : ", no cuDNN (" + gpu.cudnn.why + ")";
  return text + ", driver " + cuda::versionText(gpu.driver.status().version);
}

} // namespace nestwright::bench
