#include "core/deploy/c_glue_parts.h"
#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/emit/c_packer.h"
#include "core/emit/c_type.h"

#include <optional>

namespace nestwright {

namespace {

constexpr const char* kBegin = R"(#define _GNU_SOURCE
#include "@NAME@.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
@KERNELS@static kernel *const kernels[VARIANT_COUNT] = {@ENTRIES@};

static size_t workspace_of(int variant, int threads) {
  static const size_t bytes[VARIANT_COUNT][2] = {@WORKSPACES@}; /* in all, for each thread */
  return bytes[variant][0] + (size_t)(threads > 1 ? threads : 1) * bytes[variant][1];
}

PUBLIC size_t @NAME@_workspace_bytes(@THREADS@) {
  const int variant = variant_here();
  return variant < 0 ? 0 : workspace_of(variant, @THREAD_NUMBER@);
}

PUBLIC int @NAME@(@PARAMETERS@) {
  void *const buffers[] = {@BUFFERS@};
  const int variant = variant_here();
  if (variant < 0) return @NAME@_ERROR_CPU;
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
    if (!buffers[i] || (uintptr_t)buffers[i] % @NAME@_ALIGNMENT != 0)
      return failed(@NAME@_ERROR_ARGUMENT, "array %zu of @NAME@ is %s", i,
                    buffers[i] ? "not aligned to 64 bytes" : "NULL");
  if (workspace_of(variant, @COUNT@) > 0 && (!workspace || (uintptr_t)workspace % @NAME@_ALIGNMENT != 0))
    return failed(@NAME@_ERROR_ARGUMENT, "the workspace of @NAME@ is %s",
                  workspace ? "not aligned to 64 bytes" : "NULL");
@CALL@  return @NAME@_OK;
}
)";

/// How many threads a call may use, as C.
std::string threadCount(const Library& library) {
  switch (library.threading()) {
  case Threading::Serial:
    break;
  case Threading::OpenMp:
    return "threads > 1 ? threads : 1";
  case Threading::Callback:
    return "threads_of(pool)";
  }
  return "1";
}

std::string operatorCall(const Library& library) {
  std::string call =
      fmt::format("  kernels[variant](buffers, workspace, {});\n", threadCount(library));
  if (library.threading() != Threading::Callback) return call;
  return fmt::format("  const {}_pool *const before = current_pool;\n"
                     "  current_pool = pool;\n"
                     "{}"
                     "  current_pool = before;\n",
                     library.name(), call);
}

/// The function that packs an input, as the variant that runs here wants it.
std::string packerText(const Library& library, const LibraryTensor& tensor) {
  std::string cases;
  std::vector<bool> done(tensor.layouts.size());
  for (std::size_t v = 0; v < tensor.layouts.size(); ++v) {
    if (done[v]) continue;
    const std::optional<PackedLayout>& layout = tensor.layouts[v];
    for (std::size_t other = v; other < tensor.layouts.size(); ++other)
      if (tensor.layouts[other] == layout) {
        done[other] = true;
        cases += fmt::format("  case {}:\n", other);
      }
    cases +=
        fmt::format("{}  return {}_OK;\n",
                    layout ? cPackerBody(*layout, tensor.type.elementBytes())
                           : fmt::format("  memcpy(packed, given, {});\n", tensor.givenBytes()),
                    library.name());
  }
  return fmt::format("\nPUBLIC int {0}_pack_{1}(const {2} *given, {2} *packed) {{\n"
                     "  switch (variant_here()) {{\n{3}  }}\n"
                     "  return {0}_ERROR_CPU;\n}}\n",
                     library.name(), tensor.name, cType(tensor.type), cases);
}

/// What differs by variant.
void addKernels(const Library& library, std::map<std::string, std::string>& values) {
  std::string kernels;
  std::vector<std::string> entries, workspaces;
  for (const LibraryVariant& variant : library.variants) {
    entries.push_back(variant.kernels.front().symbol);
    kernels += fmt::format("extern kernel {};\n", entries.back());
    workspaces.push_back(
        fmt::format("{{{}, {}}}", variant.workspaceBytes, variant.threadWorkspaceBytes));
  }
  values["KERNELS"] = kernels;
  values["ENTRIES"] = cList(entries);
  values["WORKSPACES"] = cList(workspaces);
}

std::string operatorGlue(const Library& library, std::map<std::string, std::string> values) {
  std::vector<std::string> buffers; // in the order of the kernel's parameters
  for (const LibraryTensor& tensor : library.inputs)
    buffers.push_back(fmt::format("(void *){}", tensor.name));
  buffers.push_back(fmt::format("(void *){}", library.outputs.front().name));
  std::string parameters = tensorParameters(library) + ", void *workspace";
  if (library.threading() == Threading::OpenMp) parameters += ", int threads";
  if (library.threading() == Threading::Callback)
    parameters += fmt::format(", const {}_pool *pool", library.name());
  const bool serial = library.threading() == Threading::Serial;
  values["THREADS"] = serial ? "void" : "int threads";
  values["THREAD_NUMBER"] = serial ? "1" : "threads";
  values["PARAMETERS"] = parameters;
  values["BUFFERS"] = cList(buffers);
  values["COUNT"] = threadCount(library);
  values["CALL"] = operatorCall(library);
  addKernels(library, values);
  std::string text;
  for (const LibraryTensor& tensor : library.inputs)
    if (tensor.isPacked()) text += packerText(library, tensor);
  return text + filled(kOperatorGlue, values);
}

} // namespace

std::string glueText(const Library& library, const WeightsSums& sums) {
  const std::map<std::string, std::string> values = {{"NAME", library.name()}};
  if (library.isGpu()) return filled(kBegin, values) + cudaGlue(library, sums, values);
  std::string text = filled(kBegin, values) + processorGlue(library, values);
  if (library.threading() == Threading::Serial) text += filled(kSerial, values);
  if (library.threading() == Threading::Callback) text += filled(kCallback, values);
  return text +
         (library.isNetwork() ? networkGlue(library, sums, values) : operatorGlue(library, values));
}

} // namespace nestwright
