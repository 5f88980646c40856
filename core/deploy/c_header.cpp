#include "core/backend/device.h"
#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/deploy/tvm_ffi_glue.h"
#include "core/emit/c_comment.h"
#include "core/emit/c_type.h"
#include "core/network/graph/infer.h"
#include "core/support/error.h"
#include "core/support/units.h"
#include "core/support/version.h"
#include "core/support/waiting_threads.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {

namespace {

constexpr const char* kHeader = R"(/* @NAME@: @SUBJECT@
@VARIANTS@ * Written by @VERSION@.
 *
 * @LICENCE@
 *
 * Functions that can fail return 0 or one of the error codes; @NAME@_error() says more.
 * Arrays are dense and row-major. Inputs and outputs must not overlap.
 *
@TVM_FFI@@OPENMP@ */
#ifndef @NAME@_H
#define @NAME@_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  @NAME@_OK = 0,
@ERRORS@  @NAME@_ERROR_WEIGHTS = 2,  /* the file with the constants is missing, damaged or another's */
  @NAME@_ERROR_MEMORY = 3,   /* there is not enough memory */
  @NAME@_ERROR_ARGUMENT = 4@COMMA@  /* a null pointer, a wrong alignment, arrays that overlap */
@CUDA_ERROR@};

/* The last failure of a call in this thread, as a sentence; "" before the first. */
const char *@NAME@_error(void);

@CHOICE@@POOL@@BODY@
#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* kCpuChoice =
    R"(/* 0 where this processor has what the code needs; the other functions ask it themselves. That is
@FEATURES@ */
int @NAME@_check(void);

/* Which processor the code is for that runs here (@PROCESSORS@), chosen once by what
 * this machine's has; "" where none fits. For tests alone: @NAME@_CPU=x86-64-v3 in the environment takes
 * this machine's for one that has no more than that level. */
const char *@NAME@_processor(void);
@FIT@)";

constexpr const char* kGpuChoice =
    R"(/* 0 where the GPU of the thread's CUDA context, or the first one where there is none, can run the code:
 * it is of @PROCESSORS@, or has the same major and a larger minor number. NVIDIA's driver,
 * libcuda.so.1, is loaded at the first call. */
int @NAME@_check(void);

/* "@PROCESSORS@" where it can run here, else "". */
const char *@NAME@_processor(void);
@FIT@)";

constexpr const char* kFit = R"(
/* How well the code fits this machine, in numbers of the operators that are searched: tuned on a
 * processor of its model, tuned on another model, and tuned by nobody, which run as they are written. */
typedef struct @NAME@_fit {
  int here, compatible, never;
} @NAME@_fit;

/* Fails where @NAME@_check() does. */
int @NAME@_tuned(@NAME@_fit *fit);
)";

constexpr const char* kGpuPart = R"(
/* The code and one copy of the memory on a GPU: @ARENA@ of activations, @CONSTANTS@ of
 * constants. */
typedef struct @NAME@_instance @NAME@_instance;

/* With all bytes zero: the defaults. */
typedef struct @NAME@_options {
@OPTIONS@  int device; /* number of the GPU, where the thread has no CUDA context */
} @NAME@_options;

/* Makes an instance in the thread's CUDA context, or in the primary one of a GPU where there is none;
 * `options` may be NULL. The context has to outlive the instance. */
int @NAME@_open(@NAME@_instance **instance, const @NAME@_options *options);

/* Puts one run onto the stream, a CUstream or cudaStream_t of that context (NULL: its default one), and
 * returns: what it computes is there when the stream has come so far, and so are faults. It allocates
 * nothing, and can be captured into a CUDA graph.
 * Arrays are in the GPU's memory. Those aligned to @NAME@_ALIGNMENT bytes are used where they are, others
 * copied. Runs of one instance have to follow one another, as they do on one stream.
@TENSORS@ */
int @NAME@_run(@NAME@_instance *instance, void *stream, @PARAMETERS@);
#define @NAME@_ALIGNMENT @ALIGNMENT@

/* When all runs of it are done. `instance` may be NULL. */
void @NAME@_close(@NAME@_instance *instance);
)";

constexpr const char* kPool = R"(
/* The application's threads. */
typedef struct @NAME@_pool {
  /* Calls body(data, i) once for each i from 0 to count - 1, in any order and on any threads, and
   * returns when all have returned. */
  void (*parallel_for)(void *context, int count, void (*body)(void *data, int index), void *data);
  void *context;
  int threads; /* the most parts that a loop is cut into */
} @NAME@_pool;
)";

constexpr const char* kOperatorPart = R"(
/* Scratch memory that a call needs, aligned to @NAME@_ALIGNMENT. Where it is 0, workspace may be NULL.
 * The first is enough on every processor, the second what the code that runs here needs. */
@WORKSPACE@
/* Of all arrays and of the workspace, in bytes. */
#define @NAME@_ALIGNMENT 64

/* Computes @OUTPUT@. Thread-safe: each call has its own arrays and workspace.
@TENSORS@ * @THREADS@ */
int @NAME@(@PARAMETERS@);
@PACKERS@)";

constexpr const char* kNetworkPart = R"(
/* One copy of the network's memory: @ARENA@ of activations. The constants, @CONSTANTS@,
 * are shared by all instances of all processes. */
typedef struct @NAME@_instance @NAME@_instance;

/* With all bytes zero: the defaults. */
typedef struct @NAME@_options {
@OPTIONS@} @NAME@_options;

/* Makes an instance; `options` may be NULL. */
int @NAME@_open(@NAME@_instance **instance, const @NAME@_options *options);

/* One run. It allocates nothing. Instances are independent of one another; one instance runs once
 * at a time. Arrays that are aligned to @NAME@_ALIGNMENT bytes are used where they are, others copied.
@TENSORS@ */
int @NAME@_run(@NAME@_instance *instance, @PARAMETERS@);
#define @NAME@_ALIGNMENT 64

/* `instance` may be NULL. */
void @NAME@_close(@NAME@_instance *instance);
)";

std::string tensorLines(const Library& library) {
  std::string lines;
  const auto add = [&](const char* kind, const LibraryTensor& tensor) {
    const std::string original =
        tensor.original == tensor.name ? "" : fmt::format(" (\"{}\")", commented(tensor.original));
    lines += fmt::format(" *   {} {}{}: {} {}", kind, tensor.name, original, toString(tensor.type),
                         shapeText(tensor.shape));
    if (tensor.isPacked())
      lines += fmt::format(", packed by {}_pack_{}() to {} elements", library.name(), tensor.name,
                           tensor.elements());
    lines += '\n';
  };
  for (const LibraryTensor& tensor : library.inputs)
    add("input ", tensor);
  for (const LibraryTensor& tensor : library.outputs)
    add("output", tensor);
  return lines;
}

/// What each variant needs.
std::string featureLines(const Library& library) {
  std::string lines;
  for (std::size_t v = 0; v < library.variants.size(); ++v) {
    std::vector<std::string> names;
    for (const CpuFeature& feature : library.variants[v].features)
      names.emplace_back(feature.name);
    lines += fmt::format(
        "{} * {}: {}", v == 0 ? "" : ",\n", library.deployment.variants[v].processor(),
        names.empty() ? "any of x86-64" : commentLines(fmt::format("{}", fmt::join(names, " "))));
  }
  return lines;
}

/// What is inside for each processor.
std::string variantLines(const Library& library) {
  std::string lines;
  for (const DeployedVariant& variant : library.deployment.variants)
    lines += fmt::format(" * {}: {},\n *   for {}.\n", variant.processor(), coverageText(variant),
                         commented(variant.target.text()));
  return lines;
}

std::string tvmFfiLines(const Library& library) {
  if (library.isGpu()) return {};
  return fmt::format(" * The shared library has __tvm_ffi_{0}, too, which tvm-ffi calls with "
                     "tensors of DLPack: the\n"
                     " * inputs, then the outputs. It is thread-safe, {1}. Where arrays\n"
                     " * are not aligned to {0}_ALIGNMENT bytes it copies them.",
                     library.name(),
                     library.isNetwork()
                         ? "and keeps an instance for each call at once"
                         : "keeps workspaces, and packs inputs that are not packed");
}

std::string optionFields(const Library& library) {
  std::string fields;
  if (library.hasWeights() && !library.deployment.options.embed)
    fields += fmt::format("  const char *weights; /* path of {}.weights; NULL: beside the library "
                          "or program that the code is in */\n",
                          library.name());
  if (library.isGpu()) return fields;
  switch (library.threading()) {
  case Threading::Serial:
    fields += "  int reserved; /* 0 */\n";
    break;
  case Threading::OpenMp:
    fields += "  int threads; /* of OpenMP; 0: as many as it has, by OMP_NUM_THREADS or the "
              "processors */\n";
    break;
  case Threading::Callback:
    fields += fmt::format("  const {}_pool *pool; /* copied; NULL: the calling thread alone */\n",
                          library.name());
    break;
  }
  return fields;
}

std::string operatorWorkspace(const Library& library) {
  if (library.threading() == Threading::Serial)
    return fmt::format("#define {0}_WORKSPACE_BYTES ((size_t){1})\n"
                       "size_t {0}_workspace_bytes(void);",
                       library.name(), library.workspaceBytes() + library.threadWorkspaceBytes());
  return fmt::format(
      "#define {0}_WORKSPACE_BYTES(threads) ((size_t){1} + (size_t)(threads) * {2})\n"
      "size_t {0}_workspace_bytes(int threads);",
      library.name(), library.workspaceBytes(), library.threadWorkspaceBytes());
}

/// The orders in which the variants read an input.
std::string layoutsText(const LibraryTensor& tensor) {
  std::vector<std::string> texts;
  for (const std::optional<PackedLayout>& layout : tensor.layouts) {
    const std::string text = layout ? toString(*layout) : "as given";
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, " or "));
}

/// The functions that pack inputs.
std::string packers(const Library& library) {
  std::string text;
  for (const LibraryTensor& tensor : library.inputs)
    if (tensor.isPacked())
      text += fmt::format(
          "\n/* Stores {1} in the order in which the code reads it, {4}, once for all calls with\n"
          " * the same values; `packed` has {3} elements, which are enough for every processor. "
          "*/\n"
          "int {0}_pack_{1}(const {2} *given, {2} *packed);\n"
          "#define {0}_{1}_PACKED_BYTES ((size_t){5})\n",
          library.name(), tensor.name, cType(tensor.type), tensor.elements(), layoutsText(tensor),
          tensor.bytes());
  return text;
}

std::string operatorThreads(const Library& library) {
  switch (library.threading()) {
  case Threading::Serial:
    return "It runs in the calling thread.";
  case Threading::OpenMp:
    return "It runs on up to so many threads of OpenMP.";
  case Threading::Callback:
    return "pool may be NULL: it runs in the calling thread, with a workspace for one thread.";
  }
  return {};
}

/// What differs between a processor and a GPU.
void addDevice(const Library& library, std::map<std::string, std::string>& values) {
  const bool gpu = library.isGpu();
  values["ERRORS"] =
      filled(gpu ? "  @NAME@_ERROR_DEVICE = 1,   /* there is no driver, or no GPU that the code is "
                   "for */\n"
                 : "  @NAME@_ERROR_CPU = 1,      /* this processor lacks what the code needs */\n",
             values);
  values["CUDA_ERROR"] =
      gpu ? fmt::format("  {}_ERROR_CUDA = 5      /* the driver refuses something */\n",
                        library.name())
          : "";
  values["COMMA"] = gpu ? "," : "";
  if (gpu) values["PROCESSORS"] = library.deployment.variants.front().processor();
  values["ALIGNMENT"] =
      fmt::format("{}", bufferAlignment(library.deployment.variants.front().target));
  values["FIT"] = filled(kFit, values);
  values["CHOICE"] = filled(gpu ? kGpuChoice : kCpuChoice, values);
  values["BODY"] = filled(gpu                   ? kGpuPart
                          : library.isNetwork() ? kNetworkPart
                                                : kOperatorPart,
                          values);
}

} // namespace

// One text for both, but for what it speaks of.
#define NW_LICENCE_BESIDE                                                                          \
  " may be used, changed and passed on under any terms, also in programs that are not free: as "   \
  "an additional permission under section 7 of the GNU General Public License, Nestwright's own "  \
  "licence does not extend to "

const char* outputLicence() {
  return "This file and the others that Nestwright's deploy wrote with it" NW_LICENCE_BESIDE
         "them. They come without any warranty.";
}

const char* emittedLicence() {
  return "This file, which Nestwright wrote," NW_LICENCE_BESIDE
         "it. It comes without any warranty.";
}

std::string tensorParameters(const Library& library) {
  std::vector<std::string> parameters;
  for (const LibraryTensor& tensor : library.inputs)
    parameters.push_back(fmt::format("const {} *{}", cType(tensor.type), tensor.name));
  for (const LibraryTensor& tensor : library.outputs)
    parameters.push_back(fmt::format("{} *{}", cType(tensor.type), tensor.name));
  return fmt::format("{}", fmt::join(parameters, ", "));
}

std::string headerText(const Library& library) {
  std::map<std::string, std::string> values = {
      {"NAME", library.name()},
      {"SUBJECT", commented(library.deployment.subject)},
      {"VARIANTS", variantLines(library)},
      {"PROCESSORS", processorsText(library.deployment.options.instructionSets)},
      {"VERSION", versionText()},
      {"LICENCE", commentLines(outputLicence())},
      {"FEATURES", featureLines(library)},
      {"TENSORS", tensorLines(library)},
      {"PARAMETERS", tensorParameters(library)},
      {"POOL", ""},
      {"OPENMP", library.threading() == Threading::OpenMp
                     ? fmt::format("\n *\n * Programs were measured with {}\n"
                                   " * in the environment: waiting threads of OpenMP spin for some "
                                   "60 us and then sleep. Without\n"
                                   " * it they spin on, and slow down whatever shares the "
                                   "processors with them.",
                                   fmt::join(waitingEnvironment(), " "))
                     : std::string()},
      {"TVM_FFI", tvmFfiLines(library)},
      {"OUTPUT", library.outputs.front().name},
      {"ARENA", formatBytes(static_cast<double>(library.arenaBytes()))},
      {"CONSTANTS", formatBytes(static_cast<double>(weightsLayout(library.variants).bytes -
                                                    kWeightsHeaderBytes))},
      {"OPTIONS", optionFields(library)},
      {"WORKSPACE", operatorWorkspace(library)},
      {"THREADS", operatorThreads(library)},
      {"PACKERS", packers(library)}};
  if (library.threading() == Threading::Callback) values["POOL"] = filled(kPool, values);
  if (!library.hasInstances()) {
    values["PARAMETERS"] += ", void *workspace";
    if (library.threading() == Threading::OpenMp) values["PARAMETERS"] += ", int threads";
    if (library.threading() == Threading::Callback)
      values["PARAMETERS"] += fmt::format(", const {}_pool *pool", library.name());
  }
  addDevice(library, values);
  return filled(kHeader, values);
}

std::string exportsText(const Library& library) {
  std::vector<std::string> names = {"error", "check", "processor", "tuned"};
  if (library.hasInstances())
    names.insert(names.end(), {"open", "run", "close"});
  else
    names.emplace_back("workspace_bytes");
  std::string text = "{ global:";
  for (const std::string& name : names)
    text += fmt::format(" {}_{};", library.name(), name);
  if (!library.hasInstances()) text += fmt::format(" {};", library.name());
  for (const LibraryTensor& tensor : library.inputs)
    if (tensor.isPacked()) text += fmt::format(" {}_pack_{};", library.name(), tensor.name);
  if (!library.isGpu())
    for (const std::string& name : tvmFfiNames(library))
      text += fmt::format(" {};", name);
  return text + " local: *; };\n";
}

} // namespace nestwright
