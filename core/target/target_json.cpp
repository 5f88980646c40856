#include "core/target/target_json.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

json toJson(const TargetFacts& facts) {
  return {{"backend", facts.backend},
          {"cpu", facts.cpuName},
          {"model", facts.modelName},
          {"features", facts.features},
          {"cores", facts.cores},
          {"vector_bytes", facts.vectorBytes},
          {"cache_line_bytes", facts.cacheLineBytes},
          {"l1_bytes", facts.l1Bytes},
          {"l2_bytes", facts.l2Bytes},
          {"l3_bytes", facts.l3Bytes},
          {"memory_bytes", facts.memoryBytes},
          {"peak_flops_per_core", facts.peakFlopsPerCore},
          {"peak_bytes_per_core", facts.peakBytesPerCore}};
}

TargetFacts targetFactsFromJson(const json& j) {
  TargetFacts facts;
  try {
    j.at("backend").get_to(facts.backend);
    j.at("cpu").get_to(facts.cpuName);
    j.at("model").get_to(facts.modelName);
    j.at("features").get_to(facts.features);
    j.at("cores").get_to(facts.cores);
    j.at("vector_bytes").get_to(facts.vectorBytes);
    j.at("cache_line_bytes").get_to(facts.cacheLineBytes);
    j.at("l1_bytes").get_to(facts.l1Bytes);
    j.at("l2_bytes").get_to(facts.l2Bytes);
    j.at("l3_bytes").get_to(facts.l3Bytes);
    j.at("memory_bytes").get_to(facts.memoryBytes);
    j.at("peak_flops_per_core").get_to(facts.peakFlopsPerCore);
    j.at("peak_bytes_per_core").get_to(facts.peakBytesPerCore);
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the stored facts of a target cannot be read ({})", e.what()));
  }
  return facts;
}

} // namespace nestwright
