#include "core/deploy/c_glue_parts.h"
#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr const char* kNetworkGlue = R"(
#include <sys/mman.h>
@INCLUDES@@TENSORS@
struct step {
  kernel *run;
  unsigned first, count; /* of the variant's arguments */
};
enum { MOST_ARGUMENTS = @MOST@, SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20 };

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
  const int is_large = bytes >= HUGE_PAGE;
  if (posix_memalign(&memory, is_large ? HUGE_PAGE : SMALL_PAGE, bytes ? bytes : 1) != 0) {
    @NAME@_close(instance);
    return failed(@NAME@_ERROR_MEMORY, "there is no memory for the %zu bytes of @NAME@", bytes);
  }
  /* A system without huge pages refuses, and nothing is the worse for it. */
  if (is_large) madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
  memset(memory, 0, bytes);
  instance->memory = memory;
@MAP@  for (unsigned b = 0; b < variant->buffer_count; ++b)
    instance->address[b] = home(instance, b);
  *result = instance;
  return @NAME@_OK;
}

@CHECKS@
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
  const std::string buffers = bufferRows(plan, constants, kBufferAlignment, inputBytes);
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

void addThreads(const Library& library, std::map<std::string, std::string>& values) {
  values["INCLUDES"] = values["FIELDS"] = values["BEFORE"] = values["AFTER"] = "";
  switch (library.threading()) {
  case Threading::Serial:
    values["THREADS"] = "  instance->threads = 1;\n";
    break;
  case Threading::OpenMp:
    // omp.h comes with the compiler and need not be there.
    values["INCLUDES"] = "extern int omp_get_max_threads(void);\n";
    values["THREADS"] =
        "  instance->threads = options->threads > 0 ? options->threads : omp_get_max_threads();\n";
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

} // namespace

std::string networkGlue(const Library& library, const WeightsSums& sums,
                        std::map<std::string, std::string> values) {
  const WeightsLayout weights = weightsLayout(library.variants);
  values["PARAMETERS"] = tensorParameters(library);
  addVariants(library, weights, values);
  addTensors(library, values);
  addThreads(library, values);
  addWeights(library, sums, values);
  return filled(kNetworkGlue, values);
}

} // namespace nestwright
