#include "tests/plugins/cuda/made_up_driver.h"

#include "core/support/error.h"
#include "plugins/cuda/driver/driver_api.h"
#include "tests/plugins/cuda/host_threads.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace nestwright::cuda;
using nestwright::test::MadeUpCounts;

namespace {

using nestwright::test::HostThreads;

/// Of a kernel that the made-up compiler has made.
struct HostCode {
  void (*call)(void** arguments) = nullptr;
  int arguments = 0;
  HostThreads::Link* link = nullptr;
  void (*poison)() = nullptr;
};

struct Function {
  std::string name;
  HostCode code;
  unsigned mostSharedBytes = 48 << 10; // until more is asked for
  double seconds() const { return code.call ? 30e-3 : name == "nw_short" ? 2e-6 : 1e-3; }
};

struct Module {
  std::map<std::string, Function> functions;
  void* library = nullptr;
  int file = -1; // that it is in, open as long: the loader knows libraries by their names
  Module() = default;
  ~Module() {
    if (library) dlclose(library);
    if (file >= 0) close(file);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
};

struct Launch {
  const Function* function;
  std::vector<CuAddress> arguments;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
};

struct Event {
  double clock = 0;
};

/// What a stream does next: a launch, a mark of the time, or seconds of something else.
using Work = std::variant<Launch, Event*, double>;

struct Graph {
  std::vector<Work> work;
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
  double clock = 0, host = 0;       // what each has come to
  double hostSeconds = 0;           // of a call that puts something on a stream
  std::map<CuAddress, int> lastRun; // that wrote there
  int fewestBetween = -1;
  bool hangs = false;
  int coming = 0; // a fault that is told when somebody asks
  int lost = 0;   // the fault that ended the context
  Graph* captured = nullptr;
  std::string streamCalls;
};
State state;
/// Of the thread, the last one on top.
thread_local std::vector<CuContext> current;

/// Of something that goes on the stream: a device that has nothing to do waits for it.
void noteStreamCall(const char* name) {
  state.streamCalls += std::string(name) + " ";
  state.host += state.hostSeconds;
  if (!state.captured) state.clock = std::max(state.clock, state.host);
}

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

/// The error that the file of faults has for this call; 0 for none. Only one process gets it.
CuResult faultInFile(const std::string& function) {
  const char* path = std::getenv("MADE_UP_FAULTS");
  std::ifstream file(path ? path : "");
  std::string name;
  int code = 0;
  if (!(file >> name >> code) || name != function || unlink(path) != 0) return 0;
  if (code == kCuNotReady) state.hangs = true;
  const bool isSticky = code == 214 || code == 700 || (code >= 702 && code <= 719);
  if (isSticky) state.lost = code;
  return code;
}

/// The error that this call is to give, or that ended the context; 0 for none.
CuResult errorOf(const char* function) {
  ++state.counts.calls;
  if (const CuResult fault = faultInFile(function)) return fault;
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
  const HostCode& code = launch.function->code;
  ++state.counts.launches;
  state.clock += launch.function->seconds();
  if (std::getenv("MADE_UP_WAITS") != nullptr) // as a device that somebody waits for
    std::this_thread::sleep_for(std::chrono::duration<double>(launch.function->seconds()));
  if (launch.arguments.size() > 1) {
    int& last = state.lastRun[launch.arguments[1]];
    const int between = state.counts.launches - last - 1;
    if (last > 0 && (state.fewestBetween < 0 || between < state.fewestBetween))
      state.fewestBetween = between;
    last = state.counts.launches;
  }
  if (name == "nw_hang") state.hangs = true;
  if (name.starts_with("nw_fault_")) state.coming = std::atoi(name.c_str() + 9);
  if (name == "nw_anchor") return; // it is only timed
  if (code.call) {
    std::vector<void*> given;
    for (const CuAddress address : launch.arguments)
      given.push_back(reinterpret_cast<void*>(address));
    return HostThreads::run(
        launch.grid, launch.block, [&] { code.call(given.data()); }, *code.link, code.poison, 0);
  }
  if (launch.arguments.size() < 2) return;
  const auto* in = reinterpret_cast<const float*>(launch.arguments[0]);
  auto* out = reinterpret_cast<float*>(launch.arguments[1]);
  for (int i = 0; i < 64; ++i)
    out[i] = 2 * in[i];
  if (name == "nw_overrun") out[64] = out[65] = 1;
}

void execute(const Work& work) {
  if (const auto* launch = std::get_if<Launch>(&work))
    execute(*launch);
  else if (const auto* seconds = std::get_if<double>(&work))
    state.clock += *seconds;
  else
    std::get<Event*>(work)->clock = state.clock;
}

/// Into the graph that is captured, or at once.
void put(const Work& work) {
  if (state.captured)
    state.captured->work.push_back(work);
  else
    execute(work);
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
const char* made_up_take_calls() {
  static std::string taken;
  taken = std::exchange(state.streamCalls, {});
  return taken.c_str();
}
void made_up_set_host_seconds(double seconds) {
  state.hostSeconds = seconds;
}
int made_up_fewest_between() {
  return state.fewestBetween;
}
/// Something that takes so long, of a library that is made up, too.
void made_up_work(double seconds) {
  put(seconds);
}
bool made_up_captures() {
  return state.captured != nullptr;
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
      {1, "CUDA_ERROR_INVALID_VALUE"},        {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},  {100, "CUDA_ERROR_NO_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},  {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},     {710, "CUDA_ERROR_ASSERT"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},
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
CuResult cuCtxSetCurrent(CuContext context) {
  CALL(cuCtxSetCurrent);
  current = {context};
  return 0;
}
CuResult cuCtxGetCurrent(CuContext* context) {
  CALL(cuCtxGetCurrent);
  *context = current.empty() ? nullptr : current.back();
  return 0;
}
CuResult cuCtxPushCurrent_v2(CuContext context) {
  CALL(cuCtxPushCurrent_v2);
  current.push_back(context);
  return 0;
}
CuResult cuCtxPopCurrent_v2(CuContext* context) {
  CALL(cuCtxPopCurrent_v2);
  if (current.empty()) return 201;
  *context = current.back();
  current.pop_back();
  return 0;
}
CuResult cuCtxGetDevice(CuDevice* device) {
  CALL(cuCtxGetDevice);
  if (current.empty()) return 201;
  *device = 0;
  return 0;
}
CuResult cuCtxSynchronize() {
  CALL(cuCtxSynchronize);
  return 0;
}
CuResult cuStreamSynchronize(CuStream) {
  CALL(cuStreamSynchronize);
  return std::exchange(state.coming, 0);
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
/// At half a terabyte a second; in a graph nothing is copied, and nobody looks.
CuResult cuMemcpyDtoDAsync_v2(CuAddress to, CuAddress from, std::size_t bytes, CuStream) {
  CALL(cuMemcpyDtoDAsync_v2);
  if (!state.captured)
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  put(static_cast<double>(bytes) / 0.5e12);
  return 0;
}
CuResult cuMemsetD8_v2(CuAddress address, unsigned char value, std::size_t bytes) {
  CALL(cuMemsetD8_v2);
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return 0;
}
CuResult cuMemsetD8Async(CuAddress address, unsigned char value, std::size_t bytes, CuStream) {
  CALL(cuMemsetD8Async);
  noteStreamCall("MemsetD8Async");
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  state.clock += 40e-6;
  return 0;
}

/// Opens a library of the made-up compiler from memory; false when it is none.
bool openLibrary(const void* image, Module& module) {
  // Other images are texts, which may be shorter than a header.
  if (std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) != 0) return false;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const std::size_t bytes = header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
  module.file = memfd_create("kernels", MFD_CLOEXEC);
  if (module.file < 0 || write(module.file, image, bytes) != static_cast<ssize_t>(bytes))
    return false;
  const std::string path = "/proc/self/fd/" + std::to_string(module.file);
  module.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return module.library != nullptr;
}

/// The kernel of this name in a library.
bool findCode(Module& module, const std::string& name) {
  const auto symbol = [&](const std::string& of) { return dlsym(module.library, of.c_str()); };
  const auto* arguments = static_cast<const int*>(symbol("arguments_" + name));
  if (!arguments) return false;
  Function& found = module.functions[name];
  found.name = name;
  found.code = {reinterpret_cast<void (*)(void**)>(symbol("call_" + name)), *arguments,
                static_cast<HostThreads::Link*>(symbol("nw_given")),
                reinterpret_cast<void (*)()>(symbol("nw_poison"))};
  return true;
}

/// The image is the names of the kernels, behind "made-up ", or a library.
CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned, int*, void**) {
  CALL(cuModuleLoadDataEx);
  auto made = std::make_unique<Module>();
  if (!openLibrary(image, *made)) {
    std::istringstream words(static_cast<const char*>(image));
    std::string word;
    if (!(words >> word) || word != "made-up") return 200;
    while (words >> word) { // "nw_other:nw_hang" is called nw_other, and hangs
      const std::size_t colon = word.find(':');
      made->functions[word.substr(0, colon)].name =
          colon == std::string::npos ? word : word.substr(colon + 1);
    }
  }
  *module = keep<CuModule>(state.modules, std::move(made));
  return 0;
}
CuResult cuModuleUnload(CuModule module) {
  state.modules.erase(reinterpret_cast<Module*>(module));
  return 0;
}
CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  CALL(cuModuleGetFunction);
  Module& loaded = *reinterpret_cast<Module*>(module);
  if (loaded.library && !findCode(loaded, name)) return 500;
  auto& functions = loaded.functions;
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
/// 32 registers, and nothing else, whatever the kernel is.
CuResult cuFuncGetAttribute(int* value, int attribute, CuFunction) {
  CALL(cuFuncGetAttribute);
  *value = attribute == 4 ? 32 : 0;
  return 0;
}
CuResult cuLaunchKernel(CuFunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                        CuStream, void** arguments, void**) {
  CALL(cuLaunchKernel);
  noteStreamCall("LaunchKernel");
  if (sharedBytes > reinterpret_cast<Function*>(function)->mostSharedBytes) return 1;
  Launch launch{
      reinterpret_cast<Function*>(function), {}, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
  const std::string& name = launch.function->name;
  const bool takesTwo = name == "nw_twice" || name == "nw_short" || name == "nw_overrun";
  const int count = takesTwo ? 2 : launch.function->code.arguments;
  for (int i = 0; i < count; ++i)
    launch.arguments.push_back(*static_cast<CuAddress*>(arguments[i]));
  put(launch);
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
  noteStreamCall("StreamBeginCapture");
  state.captured = reinterpret_cast<Graph*>(keep<CuGraph>(state.graphs, std::make_unique<Graph>()));
  return 0;
}
CuResult cuStreamEndCapture(CuStream, CuGraph* graph) {
  noteStreamCall("StreamEndCapture");
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
  noteStreamCall("GraphInstantiate");
  *executable = keep<CuGraphExec>(state.executables,
                                  std::make_unique<Graph>(*reinterpret_cast<Graph*>(graph)));
  return 0;
}
CuResult cuGraphLaunch(CuGraphExec executable, CuStream) {
  CALL(cuGraphLaunch);
  noteStreamCall("GraphLaunch");
  ++state.counts.graphLaunches;
  for (const Work& work : reinterpret_cast<Graph*>(executable)->work)
    execute(work);
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
  noteStreamCall("EventRecord");
  if (state.captured) return 1;
  reinterpret_cast<Event*>(event)->clock = state.clock;
  return 0;
}
/// With the flag for it, outside of a capture, or without, inside, it would mean something else.
CuResult cuEventRecordWithFlags(CuEvent event, CuStream, unsigned flags) {
  CALL(cuEventRecordWithFlags);
  noteStreamCall("EventRecordWithFlags");
  if (flags != 1 || !state.captured) return 1;
  state.captured->work.emplace_back(reinterpret_cast<Event*>(event));
  return 0;
}
CuResult cuEventQuery(CuEvent) {
  CALL(cuEventQuery);
  if (state.hangs) return kCuNotReady;
  if (state.coming != 0) return state.lost = std::exchange(state.coming, 0);
  state.host = std::max(state.host, state.clock); // it has waited
  return 0;
}

// What NVML has.

int nvmlInit_v2() {
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "570.86.15", size);
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  *device = &state;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int, unsigned* megahertz) {
  *megahertz = 1755;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 54;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 310'000;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  const char* held = std::getenv("MADE_UP_LIMITS");
  *reasons = held ? static_cast<unsigned>(std::atoi(held)) : 0x4; // power cap
  return 0;
}
int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *current = *pending = std::getenv("MADE_UP_MIG") ? 1 : 0;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* all) {
  struct Process {
    unsigned pid;
    unsigned long long usedBytes;
    unsigned instance, computeInstance;
  };
  const char* others = std::getenv("MADE_UP_OTHERS");
  *count = others ? static_cast<unsigned>(std::atoi(others)) : 0;
  for (unsigned i = 0; i < *count; ++i)
    static_cast<Process*>(all)[i] = {1, 0, 0, 0};
  return 0;
}

CuResult cuEventElapsedTime(float* milliseconds, CuEvent begin, CuEvent end) {
  CALL(cuEventElapsedTime);
  *milliseconds = static_cast<float>(
      1e3 * (reinterpret_cast<Event*>(end)->clock - reinterpret_cast<Event*>(begin)->clock));
  return 0;
}

} // extern "C"
