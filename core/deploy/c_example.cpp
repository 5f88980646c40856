#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/emit/c_type.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kExample =
    R"(/* Runs @NAME@ and tells how long it takes. Build it in this folder, with the shared library or the
 * static one, and run it:
 *
 *   cc -O2 main.c -L. -l@NAME@ -Wl,-rpath,'$ORIGIN' -o main
 *   cc -O2 main.c lib@NAME@.a -lm @GOMP@-o main
 *   ./main -r 100 -i INPUT.bin -o OUTPUT.bin
 *
 * Each -i is a file of an input's elements as they lie in memory, each -o one for an output's, in
 * the order of @NAME@.h. Inputs without a file are made up. -r: runs that are timed. */
#define _POSIX_C_SOURCE 200809L
#include "@NAME@.h"

@INCLUDES@#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *memory(size_t bytes) {
  void *data = aligned_alloc(@NAME@_ALIGNMENT, (bytes / @NAME@_ALIGNMENT + 1) * @NAME@_ALIGNMENT);
  if (!data) exit((fprintf(stderr, "there is no memory for %zu bytes\n", bytes), 1));
  memset(data, 0, bytes);
  return data;
}

static void fill(void *data, size_t bytes, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fread(data, 1, bytes, file) != bytes || fgetc(file) != EOF)
    exit((fprintf(stderr, "%s is no file of %zu bytes\n", path, bytes), 1));
  fclose(file);
}

static void save(const void *data, size_t bytes, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
    exit((fprintf(stderr, "%s cannot be written\n", path), 1));
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

@DEVICE@int main(int argc, char **argv) {
  const char *from[@INPUT_COUNT@] = {0}, *to[@OUTPUT_COUNT@] = {0};
  int froms = 0, tos = 0, runs = 10;
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && !strcmp(argv[i], "-i") && froms < @INPUT_COUNT@)
      from[froms++] = argv[++i];
    else if (i + 1 < argc && !strcmp(argv[i], "-o") && tos < @OUTPUT_COUNT@)
      to[tos++] = argv[++i];
    else if (i + 1 < argc && !strcmp(argv[i], "-r") && atoi(argv[i + 1]) > 0)
      runs = atoi(argv[++i]);
    else
      return fprintf(stderr, "%s makes no sense here; the first lines of main.c say what does\n", argv[i]), 2;
  }
@ARRAYS@@OPEN@  double *seconds = memory((size_t)runs * sizeof *seconds);
  for (int r = -2; r < runs; ++r) { /* the first two warm up */
    const double start = now();
    if (@CALL@) return fprintf(stderr, "%s\n", @NAME@_error()), 1;
    if (r >= 0) seconds[r] = now() - start;
  }
  qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
  printf("%.9f s (median of %d runs, code for %s)\n", seconds[runs / 2], runs, @NAME@_processor());
@SAVE@@CLOSE@@FREE@  return 0;
}
)";

/// The few functions of the driver that an application without CUDA's own library calls.
constexpr const char* kDevice =
    R"(/* NVIDIA's driver, as far as it is needed here. An application calls CUDA as it is used to. */
static int (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxSetCurrent)(void *), (*cuStreamCreate)(void **, unsigned), (*cuStreamSynchronize)(void *);
static int (*cuMemAlloc_v2)(uint64_t *, size_t), (*cuMemcpyHtoD_v2)(uint64_t, const void *, size_t);
static int (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);

static void load(void *place, void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address) exit((fprintf(stderr, "the driver has no function %s\n", name), 1));
  memcpy(place, &address, sizeof address);
}

static int driver_must(int error) {
  if (error) exit((fprintf(stderr, "the driver answers with error %d\n", error), 1));
  return 0;
}

static void *open_device(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *context, *stream;
  int device;
  if (!library) exit((fprintf(stderr, "%s\n", dlerror()), 1));
  load(&cuInit, library, "cuInit");
  load(&cuDeviceGet, library, "cuDeviceGet");
  load(&cuDevicePrimaryCtxRetain, library, "cuDevicePrimaryCtxRetain");
  load(&cuCtxSetCurrent, library, "cuCtxSetCurrent");
  load(&cuStreamCreate, library, "cuStreamCreate");
  load(&cuStreamSynchronize, library, "cuStreamSynchronize");
  load(&cuMemAlloc_v2, library, "cuMemAlloc_v2");
  load(&cuMemcpyHtoD_v2, library, "cuMemcpyHtoD_v2");
  load(&cuMemcpyDtoH_v2, library, "cuMemcpyDtoH_v2");
  driver_must(cuInit(0));
  driver_must(cuDeviceGet(&device, 0));
  driver_must(cuDevicePrimaryCtxRetain(&context, device));
  driver_must(cuCtxSetCurrent(context));
  driver_must(cuStreamCreate(&stream, 0));
  return stream;
}

/* A copy of the array in the device's memory. */
static void *on_device(const void *data, size_t bytes) {
  uint64_t address;
  driver_must(cuMemAlloc_v2(&address, bytes));
  driver_must(cuMemcpyHtoD_v2(address, data, bytes));
  return (void *)(uintptr_t)address;
}

)";

std::string arrays(const Library& library) {
  std::string text;
  const auto declare = [&](const LibraryTensor& tensor) {
    text +=
        fmt::format("  {0} *{1} = memory({2});\n", cType(tensor.type), tensor.name, tensor.bytes());
  };
  for (std::size_t i = 0; i < library.inputs.size(); ++i) {
    const LibraryTensor& tensor = library.inputs[i];
    declare(tensor);
    std::string given = tensor.name;
    if (tensor.isPacked()) {
      given += "_given";
      text +=
          fmt::format("  {} *{} = memory({});\n", cType(tensor.type), given, tensor.givenBytes());
    }
    text +=
        fmt::format("  if (from[{0}]) fill({1}, {2}, from[{0}]);\n", i, given, tensor.givenBytes());
    if (tensor.type == kFloat32 || tensor.type == kFloat64)
      text += fmt::format("  else for (size_t e = 0; e < {}; ++e) {}[e] = ({})(e % 17) / 17;\n",
                          elementCount(tensor.shape), given, cType(tensor.type));
    if (tensor.isPacked())
      text +=
          fmt::format("  {}_pack_{}({}, {});\n", library.name(), tensor.name, given, tensor.name);
  }
  for (const LibraryTensor& tensor : library.outputs)
    declare(tensor);
  return text;
}

std::string arguments(const Library& library) {
  std::vector<std::string> names;
  for (const LibraryTensor& tensor : library.inputs)
    names.push_back(tensor.name);
  for (const LibraryTensor& tensor : library.outputs)
    names.push_back(tensor.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string frees(const Library& library) {
  std::string text = "  free(seconds);\n";
  const auto add = [&](const std::string& name) { text += fmt::format("  free({});\n", name); };
  for (const LibraryTensor& tensor : library.inputs) {
    add(tensor.name);
    if (tensor.isPacked()) add(tensor.name + "_given");
  }
  for (const LibraryTensor& tensor : library.outputs)
    add(tensor.name);
  if (!library.hasInstances()) add("workspace");
  return text;
}

std::string saves(const Library& library) {
  std::string text;
  for (std::size_t i = 0; i < library.outputs.size(); ++i)
    text += fmt::format("  if (to[{0}]) save({1}, {2}, to[{0}]);\n", i, library.outputs[i].name,
                        library.outputs[i].bytes());
  return text;
}

/// What an operator is called with beside its arrays, and how its workspace is made.
void addOperator(const Library& library, std::map<std::string, std::string>& values) {
  std::string size = fmt::format("{}_WORKSPACE_BYTES", library.name());
  std::string rest = "workspace";
  if (library.threading() != Threading::Serial) {
    const int threads = library.threading() == Threading::OpenMp ? library.cores() : 1;
    size += fmt::format("({})", threads);
    rest += library.threading() == Threading::OpenMp ? fmt::format(", {}", threads) : ", NULL";
  }
  values["OPEN"] = fmt::format("  void *workspace = memory({});\n", size);
  values["CALL"] = fmt::format("{}({}, {})", library.name(), arguments(library), rest);
  values["CLOSE"] = "";
}

/// The arrays on the GPU; a run is over when the stream is.
void addGpu(const Library& library, std::map<std::string, std::string>& values) {
  std::string open =
      filled("  if (@NAME@_check()) return fprintf(stderr, \"%s\\n\", @NAME@_error()), 1;\n"
             "  void *stream = open_device();\n"
             "  @NAME@_instance *instance;\n"
             "  if (@NAME@_open(&instance, NULL)) return fprintf(stderr, "
             "\"%s\\n\", @NAME@_error()), 1;\n",
             values);
  std::string save;
  std::vector<std::string> given;
  const auto add = [&](const LibraryTensor& tensor) {
    given.push_back("device_" + tensor.name);
    open += fmt::format("  {0} *device_{1} = on_device({1}, {2});\n", cType(tensor.type),
                        tensor.name, tensor.bytes());
  };
  for (const LibraryTensor& tensor : library.inputs)
    add(tensor);
  for (const LibraryTensor& tensor : library.outputs) {
    add(tensor);
    save += fmt::format("  driver_must(cuMemcpyDtoH_v2({0}, (uintptr_t)device_{0}, {1}));\n",
                        tensor.name, tensor.bytes());
  }
  values["OPEN"] = open;
  values["CALL"] =
      fmt::format("{}_run(instance, stream, {}) || driver_must(cuStreamSynchronize(stream))",
                  library.name(), fmt::join(given, ", "));
  values["SAVE"] = save + values["SAVE"];
  values["CLOSE"] = fmt::format("  {}_close(instance);\n", library.name());
  values["DEVICE"] = kDevice;
  values["INCLUDES"] = "#include <dlfcn.h>\n";
}

} // namespace

std::string exampleText(const Library& library) {
  std::map<std::string, std::string> values = {
      {"NAME", library.name()},
      {"GOMP", library.threading() == Threading::OpenMp ? "-lgomp " : ""},
      {"INPUT_COUNT", fmt::format("{}", std::max<std::size_t>(library.inputs.size(), 1))},
      {"OUTPUT_COUNT", fmt::format("{}", library.outputs.size())},
      {"ARRAYS", arrays(library)},
      {"SAVE", saves(library)},
      {"FREE", frees(library)},
      {"DEVICE", ""},
      {"INCLUDES", ""}};
  if (library.isGpu()) {
    addGpu(library, values);
  } else if (library.isNetwork()) {
    values["OPEN"] = filled("  @NAME@_instance *instance;\n"
                            "  const double opening = now();\n"
                            "  if (@NAME@_open(&instance, NULL)) return fprintf(stderr, "
                            "\"%s\\n\", @NAME@_error()), 1;\n"
                            "  printf(\"%.6f s (to open it)\\n\", now() - opening);\n",
                            values);
    values["CALL"] = fmt::format("{}_run(instance, {})", library.name(), arguments(library));
    values["CLOSE"] = fmt::format("  {}_close(instance);\n", library.name());
  } else {
    addOperator(library, values);
  }
  return filled(kExample, values);
}

} // namespace nestwright
