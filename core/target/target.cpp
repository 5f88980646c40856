#include "core/target/target.h"

#include "core/support/hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {

std::vector<std::int64_t> TargetFacts::recordHardware() const {
  // The five GPU limits are 0 for a CPU, as public records have them (handbook/ansor.md 10).
  return {cores, vectorBytes, cacheLineBytes, 0, 0, 0, 0, 0};
}

std::string TargetFacts::text() const {
  std::string text = fmt::format("{} -keys=cpu", backend);
  if (!cpuName.empty()) text += fmt::format(" -mcpu={}", cpuName);
  return text + fmt::format(" -num-cores={}", cores);
}

std::string TargetFacts::id() const {
  // Neither the memory size nor the clock decides whether two records may be compared; cpuName is
  // left out because core alone does not know it.
  const std::string facts = fmt::format("{}|{}|{}|{}|{}|{}|{}", modelName, fmt::join(features, " "),
                                        vectorBytes, cacheLineBytes, l1Bytes, l2Bytes, l3Bytes);
  return fmt::format("{}-{}c-{}", backend, cores, hashHex(facts).substr(0, 8));
}

double physicalFloorSeconds(const TargetFacts& target, double flops, double compulsoryBytes) {
  const double cores = std::max(target.cores, 1);
  double floor = 0;
  if (target.peakFlopsPerCore > 0) floor = flops / (target.peakFlopsPerCore * cores);
  if (target.peakBytesPerCore > 0)
    floor = std::max(floor, compulsoryBytes / (target.peakBytesPerCore * cores));
  return floor;
}

} // namespace nestwright
