#include "core/training/model_summary.h"

#include "core/learn/trained_network.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/training/model_wish.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Sets what the bytes of a network say. Throws InputError.
void readNetwork(ModelSummary& summary) {
  const TrainedNetwork trained =
      trainedNetworkFromBytes(summary.file.bytes, networkArchitectureFromName(summary.file.model));
  summary.parameters = trained.network.weights.size();
  summary.weightsHash = hashHex(bytesOf(trained.network.maxima) + bytesOf(trained.network.weights));
}

} // namespace

ModelSummary summaryOf(const ModelFile& file) {
  ModelSummary summary{file, 0, hashHex(file.bytes), {}};
  const std::vector<std::string> known = trainableModels();
  const bool ofNetwork =
      isNetwork(file.model) && std::ranges::find(known, file.model) != known.end();
  if (!ofNetwork) summary.parameters = static_cast<std::size_t>(std::max(file.kept, 0));
  try {
    if (ofNetwork) readNetwork(summary);
    costModel(file.model)->load(file.bytes);
  } catch (const Error& error) {
    summary.problem = error.what();
  }
  return summary;
}

nlohmann::json toJson(const ModelSummary& summary) {
  nlohmann::json json = toJson(summary.file);
  json["parameters"] = summary.parameters;
  json["weights"] = summary.weightsHash;
  json["bytes"] = summary.file.bytes.size();
  json["problem"] = summary.problem.empty() ? nlohmann::json() : nlohmann::json(summary.problem);
  return json;
}

} // namespace nestwright
