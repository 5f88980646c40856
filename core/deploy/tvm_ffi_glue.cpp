#include "core/deploy/tvm_ffi_glue.h"

#include "core/deploy/template_text.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {

namespace {

/// An operator's function has the library's name, so that nothing else here may have it: every name
/// begins with it.
constexpr const char* kTvmFfi = R"C(/* What tvm-ffi calls, with tensors of DLPack. */
#define _GNU_SOURCE
#include "@NAME@.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
@INCLUDES@
#define PUBLIC __attribute__((visibility("default")))

/* DLTensor of DLPack 1 (dlpack.h): the device, then the type, each in parts. */
struct @NAME@_tensor {
  void *data;
  int32_t device, device_number;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape, *strides; /* strides in elements; NULL, before 1.2: dense */
  uint64_t offset;                /* bytes from data to the first element */
};
enum { @NAME@_CPU = 1, @NAME@_CUDA_HOST = 3, @NAME@_ROCM_HOST = 11 }; /* devices whose memory is the host's */

/* TVMFFIAny of version 0.1 of tvm-ffi's ABI (tvm/ffi/c_api.h). */
struct @NAME@_any {
  int32_t type;
  uint32_t padding;
  union {
    int64_t integer;
    void *pointer;
  } value;
};
/* Its types: nothing; a DLTensor; an object with a header of so many bytes, then a DLTensor. */
enum { @NAME@_NONE = 0, @NAME@_TENSOR_POINTER = 7, @NAME@_TENSOR_OBJECT = 70, @NAME@_OBJECT_HEADER = 24 };

static const struct @NAME@_port {
  const char *kind, *name, *type;
  uint8_t code, bits;
  int32_t rank;
  int64_t shape[@RANK@], packed; /* packed: elements of what the caller may have packed; 0: nothing */
  size_t bytes, stored;          /* as given, as kernels read it */
} @NAME@_ports[] = {
@PORTS@};
enum { @NAME@_INPUTS = @INPUTS@, @NAME@_PORTS = sizeof @NAME@_ports / sizeof *@NAME@_ports };

int @NAME@_fail(int code, const char *text);

/* Leaves the error to @NAME@_error() and, where tvm-ffi is in the process, to it, also where, as in
 * Python, only some libraries see it. */
__attribute__((format(printf, 2, 3))) static int @NAME@_raise(const char *kind, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  @NAME@_fail(@NAME@_ERROR_ARGUMENT, text);
  void (*set)(const char *, const char *);
  *(void **)&set = dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr");
  void *const runtime = set ? NULL : dlopen("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD);
  if (runtime) *(void **)&set = dlsym(runtime, "TVMFFIErrorSetRaisedFromCStr");
  if (set) set(kind, text);
  if (runtime) dlclose(runtime);
  return -1;
}

/* The same of what a function of the library could not do. */
static int @NAME@_raise_code(int code) {
  char text[512];
  snprintf(text, sizeof text, "%s", @NAME@_error());
  return @NAME@_raise(code == @NAME@_ERROR_ARGUMENT ? "ValueError"
                      : code == @NAME@_ERROR_MEMORY ? "MemoryError"
                                                    : "RuntimeError",
                      "%s", text);
}

static const char *@NAME@_shape_text(char *text, size_t size, const int64_t *shape, int32_t rank) {
  size_t used = (size_t)snprintf(text, size, "(");
  for (int32_t d = 0; d < rank && used < size; ++d)
    used += (size_t)snprintf(text + used, size - used, d ? ", %lld" : "%lld", (long long)shape[d]);
  if (used < size) snprintf(text + used, size - used, rank == 1 ? ",)" : ")");
  return text;
}

static int @NAME@_has_shape(const struct @NAME@_tensor *tensor, const int64_t *shape, int32_t rank) {
  return tensor->rank == rank && (rank == 0 || memcmp(tensor->shape, shape, (size_t)rank * sizeof *shape) == 0);
}

static int @NAME@_is_dense(const struct @NAME@_tensor *tensor) {
  int64_t step = 1;
  for (int32_t d = tensor->rank; tensor->strides && d-- > 0; step *= tensor->shape[d])
    if (tensor->shape[d] != 1 && tensor->strides[d] != step) return 0;
  return 1;
}

/* Where the elements of a tensor begin that is as `port` says, or, where `packed` asks, packed. */
static int @NAME@_elements(const struct @NAME@_any *argument, const struct @NAME@_port *port, void **data,
                           int *packed) {
  const struct @NAME@_tensor *tensor = argument->value.pointer;
  if (argument->type == @NAME@_TENSOR_OBJECT && tensor)
    tensor = (const void *)((const char *)argument->value.pointer + @NAME@_OBJECT_HEADER);
  else if (argument->type != @NAME@_TENSOR_POINTER || !tensor)
    return @NAME@_raise("TypeError", "the %s %s of @NAME@ is no tensor", port->kind, port->name);
  if (tensor->device != @NAME@_CPU && tensor->device != @NAME@_CUDA_HOST && tensor->device != @NAME@_ROCM_HOST)
    return @NAME@_raise("ValueError", "the %s %s of @NAME@ is on device %d of DLPack, not in the host's memory",
                        port->kind, port->name, (int)tensor->device);
  if (tensor->code != port->code || tensor->bits != port->bits || tensor->lanes != 1)
    return @NAME@_raise("TypeError", "the %s %s of @NAME@ takes %s, not DLPack's type %d with %d bits and %d lanes",
                        port->kind, port->name, port->type, tensor->code, tensor->bits, tensor->lanes);
  /* An input of one dimension could be either. */
  const int is_packed = packed && port->packed && port->rank != 1 && @NAME@_has_shape(tensor, &port->packed, 1);
  if (!is_packed && !@NAME@_has_shape(tensor, port->shape, port->rank)) {
    char wanted[128], given[128];
    return @NAME@_raise("ValueError", "the %s %s of @NAME@ takes the shape %s, not %s", port->kind, port->name,
                        @NAME@_shape_text(wanted, sizeof wanted, port->shape, port->rank),
                        @NAME@_shape_text(given, sizeof given, tensor->shape, tensor->rank));
  }
  if (!@NAME@_is_dense(tensor))
    return @NAME@_raise("ValueError", "the %s %s of @NAME@ is not contiguous", port->kind, port->name);
  *data = (char *)tensor->data + tensor->offset;
  if (!tensor->data || (uintptr_t)*data % (port->bits / 8) != 0)
    return @NAME@_raise("ValueError", "the %s %s of @NAME@ is %s", port->kind, port->name,
                        tensor->data ? "not aligned to its elements" : "NULL");
  if (packed) *packed = is_packed;
  return 0;
}

struct @NAME@_arrays {
  void *data[@NAME@_PORTS];
  int packed[@NAME@_PORTS];
};

static size_t @NAME@_bytes(const struct @NAME@_arrays *arrays, int p) {
  return arrays->packed[p] ? @NAME@_ports[p].stored : @NAME@_ports[p].bytes;
}

static int @NAME@_take_arrays(const struct @NAME@_any *arguments, int32_t count, struct @NAME@_arrays *arrays) {
  if (count != @NAME@_PORTS)
    return @NAME@_raise("TypeError", "@NAME@ takes %d tensors, first its inputs, then its outputs, not %d",
                        (int)@NAME@_PORTS, (int)count);
  for (int p = 0; p < @NAME@_PORTS; ++p) {
    arrays->packed[p] = 0;
    if (@NAME@_elements(&arguments[p], &@NAME@_ports[p], &arrays->data[p],
                        p < @NAME@_INPUTS ? &arrays->packed[p] : NULL) != 0)
      return -1;
    const char *const begin = arrays->data[p];
    for (int q = 0; p >= @NAME@_INPUTS && q < p; ++q) {
      const char *const other = arrays->data[q];
      if (begin < other + @NAME@_bytes(arrays, q) && other < begin + @NAME@_bytes(arrays, p))
        return @NAME@_raise("ValueError", "the output %s of @NAME@ overlaps the %s %s", @NAME@_ports[p].name,
                            @NAME@_ports[q].kind, @NAME@_ports[q].name);
    }
  }
  return 0;
}

/* What calls that are under way at once need each for itself, and those of it that none needs now. */
struct @NAME@_slot {
  struct @NAME@_slot *next;
@FIELDS@};
static struct @NAME@_slot *@NAME@_idle;
static pthread_mutex_t @NAME@_lock = PTHREAD_MUTEX_INITIALIZER;

static struct @NAME@_slot *@NAME@_make_slot(void); /* NULL when the error is raised */
static void @NAME@_free_slot(struct @NAME@_slot *slot);

static struct @NAME@_slot *@NAME@_take_slot(void) {
  pthread_mutex_lock(&@NAME@_lock);
  struct @NAME@_slot *const slot = @NAME@_idle;
  if (slot) @NAME@_idle = slot->next;
  pthread_mutex_unlock(&@NAME@_lock);
  return slot ? slot : @NAME@_make_slot();
}

static void @NAME@_give_slot(struct @NAME@_slot *slot) {
  pthread_mutex_lock(&@NAME@_lock);
  slot->next = @NAME@_idle;
  @NAME@_idle = slot;
  pthread_mutex_unlock(&@NAME@_lock);
}

__attribute__((destructor)) static void @NAME@_free_slots(void) {
  while (@NAME@_idle) {
    struct @NAME@_slot *const slot = @NAME@_idle;
    @NAME@_idle = slot->next;
    @NAME@_free_slot(slot);
  }
}
)C";

constexpr const char* kNetworkSlot = R"C(
static struct @NAME@_slot *@NAME@_make_slot(void) {
  struct @NAME@_slot *const slot = calloc(1, sizeof *slot);
  if (!slot) return @NAME@_raise("MemoryError", "there is no memory for @NAME@"), NULL;
  const int code = @NAME@_open(&slot->instance, NULL);
  if (code == @NAME@_OK) return slot;
  free(slot);
  return @NAME@_raise_code(code), NULL;
}

static void @NAME@_free_slot(struct @NAME@_slot *slot) {
  @NAME@_close(slot->instance);
  free(slot);
}

static int @NAME@_call(struct @NAME@_slot *slot, const struct @NAME@_arrays *arrays) {
  void *const *at = arrays->data;
  return @NAME@_run(slot->instance, @ARGUMENTS@);
}
)C";

constexpr const char* kOperatorSlot = R"C(
static size_t @NAME@_room(size_t bytes) { return (bytes + 63) / 64 * 64; }

static struct @NAME@_slot *@NAME@_make_slot(void) {
  const int threads = @THREADS@;
  const size_t workspace = @NAME@_room(@WORKSPACE@);
  size_t bytes = @NAME@_room(sizeof(struct @NAME@_slot)) + workspace;
  for (int p = 0; p < @NAME@_PORTS; ++p)
    bytes += @NAME@_room(@NAME@_ports[p].stored);
  void *memory = NULL;
  if (posix_memalign(&memory, 64, bytes) != 0)
    return @NAME@_raise("MemoryError", "there is no memory for the %zu bytes of @NAME@", bytes), NULL;
  struct @NAME@_slot *const slot = memory;
  slot->threads = threads;
  slot->workspace = (char *)memory + @NAME@_room(sizeof *slot);
  slot->copies = slot->workspace + workspace;
  return slot;
}

static void @NAME@_free_slot(struct @NAME@_slot *slot) { free(slot); }

/* The input as the kernel reads it. */
static void @NAME@_store(int p, const void *given, void *stored) {
  switch (p) {
@PACK@  default: memcpy(stored, given, @NAME@_ports[p].stored);
  }
}

/* Where the kernel may take the array: where it is, or in a copy that is made of an input. */
static void *@NAME@_place(const struct @NAME@_arrays *arrays, int p, void *copy) {
  void *const data = arrays->data[p];
  const int as_read = arrays->packed[p] || !@NAME@_ports[p].packed;
  if (as_read && (uintptr_t)data % @NAME@_ALIGNMENT == 0) return data;
  if (p < @NAME@_INPUTS && as_read) return memcpy(copy, data, @NAME@_ports[p].stored);
  if (p < @NAME@_INPUTS) @NAME@_store(p, data, copy);
  return copy;
}

static int @NAME@_call(struct @NAME@_slot *@NAME@_with, const struct @NAME@_arrays *@NAME@_given) {
  void *@NAME@_at[@NAME@_PORTS];
  char *@NAME@_copy = @NAME@_with->copies;
  for (int p = 0; p < @NAME@_PORTS; @NAME@_copy += @NAME@_room(@NAME@_ports[p++].stored))
    @NAME@_at[p] = @NAME@_place(@NAME@_given, p, @NAME@_copy);
  const int @NAME@_code = @NAME@(@ARGUMENTS@);
  for (int p = @NAME@_INPUTS; @NAME@_code == @NAME@_OK && p < @NAME@_PORTS; ++p)
    if (@NAME@_at[p] != @NAME@_given->data[p])
      memcpy(@NAME@_given->data[p], @NAME@_at[p], @NAME@_ports[p].bytes);
  return @NAME@_code;
}
)C";

constexpr const char* kTvmFfiCall = R"C(
PUBLIC int __tvm_ffi_@NAME@(void *self, const struct @NAME@_any *arguments, int32_t count, struct @NAME@_any *result) {
  struct @NAME@_arrays arrays;
  (void)self;
  if (@NAME@_take_arrays(arguments, count, &arrays) != 0) return -1;
  struct @NAME@_slot *const slot = @NAME@_take_slot();
  if (!slot) return -1;
  const int code = @NAME@_call(slot, &arrays);
  @NAME@_give_slot(slot);
  if (code != @NAME@_OK) return @NAME@_raise_code(code);
  *result = (struct @NAME@_any){.type = @NAME@_NONE};
  return 0;
}
)C";

constexpr const char* kTvmFfiPacker = R"C(
PUBLIC int __tvm_ffi_@NAME@_pack_@TENSOR@(void *self, const struct @NAME@_any *arguments, int32_t count,
                                          struct @NAME@_any *result) {
  const struct @NAME@_port *const given = &@NAME@_ports[@PORT@];
  const struct @NAME@_port packed = {"packed", given->name, given->type, given->code, given->bits,
                                     1, {given->packed}, 0, given->stored, given->stored};
  void *from, *to;
  (void)self;
  if (count != 2) return @NAME@_raise("TypeError", "@NAME@_pack_@TENSOR@ takes 2 tensors, not %d", (int)count);
  if (@NAME@_elements(&arguments[0], given, &from, NULL) != 0 || @NAME@_elements(&arguments[1], &packed, &to, NULL) != 0)
    return -1;
  if ((char *)from < (char *)to + given->stored && (char *)to < (char *)from + given->bytes)
    return @NAME@_raise("ValueError", "the arrays of @NAME@_pack_@TENSOR@ overlap");
  const int code = @NAME@_pack_@TENSOR@(from, to);
  if (code != @NAME@_OK) return @NAME@_raise_code(code);
  *result = (struct @NAME@_any){.type = @NAME@_NONE};
  return 0;
}
)C";

/// DLDataTypeCode.
int dlpackCode(DataType type) {
  switch (type.code) {
  case DataType::Code::Int:
    return 0;
  case DataType::Code::UInt:
    return 1;
  case DataType::Code::Float:
    return 2;
  case DataType::Code::BFloat:
    return 4;
  case DataType::Code::Bool:
    return 6;
  }
  return 0;
}

std::string portRowText(const char* kind, const LibraryTensor& tensor) {
  return fmt::format("  {{\"{}\", \"{}\", \"{}\", {}, {}, {}, {{{}}}, {}, {}, {}}},\n", kind,
                     tensor.name, toString(tensor.type), dlpackCode(tensor.type),
                     8 * tensor.type.elementBytes(), tensor.shape.size(),
                     tensor.shape.empty() ? "0" : fmt::format("{}", fmt::join(tensor.shape, ", ")),
                     tensor.isPacked() ? tensor.elements() : 0, tensor.givenBytes(),
                     tensor.bytes());
}

void addPortRows(const Library& library, std::map<std::string, std::string>& values) {
  std::size_t rank = 1;
  std::string rows;
  const auto add = [&](const char* kind, const std::vector<LibraryTensor>& tensors) {
    for (const LibraryTensor& tensor : tensors) {
      rows += portRowText(kind, tensor);
      rank = std::max(rank, tensor.shape.size());
    }
  };
  add("input", library.inputs);
  add("output", library.outputs);
  values["PORTS"] = rows;
  values["RANK"] = fmt::format("{}", rank);
  values["INPUTS"] = fmt::format("{}", library.inputs.size());
}

/// The arrays of a call, in the order of the library's own function.
std::string arrayArguments(const Library& library) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < library.inputs.size() + library.outputs.size(); ++i)
    arguments.push_back(
        fmt::format("{}at[{}]", library.isNetwork() ? "" : library.name() + "_", i));
  return fmt::format("{}", fmt::join(arguments, ", "));
}

void addOperatorSlot(const Library& library, std::map<std::string, std::string>& values) {
  const std::string& name = library.name();
  values["FIELDS"] = "  int threads;\n  char *workspace, *copies;\n";
  values["THREADS"] = "1";
  values["WORKSPACE"] = fmt::format("{}_WORKSPACE_BYTES(threads)", name);
  values["ARGUMENTS"] += fmt::format(", {}_with->workspace", name);
  switch (library.threading()) {
  case Threading::Serial:
    values["WORKSPACE"] = fmt::format("{}_WORKSPACE_BYTES", name);
    break;
  case Threading::OpenMp:
    // omp.h comes with the compiler and need not be there.
    values["INCLUDES"] = "extern int omp_get_max_threads(void);\n";
    values["THREADS"] = "omp_get_max_threads()";
    values["ARGUMENTS"] += fmt::format(", {}_with->threads", name);
    break;
  case Threading::Callback:
    values["ARGUMENTS"] += ", NULL";
    break;
  }
  for (std::size_t i = 0; i < library.inputs.size(); ++i)
    if (library.inputs[i].isPacked())
      values["PACK"] += fmt::format("  case {}: {}_pack_{}(given, stored); break;\n", i, name,
                                    library.inputs[i].name);
}

std::string packerCalls(const Library& library, std::map<std::string, std::string> values) {
  std::string text;
  for (std::size_t i = 0; i < library.inputs.size(); ++i) {
    if (!library.inputs[i].isPacked()) continue;
    values["PORT"] = fmt::format("{}", i);
    values["TENSOR"] = library.inputs[i].name;
    text += filled(kTvmFfiPacker, values);
  }
  return text;
}

} // namespace

std::string tvmFfiText(const Library& library) {
  std::map<std::string, std::string> values = {{"NAME", library.name()},
                                               {"INCLUDES", ""},
                                               {"PACK", ""},
                                               {"ARGUMENTS", arrayArguments(library)}};
  addPortRows(library, values);
  if (library.isNetwork())
    values["FIELDS"] = fmt::format("  {}_instance *instance;\n", library.name());
  else
    addOperatorSlot(library, values);
  return filled(kTvmFfi, values) +
         filled(library.isNetwork() ? kNetworkSlot : kOperatorSlot, values) +
         filled(kTvmFfiCall, values) + packerCalls(library, values);
}

std::vector<std::string> tvmFfiNames(const Library& library) {
  std::vector<std::string> names = {fmt::format("__tvm_ffi_{}", library.name())};
  for (const LibraryTensor& tensor : library.inputs)
    if (tensor.isPacked())
      names.push_back(fmt::format("__tvm_ffi_{}_pack_{}", library.name(), tensor.name));
  return names;
}

} // namespace nestwright
