#include "core/deploy/onnxruntime_op.h"

#include "core/deploy/template_text.h"
#include "core/network/onnx/calling_model.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

/// ONNX Runtime refuses to load two libraries with operators of one domain into a session.
std::string operatorDomain(const Library& library) {
  return "nestwright." + library.name();
}

constexpr const char* kOrtDeclarations = R"C(/* @NAME@ as an operator of ONNX Runtime. */
#define _GNU_SOURCE
#include "@NAME@.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is needed of ONNX Runtime's C API (onnxruntime_c_api.h): its functions stand in a table in an
 * order that never changes, later versions being longer. */
enum { API_VERSION = @API@ };
struct status;
struct domain;
struct options;
struct info;
struct value;
struct shape_info;
struct context;
struct custom_op;

struct api {
  struct status *(*create_status)(int code, const char *message);
  void (*other_1[25])(void);
  struct status *(*create_domain)(const char *name, struct domain **result);
  struct status *(*add_op)(struct domain *to, const struct custom_op *op);
  struct status *(*add_domain)(struct options *to, struct domain *domain);
  void (*other_29[22])(void);
  struct status *(*data)(struct value *value, void **result);
  void (*other_52[8])(void);
  struct status *(*element_type)(const struct shape_info *of, int *result);
  struct status *(*rank)(const struct shape_info *of, size_t *result);
  struct status *(*shape)(const struct shape_info *of, int64_t *result, size_t rank);
  void (*other_63[2])(void);
  struct status *(*shape_info)(const struct value *of, struct shape_info **result);
  void (*other_66[24])(void);
  struct status *(*input)(const struct context *context, size_t index, const struct value **result);
  struct status *(*output)(struct context *context, size_t index, const int64_t *shape, size_t rank,
                           struct value **result);
  void (*other_92[7])(void);
  void (*release_shape_info)(struct shape_info *info);
  void (*other_100[174])(void);
  struct status *(*parallel_for)(const struct context *context, void (*body)(void *data, size_t index),
                                 size_t count, size_t batches, void *data); /* since 17 */
};
_Static_assert(offsetof(struct api, release_shape_info) == 99 * sizeof(void *) &&
               offsetof(struct api, parallel_for) == 274 * sizeof(void *), "the table's order");
enum { FAILED = 1, INVALID_ARGUMENT = 2 };

struct api_base {
  const struct api *(*get)(uint32_t version);
  const char *(*version_text)(void);
};

/* OrtCustomOp. */
struct custom_op {
  uint32_t version;
  void *(*create_1)(const struct custom_op *op, const struct api *api, const struct info *info);
  const char *(*name)(const struct custom_op *op);
  const char *(*provider)(const struct custom_op *op);
  int (*input_type)(const struct custom_op *op, size_t index);
  size_t (*input_count)(const struct custom_op *op);
  int (*output_type)(const struct custom_op *op, size_t index);
  size_t (*output_count)(const struct custom_op *op);
  void (*compute_1)(void *kernel, struct context *context);
  void (*destroy)(void *kernel);
  int (*input_kind)(const struct custom_op *op, size_t index);
  int (*output_kind)(const struct custom_op *op, size_t index);
  int (*input_memory)(const struct custom_op *op, size_t index);
  int (*variadic[4])(const struct custom_op *op);
  struct status *(*create)(const struct custom_op *op, const struct api *api, const struct info *info, void **kernel);
  struct status *(*compute)(void *kernel, struct context *context);
  void (*later[7])(void); /* of versions after API_VERSION */
};
)C";

constexpr const char* kOrtKernel = R"C(
static const struct port {
  const char *name;
  int type; /* TensorProto.DataType */
  size_t rank;
  int64_t shape[@RANK@];
} inputs[] = {@INPUTS@}, outputs[] = {@OUTPUTS@};
enum { INPUT_COUNT = sizeof inputs / sizeof *inputs, OUTPUT_COUNT = sizeof outputs / sizeof *outputs };

/* Runs of one session that are under way at once have an instance each. */
struct slot {
  struct slot *next;
  @NAME@_instance *instance;
@FIELDS@};

struct kernel {
  const struct api *api;
  pthread_mutex_t lock;
  struct slot *idle;
};
@POOL@
static struct status *make_slot(struct kernel *kernel, struct slot **result) {
  struct slot *const slot = calloc(1, sizeof *slot);
  if (!slot) return kernel->api->create_status(FAILED, "there is no memory for @NAME@");
  const @NAME@_options options = {@OPTIONS@};
  if (@NAME@_open(&slot->instance, &options) != @NAME@_OK) {
    free(slot);
    return kernel->api->create_status(FAILED, @NAME@_error());
  }
  *result = slot;
  return NULL;
}

static struct status *take_slot(struct kernel *kernel, struct slot **result) {
  pthread_mutex_lock(&kernel->lock);
  *result = kernel->idle;
  if (kernel->idle) kernel->idle = kernel->idle->next;
  pthread_mutex_unlock(&kernel->lock);
  return *result ? NULL : make_slot(kernel, result);
}

static void give_slot(struct kernel *kernel, struct slot *slot) {
  pthread_mutex_lock(&kernel->lock);
  slot->next = kernel->idle;
  kernel->idle = slot;
  pthread_mutex_unlock(&kernel->lock);
}

static void destroy(void *data) {
  struct kernel *const kernel = data;
  while (kernel->idle) {
    struct slot *const slot = kernel->idle;
    kernel->idle = slot->next;
    @NAME@_close(slot->instance);
    free(slot);
  }
  pthread_mutex_destroy(&kernel->lock);
  free(kernel);
}

/* With its first instance, so that what is missing is told when the session is made. */
static struct status *create(const struct custom_op *op, const struct api *api, const struct info *info,
                             void **result) {
  (void)op, (void)info;
  struct kernel *const kernel = calloc(1, sizeof *kernel);
  if (!kernel) return api->create_status(FAILED, "there is no memory for @NAME@");
  kernel->api = api;
  pthread_mutex_init(&kernel->lock, NULL);
  struct status *const status = make_slot(kernel, &kernel->idle);
  if (status)
    destroy(kernel);
  else
    *result = kernel;
  return status;
}

static struct status *check(const struct api *api, const struct value *value, const struct port *port) {
  struct shape_info *info;
  struct status *status = api->shape_info(value, &info);
  if (status) return status;
  int64_t shape[@RANK@];
  size_t rank = 0;
  int type = 0, fits = 0;
  status = api->element_type(info, &type);
  if (!status) status = api->rank(info, &rank);
  if (!status && rank == port->rank && type == port->type) {
    status = api->shape(info, shape, rank);
    fits = memcmp(shape, port->shape, rank * sizeof *shape) == 0;
  }
  api->release_shape_info(info);
  if (status || fits) return status;
  char text[200] = "an input of @NAME@ has another shape or type than the model says: ";
  return api->create_status(INVALID_ARGUMENT, strncat(text, port->name, 100));
}

static struct status *find_arrays(const struct api *api, struct context *context, void **arrays) {
  struct status *status = NULL;
  for (size_t i = 0; i < INPUT_COUNT && !status; ++i) {
    const struct value *value;
    status = api->input(context, i, &value);
    if (!status) status = check(api, value, &inputs[i]);
    if (!status) status = api->data((struct value *)value, &arrays[i]);
  }
  for (size_t i = 0; i < OUTPUT_COUNT && !status; ++i) {
    struct value *value;
    status = api->output(context, i, outputs[i].shape, outputs[i].rank, &value);
    if (!status) status = api->data(value, &arrays[INPUT_COUNT + i]);
  }
  return status;
}

static struct status *compute(void *data, struct context *context) {
  struct kernel *const kernel = data;
  void *arrays[INPUT_COUNT + OUTPUT_COUNT];
  struct status *status = find_arrays(kernel->api, context, arrays);
  if (status) return status;
  struct slot *slot;
  status = take_slot(kernel, &slot);
  if (status) return status;
@BEFORE@  const int code = @NAME@_run(slot->instance, @ARGUMENTS@);
@AFTER@  give_slot(kernel, slot);
  return status || code == @NAME@_OK ? status : kernel->api->create_status(FAILED, @NAME@_error());
}
)C";

constexpr const char* kOrtRegister = R"C(
static const char *op_name(const struct custom_op *op) { return (void)op, "@NAME@"; }
static const char *provider(const struct custom_op *op) { return (void)op, "CPUExecutionProvider"; }
static int input_type(const struct custom_op *op, size_t index) { return (void)op, inputs[index].type; }
static size_t input_count(const struct custom_op *op) { return (void)op, INPUT_COUNT; }
static int output_type(const struct custom_op *op, size_t index) { return (void)op, outputs[index].type; }
static size_t output_count(const struct custom_op *op) { return (void)op, OUTPUT_COUNT; }
static int required(const struct custom_op *op, size_t index) { return (void)op, (void)index, 0; }
static int default_memory(const struct custom_op *op, size_t index) { return (void)op, (void)index, 0; }
static int one(const struct custom_op *op) { return (void)op, 1; }

static const struct custom_op the_op = {
    .version = API_VERSION,
    .name = op_name,
    .provider = provider,
    .input_type = input_type,
    .input_count = input_count,
    .output_type = output_type,
    .output_count = output_count,
    .destroy = destroy,
    .input_kind = required,
    .output_kind = required,
    .input_memory = default_memory,
    .variadic = {one, one, one, one},
    .create = create,
    .compute = compute,
};

/* What ONNX Runtime calls when an application registers the library. */
__attribute__((visibility("default"))) struct status *RegisterCustomOps(struct options *options,
                                                                        const struct api_base *base) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct domain *domain; /* that of all sessions */
  const struct api *const api = base->get(API_VERSION);
  if (!api) return base->get(1)->create_status(FAILED, "@NAME@ needs ONNX Runtime @OLDEST@ or later");
  struct status *status = NULL;
  pthread_mutex_lock(&lock);
  if (!domain) {
    struct domain *made;
    status = api->create_domain("@DOMAIN@", &made);
    if (!status) status = api->add_op(made, &the_op);
    if (!status) domain = made;
  }
  pthread_mutex_unlock(&lock);
  return status ? status : api->add_domain(options, domain);
}
)C";

/// ONNX Runtime's threads, lent for a run.
constexpr const char* kOrtPool = R"C(
struct loop {
  void (*body)(void *data, int index);
  void *data;
};

static void run_part(void *data, size_t index) {
  const struct loop *const loop = data;
  loop->body(loop->data, (int)index);
}

static void parallel_for(void *data, int count, void (*body)(void *data, int index), void *body_data) {
  struct slot *const slot = data;
  struct loop loop = {body, body_data};
  struct status *const status = slot->api->parallel_for(slot->context, run_part, (size_t)count, 0, &loop);
  if (status) slot->failure = status;
}
)C";

int apiVersion(Threading threading) {
  return threading == Threading::Callback ? 17 : 16;
}

std::string onnxPortRows(const std::vector<LibraryTensor>& tensors) {
  std::vector<std::string> rows;
  for (const LibraryTensor& tensor : tensors)
    rows.push_back(
        fmt::format("{{\"{}\", {}, {}, {{{}}}}}", tensor.name, onnxElementType(tensor.type),
                    tensor.shape.size(),
                    tensor.shape.empty() ? "0" : fmt::format("{}", fmt::join(tensor.shape, ", "))));
  return fmt::format("{}", fmt::join(rows, ", "));
}

std::size_t mostDimensions(const Library& library) {
  std::size_t rank = 1;
  for (const auto* tensors : {&library.inputs, &library.outputs})
    for (const LibraryTensor& tensor : *tensors)
      rank = std::max(rank, tensor.shape.size());
  return rank;
}

void addOrtPool(const Library& library, std::map<std::string, std::string>& values) {
  values["FIELDS"] = values["POOL"] = values["BEFORE"] = values["AFTER"] = "";
  values["OPTIONS"] = "0";
  if (library.threading() != Threading::Callback) return;
  values["FIELDS"] = "  const struct api *api;\n  struct context *context;\n"
                     "  struct status *failure;\n";
  values["POOL"] = kOrtPool;
  values["OPTIONS"] = fmt::format(".pool = &(const {}_pool){{parallel_for, slot, "
                                  "(int)sysconf(_SC_NPROCESSORS_ONLN)}}",
                                  library.name());
  values["BEFORE"] = "  slot->api = kernel->api;\n  slot->context = context;\n"
                     "  slot->failure = NULL;\n";
  values["AFTER"] = "  status = slot->failure;\n";
}

/// The oldest of ONNX Runtime that loads it: "1.16".
const char* oldestOnnxRuntime(Threading threading) {
  return apiVersion(threading) == 17 ? "1.17" : "1.16";
}

} // namespace

bool isOnnxFile(std::string_view subject) {
  constexpr std::string_view kEnding = ".onnx";
  const std::size_t at = subject.rfind(kEnding);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = subject.substr(at + kEnding.size());
  return rest.empty() || (rest.front() == ':' && rest.find('#') == std::string_view::npos);
}

void requireOnnxFile(const Deployment& deployment) {
  if (deployment.isNetwork && isOnnxFile(deployment.subject))
    return requireWhole(deployment.partition.network.source);
  throw UsageError(fmt::format("--onnxruntime rewrites an ONNX file, and {} is {}; export it as an "
                               "ONNX file and tune that one, or leave the option out",
                               deployment.subject,
                               deployment.isNetwork ? "a network of the zoo" : "an operator"));
}

std::string onnxRuntimeText(const Library& library) {
  std::map<std::string, std::string> values = {
      {"NAME", library.name()},
      {"API", fmt::format("{}", apiVersion(library.threading()))},
      {"OLDEST", oldestOnnxRuntime(library.threading())},
      {"DOMAIN", operatorDomain(library)},
      {"RANK", fmt::format("{}", mostDimensions(library))},
      {"INPUTS", onnxPortRows(library.inputs)},
      {"OUTPUTS", onnxPortRows(library.outputs)}};
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < library.inputs.size() + library.outputs.size(); ++i)
    arguments.push_back(fmt::format("arrays[{}]", i));
  values["ARGUMENTS"] = fmt::format("{}", fmt::join(arguments, ", "));
  addOrtPool(library, values);
  return filled(kOrtDeclarations, values) + filled(kOrtKernel, values) +
         filled(kOrtRegister, values);
}

std::string onnxRuntimeExports() {
  return "{ global: RegisterCustomOps; local: *; };\n";
}

std::string onnxRuntimeFile(const Library& library) {
  return fmt::format("lib{}_onnxruntime.so", library.name());
}

CustomOp onnxRuntimeOperator(const Library& library) {
  CustomOp op{operatorDomain(library), library.name(), {}, {}};
  for (const LibraryTensor& tensor : library.inputs)
    op.inputs.push_back({tensor.type, tensor.shape});
  for (const LibraryTensor& tensor : library.outputs)
    op.outputs.push_back({tensor.type, tensor.shape});
  return op;
}

std::string onnxRuntimeModel(const Library& library) {
  const std::string& file = library.deployment.partition.network.source;
  if (isSubgraph(file)) return callingModel({{file, onnxRuntimeOperator(library)}});
  return customOpModel(file, onnxRuntimeOperator(library));
}

nlohmann::json onnxRuntimeJson(const Library& library) {
  if (!library.deployment.options.onnxRuntime) return nullptr;
  return {{"library", onnxRuntimeFile(library)},
          {"model", "model.onnx"},
          {"operator", fmt::format("{}::{}", operatorDomain(library), library.name())},
          {"oldest_onnxruntime", oldestOnnxRuntime(library.threading())}};
}

} // namespace nestwright
