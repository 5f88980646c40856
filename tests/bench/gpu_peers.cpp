#include "tests/bench/gpu_peers.h"

#include "core/measure/elements.h"
#include "core/support/error.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/captured_graph.h"
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

/// A library's functions, and the first that it lacks.
struct Functions {
  const SharedLibrary& library;
  std::string lacking;

  template <class F>
  bool get(F*& function, const char* name) {
    if (library.get(function, name)) return true;
    lacking = fmt::format("{} has no function {}", library.path(), name);
    return false;
  }
};

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

  static constexpr const char* kCreate = "cublasCreate";
  bool resolve(Functions& library) {
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

  static constexpr const char* kCreate = "cudnnCreate";
  bool resolve(Functions& library) {
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

/// The first of several libraries that is there, has the functions, and works with this driver.
template <class Api>
struct Found {
  Api api;
  void* handle = nullptr; // null where none does
  std::string why;        // of each that is there and does not

  Found(const std::vector<std::string>& names, cuda::CuStream stream) {
    for (const std::string& name : names) {
      std::string reason;
      if (const auto library = SharedLibrary::openFirst({name}, reason))
        open(*library, stream, reason);
      if (handle) return;
      if (!reason.empty()) why += (why.empty() ? "" : "; ") + reason;
    }
    if (why.empty()) why = names.front() + " was not found";
  }
  ~Found() {
    if (handle) (void)api.destroy(handle);
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

 private:
  void open(const SharedLibrary& library, cuda::CuStream stream, std::string& reason) {
    Functions functions{library, {}};
    api = {};
    if (!api.resolve(functions)) {
      reason = functions.lacking;
      return;
    }
    Status status = api.create(&handle);
    if (status == 0) status = api.setStream(handle, stream);
    if (status == 0) return;
    // As of a library that is newer than the driver.
    reason = fmt::format("{} of {} fails with status {}", Api::kCreate, library.path(), status);
    if (handle) (void)api.destroy(handle);
    handle = nullptr;
  }
};

/// Versions that go with the driver come first: it runs what is older than it, and not what is
/// newer.
std::vector<std::string> namesOf(const std::string& library, std::vector<int> versions, int first) {
  std::ranges::stable_partition(versions, [&](int version) { return version == first; });
  std::vector<std::string> names;
  for (const int version : versions)
    for (const char* folder : {"", "/usr/local/cuda/lib64/"})
      names.push_back(fmt::format("{}lib{}.so.{}", folder, library, version));
  return names;
}

void* pointer(CuAddress address) {
  return reinterpret_cast<void*>(address);
}

} // namespace

struct GpuPeers::Impl {
  explicit Impl(const std::string& wanted)
      : driver(cuda::Driver::instance()), ordinal(cuda::chooseDevice(driver, wanted).ordinal),
        bus(driver.pciBusId(ordinal)), context(driver, ordinal), memory(context, 0) {
    std::string why;
    const auto library = SharedLibrary::openFirst({driver.status().path}, why);
    if (!library || !library->get(copyWithin, "cuMemcpyDtoDAsync_v2"))
      throw Error("the driver has no cuMemcpyDtoDAsync_v2");
  }

  /// Opened when they are wanted: each takes a while and some memory of the device.
  const Found<Cublas>& cublas() {
    if (!blas) {
      const int version = driver.status().version / 1000;
      blas.emplace(namesOf("cublas", {13, 12, 11}, version), context.stream());
    }
    return *blas;
  }
  const Found<Cudnn>& cudnn() {
    if (!dnn) dnn.emplace(namesOf("cudnn", {9, 8}, 9), context.stream());
    return *dnn;
  }

  /// Random numbers in [-1, 1]: with zeros a card draws less power, and is faster.
  CuAddress tensor(std::int64_t elements, DataType type) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(elements * type.elementBytes()));
    fillRandom(bytes, type, 1, ++tensors);
    const CuAddress address = memory.allocate(bytes.size());
    context.check(context.api().copyIn(address, bytes.data(), bytes.size()), "fill a tensor");
    return address;
  }

  /// Seconds of everything that `enqueue` puts on the stream `times` times.
  double secondsOf(int times, const std::function<void()>& enqueue) {
    cuda::TimeMark begin(context), end(context);
    begin.record();
    for (int i = 0; i < times; ++i)
      enqueue();
    end.record();
    context.wait(60, "run a library's kernel");
    return cuda::TimeMark::between(begin, end);
  }

  /// The median of a few repeats of 20 ms and more, after 50 ms of work. As with ours
  /// (handbook/cuda.md 7.2), what is over before the next call comes is captured and replayed.
  PeerTime timeOf(std::string detail, const std::function<void()>& run) {
    constexpr double kShort = 100e-6; // by calls one by one, which take some 10 us themselves
    constexpr int kRunsOfGraph = 128, kMostBatches = 1000;
    (void)secondsOf(1, run);
    double once = std::max(secondsOf(3, run) / 3, 1e-7);
    std::optional<cuda::CapturedGraph> graph;
    if (once < kShort) try {
        graph.emplace(context, [&] {
          for (int i = 0; i < kRunsOfGraph; ++i)
            run();
        });
      } catch (const DeviceError& error) {
        if (error.isSticky()) throw;
        detail += ", launched one by one";
      } catch (const Error&) { // of the library, which makes no such calls in a capture
        detail += ", launched one by one";
      }
    const int runsEach = graph ? kRunsOfGraph : 1;
    const auto batch = [&] {
      const int times = std::clamp(static_cast<int>(0.02 / (once * runsEach)), 1, 20'000);
      const double seconds =
          graph ? secondsOf(times, [&] { graph->launch(); }) : secondsOf(times, run);
      once = std::max(seconds / (times * runsEach), 1e-7);
      return seconds;
    };
    double worked = 0;
    for (int i = 0; worked < 0.05 && i < kMostBatches; ++i)
      worked += batch();
    std::array<double, 5> repeats{};
    for (double& repeat : repeats) {
      (void)batch();
      repeat = once;
    }
    std::ranges::sort(repeats);
    return {repeats[2], std::move(detail)};
  }

  const cuda::Driver& driver;
  int ordinal;
  std::string bus;
  cuda::Nvml nvml;
  cuda::Context context;
  cuda::DeviceMemory memory;
  cuda::CuResult (*copyWithin)(CuAddress, CuAddress, std::size_t, cuda::CuStream) = nullptr;
  std::optional<Found<Cublas>> blas;
  std::optional<Found<Cudnn>> dnn;
  std::uint64_t tensors = 0;
};

GpuPeers::GpuPeers(const std::string& device) : impl_(std::make_unique<Impl>(device)) {}

GpuPeers::~GpuPeers() = default;

std::optional<PeerTime> GpuPeers::product(const GpuProduct& product, std::string& missing) {
  Impl& gpu = *impl_;
  const Found<Cublas>& cublas = gpu.cublas();
  if (!cublas.handle) {
    missing = "cuBLAS: " + cublas.why;
    return std::nullopt;
  }
  const Cublas& api = cublas.api;
  void* const handle = cublas.handle;
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
  PeerTime time = gpu.timeOf(product.bf16 ? "GemmEx, sums in fp32" : "Sgemm, pedantic math", run);
  for (const CuAddress tensor : {a, b, c})
    gpu.memory.release(tensor);
  return time;
}

std::optional<PeerTime> GpuPeers::convolution(const GpuConvolution& shape, std::string& missing) {
  Impl& gpu = *impl_;
  const Found<Cudnn>& cudnn = gpu.cudnn();
  if (!cudnn.handle) {
    missing = "cuDNN: " + cudnn.why;
    return std::nullopt;
  }
  const Cudnn& api = cudnn.api;
  void* const handle = cudnn.handle;
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
      const auto named = static_cast<std::size_t>(found[0].algorithm);
      PeerTime time =
          gpu.timeOf(fmt::format("{}, {}", named < kAlgorithms.size() ? kAlgorithms[named] : "?",
                                 format == kNhwc ? "NHWC" : "NCHW"),
                     [&] {
                       require(api.forward(handle, &one, xs, pointer(x), ws, pointer(w),
                                           convolution, found[0].algorithm, pointer(work),
                                           kWorkspace, &zero, ys, pointer(y)),
                               "cudnnConvolutionForward");
                     });
      if (!best || time.seconds < best->seconds) best = std::move(time);
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
  PeerTime time = gpu.timeOf("cuMemcpyDtoDAsync", [&] {
    gpu.context.check(
        gpu.copyWithin(to, from, static_cast<std::size_t>(bytes), gpu.context.stream()),
        "copy within the device");
  });
  gpu.memory.release(from);
  gpu.memory.release(to);
  return time;
}

DeviceState GpuPeers::state() const {
  return impl_->nvml.state(impl_->bus);
}

std::string GpuPeers::versions() {
  Impl& gpu = *impl_;
  const Found<Cublas>& cublas = gpu.cublas();
  const Found<Cudnn>& cudnn = gpu.cudnn();
  std::string text = "no cuBLAS (" + cublas.why + ")";
  if (int number = 0; cublas.handle && cublas.api.version(cublas.handle, &number) == 0)
    text = fmt::format("cuBLAS {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  text += cudnn.handle ? ", cuDNN " + cudnnVersionText(cudnn.api.version())
                       : ", no cuDNN (" + cudnn.why + ")";
  const std::string driver = gpu.nvml.driverVersion();
  const std::string cuda = "CUDA " + cuda::versionText(gpu.driver.status().version);
  return text + (driver.empty() ? ", a driver for " + cuda
                                : fmt::format(", driver {} ({})", driver, cuda));
}

std::string cudnnVersionText(std::size_t number) {
  const std::size_t major = number >= 90'000 ? 10'000 : 1'000;
  return fmt::format("{}.{}.{}", number / major, number % major / 100, number % 100);
}

} // namespace nestwright::bench
