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

#include <stdio.h>
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

int main(int argc, char **argv) {
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
  if (!library.isNetwork()) add("workspace");
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

} // namespace

std::string exampleText(const Library& library) {
  std::map<std::string, std::string> values = {
      {"NAME", library.name()},
      {"GOMP", library.threading() == Threading::OpenMp ? "-lgomp " : ""},
      {"INPUT_COUNT", fmt::format("{}", std::max<std::size_t>(library.inputs.size(), 1))},
      {"OUTPUT_COUNT", fmt::format("{}", library.outputs.size())},
      {"ARRAYS", arrays(library)},
      {"SAVE", saves(library)},
      {"FREE", frees(library)}};
  if (library.isNetwork()) {
    values["OPEN"] = filled("  @NAME@_instance *instance;\n"
                            "  if (@NAME@_open(&instance, NULL)) return fprintf(stderr, "
                            "\"%s\\n\", @NAME@_error()), 1;\n",
                            values);
    values["CALL"] = fmt::format("{}_run(instance, {})", library.name(), arguments(library));
    values["CLOSE"] = fmt::format("  {}_close(instance);\n", library.name());
  } else {
    addOperator(library, values);
  }
  return filled(kExample, values);
}

} // namespace nestwright
