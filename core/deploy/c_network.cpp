#include "core/deploy/c_glue_parts.h"
#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr const char* kNetworkGlue = R"(
@INCLUDES@
/* The tensors of a run. */
enum { ARENA, CONSTANT, INPUT };
struct buffer {
  unsigned place;
  uint64_t offset, bytes; /* inputs: of their copies */
};
struct step {
  kernel *run;
  unsigned first, count; /* of the variant's arguments */
};
/* Tensors of the interface; `direct`: a kernel may write where the caller wants it. */
struct port {
  unsigned buffer, direct;
};
static const char *const input_names[] = {@INPUT_NAMES@}, *const output_names[] = {@OUTPUT_NAMES@};
enum { INPUT_COUNT = @INPUT_COUNT@, OUTPUT_COUNT = @OUTPUT_COUNT@, MOST_ARGUMENTS = @MOST@ };

@TABLES@
/* How each variant runs. */
static const struct variant {
  const struct buffer *buffers;
  const struct step *steps;
  const unsigned *arguments; /* numbers of buffers */
  const struct port *inputs, *outputs;
  unsigned buffer_count, step_count;
  size_t arena_bytes, input_bytes, workspace_bytes, thread_bytes;
} variants[VARIANT_COUNT] = {
@VARIANTS@};

struct @NAME@_instance {
  const struct variant *variant;
  unsigned char *memory; /* arena, copies of inputs, workspace */
  const unsigned char *constants;
  size_t mapped; /* bytes at `constants` to unmap; 0: none */
  int threads;
@FIELDS@  void *address[]; /* of each buffer */
};
@WEIGHTS@
PUBLIC void @NAME@_close(@NAME@_instance *instance) {
  if (!instance) return;
@UNMAP@  free(instance->memory);
  free(instance);
}

static unsigned char *home(const @NAME@_instance *instance, unsigned buffer) {
  const struct buffer *at = &instance->variant->buffers[buffer];
  if (at->place == CONSTANT) return (unsigned char *)instance->constants + at->offset;
  return instance->memory + (at->place == INPUT ? instance->variant->arena_bytes : 0) + at->offset;
}

PUBLIC int @NAME@_open(@NAME@_instance **result, const @NAME@_options *options) {
  static const @NAME@_options defaults;
  if (!result) return failed(@NAME@_ERROR_ARGUMENT, "there is no place for the instance of @NAME@");
  *result = NULL;
  const int here = variant_here();
  if (here < 0) return @NAME@_ERROR_CPU;
  if (!options) options = &defaults;
  const struct variant *const variant = &variants[here];
  @NAME@_instance *instance = calloc(1, sizeof *instance + variant->buffer_count * sizeof(void *));
  if (!instance) return failed(@NAME@_ERROR_MEMORY, "there is no memory for @NAME@");
  instance->variant = variant;
@THREADS@  const size_t bytes = variant->arena_bytes + variant->input_bytes + variant->workspace_bytes +
                       (size_t)instance->threads * variant->thread_bytes;
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes ? bytes : 1) != 0) {
    @NAME@_close(instance);
    return failed(@NAME@_ERROR_MEMORY, "there is no memory for the %zu bytes of @NAME@", bytes);
  }
  memset(memory, 0, bytes);
  instance->memory = memory;
@MAP@  for (unsigned b = 0; b < variant->buffer_count; ++b)
    instance->address[b] = home(instance, b);
  *result = instance;
  return @NAME@_OK;
}

static int overlap(const unsigned char *a, uint64_t a_bytes, const unsigned char *b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

static int check_arrays(const @NAME@_instance *instance, const void *const *from, void *const *to) {
  if (!instance) return failed(@NAME@_ERROR_ARGUMENT, "@NAME@ has no instance to run");
  const struct buffer *const buffers = instance->variant->buffers;
  const struct port *const inputs = instance->variant->inputs, *const outputs = instance->variant->outputs;
  for (unsigned i = 0; i < INPUT_COUNT; ++i)
    if (!from[i]) return failed(@NAME@_ERROR_ARGUMENT, "the input %s of @NAME@ is NULL", input_names[i]);
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    if (!to[o]) return failed(@NAME@_ERROR_ARGUMENT, "the output %s of @NAME@ is NULL", output_names[o]);
    const uint64_t bytes = buffers[outputs[o].buffer].bytes;
    for (unsigned i = 0; i < INPUT_COUNT; ++i)
      if (overlap(from[i], buffers[inputs[i].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the input %s and the output %s of @NAME@ overlap",
                      input_names[i], output_names[o]);
    for (unsigned p = 0; p < o; ++p)
      if (overlap(to[p], buffers[outputs[p].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the outputs %s and %s of @NAME@ overlap",
                      output_names[p], output_names[o]);
  }
  return @NAME@_OK;
}

static int run(@NAME@_instance *instance, const void *const *from, void *const *to) {
  const int checked = check_arrays(instance, from, to);
  if (checked != @NAME@_OK) return checked;
  const struct variant *const variant = instance->variant;
  const struct buffer *const buffers = variant->buffers;
  const struct port *const outputs = variant->outputs;
  void **address = instance->address;
  for (unsigned i = 0; i < INPUT_COUNT; ++i) {
    const unsigned b = variant->inputs[i].buffer;
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
  void *workspace = instance->memory + variant->arena_bytes + variant->input_bytes;
@BEFORE@  for (const struct step *step = variant->steps; step != variant->steps + variant->step_count; ++step) {
    void *arrays[MOST_ARGUMENTS];
    for (unsigned a = 0; a < step->count; ++a)
      arrays[a] = address[variant->arguments[step->first + a]];
    step->run(arrays, workspace, instance->threads);
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

/* What the same variants read lies together. */
static const struct part {
  uint64_t offset, bytes, sum;
  unsigned variants; /* a bit for each */
} parts[] = {
@PARTS@};

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

/* Of what the instance's variant reads. */
static int parts_are_right(const @NAME@_instance *instance) {
  const unsigned variant = 1u << (instance->variant - variants);
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p) {
    const uintptr_t begin = (uintptr_t)instance->constants + parts[p].offset;
    if (parts[p].variants & variant)
      madvise((void *)(begin - begin % page), parts[p].bytes + begin % page, MADV_WILLNEED);
  }
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
    if ((parts[p].variants & variant) &&
        checksum(instance->constants + parts[p].offset, parts[p].bytes) != parts[p].sum)
      return 0;
  return memcmp(instance->constants, "NWWEIGHT", 8) == 0;
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
  if (parts_are_right(instance)) return @NAME@_OK;
  return failed(@NAME@_ERROR_WEIGHTS, "%.300s is damaged or another library's: its checksum is wrong", given);
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

/// The rows of a variant's buffers, and how many bytes copies of inputs take.
std::string bufferRows(const ExecutionPlan& plan, const std::vector<std::int64_t>& constants,
                       std::int64_t& inputBytes) {
  std::string rows;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlannedBuffer& buffer = plan.buffers[b];
    const char* place = "ARENA";
    std::int64_t offset = buffer.offset;
    if (buffer.place == PlannedBuffer::Place::Constant) {
      place = "CONSTANT";
      offset = constants[b];
    } else if (buffer.place == PlannedBuffer::Place::Input) {
      place = "INPUT";
      offset = inputBytes;
      inputBytes += (buffer.bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    }
    rows += fmt::format("  {{{}, {}, {}}},\n", place, offset, buffer.bytes);
  }
  return rows;
}

std::string inputPorts(const ExecutionPlan& plan) {
  std::vector<std::string> ports;
  for (const int buffer : plan.inputs)
    ports.push_back(fmt::format("{{{}, 1}}", buffer));
  return cList(ports);
}

std::string outputPorts(const ExecutionPlan& plan) {
  std::vector<std::string> ports;
  std::vector<int> seen;
  for (const int buffer : plan.outputs) {
    const bool own =
        plan.buffers[static_cast<std::size_t>(buffer)].place == PlannedBuffer::Place::Arena &&
        std::ranges::find(seen, buffer) == seen.end();
    seen.push_back(buffer);
    ports.push_back(fmt::format("{{{}, {}}}", buffer, own ? 1 : 0));
  }
  return cList(ports);
}

/// The tables of a variant, and its row in the table of them.
struct VariantText {
  std::string tables, row;
  std::size_t mostArguments = 1;
};

VariantText variantText(const LibraryVariant& variant, std::size_t number,
                        const std::vector<std::int64_t>& constants) {
  const ExecutionPlan& plan = variant.plan;
  VariantText text;
  std::int64_t inputBytes = 0;
  const std::string buffers = bufferRows(plan, constants, inputBytes);
  std::string kernels, steps;
  std::vector<std::string> arguments;
  for (const LibraryKernel& kernel : variant.kernels)
    kernels += fmt::format("extern kernel {};\n", kernel.symbol);
  for (const ExecutionPlan::Step& step : plan.steps) {
    steps += fmt::format("  {{{}, {}, {}}},\n",
                         variant.kernels[static_cast<std::size_t>(step.task)].symbol,
                         arguments.size(), step.buffers.size());
    for (const int buffer : step.buffers)
      arguments.push_back(fmt::format("{}", buffer));
    text.mostArguments = std::max(text.mostArguments, step.buffers.size());
  }
  text.tables = fmt::format("{1}static const struct buffer buffers_{0}[] = {{\n{2}}};\n"
                            "static const struct step steps_{0}[] = {{\n{3}}};\n"
                            "static const unsigned arguments_{0}[] = {{{4}}};\n"
                            "static const struct port inputs_{0}[] = {{{5}}}, outputs_{0}[] = "
                            "{{{6}}};\n",
                            number, kernels, buffers, steps, cList(arguments), inputPorts(plan),
                            outputPorts(plan));
  text.row = fmt::format("  {{buffers_{0}, steps_{0}, arguments_{0}, inputs_{0}, outputs_{0}, {1}, "
                         "{2}, {3}, {4}, {5}, {6}}},\n",
                         number, plan.buffers.size(), plan.steps.size(), plan.arenaBytes,
                         inputBytes, variant.workspaceBytes, variant.threadWorkspaceBytes);
  return text;
}

void addVariants(const Library& library, const WeightsLayout& weights,
                 std::map<std::string, std::string>& values) {
  std::string tables, rows;
  std::size_t most = 1;
  for (std::size_t v = 0; v < library.variants.size(); ++v) {
    const VariantText text = variantText(library.variants[v], v, weights.offsets[v]);
    tables += text.tables;
    rows += text.row;
    most = std::max(most, text.mostArguments);
  }
  values["TABLES"] = tables;
  values["VARIANTS"] = rows;
  values["MOST"] = fmt::format("{}", most);
}

void addTensors(const Library& library, std::map<std::string, std::string>& values) {
  const auto add = [&](const char* kind, const char* array,
                       const std::vector<LibraryTensor>& tensors) {
    std::vector<std::string> names, quoted;
    for (const LibraryTensor& tensor : tensors) {
      names.push_back(tensor.name);
      quoted.push_back(fmt::format("\"{}\"", tensor.name));
    }
    values[array] = cList(names);
    values[fmt::format("{}_NAMES", kind)] = cList(quoted);
    values[fmt::format("{}_COUNT", kind)] = fmt::format("{}", tensors.size());
  };
  add("INPUT", "FROM", library.inputs);
  add("OUTPUT", "TO", library.outputs);
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

void addWeights(const Library& library, const WeightsLayout& weights, const WeightsSums& sums,
                std::map<std::string, std::string>& values) {
  values["WEIGHTS"] = values["UNMAP"] = values["MAP"] = "";
  if (!library.hasWeights()) return;
  if (library.deployment.options.embed) {
    values["WEIGHTS"] = filled(kEmbedded, values);
    values["MAP"] = fmt::format("  instance->constants = {}_weights;\n", library.name());
    return;
  }
  std::string parts;
  NW_ASSERT(sums.parts.size() == weights.parts.size(), "{} sums of {} parts", sums.parts.size(),
            weights.parts.size());
  for (std::size_t p = 0; p < weights.parts.size(); ++p)
    parts += fmt::format("  {{{}, {}, {:#x}u, {:#x}}},\n", weights.parts[p].offset,
                         weights.parts[p].bytes, sums.parts[p], weights.parts[p].variants);
  values["PARTS"] = parts;
  values["WEIGHTS_BYTES"] = fmt::format("{}", weights.bytes);
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

} // namespace

std::string networkGlue(const Library& library, const WeightsSums& sums,
                        std::map<std::string, std::string> values) {
  const WeightsLayout weights = weightsLayout(library.variants);
  values["PARAMETERS"] = tensorParameters(library);
  addVariants(library, weights, values);
  addTensors(library, values);
  addThreads(library, values);
  addWeights(library, weights, sums, values);
  return filled(kNetworkGlue, values);
}

} // namespace nestwright
