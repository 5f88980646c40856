#pragma once
/// \file Private to what reads ONNX models: a node of a file, and tables of what is done for each
/// operator.

#include "core/support/error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright::onnx_import {

/// The node's own name, or that of its first output where it has none.
const std::string& nameOf(const onnx::NodeProto& node);
/// "node 'conv1' (Conv)".
std::string labelOf(const onnx::NodeProto& node);

/// The tensors that a node reads, also those that the graphs inside of it (the branches of an If,
/// the body of a Loop) take from around it; each once, without the operands that are left out.
std::vector<std::string> readsOf(const onnx::NodeProto& node);

/// A node that cannot be imported: "node 'conv1' (Conv): ...".
class NodeImportError : public PlacedInputError {
 public:
  NodeImportError(const onnx::NodeProto& node, const std::string& reason);
  /// Its first result, which no other node has: names may be missing, or there twice.
  const std::string& result() const { return result_; }
  /// What is wrong, without the node.
  const std::string& reason() const { return reason_; }

 private:
  std::string result_, reason_;
};

/// A node's name and attributes. Borrows the node.
class OnnxNode {
 public:
  OnnxNode(const onnx::NodeProto& node, int opset) : node_(node), opset_(opset) {}

  int opset() const { return opset_; }
  const std::string& nodeName() const { return nameOf(node_); }
  const std::string& op() const { return node_.op_type(); }
  std::size_t outputCount() const { return static_cast<std::size_t>(node_.output_size()); }
  const std::string& inputName(std::size_t i) const { return node_.input(static_cast<int>(i)); }
  const std::string& outputName(std::size_t i = 0) const {
    return node_.output(static_cast<int>(i));
  }

  // attributes, with what ONNX says when they are absent
  std::int64_t integer(const char* name, std::int64_t absent) const;
  double real(const char* name, double absent) const;
  std::string text(const char* name, const char* absent) const;
  std::vector<std::int64_t> integers(const char* name) const; // empty when absent
  std::vector<std::string> texts(const char* name) const;     // empty when absent
  const onnx::AttributeProto* attribute(const char* name) const;

  /// Throws NodeImportError.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  const onnx::NodeProto& node_;
  int opset_;
};

template <class Function>
using OperatorTables = std::vector<const std::map<std::string, Function>*>;

/// What the tables have for an operator, or null.
template <class Function>
Function functionOf(const OperatorTables<Function>& tables, const std::string& op) {
  for (const auto* table : tables)
    if (const auto found = table->find(op); found != table->end()) return found->second;
  return nullptr;
}

/// All operators in the tables, sorted.
template <class Function>
std::vector<std::string> operatorsIn(const OperatorTables<Function>& tables) {
  std::vector<std::string> names;
  for (const auto* table : tables)
    for (const auto& entry : *table)
      names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

/// With those of ONNX Runtime's domain, called com.microsoft.NAME.
template <class Function>
std::vector<std::string> withRuntime(std::vector<std::string> names,
                                     const std::map<std::string, Function>& runtime) {
  for (const auto& entry : runtime)
    names.push_back("com.microsoft." + entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace nestwright::onnx_import
