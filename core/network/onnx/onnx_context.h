#pragma once
/// \file Private to the ONNX importer: what the importer of one operator gets to work with.

#include "core/network/graph/network_builder.h"
#include "core/network/onnx/onnx_node.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::onnx_import {

/// The model in a file, with the weights that it keeps in files beside it. Throws InputError.
onnx::ModelProto readModel(const std::filesystem::path& file);

/// Brings nodes into an order in which producers come before consumers; it stays when it is one.
/// Throws InputError naming two nodes of a cycle.
void sortNodes(onnx::GraphProto& graph);

/// An ONNX tensor as a constant, which holds integers and bool as int64; double, float16 and
/// bfloat16 become float. Throws InputError for element types that have no counterpart, and when
/// the tensor holds fewer elements than its shape says.
Constant readTensor(const onnx::TensorProto& tensor);
Shape shapeOf(const onnx::TensorProto& tensor);
/// What tensors of ONNX's element type hold in a network; nothing where it is not supported.
std::optional<DataType> findElementType(int onnxType);
/// The same; throws InputError where it is not.
DataType elementType(int onnxType);

/// One node under import: its operands, and the network that it goes into. `given`
/// are values of network inputs that shapes may depend on, and what was computed from them.
class NodeImport : public OnnxNode {
 public:
  /// `declared` has the element types that the file gives to tensors, as far as it does.
  NodeImport(const onnx::NodeProto& node, int opset, std::vector<TensorId> inputs,
             NetworkBuilder& to, std::map<TensorId, Constant>& given,
             const std::map<std::string, int>& declared)
      : OnnxNode(node, opset), inputs_(std::move(inputs)), to_(to), given_(given),
        declared_(declared) {}

  bool has(const char* name) const { return attribute(name) != nullptr; }

  // operands
  std::size_t inputCount() const { return inputs_.size(); }
  bool hasInput(std::size_t i) const { return i < inputs_.size() && inputs_[i] >= 0; }
  TensorId input(std::size_t i) const;
  Shape shape(std::size_t i) const { return to_.tensor(input(i)).shape; }
  std::size_t rank(std::size_t i) const { return shape(i).size(); }
  DataType type(std::size_t i) const { return to_.tensor(input(i)).type; }
  /// ONNX's element type of an operand, where it is known; 0 where it is not.
  int declaredType(std::size_t i) const;
  /// The value of an operand that the importer has to know. Throws InputError when it depends on
  /// the network's input.
  ArrayPtr constantValue(std::size_t i) const;
  bool isKnown(std::size_t i) const { return known(input(i)).has_value(); }
  /// As `constantValue`, for integers.
  std::vector<std::int64_t> constantInts(std::size_t i) const;
  /// As `constantValue`, for one number.
  double constantReal(std::size_t i) const;
  /// Integers from the attribute or, since a later opset, from the operand; nothing when absent.
  std::optional<std::vector<std::int64_t>> integersOrInput(const char* name, std::size_t i) const;
  /// An axis counted from the front. Throws InputError when out of range.
  int axis(std::int64_t value, std::size_t rank) const;

  // results
  NetworkBuilder& builder() { return to_; }
  /// Adds a node with the imported node's name; folds it when all operands are constant.
  TensorId emit(OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {});
  TensorId emitReshape(TensorId x, Shape shape);
  TensorId emitCast(TensorId x, DataType type);
  /// Dimensions in another order.
  TensorId emitTranspose(TensorId x, std::vector<int> permutation);
  /// `extent` elements of one axis from `start`.
  TensorId emitSlice(TensorId x, int axis, std::int64_t start, std::int64_t extent);
  /// A constant number of the type.
  TensorId number(double value, DataType type = kFloat32);
  TensorId constant(Shape shape, std::vector<std::int64_t> values, DataType type = kInt64);
  TensorId constant(Shape shape, std::vector<float> values);
  /// The constant 0, 1, 2, ... of shape [extent, 1, 1, ...] with `behind` ones.
  TensorId positions(std::int64_t extent, std::size_t behind = 0);
  /// `id`, or the constant that it comes to: what has constant operands only or no elements.
  TensorId folded(TensorId id);

 private:
  /// The value of a constant, or of what was already computed from given inputs.
  std::optional<Constant> held(TensorId id) const;
  /// The value of a tensor that depends on constants and given inputs only.
  std::optional<Constant> known(TensorId id) const;

  std::vector<TensorId> inputs_;
  NetworkBuilder& to_;
  std::map<TensorId, Constant>& given_;
  const std::map<std::string, int>& declared_;
};

/// The outputs of a node, in order; may be fewer than the node has when the rest is unused.
using Importer = std::vector<TensorId> (*)(NodeImport&);

/// Whether the node asks for one of ONNX's own operators.
bool isStandard(const onnx::NodeProto& node);
/// Whether it asks for one that ONNX Runtime adds to them, as its quantisation does.
bool isOfRuntime(const onnx::NodeProto& node);
/// The importer of a node, or null.
Importer importerOf(const onnx::NodeProto& node);
/// All operators that can be imported, sorted.
std::vector<std::string> supportedOperators();

// Shared between the files of importers.
/// The mean over axes, which stay with one element.
TensorId meanOver(NodeImport& node, TensorId x, const std::vector<int>& axes);
/// The position of the first (or last) largest (or smallest) element; the axis keeps one element.
TensorId extremePosition(NodeImport& node, TensorId x, int axis, bool largest, bool lastOfEqual);
/// The window and groups of a convolution of operand 0 with a kernel of this shape.
ConvAttributes readConvolution(NodeImport& node, const Shape& kernel);
/// A vector on the left is a row, on the right a column; the result loses that dimension again.
TensorId productOfMatrices(NodeImport& node, TensorId left, TensorId right,
                           const std::function<TensorId(TensorId, TensorId)>& product);
/// Index vectors [..., n], which may count from the end, as positions [...] in n dimensions of
/// these extents taken as one.
TensorId placesOf(NodeImport& node, TensorId indices, const Shape& extents);

// The operators' importers by file; each table maps names to functions.
const std::map<std::string, Importer>& elementwiseImporters();
const std::map<std::string, Importer>& movementImporters();
const std::map<std::string, Importer>& layerImporters();
const std::map<std::string, Importer>& activationImporters();
const std::map<std::string, Importer>& normalisationImporters();
const std::map<std::string, Importer>& reductionImporters();
const std::map<std::string, Importer>& resizeImporters();
const std::map<std::string, Importer>& constantImporters();
const std::map<std::string, Importer>& scatterImporters();
const std::map<std::string, Importer>& sortingImporters();
const std::map<std::string, Importer>& einsumImporters();
const std::map<std::string, Importer>& recurrentImporters();
const std::map<std::string, Importer>& lossImporters();
const std::map<std::string, Importer>& alongAxisImporters();
const std::map<std::string, Importer>& quantisedImporters();
/// Of ONNX Runtime's own domain, com.microsoft.
const std::map<std::string, Importer>& runtimeImporters();

} // namespace nestwright::onnx_import
