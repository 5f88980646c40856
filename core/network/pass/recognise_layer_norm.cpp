#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

#include <optional>

namespace nestwright {

namespace {

/// Matches backwards from the last addition of a layer norm that is written out.
class LayerNormMatcher {
 public:
  explicit LayerNormMatcher(const Network& network)
      : network_(network), producers_(producers(network)) {}

  struct Match {
    TensorId data, scale, shift;
    double epsilon;
  };

  std::optional<Match> match(const Node& root) const {
    for (std::size_t shift = 0; shift < 2; ++shift) {
      const Node* product = root.kind == OpKind::Add ? made(root.inputs[1 - shift]) : nullptr;
      if (!product || product->kind != OpKind::Mul || !isVector(root, root.inputs[shift])) continue;
      for (std::size_t scale = 0; scale < 2; ++scale) {
        const Node* quotient = made(product->inputs[1 - scale]);
        if (!quotient || quotient->kind != OpKind::Div || !isVector(root, product->inputs[scale]))
          continue;
        if (auto found = matchQuotient(*quotient))
          return Match{found->data, product->inputs[scale], root.inputs[shift], found->epsilon};
      }
    }
    return std::nullopt;
  }

 private:
  const Node* made(TensorId id) const {
    const int producer = producers_[static_cast<std::size_t>(id)];
    return producer < 0 ? nullptr : &network_.nodes[static_cast<std::size_t>(producer)];
  }

  const Node* made(TensorId id, OpKind kind) const {
    const Node* node = made(id);
    return node && node->kind == kind ? node : nullptr;
  }

  /// A constant with one value for each element of the last dimension.
  bool isVector(const Node& root, TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    return tensor.constant && tensor.shape == Shape{network_.outputOf(root).shape.back()};
  }

  std::optional<double> number(TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    if (!tensor.constant || elementCount(tensor.shape) != 1) return std::nullopt;
    const ArrayPtr array = tensor.constant.materialise();
    return array->isFloat() ? array->floats()[0] : static_cast<double>(array->ints()[0]);
  }

  /// The data whose mean over the last dimension this is, or -1.
  TensorId meanOf(TensorId id) const {
    const Node* mean = made(id, OpKind::ReduceMean);
    if (!mean) return -1;
    const auto& reduce = mean->as<ReduceAttributes>();
    const int last = static_cast<int>(network_.tensor(mean->inputs[0]).shape.size()) - 1;
    return reduce.keepDimensions && reduce.axes == std::vector<int>{last} ? mean->inputs[0] : -1;
  }

  /// The data whose mean is subtracted to make `id`, or -1.
  TensorId centred(TensorId id) const {
    const Node* difference = made(id, OpKind::Sub);
    if (!difference || meanOf(difference->inputs[1]) != difference->inputs[0]) return -1;
    return difference->inputs[0];
  }

  /// What is squared to make `id`, or -1.
  TensorId squareOf(TensorId id) const {
    if (const Node* power = made(id, OpKind::Pow); power && number(power->inputs[1]) == 2.0)
      return power->inputs[0];
    if (const Node* product = made(id, OpKind::Mul);
        product && product->inputs[0] == product->inputs[1])
      return product->inputs[0];
    return -1;
  }

  /// (x - mean) / sqrt(mean of (x - mean)^2 + epsilon); scale and shift are left open.
  std::optional<Match> matchQuotient(const Node& quotient) const {
    const TensorId data = centred(quotient.inputs[0]);
    const Node* root = made(quotient.inputs[1], OpKind::Sqrt);
    const Node* sum = root ? made(root->inputs[0], OpKind::Add) : nullptr;
    if (data < 0 || !sum) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto epsilon = number(sum->inputs[i]);
      const TensorId squares = meanOf(sum->inputs[1 - i]);
      const TensorId base = squares < 0 ? -1 : squareOf(squares);
      if (epsilon && base >= 0 && centred(base) == data) return Match{data, -1, -1, *epsilon};
    }
    return std::nullopt;
  }

  const Network& network_;
  std::vector<int> producers_;
};

} // namespace

Network recogniseLayerNorm(const Network& network) {
  const LayerNormMatcher matcher(network);
  NetworkBuilder to(network);
  for (const Node& node : network.nodes) {
    if (const auto match = matcher.match(node))
      to.map(node.output,
             to.node(OpKind::LayerNorm,
                     {to.mapped(match->data), to.mapped(match->scale), to.mapped(match->shift)},
                     LayerNormAttributes{match->epsilon}, node.name));
    else
      to.copy(node);
  }
  return to.finish();
}

} // namespace nestwright
