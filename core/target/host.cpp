#include "core/support/text.h"
#include "core/target/cpu_quota.h"
#include "core/target/target.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace nestwright {
namespace {

/// Clock that no machine of today reaches, for bounds that must never be too low.
constexpr double kGenerousHertz = 6e9;

int coresOfAffinity() {
  // The fixed-size set ends at 1024 CPUs; larger machines need a larger one.
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 4) {
    cpu_set_t* set = CPU_ALLOC(capacity);
    const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(count, 1);
  }
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

/// A container may see all processors and have the time of two: further threads would wait for
/// their turns.
int usableCores() {
  return std::min(coresOfAffinity(), quotaHere().value_or(std::numeric_limits<int>::max()));
}

/// "48K", "32M" or plain bytes, as sysfs writes cache sizes.
std::optional<std::int64_t> parseSize(const std::string& text) {
  std::istringstream stream(text);
  std::int64_t value = 0;
  if (!(stream >> value) || value <= 0) return std::nullopt;
  char unit = 0;
  stream >> unit;
  if (unit == 'K') return value << 10;
  if (unit == 'M') return value << 20;
  if (unit == 'G') return value << 30;
  return value;
}

void readCaches(TargetFacts& facts) {
  for (int index = 0; index < 16; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string level = firstLineOf(folder + "level");
    if (level.empty()) return;
    if (firstLineOf(folder + "type") == "Instruction") continue;
    const auto size = parseSize(firstLineOf(folder + "size"));
    if (!size) continue;
    if (level == "1") facts.l1Bytes = *size;
    if (level == "2") facts.l2Bytes = *size;
    if (level == "3") facts.l3Bytes = *size;
    if (const auto line = parseSize(firstLineOf(folder + "coherency_line_size")))
      facts.cacheLineBytes = static_cast<int>(*line);
  }
}

/// Model and features of the first processor; x86 says "flags", Arm says "Features".
void readCpuInfo(TargetFacts& facts) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const auto start = line.find_first_not_of(' ', colon + 1);
    const std::string value = start == std::string::npos ? "" : line.substr(start);
    if (key == "model name") facts.modelName = value;
    if (key == "flags" || key == "Features") {
      std::istringstream words(value);
      std::set<std::string> sorted;
      for (std::string word; words >> word;)
        sorted.insert(word);
      facts.features.assign(sorted.begin(), sorted.end());
    }
  }
}

int vectorBytesOf(const std::vector<std::string>& features) {
  const auto has = [&](const char* name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  };
  if (has("avx512f")) return 64;
  if (has("avx")) return 32;
  return 16; // SSE2 and NEON are the baselines
}

} // namespace

TargetFacts hostTarget(int threads) {
  TargetFacts facts;
  facts.cores = usableCores();
  if (threads > 0) facts.cores = std::min(facts.cores, threads);
  readCpuInfo(facts);
  readCaches(facts);
  facts.vectorBytes = vectorBytesOf(facts.features);
  facts.memoryBytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  // Two fused multiply-adds and two additions a cycle, of 4-byte elements; two loads and a store.
  // More than any core of today does, so that no true measurement falls below the floor (C10).
  facts.peakFlopsPerCore = kGenerousHertz * 6 * facts.vectorBytes / 4;
  facts.peakBytesPerCore = kGenerousHertz * 3 * facts.vectorBytes;
  return facts;
}

} // namespace nestwright
