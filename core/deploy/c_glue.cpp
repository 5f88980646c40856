#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/deploy/weights.h"
#include "core/emit/c_packer.h"
#include "core/emit/c_type.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr const char* kBegin = R"(#define _GNU_SOURCE
#include "@NAME@.h"

#include <cpuid.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef void kernel(void *const *buffers, void *workspace, int32_t threads);

#define PUBLIC __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

static _Thread_local char error_text[512];

__attribute__((format(printf, 2, 3))) static int failed(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error_text, sizeof error_text, format, arguments);
  va_end(arguments);
  return code;
}

PUBLIC const char *@NAME@_error(void) { return error_text; }
HIDDEN int @NAME@_fail(int code, const char *text) { return failed(code, "%s", text); }

static const struct feature {
  const char *name;
  unsigned leaf, subleaf, word, bit, state;
} features[] = {
@FEATURES@  {0, 0, 0, 0, 0, 0}};

/* What the operating system saves of the registers: XCR0. */
static unsigned saved_state(void) {
  unsigned words[4] = {0, 0, 0, 0}, low = 0, high = 0;
  if (!__get_cpuid_count(1, 0, &words[0], &words[1], &words[2], &words[3])) return 0;
  if (!(words[2] >> 27 & 1)) return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

PUBLIC int @NAME@_check(void) {
  static int found; /* all is there; whoever asks finds the same */
  if (__atomic_load_n(&found, __ATOMIC_RELAXED)) return @NAME@_OK;
  const unsigned saved = saved_state();
  for (const struct feature *needed = features; needed->name; ++needed) {
    unsigned words[4] = {0, 0, 0, 0};
    const int known = __get_cpuid_count(needed->leaf, needed->subleaf, &words[0], &words[1],
                                        &words[2], &words[3]);
    if (!known || !(words[needed->word] >> needed->bit & 1) ||
        (saved & needed->state) != needed->state)
      return failed(@NAME@_ERROR_CPU, "this processor lacks %s, which the code of @NAME@ needs",
                    needed->name);
  }
  __atomic_store_n(&found, 1, __ATOMIC_RELAXED);
  return @NAME@_OK;
}

)";

constexpr const char* kSerial = R"(
/* What kernels call for a parallel loop on several threads, which there never are. */
HIDDEN void @NAME@_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  function(data);
}
HIDDEN int32_t @NAME@_thread_number(void) { return 0; }
HIDDEN int32_t @NAME@_thread_count(void) { return 1; }
)";

constexpr const char* kCallback = R"(
/* What kernels call for a parallel loop. */
static _Thread_local const @NAME@_pool *current_pool;
static _Thread_local int32_t thread_number, thread_count = 1;

struct region {
  void (*function)(void *);
  void *data;
  int count;
};

static void run_part(void *data, int index) {
  const struct region *region = data;
  const int32_t number = thread_number, count = thread_count;
  thread_number = index;
  thread_count = region->count;
  region->function(region->data);
  thread_number = number;
  thread_count = count;
}

HIDDEN void @NAME@_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  struct region region = {function, data, (int)threads};
  (void)flags;
  current_pool->parallel_for(current_pool->context, region.count, run_part, &region);
}
HIDDEN int32_t @NAME@_thread_number(void) { return thread_number; }
HIDDEN int32_t @NAME@_thread_count(void) { return thread_count; }

static int threads_of(const @NAME@_pool *pool) {
  return pool && pool->parallel_for && pool->threads > 1 ? pool->threads : 1;
}
)";

constexpr const char* kOperatorGlue = R"(
extern kernel @KERNEL@;

PUBLIC int @NAME@(@PARAMETERS@) {
  void *const buffers[] = {@BUFFERS@};
  const int checked = @NAME@_check();
  if (checked != @NAME@_OK) return checked;
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
    if (!buffers[i] || (uintptr_t)buffers[i] % @NAME@_ALIGNMENT != 0)
      return failed(@NAME@_ERROR_ARGUMENT, "array %zu of @NAME@ is %s", i,
                    buffers[i] ? "not aligned to 64 bytes" : "NULL");
  if (@NEED@ > 0 && (!workspace || (uintptr_t)workspace % @NAME@_ALIGNMENT != 0))
    return failed(@NAME@_ERROR_ARGUMENT, "the workspace of @NAME@ is %s",
                  workspace ? "not aligned to 64 bytes" : "NULL");
@CALL@  return @NAME@_OK;
}
)";

constexpr const char* kNetworkGlue = R"(
#include <stdlib.h>
@INCLUDES@
@KERNELS@
/* The tensors of a run. */
enum { ARENA, CONSTANT, INPUT };
static const struct buffer {
  unsigned place;
  uint64_t offset, bytes; /* inputs: of their copies */
} buffers[] = {
@TENSORS@};
#define BUFFER_COUNT (sizeof buffers / sizeof *buffers)

static const struct step {
  kernel *run;
  unsigned first, count; /* of `arguments` */
} steps[] = {
@STEPS@};
static const unsigned arguments[] = {@ARGUMENTS@};
enum { MOST_ARGUMENTS = @MOST@ };

/* Tensors of the interface; `direct`: a kernel may write where the caller wants it. */
static const struct port {
  const char *name;
  unsigned buffer, direct;
} inputs[] = {@INPUTS@}, outputs[] = {@OUTPUTS@};
enum { INPUT_COUNT = sizeof inputs / sizeof *inputs, OUTPUT_COUNT = sizeof outputs / sizeof *outputs };

#define ARENA_BYTES ((size_t)@ARENA_BYTES@)
#define INPUT_BYTES ((size_t)@INPUT_BYTES@)
#define WORKSPACE_BYTES(threads) ((size_t)@WORKSPACE_BYTES@ + (size_t)(threads) * @THREAD_BYTES@)

struct @NAME@_instance {
  unsigned char *memory; /* arena, copies of inputs, workspace */
  const unsigned char *constants;
  size_t mapped; /* bytes at `constants` to unmap; 0: none */
  int threads;
@FIELDS@  void *address[BUFFER_COUNT];
};
@WEIGHTS@
PUBLIC void @NAME@_close(@NAME@_instance *instance) {
  if (!instance) return;
@UNMAP@  free(instance->memory);
  free(instance);
}

static unsigned char *home(const @NAME@_instance *instance, unsigned buffer) {
  const struct buffer *at = &buffers[buffer];
  if (at->place == CONSTANT) return (unsigned char *)instance->constants + at->offset;
  return instance->memory + (at->place == INPUT ? ARENA_BYTES : 0) + at->offset;
}

PUBLIC int @NAME@_open(@NAME@_instance **result, const @NAME@_options *options) {
  static const @NAME@_options defaults;
  if (!result) return failed(@NAME@_ERROR_ARGUMENT, "there is no place for the instance of @NAME@");
  *result = NULL;
  const int checked = @NAME@_check();
  if (checked != @NAME@_OK) return checked;
  if (!options) options = &defaults;
  @NAME@_instance *instance = calloc(1, sizeof *instance);
  if (!instance) return failed(@NAME@_ERROR_MEMORY, "there is no memory for @NAME@");
@THREADS@  const size_t bytes = ARENA_BYTES + INPUT_BYTES + WORKSPACE_BYTES(instance->threads);
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes ? bytes : 1) != 0) {
    @NAME@_close(instance);
    return failed(@NAME@_ERROR_MEMORY, "there is no memory for the %zu bytes of @NAME@", bytes);
  }
  memset(memory, 0, bytes);
  instance->memory = memory;
@MAP@  for (unsigned b = 0; b < BUFFER_COUNT; ++b)
    instance->address[b] = home(instance, b);
  *result = instance;
  return @NAME@_OK;
}

static int overlap(const unsigned char *a, uint64_t a_bytes, const unsigned char *b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

static int check_arrays(const @NAME@_instance *instance, const void *const *from, void *const *to) {
  if (!instance) return failed(@NAME@_ERROR_ARGUMENT, "@NAME@ has no instance to run");
  for (unsigned i = 0; i < INPUT_COUNT; ++i)
    if (!from[i]) return failed(@NAME@_ERROR_ARGUMENT, "the input %s of @NAME@ is NULL", inputs[i].name);
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    if (!to[o]) return failed(@NAME@_ERROR_ARGUMENT, "the output %s of @NAME@ is NULL", outputs[o].name);
    const uint64_t bytes = buffers[outputs[o].buffer].bytes;
    for (unsigned i = 0; i < INPUT_COUNT; ++i)
      if (overlap(from[i], buffers[inputs[i].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the input %s and the output %s of @NAME@ overlap",
                      inputs[i].name, outputs[o].name);
    for (unsigned p = 0; p < o; ++p)
      if (overlap(to[p], buffers[outputs[p].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the outputs %s and %s of @NAME@ overlap",
                      outputs[p].name, outputs[o].name);
  }
  return @NAME@_OK;
}

static int run(@NAME@_instance *instance, const void *const *from, void *const *to) {
  const int checked = check_arrays(instance, from, to);
  if (checked != @NAME@_OK) return checked;
  void **address = instance->address;
  for (unsigned i = 0; i < INPUT_COUNT; ++i) {
    const unsigned b = inputs[i].buffer;
    if ((uintptr_t)from[i] % 64 == 0)
      address[b] = (void *)from[i];
    else
      address[b] = memcpy(home(instance, b), from[i], buffers[b].bytes);
  }
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o)
    if (outputs[o].direct) {
      const unsigned b = outputs[o].buffer;
      address[b] = (uintptr_t)to[o] % 64 == 0 ? to[o] : home(instance, b);
    }
  void *workspace = instance->memory + ARENA_BYTES + INPUT_BYTES;
@BEFORE@  for (unsigned s = 0; s < sizeof steps / sizeof *steps; ++s) {
    void *arrays[MOST_ARGUMENTS];
    for (unsigned a = 0; a < steps[s].count; ++a)
      arrays[a] = address[arguments[steps[s].first + a]];
    steps[s].run(arrays, workspace, instance->threads);
  }
@AFTER@  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    const unsigned b = outputs[o].buffer;
    if (to[o] != address[b]) memcpy(to[o], address[b], buffers[b].bytes);
  }
  return @NAME@_OK;
}

PUBLIC int @NAME@_run(@NAME@_instance *instance, @PARAMETERS@) {
  const void *const from[] = {@FROM@};
  void *const to[] = {@TO@};
  return run(instance, from, to);
}
)";

/// Sums as weightsChecksum().
constexpr const char* kChecksum = R"(
#define WEIGHTS_BYTES ((uint64_t)@WEIGHTS_BYTES@) /* of the file */
#define WEIGHTS_SUM ((uint64_t)@CHECKSUM@u)

static uint64_t mixed(uint64_t value) {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ value >> 32;
}

static uint64_t checksum(const unsigned char *bytes, uint64_t size) {
  uint64_t lanes[4] = {1, 2, 3, 4}, sum = 0;
  for (uint64_t at = 0; at < size; at += 32)
    for (int lane = 0; lane < 4; ++lane) {
      uint64_t word;
      memcpy(&word, bytes + at + 8 * lane, 8);
      lanes[lane] = mixed(lanes[lane] ^ word);
    }
  for (int lane = 0; lane < 4; ++lane)
    sum = mixed(sum ^ lanes[lane]);
  return sum;
}
)";

constexpr const char* kMapped = R"(
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the file is when nobody says: beside what this code is in. */
static int default_path(char *path, size_t size) {
  Dl_info info;
  if (!dladdr((const void *)(uintptr_t)&@NAME@_open, &info) || !info.dli_fname)
    return failed(@NAME@_ERROR_WEIGHTS, "where @NAME@.weights is cannot be told: set options.weights");
  const char *slash = strrchr(info.dli_fname, '/');
  const int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
  if (snprintf(path, size, "%.*s@NAME@.weights", folder, info.dli_fname) >= (int)size)
    return failed(@NAME@_ERROR_WEIGHTS, "the path of @NAME@.weights is too long: set options.weights");
  return @NAME@_OK;
}

static int map_weights(@NAME@_instance *instance, const char *given) {
  char path[4096];
  if (!given) {
    const int found = default_path(path, sizeof path);
    if (found != @NAME@_OK) return found;
    given = path;
  }
  const int file = open(given, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failed(@NAME@_ERROR_WEIGHTS, "%.300s cannot be opened: %s", given, strerror(errno));
  struct stat status;
  if (fstat(file, &status) != 0 || (uint64_t)status.st_size != WEIGHTS_BYTES) {
    close(file);
    return failed(@NAME@_ERROR_WEIGHTS, "%.300s is not the file of this library: it does not have its %llu bytes",
                  given, (unsigned long long)WEIGHTS_BYTES);
  }
  void *mapped = mmap(NULL, WEIGHTS_BYTES, PROT_READ, MAP_SHARED, file, 0);
  const int problem = errno;
  close(file);
  if (mapped == MAP_FAILED)
    return failed(@NAME@_ERROR_WEIGHTS, "%.300s cannot be mapped: %s", given, strerror(problem));
  instance->constants = mapped;
  instance->mapped = WEIGHTS_BYTES;
  madvise(mapped, WEIGHTS_BYTES, MADV_WILLNEED);
  if (memcmp(mapped, "NWWEIGHT", 8) != 0 || checksum(instance->constants + 64, WEIGHTS_BYTES - 64) != WEIGHTS_SUM)
    return failed(@NAME@_ERROR_WEIGHTS, "%.300s is damaged or another library's: its checksum is wrong", given);
  return @NAME@_OK;
}
)";

constexpr const char* kEmbedded = R"(
__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".type @NAME@_weights, %object\n"
        "@NAME@_weights:\n"
        ".incbin \"@NAME@.weights\"\n"
        ".size @NAME@_weights, . - @NAME@_weights\n"
        ".popsection\n");
HIDDEN extern const unsigned char @NAME@_weights[];
)";

std::string featureRows(const Library& library) {
  std::string rows;
  for (const CpuFeature& f : library.features)
    rows += fmt::format("  {{\"{}\", {:#x}, {}, {}, {}, {:#x}}},\n", f.name, f.leaf, f.subleaf,
                        f.word, f.bit, f.state);
  return rows;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string operatorCall(const Library& library, const std::string& kernel) {
  switch (library.threading()) {
  case Threading::Serial:
    return fmt::format("  {}(buffers, workspace, 1);\n", kernel);
  case Threading::OpenMp:
    return fmt::format("  {}(buffers, workspace, threads);\n", kernel);
  case Threading::Callback:
    return fmt::format("  const {0}_pool *const before = current_pool;\n"
                       "  current_pool = pool;\n"
                       "  {1}(buffers, workspace, threads_of(pool));\n"
                       "  current_pool = before;\n",
                       library.name(), kernel);
  }
  return {};
}

/// The function that packs an input.
std::string packerText(const Library& library, const LibraryTensor& tensor) {
  return fmt::format("\nPUBLIC void {0}_pack_{1}(const {2} *given, {2} *packed) {{\n{3}}}\n",
                     library.name(), tensor.name, cType(tensor.type),
                     cPackerBody(*tensor.layout, tensor.type.elementBytes()));
}

std::string operatorText(const Library& library, std::map<std::string, std::string> values) {
  std::vector<std::string> buffers; // in the order of the kernel's parameters
  for (const LibraryTensor& tensor : library.inputs)
    buffers.push_back(fmt::format("(void *){}", tensor.name));
  buffers.push_back(fmt::format("(void *){}", library.outputs.front().name));
  std::string parameters = tensorParameters(library) + ", void *workspace";
  std::string need = fmt::format("{}_WORKSPACE_BYTES", library.name());
  std::string threadCheck;
  if (library.threading() == Threading::OpenMp) {
    parameters += ", int threads";
    threadCheck = "  if (threads < 1) threads = 1;\n";
    need += "(threads)";
  }
  if (library.threading() == Threading::Callback) {
    parameters += fmt::format(", const {}_pool *pool", library.name());
    need += "(threads_of(pool))";
  }
  values["KERNEL"] = library.kernels.front().symbol;
  values["PARAMETERS"] = parameters;
  values["BUFFERS"] = joined(buffers);
  values["NEED"] = need;
  values["CALL"] = threadCheck + operatorCall(library, library.kernels.front().symbol);
  std::string text;
  for (const LibraryTensor& tensor : library.inputs)
    if (tensor.layout) text += packerText(library, tensor);
  return text + filled(kOperatorGlue, values);
}

/// The tables of buffers, steps and ports.
void addTables(const Library& library, std::map<std::string, std::string>& values) {
  const ExecutionPlan& plan = library.plan;
  const WeightsLayout weights = weightsLayout(plan);
  std::int64_t inputBytes = 0;
  std::string tensors, steps, kernels;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlannedBuffer& buffer = plan.buffers[b];
    const char* place = "ARENA";
    std::int64_t offset = buffer.offset;
    if (buffer.place == PlannedBuffer::Place::Constant) {
      place = "CONSTANT";
      offset = weights.offsets[b];
    } else if (buffer.place == PlannedBuffer::Place::Input) {
      place = "INPUT";
      offset = inputBytes;
      inputBytes += (buffer.bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    }
    tensors += fmt::format("  {{{}, {}, {}}},\n", place, offset, buffer.bytes);
  }
  std::vector<std::string> arguments;
  std::size_t most = 1;
  for (const ExecutionPlan::Step& step : plan.steps) {
    steps += fmt::format("  {{{}, {}, {}}},\n",
                         library.kernels[static_cast<std::size_t>(step.task)].symbol,
                         arguments.size(), step.buffers.size());
    for (const int buffer : step.buffers)
      arguments.push_back(fmt::format("{}", buffer));
    most = std::max(most, step.buffers.size());
  }
  for (const LibraryKernel& kernel : library.kernels)
    kernels += fmt::format("extern kernel {};\n", kernel.symbol);
  values["TENSORS"] = tensors;
  values["STEPS"] = steps;
  values["KERNELS"] = kernels;
  values["ARGUMENTS"] = joined(arguments);
  values["MOST"] = fmt::format("{}", most);
  values["INPUT_BYTES"] = fmt::format("{}", inputBytes);
  std::vector<std::string> inputs, outputs, from, to;
  std::vector<int> seen;
  for (const LibraryTensor& tensor : library.inputs) {
    inputs.push_back(fmt::format("{{\"{}\", {}, 1}}", tensor.name, tensor.buffer));
    from.push_back(tensor.name);
  }
  for (const LibraryTensor& tensor : library.outputs) {
    const bool own = plan.buffers[static_cast<std::size_t>(tensor.buffer)].place ==
                         PlannedBuffer::Place::Arena &&
                     std::ranges::find(seen, tensor.buffer) == seen.end();
    seen.push_back(tensor.buffer);
    outputs.push_back(fmt::format("{{\"{}\", {}, {}}}", tensor.name, tensor.buffer, own ? 1 : 0));
    to.push_back(tensor.name);
  }
  values["INPUTS"] = joined(inputs);
  values["OUTPUTS"] = joined(outputs);
  values["FROM"] = joined(from);
  values["TO"] = joined(to);
}

void addThreads(const Library& library, std::map<std::string, std::string>& values) {
  values["INCLUDES"] = values["FIELDS"] = values["BEFORE"] = values["AFTER"] = "";
  switch (library.threading()) {
  case Threading::Serial:
    values["THREADS"] = "  instance->threads = 1;\n";
    break;
  case Threading::OpenMp:
    // omp.h comes with the compiler and need not be there.
    values["INCLUDES"] = "extern int omp_get_num_procs(void);\n";
    values["THREADS"] =
        "  instance->threads = options->threads > 0 ? options->threads : omp_get_num_procs();\n";
    break;
  case Threading::Callback:
    values["FIELDS"] = fmt::format("  {}_pool pool;\n", library.name());
    values["THREADS"] = "  if (options->pool) instance->pool = *options->pool;\n"
                        "  instance->threads = threads_of(&instance->pool);\n";
    values["BEFORE"] = fmt::format("  const {}_pool *const before = current_pool;\n"
                                   "  current_pool = &instance->pool;\n",
                                   library.name());
    values["AFTER"] = "  current_pool = before;\n";
    break;
  }
}

void addWeights(const Library& library, std::uint64_t checksum,
                std::map<std::string, std::string>& values) {
  values["WEIGHTS"] = values["UNMAP"] = values["MAP"] = "";
  if (!library.hasWeights()) return;
  values["WEIGHTS_BYTES"] = fmt::format("{}", weightsLayout(library.plan).bytes);
  values["CHECKSUM"] = fmt::format("{:#x}", checksum);
  if (library.deployment.options.embed) {
    values["WEIGHTS"] = filled(kEmbedded, values);
    values["MAP"] = fmt::format("  instance->constants = {}_weights;\n", library.name());
    return;
  }
  values["WEIGHTS"] = filled(kChecksum, values) + filled(kMapped, values);
  values["MAP"] = fmt::format("  const int mapped = map_weights(instance, options->weights);\n"
                              "  if (mapped != {0}_OK) {{\n"
                              "    {0}_close(instance);\n"
                              "    return mapped;\n"
                              "  }}\n",
                              library.name());
  values["UNMAP"] = "  if (instance->mapped) munmap((void *)instance->constants, "
                    "instance->mapped);\n";
}

std::string networkText(const Library& library, std::uint64_t checksum,
                        std::map<std::string, std::string> values) {
  values["PARAMETERS"] = tensorParameters(library);
  values["ARENA_BYTES"] = fmt::format("{}", library.plan.arenaBytes);
  values["WORKSPACE_BYTES"] = fmt::format("{}", library.workspaceBytes);
  values["THREAD_BYTES"] = fmt::format("{}", library.threadWorkspaceBytes);
  addTables(library, values);
  addThreads(library, values);
  addWeights(library, checksum, values);
  return filled(kNetworkGlue, values);
}

} // namespace

std::string glueText(const Library& library, std::uint64_t checksum) {
  std::map<std::string, std::string> values = {{"NAME", library.name()},
                                               {"FEATURES", featureRows(library)}};
  std::string text = filled(kBegin, values);
  if (library.threading() == Threading::Serial) text += filled(kSerial, values);
  if (library.threading() == Threading::Callback) text += filled(kCallback, values);
  return text + (library.isNetwork() ? networkText(library, checksum, values)
                                     : operatorText(library, values));
}

} // namespace nestwright
