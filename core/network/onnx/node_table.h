#pragma once
/// \file Private to what reads ONNX models: the nodes of a model by what they make and read.

#include "core/network/onnx/onnx_node.h"

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestwright::onnx_import {

/// Of a graph whose nodes are sorted, which it borrows.
class NodeTable {
 public:
  explicit NodeTable(const onnx::GraphProto& graph);

  std::size_t count() const { return static_cast<std::size_t>(graph_.node_size()); }
  const onnx::NodeProto& node(std::size_t n) const { return graph_.node(static_cast<int>(n)); }
  const std::vector<std::string>& reads(std::size_t n) const { return reads_[n]; }
  std::optional<std::size_t> maker(const std::string& tensor) const;
  const std::vector<std::size_t>& readers(const std::string& tensor) const;
  /// Its value in the file, or null.
  const onnx::TensorProto* stored(const std::string& tensor) const;
  /// Its type and shape where both are known before the model runs, or null.
  const onnx::ValueInfoProto* type(const std::string& tensor) const;
  bool isResult(const std::string& tensor) const { return results_.contains(tensor); }

 private:
  const onnx::GraphProto& graph_;
  std::map<std::string, const onnx::TensorProto*> stored_;
  std::map<std::string, const onnx::ValueInfoProto*> types_;
  std::map<std::string, std::size_t> makers_;
  std::map<std::string, std::vector<std::size_t>> readers_;
  std::set<std::string> results_;
  std::vector<std::vector<std::string>> reads_;
};

/// Whether the node asks for the shape of a tensor that has a known one: all of it, since a part
/// has attributes.
bool isKnownShape(const NodeTable& nodes, std::size_t n);
/// What it answers.
onnx::TensorProto knownShape(const NodeTable& nodes, std::size_t n);

} // namespace nestwright::onnx_import
