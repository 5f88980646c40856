#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Reads and moves elements without looking at them.
bool movesOnly(const Node& node) {
  return node.kind == OpKind::Reshape || node.kind == OpKind::Transpose;
}

bool isOfElements(const Node& node) {
  return isUnary(node.kind) || isBroadcasting(node.kind);
}

class ProductNarrower {
 public:
  explicit ProductNarrower(const Network& network)
      : from_(network), to_(network), readers_(consumers(network)), producers_(producers(network)),
        isOutput_(network.tensors.size(), 0), narrowed_(network.tensors.size(), -1) {
    for (const TensorId id : network.outputs)
      isOutput_[at(id)] = 1;
  }

  Network run() {
    for (const Node& node : from_.nodes) {
      if (isNarrowed(node)) {
        std::vector<TensorId> factors;
        for (const TensorId input : node.inputs)
          factors.push_back(narrowed(input));
        to_.map(node.output, to_.node(node.kind, std::move(factors), node.attributes, node.name));
      } else if (movesOnly(node)) {
        view(node);
      } else {
        to_.copy(node);
      }
      if (!movesOnly(node) && isStoredNarrow(node.output))
        to_.map(node.output, to_.cast(to_.mapped(node.output), kBFloat16));
    }
    return to_.finish();
  }

 private:
  static std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }
  const Node* producer(TensorId id) const {
    const int node = producers_[at(id)];
    return node < 0 ? nullptr : &from_.nodes[static_cast<std::size_t>(node)];
  }

  /// A product of float32 in one group, along an even number of elements, so that pairs of them are
  /// multiplied at once.
  bool isNarrowed(const Node& node) const {
    if (node.kind != OpKind::Conv && node.kind != OpKind::MatMul) return false;
    for (const TensorId input : node.inputs)
      if (from_.tensor(input).type != kFloat32) return false;
    const Shape& left = from_.tensor(node.inputs[0]).shape;
    if (node.kind == OpKind::MatMul) {
      const std::vector<int>& order = node.as<MatMulAttributes>().left;
      return left[order.empty() ? left.size() - 1 : static_cast<std::size_t>(order.back())] % 2 ==
             0;
    }
    const auto& conv = node.as<ConvAttributes>();
    const std::int64_t channels = conv.layout == TensorLayout::ChannelsLast ? left.back() : left[1];
    return conv.groups == 1 && channels % 2 == 0;
  }

  /// Whether all that read the tensor take it in bfloat16 as well, and some as a factor.
  bool isStoredNarrow(TensorId id) const {
    bool isFactor = false;
    return from_.tensor(id).type == kFloat32 && canBeNarrow(id, isFactor) && isFactor;
  }

  bool canBeNarrow(TensorId id, bool& isFactor) const {
    if (isOutput_[at(id)]) return false;
    return std::ranges::all_of(readers_[at(id)], [&](int reader) {
      const Node& node = from_.nodes[static_cast<std::size_t>(reader)];
      if (movesOnly(node)) return canBeNarrow(node.output, isFactor);
      isFactor = isFactor || isNarrowed(node);
      return isNarrowed(node) || isOfElements(node);
    });
  }

  void view(const Node& node) {
    const TensorId x = to_.mapped(node.inputs[0]);
    to_.map(node.output, viewOf(node, x));
  }

  TensorId viewOf(const Node& node, TensorId x) {
    if (node.kind == OpKind::Reshape) return to_.reshape(x, from_.outputOf(node).shape, node.name);
    return to_.transpose(x, node.as<TransposeAttributes>().permutation, node.name);
  }

  /// The tensor in bfloat16: rounded in front of what only moves it.
  TensorId narrowed(TensorId id) {
    TensorId& known = narrowed_[at(id)];
    if (known >= 0) return known;
    const Tensor& tensor = from_.tensor(id);
    if (tensor.constant)
      return known = to_.constant(tensor.name, tensor.shape, tensor.constant, kBFloat16,
                                  tensor.learnable);
    const TensorId now = to_.mapped(id);
    if (to_.tensor(now).type == kBFloat16) return known = now;
    const Node* made = producer(id);
    if (made && movesOnly(*made)) {
      const TensorId inner = narrowed(made->inputs[0]);
      return narrowed_[at(id)] = viewOf(*made, inner);
    }
    return known = to_.cast(now, kBFloat16);
  }

  const Network& from_;
  NetworkBuilder to_;
  const std::vector<std::vector<int>> readers_;
  const std::vector<int> producers_;
  std::vector<char> isOutput_;
  std::vector<TensorId> narrowed_; // by tensor of `from_`: in bfloat16
};

} // namespace

Network narrowProducts(const Network& network) {
  return ProductNarrower(network).run();
}

bool hasNarrowProducts(const Network& network) {
  const auto found = network.parameters.find(kBFloat16Parameter);
  return found != network.parameters.end() && found->second != 0;
}

} // namespace nestwright
