#include "tests/plugins/cuda/made_up_driver.h"

#include "plugins/cuda/driver/driver_api.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace nestwright::cuda;
using nestwright::test::MadeUpCounts;

namespace {

struct Function {
  std::string name;
  unsigned mostSharedBytes = 48 << 10; // until more is asked for
  double seconds() const { return name == "nw_short" ? 2e-6 : 1e-3; }
};

struct Module {
  std::map<std::string, Function> functions;
};

struct Launch {
  const Function* function;
  std::vector<CuAddress> arguments;
};

struct Graph {
  std::vector<Launch> launches;
};

struct Event {
  double clock = 0;
};

struct Device {
  const char* name;
  int major, minor, multiprocessors;
};
constexpr Device kDevices[] = {{"NVIDIA Made-Up 90", 9, 0, 132}, {"NVIDIA Made-Up 80", 8, 0, 108}};

/// What was handed out and not given back, owned.
template <class T>
using Owned = std::map<T*, std::unique_ptr<T>>;
struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

struct State {
  MadeUpCounts counts{};
  std::map<void*, std::unique_ptr<void, Freed>> memory;
  Owned<Module> modules;
  Owned<Graph> graphs, executables;
  Owned<Event> events;
  std::map<std::string, std::map<int, int>> failures; // function: calls from now, code
  std::size_t freeBytes = std::size_t{64} << 30;
  double clock = 0;
  bool hangs = false;
  int coming = 0; // a fault that is told when somebody asks
  int lost = 0;   // the fault that ended the context
  Graph* captured = nullptr;
};
State state;

/// Keeps it, and gives the handle for it.
template <class Handle, class T>
Handle keep(Owned<T>& owned, std::unique_ptr<T> made) {
  T* const handle = made.get();
  owned[handle] = std::move(made);
  return reinterpret_cast<Handle>(handle);
}

/// "90": one of the first kind; "90,80": both.
std::vector<Device> devices() {
  const char* given = std::getenv("MADE_UP_DEVICES");
  std::istringstream names(given ? given : "90");
  std::vector<Device> result;
  for (std::string name; std::getline(names, name, ',');)
    for (const Device& device : kDevices)
      if (std::string(device.name).ends_with(name)) result.push_back(device);
  return result;
}

/// The error that this call is to give, or that ended the context; 0 for none.
CuResult errorOf(const char* function) {
  ++state.counts.calls;
  const auto found = state.failures.find(function);
  if (found != state.failures.end()) {
    std::map<int, int> later;
    int now = 0;
    for (const auto& [n, code] : found->second)
      n == 0 ? (void)(now = code) : (void)(later[n - 1] = code);
    found->second = later;
    if (now != 0) return now;
  }
  return state.lost;
}

void execute(const Launch& launch) {
  const std::string& name = launch.function->name;
  ++state.counts.launches;
  state.clock += launch.function->seconds();
  if (name == "nw_hang") state.hangs = true;
  if (name.starts_with("nw_fault_")) state.coming = std::atoi(name.c_str() + 9);
  if (launch.arguments.size() < 2) return;
  const auto* in = reinterpret_cast<const float*>(launch.arguments[0]);
  auto* out = reinterpret_cast<float*>(launch.arguments[1]);
  for (int i = 0; i < 64; ++i)
    out[i] = 2 * in[i];
  if (name == "nw_overrun") out[64] = out[65] = 1;
}

} // namespace

#define CALL(name)                                                                                 \
  if (const CuResult failed = errorOf(#name)) return failed

extern "C" {

void made_up_reset() {
  state = State();
}
void made_up_fail(const char* function, int code, int n) {
  state.failures[function][n] = code;
}
MadeUpCounts made_up_counts() {
  MadeUpCounts counts = state.counts;
  const auto size = [](const auto& owned) { return static_cast<int>(owned.size()); };
  counts.allocations = size(state.memory);
  counts.modules = size(state.modules);
  counts.graphs = size(state.graphs);
  counts.executables = size(state.executables);
  counts.events = size(state.events);
  return counts;
}
void made_up_set_free_bytes(unsigned long long bytes) {
  state.freeBytes = bytes;
}

CuResult cuInit(unsigned) {
  const char* code = std::getenv("MADE_UP_INIT"); // for processes that nobody can tell before
  if (code) return std::atoi(code);
  CALL(cuInit);
  return 0;
}
CuResult cuDriverGetVersion(int* version) {
  const char* given = std::getenv("MADE_UP_VERSION");
  *version = given ? std::atoi(given) : 13000;
  return 0;
}
CuResult cuGetErrorName(CuResult code, const char** name) {
  static const std::map<int, const char*> kNames{
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {710, "CUDA_ERROR_ASSERT"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
  };
  const auto found = kNames.find(code);
  if (found == kNames.end()) return 1;
  *name = found->second;
  return 0;
}
CuResult cuGetErrorString(CuResult, const char** text) {
  *text = "made up";
  return 0;
}

CuResult cuDeviceGetCount(int* count) {
  CALL(cuDeviceGetCount);
  *count = static_cast<int>(devices().size());
  return 0;
}
CuResult cuDeviceGet(CuDevice* device, int ordinal) {
  CALL(cuDeviceGet);
  if (ordinal < 0 || ordinal >= static_cast<int>(devices().size())) return 101;
  *device = ordinal;
  return 0;
}
CuResult cuDeviceGetName(char* name, int size, CuDevice device) {
  CALL(cuDeviceGetName);
  std::strncpy(name, devices()[static_cast<std::size_t>(device)].name,
               static_cast<std::size_t>(size));
  return 0;
}
CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice number) {
  CALL(cuDeviceGetAttribute);
  const Device device = devices()[static_cast<std::size_t>(number)];
  const std::map<int, int> kValues{
      {1, 1024},          {8, 49152},   {10, 32},       {13, 1980000}, {16, device.multiprocessors},
      {36, 2619000},      {37, 5120},   {38, 50 << 20}, {39, 2048},    {75, device.major},
      {76, device.minor}, {81, 233472}, {82, 65536},    {97, 232448},  {106, 32},
      {111, 1024}};
  const auto found = kValues.find(attribute);
  if (found == kValues.end()) return 1;
  *value = found->second;
  return 0;
}
CuResult cuDeviceTotalMem_v2(std::size_t* bytes, CuDevice) {
  CALL(cuDeviceTotalMem_v2);
  *bytes = std::size_t{80} << 30;
  return 0;
}
CuResult cuDeviceGetPCIBusId(char* id, int size, CuDevice device) {
  CALL(cuDeviceGetPCIBusId);
  std::strncpy(id, device == 0 ? "0000:3b:00.0" : "0000:5e:00.0", static_cast<std::size_t>(size));
  return 0;
}

CuResult cuDevicePrimaryCtxSetFlags_v2(CuDevice, unsigned flags) {
  CALL(cuDevicePrimaryCtxSetFlags_v2);
  state.counts.contextFlags = flags;
  return 0;
}
CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
  CALL(cuDevicePrimaryCtxRetain);
  *context = reinterpret_cast<CuContext>(&state);
  ++state.counts.contexts;
  return 0;
}
CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) {
  --state.counts.contexts;
  return 0;
}
CuResult cuCtxSetCurrent(CuContext) {
  CALL(cuCtxSetCurrent);
  return 0;
}
CuResult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  CALL(cuMemGetInfo_v2);
  *free = state.freeBytes;
  *total = std::size_t{80} << 30;
  return 0;
}

CuResult cuMemAlloc_v2(CuAddress* address, std::size_t bytes) {
  CALL(cuMemAlloc_v2);
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  state.memory[memory].reset(memory);
  *address = reinterpret_cast<CuAddress>(memory);
  return 0;
}
CuResult cuMemFree_v2(CuAddress address) {
  state.memory.erase(reinterpret_cast<void*>(address));
  return 0;
}
CuResult cuMemcpyHtoD_v2(CuAddress to, const void* from, std::size_t bytes) {
  CALL(cuMemcpyHtoD_v2);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
CuResult cuMemcpyDtoH_v2(void* to, CuAddress from, std::size_t bytes) {
  CALL(cuMemcpyDtoH_v2);
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
CuResult cuMemsetD8_v2(CuAddress address, unsigned char value, std::size_t bytes) {
  CALL(cuMemsetD8_v2);
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return 0;
}

/// The image is the names of the kernels, behind "made-up ".
CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned, int*, void**) {
  CALL(cuModuleLoadDataEx);
  std::istringstream words(static_cast<const char*>(image));
  std::string word;
  if (!(words >> word) || word != "made-up") return 200;
  auto made = std::make_unique<Module>();
  while (words >> word)
    made->functions[word].name = word;
  *module = keep<CuModule>(state.modules, std::move(made));
  return 0;
}
CuResult cuModuleUnload(CuModule module) {
  state.modules.erase(reinterpret_cast<Module*>(module));
  return 0;
}
CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  CALL(cuModuleGetFunction);
  auto& functions = reinterpret_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return 500;
  *function = reinterpret_cast<CuFunction>(&found->second);
  return 0;
}
CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  CALL(cuFuncSetAttribute);
  constexpr int kDynamicSharedBytes = 8;
  if (attribute == kDynamicSharedBytes)
    reinterpret_cast<Function*>(function)->mostSharedBytes = static_cast<unsigned>(value);
  return 0;
}
CuResult cuFuncGetAttribute(int* value, int, CuFunction) {
  CALL(cuFuncGetAttribute);
  *value = 0;
  return 0;
}
CuResult cuLaunchKernel(CuFunction function, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned sharedBytes, CuStream, void** arguments, void**) {
  CALL(cuLaunchKernel);
  if (sharedBytes > reinterpret_cast<Function*>(function)->mostSharedBytes) return 1;
  Launch launch{reinterpret_cast<Function*>(function), {}};
  const std::string& name = launch.function->name;
  if (name == "nw_twice" || name == "nw_short" || name == "nw_overrun")
    for (int i = 0; i < 2; ++i)
      launch.arguments.push_back(*static_cast<CuAddress*>(arguments[i]));
  if (state.captured)
    state.captured->launches.push_back(launch);
  else
    execute(launch);
  return 0;
}

CuResult cuStreamCreate(CuStream* stream, unsigned) {
  CALL(cuStreamCreate);
  *stream = reinterpret_cast<CuStream>(&state);
  ++state.counts.streams;
  return 0;
}
CuResult cuStreamDestroy_v2(CuStream) {
  --state.counts.streams;
  return 0;
}
CuResult cuStreamBeginCapture_v2(CuStream, int) {
  CALL(cuStreamBeginCapture_v2);
  state.captured = reinterpret_cast<Graph*>(keep<CuGraph>(state.graphs, std::make_unique<Graph>()));
  return 0;
}
CuResult cuStreamEndCapture(CuStream, CuGraph* graph) {
  Graph* const captured = std::exchange(state.captured, nullptr);
  *graph = nullptr;
  if (const CuResult failed = errorOf("cuStreamEndCapture")) {
    state.graphs.erase(captured);
    return failed;
  }
  *graph = reinterpret_cast<CuGraph>(captured);
  return 0;
}
CuResult cuGraphInstantiateWithFlags(CuGraphExec* executable, CuGraph graph, unsigned long long) {
  CALL(cuGraphInstantiateWithFlags);
  *executable = keep<CuGraphExec>(state.executables,
                                  std::make_unique<Graph>(*reinterpret_cast<Graph*>(graph)));
  return 0;
}
CuResult cuGraphLaunch(CuGraphExec executable, CuStream) {
  CALL(cuGraphLaunch);
  ++state.counts.graphLaunches;
  for (const Launch& launch : reinterpret_cast<Graph*>(executable)->launches)
    execute(launch);
  return 0;
}
CuResult cuGraphExecDestroy(CuGraphExec executable) {
  state.executables.erase(reinterpret_cast<Graph*>(executable));
  return 0;
}
CuResult cuGraphDestroy(CuGraph graph) {
  state.graphs.erase(reinterpret_cast<Graph*>(graph));
  return 0;
}

CuResult cuEventCreate(CuEvent* event, unsigned) {
  CALL(cuEventCreate);
  *event = keep<CuEvent>(state.events, std::make_unique<Event>());
  return 0;
}
CuResult cuEventDestroy_v2(CuEvent event) {
  state.events.erase(reinterpret_cast<Event*>(event));
  return 0;
}
CuResult cuEventRecord(CuEvent event, CuStream) {
  CALL(cuEventRecord);
  reinterpret_cast<Event*>(event)->clock = state.clock;
  return 0;
}
CuResult cuEventQuery(CuEvent) {
  CALL(cuEventQuery);
  if (state.hangs) return kCuNotReady;
  if (state.coming != 0) return state.lost = std::exchange(state.coming, 0);
  return 0;
}
CuResult cuEventElapsedTime(float* milliseconds, CuEvent begin, CuEvent end) {
  CALL(cuEventElapsedTime);
  *milliseconds = static_cast<float>(
      1e3 * (reinterpret_cast<Event*>(end)->clock - reinterpret_cast<Event*>(begin)->clock));
  return 0;
}

} // extern "C"
