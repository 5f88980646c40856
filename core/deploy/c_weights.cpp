#include "core/deploy/c_glue_parts.h"
#include "core/deploy/template_text.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// Sums as weightsChecksum().
constexpr const char* kChecksum = R"(
#define WEIGHTS_BYTES ((uint64_t)@WEIGHTS_BYTES@) /* of the file */

static const unsigned char header[] = {@HEADER@};

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
  return memcmp(instance->constants, header, sizeof header) == 0;
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

} // namespace

void addWeights(const Library& library, const WeightsSums& sums,
                std::map<std::string, std::string>& values) {
  values["WEIGHTS"] = values["UNMAP"] = values["MAP"] = "";
  if (!library.hasWeights()) return;
  if (library.deployment.options.embed) {
    values["WEIGHTS"] = filled(kEmbedded, values);
    values["MAP"] = fmt::format("  instance->constants = {}_weights;\n", library.name());
    return;
  }
  const WeightsLayout weights = weightsLayout(library.variants);
  std::string parts;
  NW_ASSERT(sums.parts.size() == weights.parts.size(), "{} sums of {} parts", sums.parts.size(),
            weights.parts.size());
  for (std::size_t p = 0; p < weights.parts.size(); ++p)
    parts += fmt::format("  {{{}, {}, {:#x}u, {:#x}}},\n", weights.parts[p].offset,
                         weights.parts[p].bytes, sums.parts[p], weights.parts[p].variants);
  std::vector<std::string> header;
  for (const std::uint8_t byte : weightsHeader(weights.bytes, sums.all))
    header.push_back(fmt::format("{}", byte));
  values["HEADER"] = cList(header);
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

} // namespace nestwright
