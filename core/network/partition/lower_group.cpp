#include "core/network/partition/lower_group.h"

#include "core/network/graph/elementwise.h"
#include "core/network/graph/operators.h"
#include "core/network/partition/lower_matmul.h"
#include "core/support/error.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

/// Operators that a node may have inlined in front of each of its operands. Where each node reads
/// the one before twice they double with every node; and a text holds no more than some hundreds.
constexpr int kMostInlined = 64;

class GroupLowering {
 public:
  GroupLowering(const Network& network, const std::vector<TensorId>& storage,
                const FusedGroup& group, const std::optional<GroupForm>& form)
      : network_(network), storage_(storage), group_(group), form_(form) {
    if (group.anchor >= 0) findProducers();
    orderNodes();
    int next = 0;
    for (const int n : nodes_) {
      inside_.insert(node(n).output);
      for (const TensorId input : node(n).inputs)
        readers_[input].push_back(next);
      ++next;
    }
  }

  LoweredGroup run() {
    frame_ = chooseFrame();
    int lastRead = 0; // the last position that reads a node before this one
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& current = node(nodes_[i]);
      if (nodes_[i] == group_.anchor)
        stages_[current.output] = anchor(current);
      else if (isInjective(current.kind) || current.kind == OpKind::BatchNorm)
        stages_[current.output] = moved(current);
      else
        elementwise(current, i, lastRead <= static_cast<int>(i));
      if (const auto found = readers_.find(current.output); found != readers_.end())
        lastRead = std::max(lastRead, found->second.back());
    }
    LoweredGroup result;
    result.dag = ComputeDag::fromOutputs({stages_.at(group_.output)});
    for (const Op& input : result.dag.inputs())
      result.inputs.push_back(inputIds_.at(input->name()));
    return result;
  }

 private:
  const Node& node(int n) const { return network_.nodes[static_cast<std::size_t>(n)]; }

  bool isInside(TensorId id) const { return inside_.contains(id); }

  /// Backwards, producers come before their readers.
  void findProducers() {
    const Node& anchor = node(group_.anchor);
    std::set<TensorId> read(anchor.inputs.begin(), anchor.inputs.end());
    for (auto n = group_.nodes.rbegin(); n != group_.nodes.rend(); ++n)
      if (*n < group_.anchor && read.contains(node(*n).output)) {
        producers_.insert(*n);
        read.insert(node(*n).inputs.begin(), node(*n).inputs.end());
      }
  }

  /// As in the network, but what reads nothing of the anchor and is none of its producers (it
  /// dequantises a residual) stands in front of its reader: where a file has it changes no task.
  void orderNodes() {
    std::set<TensorId> made;
    std::vector<int> waiting;
    for (const int n : group_.nodes) {
      const auto& inputs = node(n).inputs;
      const bool follows =
          std::ranges::any_of(inputs, [&](TensorId id) { return made.contains(id); });
      if (group_.anchor >= 0 && n != group_.anchor && !follows && !isProducer(n)) {
        waiting.push_back(n);
        beside_.insert(node(n).output);
        continue;
      }
      if (n == group_.anchor || follows) made.insert(node(n).output);
      std::erase_if(waiting, [&](int early) {
        if (std::ranges::count(inputs, node(early).output) == 0) return false;
        nodes_.push_back(early);
        return true;
      });
      nodes_.push_back(n);
    }
  }

  /// Chains that move elements have a shape a node.
  bool isMoving() const {
    return group_.anchor < 0 && std::any_of(nodes_.begin(), nodes_.end(),
                                            [this](int n) { return isInjective(node(n).kind); });
  }

  /// Before the anchor nothing is merged: producers keep the shape of the anchor's data.
  bool isProducer(int n) const { return producers_.contains(n); }

  std::string unique(const std::string& name) {
    const int count = names_[name]++;
    return count == 0 ? name : fmt::format("{}_{}", name, count);
  }

  // --- frames ---------------------------------------------------------------------------------

  bool fits(const ShapeFrame& frame) const {
    for (const int n : nodes_)
      if (n != group_.anchor && !isProducer(n))
        for (const TensorId input : node(n).inputs)
          if (!isInside(input) && !frame.view(network_.tensor(input).shape)) return false;
    return true;
  }

  ShapeFrame chooseFrame() {
    const Shape& output = network_.tensor(group_.output).shape;
    if (group_.anchor < 0) {
      if (isMoving() || node(nodes_[0]).kind == OpKind::BatchNorm)
        return ShapeFrame::identity(output);
      for (const ShapeFrame& frame : {ShapeFrame::flat(output), ShapeFrame::rows(output)})
        if (fits(frame)) return frame;
      return ShapeFrame::identity(output);
    }
    const Node& anchor = node(group_.anchor);
    switch (anchor.kind) {
    case OpKind::Softmax:
    case OpKind::LogSoftmax:
    case OpKind::LayerNorm:
      merged_ = fits(ShapeFrame::rows(output));
      return merged_ ? ShapeFrame::rows(output) : ShapeFrame::identity(output);
    case OpKind::MatMul:
      merged_ = fits(matMulForm(network_, anchor, true).output);
      return matMulForm(network_, anchor, merged_).output;
    default:
      return ShapeFrame::identity(output);
    }
  }

  // --- operands -------------------------------------------------------------------------------

  /// The placeholder of a tensor from outside, seen with `shape`.
  Op external(TensorId id, const Shape& shape, const std::string& role) {
    const auto key = std::pair(storage_[static_cast<std::size_t>(id)], shape);
    if (const auto found = externals_.find(key); found != externals_.end()) return found->second;
    Op op = placeholder(unique(role), shape, network_.tensor(id).type);
    inputIds_[op->name()] = key.first;
    externals_.emplace(key, op);
    return op;
  }

  Op operand(TensorId id, const Shape& shape, const std::string& role) {
    const auto found = stages_.find(id);
    return found != stages_.end() ? found->second : external(id, shape, role);
  }

  Op operand(TensorId id, const std::string& role) {
    return operand(id, network_.tensor(id).shape, role);
  }

  /// A constant of one element as a literal. Scales and zero points were learnt: layers that differ
  /// in nothing else are one task.
  std::optional<Expr> literal(const Node& reader, TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    if (!tensor.constant || elementCount(tensor.shape) != 1) return std::nullopt;
    const ArrayPtr array = tensor.constant.materialise();
    // A scale of 1 is none: what multiplies sums by all scales at once quantises so.
    const bool isNone = reader.inputs.size() > 1 && id == reader.inputs[1] && array->isFloat() &&
                        array->floats()[0] == 1;
    if (isQuantising(reader.kind) && !isNone) return std::nullopt;
    if (array->isFloat()) return floatImm(array->floats()[0], tensor.type);
    return tensor.type.isBool() ? boolImm(array->ints()[0] != 0)
                                : intImm(array->ints()[0], tensor.type);
  }

  std::string roleOf(const Node& node, TensorId id) const {
    if (isQuantising(node.kind) && id == node.inputs[1]) return "step";
    if (isQuantising(node.kind) && id == node.inputs[2]) return "zero";
    if (node.kind == OpKind::Add) return network_.isConstant(id) ? "bias" : "residual";
    return node.kind == OpKind::Mul ? "scale" : "operand";
  }

  // --- nodes ----------------------------------------------------------------------------------

  Op anchor(const Node& node) {
    const Shape& data = network_.tensor(node.inputs[0]).shape;
    switch (node.kind) {
    case OpKind::Conv: {
      const auto& conv = node.as<ConvAttributes>();
      if (form_)
        return winogradConvolution(operand(node.inputs[0], "data"),
                                   operand(form_->kernel, "kernel"), conv.window, form_->tile, true,
                                   form_->definition);
      return convolution(operand(node.inputs[0], "data"), operand(node.inputs[1], "kernel"),
                         conv.window, conv.groups, conv.layout, network_.isConstant(node.inputs[1]),
                         conv.around);
    }
    case OpKind::ConvTranspose: {
      const auto& conv = node.as<ConvAttributes>();
      return transposedConvolution(operand(node.inputs[0], "data"),
                                   operand(node.inputs[1], "kernel"), conv.window, conv.groups,
                                   conv.layout, network_.isConstant(node.inputs[1]));
    }
    case OpKind::MaxPool:
    case OpKind::AveragePool:
      return pooling(node);
    case OpKind::GlobalAveragePool:
      return globalAveragePool(operand(node.inputs[0], "data"), node.as<LayoutAttributes>().layout);
    case OpKind::Softmax:
      return softmax(operand(node.inputs[0], merged_ ? *frame_.view(data) : data, "A"));
    case OpKind::LogSoftmax:
      return logSoftmax(operand(node.inputs[0], merged_ ? *frame_.view(data) : data, "A"));
    case OpKind::LayerNorm:
      return layerNorm(operand(node.inputs[0], merged_ ? *frame_.view(data) : data, "data"),
                       operand(node.inputs[1], "gamma"), operand(node.inputs[2], "beta"),
                       node.as<LayerNormAttributes>().epsilon);
    case OpKind::MatMul: {
      const MatMulForm form = matMulForm(network_, node, merged_);
      const Op left = operand(node.inputs[0], form.left, form.leftName);
      return form.build(left, operand(node.inputs[1], form.right, form.rightName));
    }
    default:
      return lowerReduce(node, network_.outputOf(node).shape, operand(node.inputs[0], "data"));
    }
  }

  Op pooling(const Node& node) {
    const auto& attributes = node.as<PoolAttributes>();
    const Shape& output = network_.outputOf(node).shape;
    const auto first = output.begin() + (attributes.layout == TensorLayout::ChannelsLast ? 1 : 2);
    const Shape extents(first, first + attributes.window.rank());
    const Pooling kind = node.kind == OpKind::MaxPool ? Pooling::Max
                         : attributes.countPadding    ? Pooling::AverageWithPadding
                                                      : Pooling::Average;
    return pool(operand(node.inputs[0], "data"), attributes.window, extents, kind,
                attributes.layout);
  }

  Op moved(const Node& node) {
    std::vector<Op> inputs;
    for (const TensorId input : node.inputs)
      inputs.push_back(operand(input, "data"));
    if (node.kind == OpKind::BatchNorm) return lowerBatchNorm(node, inputs);
    return lowerInjective(node, unique(stageName(node.kind)), network_.outputOf(node).shape,
                          inputs);
  }

  using Element = std::function<Expr(const std::vector<Expr>&)>;

  /// How an element-wise node reads an operand at the indices of its result: as float32 what is
  /// kept in bfloat16.
  Element reader(const Node& node, TensorId id, const ShapeFrame& frame, const Shape& shape) {
    if (const auto found = inlined_.find(id); found != inlined_.end())
      return
          [element = found->second](const std::vector<Expr>& i) { return widenedHalf(element(i)); };
    if (const auto value = literal(node, id); value && !isInside(id))
      return [value = *value](const std::vector<Expr>&) { return value; };
    const auto view = frame.view(network_.tensor(id).shape);
    NW_ASSERT(view || isInside(id), "{} does not fit the frame of {}", network_.tensor(id).name,
              node.name);
    const Op op = operand(id, view.value_or(Shape()), roleOf(node, id));
    return [op, shape](const std::vector<Expr>& i) {
      return widenedHalf(broadcastRead(op, i, shape));
    };
  }

  /// A stage where the results of all nodes so far meet in this one (no earlier node of the group
  /// is read later) and where its expression is large; otherwise an expression that is written into
  /// its readers, so that x * f(x) is one stage that reads x.
  void elementwise(const Node& current, std::size_t position, bool meetsHere) {
    const ShapeFrame frame = isProducer(nodes_[position]) || isMoving()
                                 ? ShapeFrame::identity(network_.outputOf(current).shape)
                                 : frame_;
    const Shape shape = *frame.view(network_.outputOf(current).shape);
    std::vector<TensorId> ids = current.inputs;
    const bool commutes = current.kind == OpKind::Add || current.kind == OpKind::Mul;
    const auto isOther = [this](TensorId id) { return !isInside(id) || beside_.contains(id); };
    if (commutes && isOther(ids[0]) && !isOther(ids[1])) std::swap(ids[0], ids[1]);
    std::vector<Element> operands;
    for (const TensorId id : ids)
      operands.push_back(reader(current, id, frame, shape));
    const DataType type = network_.outputOf(current).type;
    const Element element = [&current, type, operands](const std::vector<Expr>& i) {
      std::vector<Expr> values;
      for (const Element& operand : operands)
        values.push_back(operand(i));
      return elementwiseExpr(current, type, values);
    };
    if (!meetsHere && isReadInPlace(current) && isSmall(element, shape.size())) {
      inlined_[current.output] = element;
      return;
    }
    const std::string name = stageName(current.kind);
    stages_[current.output] = compute(unique(name), shape, element,
                                      axisNames(shape.size(), name == "compute" ? "i" : "ax"));
  }

  static bool isSmall(const Element& element, std::size_t rank) {
    int operators = 0;
    visit(element(std::vector<Expr>(rank, Expr(0))), [&](const Expr& e) {
      operators += e->operands.empty() ? 0 : 1;
      return operators <= kMostInlined;
    });
    return operators <= kMostInlined;
  }

  /// All readers within the group are element-wise and of the node's shape.
  bool isReadInPlace(const Node& current) const {
    const Shape& shape = network_.outputOf(current).shape;
    const auto found = readers_.find(current.output);
    if (found == readers_.end()) return true;
    return std::none_of(found->second.begin(), found->second.end(), [&](int position) {
      const Node& reader = node(nodes_[static_cast<std::size_t>(position)]);
      return isInjective(reader.kind) || network_.outputOf(reader).shape != shape;
    });
  }

  const Network& network_;
  const std::vector<TensorId>& storage_;
  const FusedGroup& group_;
  const std::optional<GroupForm>& form_;
  std::set<TensorId> inside_;
  std::set<int> producers_;   // of the anchor's data
  std::vector<int> nodes_;    // of the group, in the order in which they are lowered
  std::set<TensorId> beside_; // made within the group of nothing that the anchor makes
  std::map<TensorId, std::vector<int>> readers_; // by tensor the positions that read it, ascending
  ShapeFrame frame_;
  bool merged_ = false;
  std::map<TensorId, Op> stages_;
  std::map<TensorId, Element> inlined_;
  std::map<std::pair<TensorId, Shape>, Op> externals_;
  std::map<std::string, TensorId> inputIds_;
  std::map<std::string, int> names_;
};

} // namespace

LoweredGroup lowerGroup(const Network& network, const std::vector<TensorId>& storage,
                        const FusedGroup& group, const std::optional<GroupForm>& form) {
  return GroupLowering(network, storage, group, form).run();
}

} // namespace nestwright
