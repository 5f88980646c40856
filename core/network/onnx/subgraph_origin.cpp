#include "core/network/onnx/subgraph_origin.h"

#include "core/support/error.h"
#include "core/support/hash.h"

#include <fmt/format.h>

#include <charconv>

namespace nestwright {

namespace {

constexpr const char *kWhole = "nestwright.whole", *kHash = "nestwright.whole_hash";
constexpr std::string_view kDimension = "nestwright.dimension.";

void note(onnx::ModelProto& model, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

} // namespace

std::string contentHash(const onnx::ModelProto& model) {
  std::string hashes;
  for (const onnx::NodeProto& node : model.graph().node())
    hashes += hashHex(node.SerializeAsString());
  for (const onnx::TensorProto& tensor : model.graph().initializer())
    hashes += hashHex(tensor.SerializeAsString());
  return hashHex(hashes);
}

void noteOrigin(onnx::ModelProto& subgraph, const SubgraphOrigin& origin) {
  note(subgraph, kWhole, origin.whole.string());
  note(subgraph, kHash, origin.hash);
  for (const auto& [name, value] : origin.dimensions)
    note(subgraph, fmt::format("{}{}", kDimension, name), fmt::format("{}", value));
}

std::optional<SubgraphOrigin> originOf(const onnx::ModelProto& model) {
  SubgraphOrigin origin;
  for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
    const std::string &key = entry.key(), &text = entry.value();
    if (key == kWhole)
      origin.whole = text;
    else if (key == kHash)
      origin.hash = text;
    if (!key.starts_with(kDimension)) continue;
    std::int64_t& value = origin.dimensions[key.substr(kDimension.size())];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw InputError(fmt::format("the model says that it was cut out with {}={}, which is no "
                                   "number; cut it out again",
                                   key.substr(kDimension.size()), text));
  }
  if (origin.whole.empty()) return std::nullopt;
  return origin;
}

} // namespace nestwright
