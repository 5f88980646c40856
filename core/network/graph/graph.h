#pragma once
/// \file The operator graph of a network: what an ONNX file or the zoo gives, what the graph passes
/// rewrite, and what is partitioned into tasks. Plain values; shapes are fixed.

#include "core/network/graph/array.h"
#include "core/network/graph/window.h"
#include "core/tensor/dtype.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

enum class OpKind : std::uint8_t {
  // element-wise with one operand
  Relu,
  Clip,
  Sqrt,
  Erf,
  Tanh,
  Exp,
  Log,
  Sigmoid,
  Neg,
  Abs,
  Floor,
  Ceil,
  Round,
  Sin,
  Cos,
  Not,
  Cast,
  // element-wise with NumPy broadcasting
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Min,
  Max,
  Mod,
  Equal,
  Less,
  LessOrEqual,
  And,
  Or,
  Where,
  /// Inputs: data, scale, zero point. data / scale, rounded to the nearest (halves to even), plus
  /// the
  /// zero point, as far as the zero point's type of 8 bits reaches.
  QuantizeLinear,
  /// Inputs: data, scale, zero point. (data - zero point) * scale, in float32.
  DequantizeLinear,
  // moving elements
  Reshape,
  Transpose,
  Expand,
  Concat,
  Slice,
  Pad,
  Gather,
  GatherElements,
  // reductions and what contains one
  ReduceSum,
  ReduceMean,
  ReduceMax,
  ReduceMin,
  ReduceProd,
  GlobalAveragePool,
  MaxPool,
  AveragePool,
  Softmax,
  LogSoftmax,
  LayerNorm,
  MatMul,
  Conv,
  ConvTranspose,
  // only before the passes
  BatchNorm,
};

/// "Conv", "Relu", ... (the name that ONNX gives it).
const char* name(OpKind kind);
/// One value from one value at the same position; the first operand in the enumeration above.
bool isUnary(OpKind kind);
/// Element-wise over broadcast operands; two, or three of Where and those that quantise.
bool isBroadcasting(OpKind kind);
/// QuantizeLinear or DequantizeLinear.
bool isQuantising(OpKind kind);
/// Only moves elements.
bool isInjective(OpKind kind);
/// A ReduceSum, ReduceMean, ...: over axes that the attributes name.
bool isReduction(OpKind kind);

/// Of Conv and ConvTranspose. The padding of a ConvTranspose is what is cut off the result; what
/// ONNX calls output padding is less padding behind, which may become negative.
struct ConvAttributes {
  Window window;
  std::int64_t groups = 1;
  /// Of data and output. Kernel of Conv: OI.. for channels first; ..IO, or ..CM when depthwise, for
  /// last. Kernel of ConvTranspose: IO.. or ..IO, with all input channels and one group's outputs.
  TensorLayout layout = TensorLayout::ChannelsFirst;
  /// Conv: what stands around the data, the zero point where it is quantised.
  std::int64_t around = 0;
  friend bool operator==(const ConvAttributes&, const ConvAttributes&) = default;
};
struct PoolAttributes {
  Window window;
  bool ceiling = false;
  bool countPadding = false; // average: padding counts as elements
  TensorLayout layout = TensorLayout::ChannelsFirst;
  friend bool operator==(const PoolAttributes&, const PoolAttributes&) = default;
};
/// Inputs: data, scale, shift, mean, variance.
struct BatchNormAttributes {
  double epsilon = 1e-5;
  friend bool operator==(const BatchNormAttributes&, const BatchNormAttributes&) = default;
};
/// Of GlobalAveragePool.
struct LayoutAttributes {
  TensorLayout layout = TensorLayout::ChannelsFirst;
  friend bool operator==(const LayoutAttributes&, const LayoutAttributes&) = default;
};
struct ReduceAttributes {
  std::vector<int> axes; // ascending, not negative
  bool keepDimensions = true;
  friend bool operator==(const ReduceAttributes&, const ReduceAttributes&) = default;
};
/// Of Concat, Gather, GatherElements, Softmax, LogSoftmax; not negative.
struct AxisAttributes {
  int axis = 0;
  friend bool operator==(const AxisAttributes&, const AxisAttributes&) = default;
};
/// Over the last dimension. Inputs: data, scale, shift.
struct LayerNormAttributes {
  double epsilon = 1e-5;
  friend bool operator==(const LayerNormAttributes&, const LayerNormAttributes&) = default;
};
struct ClipAttributes {
  double low = 0, high = 0;
  friend bool operator==(const ClipAttributes&, const ClipAttributes&) = default;
};
struct TransposeAttributes {
  std::vector<int> permutation; // output dimension d is input dimension permutation[d]
  friend bool operator==(const TransposeAttributes&, const TransposeAttributes&) = default;
};
/// One entry a dimension; the extent comes from the output's shape.
struct SliceAttributes {
  Shape starts, steps;
  friend bool operator==(const SliceAttributes&, const SliceAttributes&) = default;
};
/// What is around the data: a value, the nearest element, or the elements mirrored at the border.
/// One entry a dimension, none negative.
struct PadAttributes {
  enum class Mode : std::uint8_t { Constant, Edge, Reflect };
  Shape before, after;
  Mode mode = Mode::Constant;
  double value = 0;
  friend bool operator==(const PadAttributes&, const PadAttributes&) = default;
};
/// Batched matrix product; of integers below 32 bits in int32. The permutations say how the
/// operands and the result lie in memory: logical dimension d (batch..., rows, columns) of an
/// operand is its dimension permutation[d], and dimension d of the result is its logical dimension
/// output[d]. Empty: as they are.
struct MatMulAttributes {
  std::vector<int> left, right, output;
  friend bool operator==(const MatMulAttributes&, const MatMulAttributes&) = default;
};
/// Of Reshape, Expand and Cast: the output's shape and type say it all.
using Attributes = std::variant<std::monostate, ConvAttributes, PoolAttributes, BatchNormAttributes,
                                LayoutAttributes, ReduceAttributes, AxisAttributes,
                                LayerNormAttributes, ClipAttributes, TransposeAttributes,
                                SliceAttributes, PadAttributes, MatMulAttributes>;

using TensorId = int;

struct Tensor {
  std::string name;
  Shape shape;
  DataType type = kFloat32;
  Constant constant;      // set: a weight or another constant
  bool learnable = false; // a weight that training changes; counted as a parameter
};

struct Node {
  OpKind kind = OpKind::Relu;
  std::string name; // for messages and descriptions; need not be unique
  std::vector<TensorId> inputs;
  TensorId output = -1;
  Attributes attributes;

  template <class T>
  const T& as() const {
    return std::get<T>(attributes);
  }
};

struct Network {
  std::string name;                               // "resnet50" or the ONNX file's stem
  std::string source;                             // zoo name or absolute path of the file
  std::map<std::string, std::int64_t> parameters; // batch, image, sequence, ...
  std::vector<Tensor> tensors;
  std::vector<Node> nodes; // producers before consumers
  std::vector<TensorId> inputs, outputs;

  const Tensor& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  const Tensor& outputOf(const Node& node) const { return tensor(node.output); }
  bool isConstant(TensorId id) const { return static_cast<bool>(tensor(id).constant); }
};

/// Index of the node that makes each tensor, or -1.
std::vector<int> producers(const Network& network);
/// Indices of the nodes that read each tensor, ascending, each once.
std::vector<std::vector<int>> consumers(const Network& network);
/// How often each tensor is read, network outputs included.
std::vector<int> useCounts(const Network& network);

/// The tensor in whose memory each tensor lies: itself, unless a Reshape makes it.
std::vector<TensorId> storageTensors(const Network& network);

/// Without nodes and tensors that no output needs; inputs stay.
Network withoutDeadNodes(Network network);

/// Multiply-accumulates of one run: convolutions and matrix products.
std::int64_t multiplyAccumulates(const Network& network);
/// Elements of all learnable tensors.
std::int64_t parameterCount(const Network& network);

/// One line a node: `conv1 = Conv(input, kernel) [1, 64, 112, 112]`.
std::string print(const Network& network);

} // namespace nestwright
