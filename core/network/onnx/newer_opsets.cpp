#include "core/network/onnx/newer_opsets.h"

#include "core/network/onnx/model_form.h"
#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

namespace nestwright::onnx_import {

namespace {

using Integers = std::vector<std::int64_t>;

/// Whose axes became an operand with opset 18.
bool isReduction(const std::string& op) {
  static const std::set<std::string> kNames = {"ReduceL1",        "ReduceL2",   "ReduceLogSum",
                                               "ReduceLogSumExp", "ReduceMax",  "ReduceMean",
                                               "ReduceMin",       "ReduceProd", "ReduceSumSquare"};
  return kNames.contains(op);
}

/// A reduction of one element gives that element.
bool keepsOneElement(const std::string& op) {
  return op == "ReduceMax" || op == "ReduceMean" || op == "ReduceMin" || op == "ReduceProd";
}

/// An attribute that a later opset added, and the value that says what has always been so; empty:
/// whatever it says.
struct Usual {
  std::string attribute, value;
};

const std::vector<Usual>& usualAttributes(const std::string& op) {
  static const std::map<std::string, std::vector<Usual>> kOf = {
      // How numbers of 8 and 4 bits round, which are no element types here.
      {"Cast", {{"saturate", ""}, {"round_mode", ""}}},
      {"CastLike", {{"saturate", ""}, {"round_mode", ""}}},
      {"QuantizeLinear",
       {{"saturate", ""}, {"block_size", "0"}, {"output_dtype", "0"}, {"precision", "0"}}},
      {"DequantizeLinear", {{"block_size", "0"}, {"output_dtype", "0"}}},
      {"AveragePool", {{"dilations", "1"}}},
      {"LpPool", {{"dilations", "1"}, {"ceil_mode", "0"}}},
      {"SpaceToDepth", {{"mode", "DCR"}}},
      {"Resize", {{"antialias", "0"}, {"keep_aspect_ratio_policy", "stretch"}, {"axes", "none"}}},
  };
  static const std::vector<Usual> kNone;
  const auto found = kOf.find(op);
  return found == kOf.end() ? kNone : found->second;
}

bool says(const onnx::AttributeProto& attribute, const std::string& value) {
  if (value.empty()) return true;
  if (attribute.type() == onnx::AttributeProto::STRING) return attribute.s() == value;
  if (attribute.type() == onnx::AttributeProto::INT) return std::to_string(attribute.i()) == value;
  return attribute.type() == onnx::AttributeProto::INTS &&
         std::ranges::all_of(attribute.ints(),
                             [&](std::int64_t x) { return std::to_string(x) == value; });
}

class Rewriter {
 public:
  Rewriter(onnx::GraphProto& graph, Unsayable unsayable) : graph_(graph), unsayable_(unsayable) {
    for (const onnx::TensorProto& tensor : graph.initializer())
      stored_.emplace(tensor.name(), &tensor);
    for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()})
      for (const onnx::ValueInfoProto& value : *values)
        if (value.type().tensor_type().has_shape())
          shapes_.emplace(value.name(), &value.type().tensor_type().shape());
    for (const onnx::NodeProto& node : graph.node()) {
      if (node.op_type() == "Constant" && node.output_size() == 1)
        constants_.emplace(node.output(0), &node);
      names_.insert(node.output().begin(), node.output().end());
    }
  }

  void run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : nodes) // `constants_` points to some of them
      if (node.domain().empty() || node.domain() == "ai.onnx")
        standard(node);
      else
        *graph_.add_node() = node;
  }

 private:
  void standard(const onnx::NodeProto& node) {
    try {
      rewrite(node);
    } catch (const NodeImportError&) {
      if (unsayable_ == Unsayable::Refused) throw;
      *graph_.add_node() = node;
      graph_.mutable_node()->rbegin()->set_domain(kLaterDomain);
    }
  }

  void rewrite(onnx::NodeProto node) {
    const std::string& op = node.op_type();
    if (node.input_size() == 0 || node.output_size() == 0) {
      *graph_.add_node() = std::move(node); // a Constant, or no valid node
      return;
    }
    if (op == "Gelu") return gelu(node);
    if (op == "Mish") return mish(node);
    if (op == "Swish") return swish(node);
    if (op == "RMSNormalization") return rootMeanSquare(node);
    if (isReduction(op))
      reduce(node);
    else if (op == "Split")
      split(node);
    else if (op == "Pad")
      pad(node);
    else
      dropUsual(node);
    if (!onnx::OpSchemaRegistry::Schema(op, kKnownOpset, "")) node.set_domain(kLaterDomain);
    *graph_.add_node() = std::move(node);
  }

  [[noreturn]] static void fail(const onnx::NodeProto& node, const std::string& reason) {
    throw NodeImportError(node, reason);
  }

  static const onnx::AttributeProto* attribute(const onnx::NodeProto& node,
                                               const std::string& name) {
    for (const onnx::AttributeProto& one : node.attribute())
      if (one.name() == name) return &one;
    return nullptr;
  }
  static std::int64_t integer(const onnx::NodeProto& node, const char* name, std::int64_t absent) {
    const onnx::AttributeProto* found = attribute(node, name);
    return found ? found->i() : absent;
  }
  static void drop(onnx::NodeProto& node, const std::string& name) {
    removeIf(*node.mutable_attribute(),
             [&](const onnx::AttributeProto& one) { return one.name() == name; });
  }

  static bool hasInput(const onnx::NodeProto& node, int i) {
    return i < node.input_size() && !node.input(i).empty();
  }

  /// The value of an operand that the file has.
  Integers integersOf(const onnx::NodeProto& node, int operand) const {
    const std::string& name = node.input(operand);
    const auto integersIn = [&](const onnx::TensorProto& tensor) {
      const ArrayPtr array = readTensor(tensor).materialise();
      if (array->isFloat()) fail(node, fmt::format("'{}' holds no integers", name));
      return array->ints();
    };
    if (const auto found = stored_.find(name); found != stored_.end())
      return integersIn(*found->second);
    if (const auto found = constants_.find(name); found != constants_.end()) {
      if (const onnx::AttributeProto* value = attribute(*found->second, "value"))
        return integersIn(value->t());
      if (const onnx::AttributeProto* value = attribute(*found->second, "value_ints"))
        return {value->ints().begin(), value->ints().end()};
    }
    fail(node, fmt::format("'{}' would have to be in the file, and is computed", name));
  }

  /// Dimensions of the data.
  std::int64_t rankOf(const onnx::NodeProto& node) const {
    const std::string& name = node.input(0);
    if (const auto found = shapes_.find(name); found != shapes_.end())
      return found->second->dim_size();
    if (const auto found = stored_.find(name); found != stored_.end())
      return found->second->dims_size();
    fail(node, fmt::format("the file does not say how many dimensions '{}' has", name));
  }

  static void setIntegers(onnx::NodeProto& node, const char* name, const Integers& values) {
    onnx::AttributeProto& made = *node.add_attribute();
    made.set_name(name);
    made.set_type(onnx::AttributeProto::INTS);
    made.mutable_ints()->Assign(values.begin(), values.end());
  }

  /// The axes were an attribute.
  void reduce(onnx::NodeProto& node) const {
    const bool mayDoNothing = integer(node, "noop_with_empty_axes", 0) != 0;
    drop(node, "noop_with_empty_axes");
    if (node.input_size() < 2 && attribute(node, "axes")) return;
    const Integers axes = hasInput(node, 1) ? integersOf(node, 1) : Integers();
    if (node.input_size() > 1) node.mutable_input()->DeleteSubrange(1, node.input_size() - 1);
    if (!axes.empty()) return setIntegers(node, "axes", axes);
    if (!mayDoNothing) return;
    if (!keepsOneElement(node.op_type())) fail(node, "a reduction over no axes is not supported");
    node.set_op_type("Identity");
    node.clear_attribute();
  }

  /// How long the node's axis is, where the file says so.
  std::optional<std::int64_t> extentOf(const onnx::NodeProto& node) const {
    const auto shape = shapes_.find(node.input(0));
    if (shape == shapes_.end()) return std::nullopt;
    const int rank = shape->second->dim_size();
    std::int64_t axis = integer(node, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    const auto& dimension = shape->second->dim(static_cast<int>(axis));
    return dimension.has_dim_value() ? std::optional(dimension.dim_value()) : std::nullopt;
  }

  /// Parts of equal size were all that was meant where none is given; now the last may be smaller.
  /// How long the axis is may be known only when the model is bound to its dimensions.
  void split(onnx::NodeProto& node) {
    drop(node, "num_outputs");
    if (hasInput(node, 1) || node.output_size() < 2) return;
    const std::int64_t parts = node.output_size();
    if (const std::optional<std::int64_t> extent = extentOf(node); extent && *extent % parts == 0)
      return;
    const std::string x = node.input(0), others = integers(node, {parts - 1});
    const std::string extent = emit(
        node, "Gather", {emit(node, "Shape", {x}), integers(node, {integer(node, "axis", 0)})});
    const std::string part =
        emit(node, "Div", {emit(node, "Add", {extent, others}), integers(node, {parts})});
    onnx::NodeProto& sizes = emit(node, "Concat", {}, fresh(node, "parts"));
    for (std::int64_t i = 0; i + 1 < parts; ++i)
      sizes.add_input(part);
    sizes.add_input(emit(node, "Sub", {extent, emit(node, "Mul", {part, others})}));
    onnx::AttributeProto& axis = *sizes.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(0);
    while (node.input_size() < 2)
      node.add_input();
    node.set_input(1, sizes.output(0));
  }

  /// Paddings of some axes alone become those of all.
  void pad(onnx::NodeProto& node) {
    if (!hasInput(node, 3)) {
      if (node.input_size() > 3) node.mutable_input()->DeleteSubrange(3, 1);
      return;
    }
    const Integers axes = integersOf(node, 3), given = integersOf(node, 1);
    const std::int64_t rank = rankOf(node);
    if (given.size() != 2 * axes.size())
      fail(node,
           fmt::format("{} for {} axes", quantity(std::ssize(given), "padding"), axes.size()));
    Integers all(2 * static_cast<std::size_t>(rank), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
      if (axis < 0 || axis >= rank) fail(node, fmt::format("there is no axis {}", axes[i]));
      all[static_cast<std::size_t>(axis)] = given[i];
      all[static_cast<std::size_t>(axis + rank)] = given[i + axes.size()];
    }
    node.set_input(1, integers(node, all));
    node.mutable_input()->DeleteSubrange(3, 1);
  }

  static void dropUsual(onnx::NodeProto& node) {
    for (const Usual& usual : usualAttributes(node.op_type())) {
      const onnx::AttributeProto* found = attribute(node, usual.attribute);
      if (found && !says(*found, usual.value))
        fail(node, fmt::format("its attribute '{}' is not supported", usual.attribute));
      drop(node, usual.attribute);
    }
  }

  // what is written out

  std::string fresh(const onnx::NodeProto& of, const char* what) {
    std::string name = fmt::format("{}.{}", of.output(0), what);
    while (!names_.insert(name).second)
      name += '_';
    return name;
  }

  std::string integers(const onnx::NodeProto& of, const Integers& values) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(fresh(of, "numbers"));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_int64_data()->Assign(values.begin(), values.end());
    return tensor.name();
  }

  onnx::NodeProto& emit(const onnx::NodeProto& of, const char* op,
                        std::initializer_list<std::string> inputs, std::string output) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(op);
    node.set_name(nameOf(of));
    for (const std::string& input : inputs)
      node.add_input(input);
    node.add_output(std::move(output));
    return node;
  }
  std::string emit(const onnx::NodeProto& of, const char* op,
                   std::initializer_list<std::string> inputs) {
    return emit(of, op, inputs, fresh(of, op)).output(0);
  }

  /// A number of the element type that the node's data has.
  std::string number(const onnx::NodeProto& of, double value) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(fresh(of, "number"));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(static_cast<float>(value));
    return emit(of, "CastLike", {tensor.name(), of.input(0)});
  }

  /// x/2 * (1 + erf(x / sqrt 2)), or with tanh(sqrt(2/pi) * (x + 0.044715 x^3)) in its place.
  void gelu(const onnx::NodeProto& node) {
    const std::string& x = node.input(0);
    const onnx::AttributeProto* form = attribute(node, "approximate");
    std::string bend;
    if (form && form->s() == "tanh") {
      const std::string cube = emit(node, "Mul", {emit(node, "Mul", {x, x}), x});
      const std::string sum =
          emit(node, "Add", {x, emit(node, "Mul", {cube, number(node, 0.044715)})});
      bend = emit(node, "Tanh",
                  {emit(node, "Mul", {sum, number(node, std::sqrt(2 * std::numbers::inv_pi))})});
    } else {
      if (form && form->s() != "none")
        fail(node, fmt::format("the approximation '{}' is not known", form->s()));
      bend = emit(node, "Erf", {emit(node, "Mul", {x, number(node, std::numbers::sqrt2 / 2)})});
    }
    const std::string half = emit(node, "Mul", {x, number(node, 0.5)});
    emit(node, "Mul", {half, emit(node, "Add", {bend, number(node, 1)})}, node.output(0));
  }

  void mish(const onnx::NodeProto& node) {
    const std::string bend = emit(node, "Tanh", {emit(node, "Softplus", {node.input(0)})});
    emit(node, "Mul", {node.input(0), bend}, node.output(0));
  }

  void swish(const onnx::NodeProto& node) {
    const onnx::AttributeProto* alpha = attribute(node, "alpha");
    std::string x = node.input(0);
    if (alpha && alpha->f() != 1) x = emit(node, "Mul", {x, number(node, alpha->f())});
    emit(node, "Mul", {node.input(0), emit(node, "Sigmoid", {x})}, node.output(0));
  }

  /// x / sqrt(mean of x^2 over the axes from `axis` on + epsilon) * scale
  void rootMeanSquare(const onnx::NodeProto& node) {
    const std::int64_t rank = rankOf(node);
    std::int64_t axis = integer(node, "axis", -1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || node.input_size() < 2) fail(node, "its operands do not fit");
    Integers axes;
    for (std::int64_t a = axis; a < rank; ++a)
      axes.push_back(a);
    const onnx::AttributeProto* epsilon = attribute(node, "epsilon");
    const std::string& x = node.input(0);
    const std::string square = emit(node, "Mul", {x, x});
    onnx::NodeProto& mean = emit(node, "ReduceMean", {square}, fresh(node, "mean"));
    setIntegers(mean, "axes", axes);
    const std::string moved =
        emit(node, "Add", {mean.output(0), number(node, epsilon ? double(epsilon->f()) : 1e-5)});
    const std::string quotient = emit(node, "Div", {x, emit(node, "Sqrt", {moved})});
    emit(node, "Mul", {quotient, node.input(1)}, node.output(0));
  }

  onnx::GraphProto& graph_;
  Unsayable unsayable_;
  std::map<std::string, const onnx::TensorProto*> stored_;
  std::map<std::string, const onnx::TensorShapeProto*> shapes_;
  std::map<std::string, const onnx::NodeProto*> constants_;
  std::set<std::string> names_;
};

} // namespace

std::vector<std::string> withWrittenOut(std::vector<std::string> operators) {
  for (const char* later : {"Gelu", "Mish", "Swish", "RMSNormalization"})
    operators.emplace_back(later);
  std::ranges::sort(operators);
  return operators;
}

void toKnownOpset(onnx::ModelProto& model, Unsayable unsayable) {
  if (opsetOf(model) <= kKnownOpset) return;
  Rewriter(*model.mutable_graph(), unsayable).run();
  for (auto& opset : *model.mutable_opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx") opset.set_version(kKnownOpset);
  onnx::OperatorSetIdProto& later = *model.add_opset_import();
  later.set_domain(kLaterDomain);
  later.set_version(1);
}

} // namespace nestwright::onnx_import
