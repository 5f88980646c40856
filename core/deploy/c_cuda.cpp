#include "core/backend/device.h"
#include "core/deploy/c_glue_parts.h"
#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"

#include <algorithm>

namespace nestwright {

namespace {

/// The driver by its own declarations: nothing of NVIDIA's is needed to build a library, nor to
/// load it.
constexpr const char* kDriver = R"(
#include <dlfcn.h>
#include <pthread.h>

/* The functions of NVIDIA's driver that are called. Addresses of device memory are numbers. */
#define DRIVER_FUNCTIONS(each)                                                                     \
  each(cuInit, (unsigned flags))                                                                   \
  each(cuGetErrorName, (int error, const char **name))                                             \
  each(cuDeviceGet, (int *device, int number))                                                     \
  each(cuDeviceGetName, (char *name, int size, int device))                                        \
  each(cuDeviceGetAttribute, (int *value, int attribute, int device))                              \
  each(cuDevicePrimaryCtxRetain, (void **context, int device))                                     \
  each(cuDevicePrimaryCtxRelease_v2, (int device))                                                 \
  each(cuCtxGetCurrent, (void **context))                                                          \
  each(cuCtxGetDevice, (int *device))                                                              \
  each(cuCtxPushCurrent_v2, (void *context))                                                       \
  each(cuCtxPopCurrent_v2, (void **context))                                                       \
  each(cuCtxSynchronize, (void))                                                                   \
  each(cuMemAlloc_v2, (uint64_t *address, size_t bytes))                                           \
  each(cuMemFree_v2, (uint64_t address))                                                           \
  each(cuMemsetD8_v2, (uint64_t address, unsigned char value, size_t bytes))                       \
  each(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes))                             \
  each(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream))             \
  each(cuModuleLoadDataEx, (void **module, const void *image, unsigned count, int *options,        \
                            void **values))                                                        \
  each(cuModuleUnload, (void *module))                                                             \
  each(cuModuleGetFunction, (void **function, void *module, const char *name))                     \
  each(cuFuncSetAttribute, (void *function, int attribute, int value))                             \
  each(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,         \
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,     \
                        void *stream, void **arguments, void **extra))

static struct {
#define FIELD(name, parameters) int(*name) parameters;
  DRIVER_FUNCTIONS(FIELD)
} driver;

static char driver_problem[384]; /* why there is none; "" where there is one */

static const char *error_name(int error) {
  static _Thread_local char number[32];
  const char *name = NULL;
  if (driver.cuGetErrorName(error, &name) == 0 && name) return name;
  snprintf(number, sizeof number, "error %d", error);
  return number;
}

static void load_driver(void) {
  void *address, *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(driver_problem, sizeof driver_problem, "NVIDIA's driver cannot be loaded: %.300s", dlerror());
    return;
  }
#define LOAD(name, parameters)                                                                     \
  if (!(address = dlsym(library, #name))) {                                                        \
    snprintf(driver_problem, sizeof driver_problem, "NVIDIA's driver has no function %s: it is too old", #name); \
    return;                                                                                        \
  }                                                                                                \
  memcpy(&driver.name, &address, sizeof address);
  DRIVER_FUNCTIONS(LOAD)
  const int error = driver.cuInit(0);
  if (error) snprintf(driver_problem, sizeof driver_problem, "NVIDIA's driver cannot start: %.200s", error_name(error));
}

static int driver_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_driver);
  return driver_problem[0] ? failed(@NAME@_ERROR_DEVICE, "%s", driver_problem) : @NAME@_OK;
}

static int refused(int error, const char *what, const char *which) {
  return failed(error == 2 ? @NAME@_ERROR_MEMORY : @NAME@_ERROR_CUDA, "NVIDIA's driver cannot %s%s for @NAME@: %s",
                what, which, error_name(error));
}

/* The device of the caller's context, or the one of this number where there is none. */
static int find_device(int number, void **context, int *device) {
  *context = NULL;
  int error = driver.cuCtxGetCurrent(context);
  if (error) return refused(error, "tell the context", "");
  error = *context ? driver.cuCtxGetDevice(device) : driver.cuDeviceGet(device, number);
  if (error) return failed(@NAME@_ERROR_DEVICE, "there is no GPU %d: %s", number, error_name(error));
  int major = 0, minor = 0;
  error = driver.cuDeviceGetAttribute(&major, 75, *device);
  if (!error) error = driver.cuDeviceGetAttribute(&minor, 76, *device);
  if (error) return refused(error, "tell the architecture", "");
  /* Machine code runs where the major number is the same and the minor one no smaller. */
  if (major != @MAJOR@ || minor < @MINOR@)
    return failed(@NAME@_ERROR_DEVICE, "this GPU is of sm_%d%d, and the code of @NAME@ is for @ARCHITECTURE@", major, minor);
  return @NAME@_OK;
}

PUBLIC int @NAME@_check(void) {
  void *context;
  int device;
  const int ready = driver_ready();
  return ready != @NAME@_OK ? ready : find_device(0, &context, &device);
}

PUBLIC const char *@NAME@_processor(void) { return @NAME@_check() == @NAME@_OK ? "@ARCHITECTURE@" : ""; }

PUBLIC int @NAME@_tuned(@NAME@_fit *fit) {
  void *context;
  int device;
  char model[256];
  int code = driver_ready();
  if (code == @NAME@_OK) code = find_device(0, &context, &device);
  if (code != @NAME@_OK) return code;
  if (!fit) return failed(@NAME@_ERROR_ARGUMENT, "there is no place for the numbers");
  const int error = driver.cuDeviceGetName(model, sizeof model, device);
  if (error) return refused(error, "tell the GPU's name", "");
  const int here = strcmp(model, @MODEL@) == 0;
  fit->here = here ? @TUNED@ : 0;
  fit->compatible = here ? 0 : @TUNED@;
  fit->never = @NEVER@;
  return @NAME@_OK;
}
)";

constexpr const char* kCudaGlue = R"(@TENSORS@
/* The GPU's code, by task, and what is launched of it. */
@IMAGES@
static const struct kernel {
  const unsigned char *image;
  unsigned first, count; /* of `launches` */
} kernels[] = {
@KERNELS@};
static const struct launch {
  const char *entry;
  unsigned grid[3], block[3], shared;
  unsigned first, count; /* of `values` */
} launches[] = {
@LAUNCHES@};
static const struct value {
  int array;       /* of the step's; -1: in the workspace */
  uint64_t offset; /* in the workspace */
} values[] = {
@VALUES@};
static const struct step {
  unsigned kernel, first; /* of `arguments` */
} steps[] = {
@STEPS@};
static const unsigned arguments[] = {@ARGUMENTS@}; /* numbers of buffers */
static const struct buffer buffers_0[] = {
@BUFFERS@};
static const struct port inputs_0[] = {@INPUTS@}, outputs_0[] = {@OUTPUTS@};
static const struct variant {
  const struct buffer *buffers;
  const struct port *inputs, *outputs;
} variants[] = {{buffers_0, inputs_0, outputs_0}};

#define COUNT(array) (sizeof array / sizeof *array)
#define ALIGNED(bytes) (((uint64_t)(bytes) + @NAME@_ALIGNMENT - 1) / @NAME@_ALIGNMENT * @NAME@_ALIGNMENT)
enum { MOST_VALUES = @MOST@ };

struct @NAME@_instance {
  const struct variant *variant;
  void *context;
  int device, retained; /* whether the context is the device's own, and to be given back */
  uint64_t memory;      /* arena, copies of inputs, workspace, constants */
  const unsigned char *constants; /* of the host, while the instance is made */
  size_t mapped;
  void *modules[COUNT(kernels)], *functions[COUNT(launches)];
  uint64_t home[COUNT(buffers_0)], address[COUNT(buffers_0)];
};
@WEIGHTS@
PUBLIC void @NAME@_close(@NAME@_instance *instance) {
  if (!instance) return;
@UNMAP@  if (instance->context && driver.cuCtxPushCurrent_v2(instance->context) == 0) {
    void *popped;
    for (size_t k = 0; k < COUNT(kernels); ++k)
      if (instance->modules[k]) driver.cuModuleUnload(instance->modules[k]);
    if (instance->memory) driver.cuMemFree_v2(instance->memory);
    driver.cuCtxPopCurrent_v2(&popped);
  }
  if (instance->retained) driver.cuDevicePrimaryCtxRelease_v2(instance->device);
  free(instance);
}

static int load_code(@NAME@_instance *instance) {
  for (size_t k = 0; k < COUNT(kernels); ++k) {
    int error = driver.cuModuleLoadDataEx(&instance->modules[k], kernels[k].image, 0, NULL, NULL);
    if (error) return refused(error, "load the code", "");
    for (unsigned l = kernels[k].first; l < kernels[k].first + kernels[k].count; ++l) {
      error = driver.cuModuleGetFunction(&instance->functions[l], instance->modules[k], launches[l].entry);
      /* Shared memory beyond 48 KiB has to be asked for: attribute 8. */
      if (!error && launches[l].shared > 48 << 10)
        error = driver.cuFuncSetAttribute(instance->functions[l], 8, (int)launches[l].shared);
      if (error) return refused(error, "load the kernel ", launches[l].entry);
    }
  }
  return @NAME@_OK;
}

static int make_memory(@NAME@_instance *instance) {
  uint64_t bytes = ALIGNED(@ARENA_BYTES@) + ALIGNED(@INPUT_BYTES@) + ALIGNED(@WORKSPACE_BYTES@);
  for (size_t b = 0; b < COUNT(buffers_0); ++b)
    if (buffers_0[b].place == CONSTANT) {
      instance->home[b] = bytes;
      bytes += ALIGNED(buffers_0[b].bytes);
    } else {
      instance->home[b] = buffers_0[b].offset + (buffers_0[b].place == INPUT ? ALIGNED(@ARENA_BYTES@) : 0);
    }
  int error = driver.cuMemAlloc_v2(&instance->memory, bytes ? bytes : 1);
  if (!error) error = driver.cuMemsetD8_v2(instance->memory, 0, bytes ? bytes : 1);
  for (size_t b = 0; b < COUNT(buffers_0) && !error; ++b) {
    instance->home[b] += instance->memory;
    instance->address[b] = instance->home[b];
    if (buffers_0[b].place == CONSTANT)
      error = driver.cuMemcpyHtoD_v2(instance->home[b], instance->constants + buffers_0[b].offset, buffers_0[b].bytes);
  }
  if (!error) error = driver.cuCtxSynchronize(); /* streams do not wait for what was begun here */
  return error ? refused(error, "make the memory", "") : @NAME@_OK;
}

static int prepare(@NAME@_instance *instance, const @NAME@_options *options) {
  int code = find_device(options->device, &instance->context, &instance->device);
  if (code != @NAME@_OK) {
    instance->context = NULL;
    return code;
  }
@MAP@  if (!instance->context) {
    const int error = driver.cuDevicePrimaryCtxRetain(&instance->context, instance->device);
    if (error) {
      instance->context = NULL;
      return refused(error, "open the GPU", "");
    }
    instance->retained = 1;
  }
  const int error = driver.cuCtxPushCurrent_v2(instance->context);
  if (error) return refused(error, "use the context", "");
  code = load_code(instance);
  if (code == @NAME@_OK) code = make_memory(instance);
  void *popped;
  driver.cuCtxPopCurrent_v2(&popped);
  return code;
}

PUBLIC int @NAME@_open(@NAME@_instance **result, const @NAME@_options *options) {
  static const @NAME@_options defaults;
  if (!result) return failed(@NAME@_ERROR_ARGUMENT, "there is no place for the instance of @NAME@");
  *result = NULL;
  int code = driver_ready();
  if (code != @NAME@_OK) return code;
  @NAME@_instance *instance = calloc(1, sizeof *instance);
  if (!instance) return failed(@NAME@_ERROR_MEMORY, "there is no memory for @NAME@");
  instance->variant = variants;
  code = prepare(instance, options ? options : &defaults);
  if (code != @NAME@_OK) {
    @NAME@_close(instance);
    return code;
  }
@UNMAP@@UNMAPPED@  *result = instance;
  return @NAME@_OK;
}

@CHECKS@
static int launch_step(const @NAME@_instance *instance, const struct step *step, void *stream) {
  const uint64_t workspace = instance->memory + ALIGNED(@ARENA_BYTES@) + ALIGNED(@INPUT_BYTES@);
  const struct kernel *const kernel = &kernels[step->kernel];
  for (unsigned l = kernel->first; l < kernel->first + kernel->count; ++l) {
    const struct launch *const launch = &launches[l];
    uint64_t given[MOST_VALUES];
    void *pointers[MOST_VALUES];
    for (unsigned v = 0; v < launch->count; ++v) {
      const struct value *const value = &values[launch->first + v];
      given[v] = value->array < 0 ? workspace + value->offset
                                  : instance->address[arguments[step->first + (unsigned)value->array]];
      pointers[v] = &given[v];
    }
    const unsigned *const grid = launch->grid, *const block = launch->block;
    const int error = driver.cuLaunchKernel(instance->functions[l], grid[0], grid[1], grid[2], block[0], block[1],
                                            block[2], launch->shared, stream, pointers, NULL);
    if (error) return refused(error, "launch ", launch->entry);
  }
  return @NAME@_OK;
}

static int enqueue(@NAME@_instance *instance, void *stream, const void *const *from, void *const *to) {
  for (unsigned i = 0; i < INPUT_COUNT; ++i) {
    const unsigned b = inputs_0[i].buffer;
    const uint64_t given = (uint64_t)(uintptr_t)from[i];
    instance->address[b] = given % @NAME@_ALIGNMENT == 0 ? given : instance->home[b];
    const int error = given == instance->address[b] ? 0
                      : driver.cuMemcpyDtoDAsync_v2(instance->home[b], given, buffers_0[b].bytes, stream);
    if (error) return refused(error, "copy the input ", input_names[i]);
  }
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    const unsigned b = outputs_0[o].buffer;
    const uint64_t wanted = (uint64_t)(uintptr_t)to[o];
    if (outputs_0[o].direct) instance->address[b] = wanted % @NAME@_ALIGNMENT == 0 ? wanted : instance->home[b];
  }
  for (const struct step *step = steps; step != steps + @STEP_COUNT@; ++step) {
    const int code = launch_step(instance, step, stream);
    if (code != @NAME@_OK) return code;
  }
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    const unsigned b = outputs_0[o].buffer;
    const uint64_t wanted = (uint64_t)(uintptr_t)to[o];
    const int error = wanted == instance->address[b] ? 0
                      : driver.cuMemcpyDtoDAsync_v2(wanted, instance->address[b], buffers_0[b].bytes, stream);
    if (error) return refused(error, "copy the output ", output_names[o]);
  }
  return @NAME@_OK;
}

PUBLIC int @NAME@_run(@NAME@_instance *instance, void *stream, @PARAMETERS@) {
  const void *const from[] = {@FROM@};
  void *const to[] = {@TO@};
  const int checked = check_arrays(instance, from, to);
  if (checked != @NAME@_OK) return checked;
  const int error = driver.cuCtxPushCurrent_v2(instance->context);
  if (error) return refused(error, "use the context", "");
  const int code = enqueue(instance, stream, from, to);
  void *popped;
  driver.cuCtxPopCurrent_v2(&popped);
  return code;
}
)";

/// A file of the build folder as read-only data.
constexpr const char* kImage = R"(__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".type @SYMBOL@, %object\n"
        "@SYMBOL@:\n"
        ".incbin \"@SYMBOL@\"\n"
        ".size @SYMBOL@, . - @SYMBOL@\n"
        ".popsection\n");
HIDDEN extern const unsigned char @SYMBOL@[];
)";

/// The tables of the kernels and of their launches.
void addKernels(const LibraryVariant& variant, std::map<std::string, std::string>& values) {
  std::string images, kernels, launches, rows;
  std::size_t launchCount = 0, valueCount = 0, most = 1;
  for (const LibraryKernel& kernel : variant.kernels) {
    images += filled(kImage, {{"SYMBOL", kernel.symbol}});
    kernels +=
        fmt::format("  {{{}, {}, {}}},\n", kernel.symbol, launchCount, kernel.launches.size());
    launchCount += kernel.launches.size();
    for (const KernelLaunch& launch : kernel.launches) {
      launches += fmt::format("  {{\"{}\", {{{}}}, {{{}}}, {}, {}, {}}},\n", launch.entry,
                              fmt::join(launch.grid, ", "), fmt::join(launch.block, ", "),
                              launch.dynamicSharedBytes, valueCount, launch.arguments.size());
      valueCount += launch.arguments.size();
      most = std::max(most, launch.arguments.size());
      for (const LaunchArgument& argument : launch.arguments)
        rows += fmt::format("  {{{}, {}}},\n", argument.parameter, argument.workspaceOffset);
    }
  }
  values["IMAGES"] = images;
  values["KERNELS"] = kernels;
  values["LAUNCHES"] = launches;
  values["VALUES"] = rows;
  values["MOST"] = fmt::format("{}", most);
}

void addPlan(const ExecutionPlan& plan, const std::vector<std::int64_t>& constants,
             std::int64_t alignment, std::map<std::string, std::string>& values) {
  std::int64_t inputBytes = 0;
  std::string steps;
  std::vector<std::string> arguments;
  for (const ExecutionPlan::Step& step : plan.steps) {
    steps += fmt::format("  {{{}, {}}},\n", step.task, arguments.size());
    for (const int buffer : step.buffers)
      arguments.push_back(fmt::format("{}", buffer));
  }
  values["BUFFERS"] = bufferRows(plan, constants, alignment, inputBytes);
  values["INPUTS"] = inputPorts(plan);
  values["OUTPUTS"] = outputPorts(plan);
  values["STEPS"] = steps;
  values["STEP_COUNT"] = fmt::format("{}", plan.steps.size());
  values["ARGUMENTS"] = cList(arguments);
  values["ARENA_BYTES"] = fmt::format("{}", plan.arenaBytes);
  values["INPUT_BYTES"] = fmt::format("{}", inputBytes);
}

} // namespace

std::string cudaGlue(const Library& library, const WeightsSums& sums,
                     std::map<std::string, std::string> values) {
  const LibraryVariant& variant = library.variants.front();
  const DeployedVariant& deployed = library.deployment.variants.front();
  const TargetFacts& target = deployed.target;
  const GpuArchitecture architecture = target.gpu->architecture;
  values["MAJOR"] = fmt::format("{}", architecture.major);
  values["MINOR"] = fmt::format("{}", architecture.minor);
  values["ARCHITECTURE"] = architecture.name();
  values["MODEL"] = cString(target.modelName);
  values["TUNED"] = fmt::format("{}", deployed.tunedCount());
  values["NEVER"] = fmt::format("{}", deployed.searchedCount() - deployed.tunedCount());
  values["PARAMETERS"] = tensorParameters(library);
  values["WORKSPACE_BYTES"] = fmt::format("{}", variant.workspaceBytes);
  addKernels(variant, values);
  addPlan(variant.plan, weightsLayout(library.variants).offsets.front(), bufferAlignment(target),
          values);
  addTensors(library, values);
  addWeights(library, sums, values);
  const bool maps = !values["UNMAP"].empty();
  if (maps)
    values["MAP"] = fmt::format("  code = map_weights(instance, options->weights);\n"
                                "  if (code != {}_OK) {{\n"
                                "    instance->context = NULL;\n"
                                "    return code;\n"
                                "  }}\n",
                                library.name());
  values["UNMAPPED"] = maps ? "  instance->mapped = 0;\n" : "";
  return filled(kDriver, values) + filled(kCudaGlue, values);
}

} // namespace nestwright
