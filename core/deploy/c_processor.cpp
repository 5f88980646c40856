#include "core/deploy/c_glue_parts.h"
#include "core/deploy/template_text.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kProcessor = R"(
#include <cpuid.h>

typedef void kernel(void *const *buffers, void *workspace, int32_t threads);

struct feature {
  const char *name;
  unsigned leaf, subleaf, word, bit, state, level;
};
@FEATURES@
/* The variants of the code, that for the largest processor first. */
enum { VARIANT_COUNT = @COUNT@ };
static const struct processor {
  const char *name;
  const struct feature *needed;
  const char *model; /* of the one that it was tuned on */
  int tuned, never;  /* operators */
} processors[VARIANT_COUNT] = {
@PROCESSORS@};

/* What the operating system saves of the registers: XCR0. */
static unsigned saved_state(void) {
  unsigned words[4] = {0, 0, 0, 0}, low = 0, high = 0;
  if (!__get_cpuid_count(1, 0, &words[0], &words[1], &words[2], &words[3])) return 0;
  if (!(words[2] >> 27 & 1)) return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/* For tests: the processor is taken for one of this level of x86-64; 0: there is no such level. */
static unsigned allowed_level(const char *text) {
  static const char *const levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  if (!text) return 5;
  for (unsigned l = 0; l < sizeof levels / sizeof *levels; ++l)
    if (strcmp(text, levels[l]) == 0) return l + 1;
  return 0;
}

/* The first that is needed and not there; NULL where all is. */
static const char *lacking(const struct feature *needed, unsigned saved, unsigned level) {
  for (; needed->name; ++needed) {
    unsigned words[4] = {0, 0, 0, 0};
    const int known = __get_cpuid_count(needed->leaf, needed->subleaf, &words[0], &words[1],
                                        &words[2], &words[3]);
    if (!known || !(words[needed->word] >> needed->bit & 1) ||
        (saved & needed->state) != needed->state || needed->level > level)
      return needed->name;
  }
  return NULL;
}

/* The number of the variant that runs here, the first that fits; -1 and the error where none does. */
static int variant_here(void) {
  static int found; /* 1 more; whoever asks finds the same */
  const int known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known) return known - 1;
  const char *const text = secure_getenv("@NAME@_CPU");
  const unsigned level = allowed_level(text), saved = saved_state();
  const char *missing = "";
  if (level == 0) {
    failed(@NAME@_ERROR_CPU, "@NAME@_CPU is %.100s, which is no level of x86-64: it takes x86-64, "
           "x86-64-v2, x86-64-v3 or x86-64-v4", text);
    return -1;
  }
  for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
    missing = lacking(processors[variant].needed, saved, level);
    if (missing) continue;
    __atomic_store_n(&found, variant + 1, __ATOMIC_RELAXED);
    return variant;
  }
  failed(@NAME@_ERROR_CPU, "this processor lacks %s, which the code of @NAME@ needs@WHICH@%s%.100s",
         missing, text ? "; it is taken for another one by @NAME@_CPU=" : "", text ? text : "");
  return -1;
}

PUBLIC int @NAME@_check(void) { return variant_here() < 0 ? @NAME@_ERROR_CPU : @NAME@_OK; }

PUBLIC const char *@NAME@_processor(void) {
  const int variant = variant_here();
  return variant < 0 ? "" : processors[variant].name;
}

/* As the processor calls itself, without the spaces around that. */
static void model_here(char model[49]) {
  unsigned words[12] = {0};
  for (unsigned leaf = 0; leaf < 3; ++leaf)
    __get_cpuid(0x80000002 + leaf, &words[4 * leaf], &words[4 * leaf + 1], &words[4 * leaf + 2],
                &words[4 * leaf + 3]);
  const char *begin = (const char *)words, *end = begin + strnlen(begin, sizeof words);
  while (begin < end && *begin == ' ') ++begin;
  while (end > begin && end[-1] == ' ') --end;
  memcpy(model, begin, (size_t)(end - begin));
  model[end - begin] = 0;
}

PUBLIC int @NAME@_tuned(@NAME@_fit *fit) {
  const int variant = variant_here();
  if (variant < 0) return @NAME@_ERROR_CPU;
  if (!fit) return failed(@NAME@_ERROR_ARGUMENT, "there is no place for the numbers");
  const struct processor *const p = &processors[variant];
  char model[49];
  model_here(model);
  const int here = strcmp(model, p->model) == 0;
  fit->here = here ? p->tuned : 0;
  fit->compatible = here ? 0 : p->tuned;
  fit->never = p->never;
  return @NAME@_OK;
}
)";

} // namespace

std::string processorGlue(const Library& library, std::map<std::string, std::string> values) {
  std::string features, processors;
  for (std::size_t v = 0; v < library.variants.size(); ++v) {
    features += fmt::format("static const struct feature features_{}[] = {{\n", v);
    for (const CpuFeature& f : library.variants[v].features)
      features += fmt::format("  {{\"{}\", {:#x}, {}, {}, {}, {:#x}, {}}},\n", f.name, f.leaf,
                              f.subleaf, f.word, f.bit, f.state, levelOf(f));
    features += "  {0, 0, 0, 0, 0, 0, 0}};\n";
    const DeployedVariant& deployed = library.deployment.variants[v];
    processors += fmt::format("  {{\"{}\", features_{}, {}, {}, {}}},\n", deployed.processor(), v,
                              cString(deployed.target.modelName), deployed.tunedCount(),
                              deployed.searchedCount() - deployed.tunedCount());
  }
  values["FEATURES"] = features;
  values["PROCESSORS"] = processors;
  values["COUNT"] = fmt::format("{}", library.variants.size());
  values["WHICH"] = library.variants.size() == 1
                        ? ""
                        : fmt::format("; it is for {}",
                                      processorsText(library.deployment.options.instructionSets));
  return filled(kProcessor, values);
}

} // namespace nestwright
