#pragma once
/// \file Putting a network together, node after node, with the shapes inferred: for the zoo, the
/// importer and the graph passes.

#include "core/network/graph/graph.h"
#include "core/support/error.h"

#include <limits>

namespace nestwright {

/// A node whose operands do not fit it: "node 'conv1' (Conv): a kernel ... does not fit data ...".
class NodeError : public InputError {
 public:
  NodeError(const std::string& node, OpKind kind, const std::string& reason)
      : InputError(fmt::format("node '{}' ({}): {}", node, name(kind), reason)), reason_(reason) {}
  /// What is wrong, without the node.
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::string name, std::map<std::string, std::int64_t> parameters = {});
  /// Starts a pass over `from`: same name, parameters and inputs, no nodes yet.
  explicit NetworkBuilder(const Network& from);

  TensorId input(std::string name, Shape shape, DataType type = kFloat32);
  /// From now on constants may take this many bytes, those that are made when asked for included.
  void limitConstants(std::int64_t bytes) { constantLimit_ = bytes; }
  /// To be asked before the values of a constant are made. Throws InputError with the bytes when it
  /// would be too much beside those that there are.
  void requireRoom(const Shape& shape, DataType type) const;
  /// As `requireRoom`, and takes the room: for values that are kept beside the network's constants.
  void takeRoom(const Shape& shape, DataType type);
  /// A constant of the type that `value` holds, or of `type` when that is a bool; takes its room.
  TensorId constant(std::string name, Shape shape, Constant value, DataType type = kFloat32,
                    bool learnable = false);
  TensorId scalar(float value);

  /// The node's output. Throws NodeError when the operands do not fit.
  TensorId node(OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {},
                std::string name = {});
  // Operators whose result is stated.
  TensorId reshape(TensorId x, Shape shape, std::string name = {});
  TensorId expand(TensorId x, Shape shape, std::string name = {});
  TensorId cast(TensorId x, DataType type, std::string name = {});
  TensorId slice(TensorId x, SliceAttributes attributes, Shape shape, std::string name = {});
  /// `x` itself when the permutation is the identity; one transpose where `x` is one already.
  TensorId transpose(TensorId x, std::vector<int> permutation, std::string name = {});

  /// Passes: the tensor that stands for tensor `old` of the network that the pass reads. Constants
  /// are taken over when first asked for.
  TensorId mapped(TensorId old);
  void map(TensorId old, TensorId now);
  /// Passes: takes a node over as it is, with mapped operands.
  TensorId copy(const Node& node);

  void output(TensorId id);
  const Tensor& tensor(TensorId id) const { return network_.tensor(id); }
  /// The node that makes `id`, or null.
  const Node* producer(TensorId id) const;
  /// The network, without what no output needs. A pass gets its outputs mapped.
  Network finish();

 private:
  TensorId addTensor(Tensor tensor);
  TensorId addNode(OpKind kind, std::vector<TensorId> inputs, Attributes attributes,
                   std::string name, Shape shape, DataType type);

  Network network_;
  std::vector<int> producers_;
  std::int64_t constantLimit_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t constantBytes_ = 0;
  const Network* from_ = nullptr;
  std::vector<TensorId> mapping_;
};

} // namespace nestwright
