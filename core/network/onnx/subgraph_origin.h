#pragma once
/// \file Where a subgraph that stands in a file of its own was cut from.

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace nestwright {

struct SubgraphOrigin {
  std::filesystem::path whole;                    // absolute
  std::string hash;                               // contentHash() of it
  std::map<std::string, std::int64_t> dimensions; // the values that it was cut for

  bool operator==(const SubgraphOrigin&) const = default;
};

/// Of the nodes and weights of a model whose weights were taken in.
std::string contentHash(const onnx::ModelProto& model);

/// Writes it down in the subgraph's model, beside what that says of itself.
void noteOrigin(onnx::ModelProto& subgraph, const SubgraphOrigin& origin);
/// Nothing where the model is no subgraph of another. Throws InputError where what it says of that
/// cannot be read.
std::optional<SubgraphOrigin> originOf(const onnx::ModelProto& model);

} // namespace nestwright
