#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

namespace nestwright {

namespace {

/// Moves dimension 1 to the end, or back.
std::vector<int> lastFromFirst(std::size_t rank) {
  std::vector<int> permutation{0};
  for (std::size_t d = 2; d < rank; ++d)
    permutation.push_back(static_cast<int>(d));
  permutation.push_back(1);
  return permutation;
}

std::vector<int> firstFromLast(std::size_t rank) {
  std::vector<int> permutation{0, static_cast<int>(rank) - 1};
  for (std::size_t d = 1; d + 1 < rank; ++d)
    permutation.push_back(static_cast<int>(d));
  return permutation;
}

/// Where dimension `axis` of a channels-first tensor is when the channels are last.
int lastAxis(int axis, std::size_t rank) {
  return axis == 0 ? 0 : axis == 1 ? static_cast<int>(rank) - 1 : axis - 1;
}

/// Every tensor of the old network exists channels first, channels last or both; a transpose is
/// made only when the form that is there is not the one asked for.
class LayoutPass {
 public:
  explicit LayoutPass(const Network& network)
      : from_(network), to_(network), last_(network.tensors.size(), -1),
        hasFirst_(network.tensors.size(), 0) {
    for (std::size_t t = 0; t < network.tensors.size(); ++t)
      hasFirst_[t] = network.tensors[t].constant ? 1 : 0;
    for (const TensorId id : network.inputs)
      hasFirst_[static_cast<std::size_t>(id)] = 1;
  }

  Network run() {
    for (const Node& node : from_.nodes)
      rewrite(node);
    for (const TensorId id : from_.outputs)
      first(id);
    return to_.finish();
  }

 private:
  std::size_t rank(TensorId id) const { return from_.tensor(id).shape.size(); }
  bool hasLast(TensorId id) const { return last_[static_cast<std::size_t>(id)] >= 0; }

  TensorId first(TensorId old) {
    char& has = hasFirst_[static_cast<std::size_t>(old)];
    if (!has) {
      to_.map(old, to_.transpose(last_[static_cast<std::size_t>(old)], firstFromLast(rank(old))));
      has = 1;
    }
    return to_.mapped(old);
  }

  TensorId last(TensorId old) {
    TensorId& id = last_[static_cast<std::size_t>(old)];
    if (id < 0) id = to_.transpose(first(old), lastFromFirst(rank(old)));
    return id;
  }

  void setLast(const Node& node, TensorId id) { last_[static_cast<std::size_t>(node.output)] = id; }

  void rewrite(const Node& node) {
    switch (node.kind) {
    case OpKind::Conv:
      return setLast(node, convolution(node));
    case OpKind::ConvTranspose:
      return setLast(node, transposedConvolution(node));
    case OpKind::MaxPool:
    case OpKind::AveragePool: {
      PoolAttributes pool = node.as<PoolAttributes>();
      pool.layout = TensorLayout::ChannelsLast;
      return setLast(node, to_.node(node.kind, {last(node.inputs[0])}, pool, node.name));
    }
    case OpKind::GlobalAveragePool:
      return setLast(node, to_.node(node.kind, {last(node.inputs[0])},
                                    LayoutAttributes{TensorLayout::ChannelsLast}, node.name));
    case OpKind::ReduceSum:
    case OpKind::ReduceMean:
    case OpKind::ReduceMax:
    case OpKind::ReduceMin:
    case OpKind::ReduceProd:
      if (reduction(node)) return;
      break;
    case OpKind::Gather:
      // Picking positions of one axis, as resizing does.
      if (hasLast(node.inputs[0]) && rank(node.inputs[1]) == 1)
        return setLast(node, to_.node(OpKind::Gather, {last(node.inputs[0]), first(node.inputs[1])},
                                      AxisAttributes{lastAxis(node.as<AxisAttributes>().axis,
                                                              rank(node.output))},
                                      node.name));
      break;
    case OpKind::Pad:
      if (hasLast(node.inputs[0])) return setLast(node, padding(node));
      break;
    case OpKind::Slice:
      if (hasLast(node.inputs[0])) return setLast(node, slice(node));
      break;
    case OpKind::Concat:
      if (std::all_of(node.inputs.begin(), node.inputs.end(),
                      [&](TensorId id) { return hasLast(id); }))
        return setLast(node, concat(node));
      break;
    default:
      if ((isUnary(node.kind) || isBroadcasting(node.kind)) && rank(node.output) >= 3 &&
          std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&](TensorId id) { return hasLast(id) && rank(id) == rank(node.output); }))
        return setLast(node, elementwise(node));
      break;
    }
    for (const TensorId input : node.inputs)
      first(input);
    to_.copy(node);
    hasFirst_[static_cast<std::size_t>(node.output)] = 1;
  }

  TensorId convolution(const Node& node) {
    ConvAttributes conv = node.as<ConvAttributes>();
    conv.layout = TensorLayout::ChannelsLast;
    const std::int64_t channels = from_.tensor(node.inputs[0]).shape[1];
    const std::size_t n = rank(node.inputs[1]);
    std::vector<int> permutation;
    for (std::size_t d = 2; d < n; ++d)
      permutation.push_back(static_cast<int>(d));
    const bool depthwise = conv.groups == channels && channels > 1 && n == 4;
    permutation.insert(permutation.end(), {depthwise ? 0 : 1, depthwise ? 1 : 0});
    TensorId kernel = to_.transpose(first(node.inputs[1]), permutation);
    if (depthwise) {
      // Output channels in groups: [.., C * M, 1] is [.., C, M].
      const Shape shape = to_.tensor(kernel).shape;
      kernel = to_.reshape(kernel, {shape[0], shape[1], channels, shape[2] / channels});
    }
    return to_.node(OpKind::Conv, {last(node.inputs[0]), kernel}, conv, node.name);
  }

  TensorId transposedConvolution(const Node& node) {
    ConvAttributes conv = node.as<ConvAttributes>();
    conv.layout = TensorLayout::ChannelsLast;
    std::vector<int> permutation;
    for (std::size_t d = 2; d < rank(node.inputs[1]); ++d)
      permutation.push_back(static_cast<int>(d));
    permutation.insert(permutation.end(), {0, 1});
    const TensorId kernel = to_.transpose(first(node.inputs[1]), permutation);
    return to_.node(OpKind::ConvTranspose, {last(node.inputs[0]), kernel}, conv, node.name);
  }

  TensorId padding(const Node& node) {
    PadAttributes pad = node.as<PadAttributes>();
    for (Shape* side : {&pad.before, &pad.after})
      if (side->size() > 2) std::rotate(side->begin() + 1, side->begin() + 2, side->end());
    return to_.node(OpKind::Pad, {last(node.inputs[0])}, pad, node.name);
  }

  TensorId concat(const Node& node) {
    std::vector<TensorId> inputs;
    for (const TensorId input : node.inputs)
      inputs.push_back(last(input));
    return to_.node(OpKind::Concat, inputs,
                    AxisAttributes{lastAxis(node.as<AxisAttributes>().axis, rank(node.output))},
                    node.name);
  }

  TensorId slice(const Node& node) {
    SliceAttributes slice = node.as<SliceAttributes>();
    Shape shape = from_.outputOf(node).shape;
    for (Shape* values : {&slice.starts, &slice.steps, &shape})
      std::rotate(values->begin() + 1, values->begin() + 2, values->end());
    return to_.slice(last(node.inputs[0]), slice, shape, node.name);
  }

  bool reduction(const Node& node) {
    ReduceAttributes reduce = node.as<ReduceAttributes>();
    const std::size_t n = rank(node.inputs[0]);
    std::vector<int> spatial;
    for (std::size_t d = 2; d < n; ++d)
      spatial.push_back(static_cast<int>(d));
    if (!hasLast(node.inputs[0]) || (!reduce.keepDimensions && reduce.axes != spatial))
      return false;
    for (int& axis : reduce.axes)
      axis = lastAxis(axis, n);
    std::sort(reduce.axes.begin(), reduce.axes.end());
    const TensorId result = to_.node(node.kind, {last(node.inputs[0])}, reduce, node.name);
    if (reduce.keepDimensions) {
      setLast(node, result);
    } else { // [N, C] is the same either way
      to_.map(node.output, result);
      hasFirst_[static_cast<std::size_t>(node.output)] = 1;
    }
    return true;
  }

  TensorId elementwise(const Node& node) {
    const std::size_t n = rank(node.output);
    std::vector<TensorId> inputs;
    for (const TensorId input : node.inputs) {
      const Shape& shape = from_.tensor(input).shape;
      if (shape.size() == n) {
        inputs.push_back(last(input));
      } else if (elementCount(shape) == 1) {
        inputs.push_back(first(input));
      } else {
        Shape full(n - shape.size(), 1);
        full.insert(full.end(), shape.begin(), shape.end());
        inputs.push_back(to_.transpose(to_.reshape(first(input), full), lastFromFirst(n)));
      }
    }
    if (node.kind == OpKind::Cast) return to_.cast(inputs[0], from_.outputOf(node).type, node.name);
    return to_.node(node.kind, inputs, node.attributes, node.name);
  }

  const Network& from_;
  NetworkBuilder to_;
  std::vector<TensorId> last_;
  std::vector<char> hasFirst_;
};

} // namespace

Network toChannelsLast(const Network& network) {
  return foldConstants(LayoutPass(network).run());
}

} // namespace nestwright
