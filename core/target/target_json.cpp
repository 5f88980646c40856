#include "core/target/target_json.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

template <class Io>
void fields(Io& io, TargetFacts& facts) {
  io("backend", facts.backend);
  io("cpu", facts.cpuName);
  io("model", facts.modelName);
  io("features", facts.features);
  io("cores", facts.cores);
  io("vector_bytes", facts.vectorBytes);
  io("cache_line_bytes", facts.cacheLineBytes);
  io("l1_bytes", facts.l1Bytes);
  io("l2_bytes", facts.l2Bytes);
  io("l3_bytes", facts.l3Bytes);
  io("memory_bytes", facts.memoryBytes);
  io("peak_flops_per_core", facts.peakFlopsPerCore);
  io("peak_bytes_per_core", facts.peakBytesPerCore);
}

json toJson(const TargetFacts& facts) {
  return toFields(facts);
}

TargetFacts targetFactsFromJson(const json& j) {
  TargetFacts facts;
  try {
    readFields(j, facts);
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the stored facts of a target cannot be read ({})", e.what()));
  }
  return facts;
}

} // namespace nestwright
