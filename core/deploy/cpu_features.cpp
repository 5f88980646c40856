#include "core/deploy/cpu_features.h"

#include "core/support/error.h"
#include "core/target/instruction_set.h"

#include <algorithm>
#include <array>

namespace nestwright {

namespace {

constexpr int kEax = 0, kEbx = 1, kEcx = 2, kEdx = 3;
constexpr std::uint32_t kVectors = 0x6, kWideVectors = 0xe6;

/// All that LLVM's code for kernels may use beyond what every processor of x86-64 has.
constexpr std::array kFeatures = std::to_array<CpuFeature>({
    {"pni", 1, 0, kEcx, 0, 0},
    {"pclmulqdq", 1, 0, kEcx, 1, 0},
    {"ssse3", 1, 0, kEcx, 9, 0},
    {"fma", 1, 0, kEcx, 12, kVectors},
    {"cx16", 1, 0, kEcx, 13, 0},
    {"sse4_1", 1, 0, kEcx, 19, 0},
    {"sse4_2", 1, 0, kEcx, 20, 0},
    {"movbe", 1, 0, kEcx, 22, 0},
    {"popcnt", 1, 0, kEcx, 23, 0},
    {"aes", 1, 0, kEcx, 25, 0},
    {"avx", 1, 0, kEcx, 28, kVectors},
    {"f16c", 1, 0, kEcx, 29, kVectors},
    {"lahf_lm", 0x80000001, 0, kEcx, 0, 0},
    {"abm", 0x80000001, 0, kEcx, 5, 0},
    {"fma4", 0x80000001, 0, kEcx, 16, kVectors},
    {"xop", 0x80000001, 0, kEcx, 11, kVectors},
    {"tbm", 0x80000001, 0, kEcx, 21, 0},
    {"bmi1", 7, 0, kEbx, 3, 0},
    {"avx2", 7, 0, kEbx, 5, kVectors},
    {"bmi2", 7, 0, kEbx, 8, 0},
    {"avx512f", 7, 0, kEbx, 16, kWideVectors},
    {"avx512dq", 7, 0, kEbx, 17, kWideVectors},
    {"adx", 7, 0, kEbx, 19, 0},
    {"avx512ifma", 7, 0, kEbx, 21, kWideVectors},
    {"avx512cd", 7, 0, kEbx, 28, kWideVectors},
    {"sha_ni", 7, 0, kEbx, 29, 0},
    {"avx512bw", 7, 0, kEbx, 30, kWideVectors},
    {"avx512vl", 7, 0, kEbx, 31, kWideVectors},
    {"avx512vbmi", 7, 0, kEcx, 1, kWideVectors},
    {"avx512_vbmi2", 7, 0, kEcx, 6, kWideVectors},
    {"gfni", 7, 0, kEcx, 8, 0},
    {"vaes", 7, 0, kEcx, 9, kVectors},
    {"vpclmulqdq", 7, 0, kEcx, 10, kVectors},
    {"avx512_vnni", 7, 0, kEcx, 11, kWideVectors},
    {"avx512_bitalg", 7, 0, kEcx, 12, kWideVectors},
    {"avx512_vpopcntdq", 7, 0, kEcx, 14, kWideVectors},
    {"avx512_vp2intersect", 7, 0, kEdx, 8, kWideVectors},
    {"avx512_fp16", 7, 0, kEdx, 23, kWideVectors},
    {"avx_vnni", 7, 1, kEax, 4, kVectors},
    {"avx512_bf16", 7, 1, kEax, 5, kWideVectors},
    {"avx_ifma", 7, 1, kEax, 23, kVectors},
});

} // namespace

int levelOf(const CpuFeature& feature) {
  int level = 2;
  for (const InstructionSet set :
       {InstructionSet::Sse42, InstructionSet::Avx2, InstructionSet::Avx512}) {
    if (std::ranges::find(featuresOf(set), feature.name) != featuresOf(set).end()) return level;
    ++level;
  }
  return level;
}

std::vector<CpuFeature> neededCpuFeatures(const TargetFacts& target) {
  const auto has = [&](const char* feature) {
    return std::ranges::find(target.features, feature) != target.features.end();
  };
  if (!has("sse2"))
    throw InputError(fmt::format("libraries are written for x86-64 only, and {} is of another "
                                 "family",
                                 target.modelName.empty() ? "this processor" : target.modelName));
  std::vector<CpuFeature> needed;
  for (const CpuFeature& feature : kFeatures)
    if (has(feature.name)) needed.push_back(feature);
  return needed;
}

} // namespace nestwright
