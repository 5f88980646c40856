#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

namespace nestwright {

namespace {

/// Constant arithmetic is written as nodes; constant folding evaluates it, lazily where it is
/// large.
class BatchNormFolder {
 public:
  explicit BatchNormFolder(const Network& network)
      : from_(network), to_(network), producers_(producers(network)), uses_(useCounts(network)) {}

  Network run() {
    for (const Node& node : from_.nodes)
      if (node.kind == OpKind::BatchNorm)
        to_.map(node.output, fold(node));
      else
        to_.copy(node);
    return to_.finish();
  }

 private:
  const Node* onlyUsedProducer(TensorId id) const {
    const int producer = producers_[static_cast<std::size_t>(id)];
    return producer >= 0 && uses_[static_cast<std::size_t>(id)] == 1
               ? &from_.nodes[static_cast<std::size_t>(producer)]
               : nullptr;
  }

  /// The constant per-channel vector ([C, 1, ...]) that `add` adds to a convolution's result.
  bool isBias(const Node& add, std::size_t operand, const Shape& data) const {
    const Tensor& tensor = from_.tensor(add.inputs[operand]);
    return tensor.constant && tensor.shape.size() + 1 == data.size() &&
           tensor.shape[0] == data[1] && elementCount(tensor.shape) == data[1];
  }

  /// The convolution that makes the norm's data, perhaps with a bias between.
  struct Source {
    const Node* conv = nullptr;
    TensorId bias = -1;
  };

  Source findSource(const Node& norm) const {
    const Shape data = from_.tensor(norm.inputs[0]).shape;
    const Node* before = onlyUsedProducer(norm.inputs[0]);
    Source source;
    if (before && before->kind == OpKind::Add) {
      const std::size_t bias = isBias(*before, 1, data) ? 1 : 0;
      if (!isBias(*before, bias, data)) return {};
      source.bias = before->inputs[bias];
      before = onlyUsedProducer(before->inputs[1 - bias]);
    }
    if (before && before->kind == OpKind::Conv && from_.isConstant(before->inputs[1])) {
      source.conv = before;
      return source;
    }
    return {};
  }

  TensorId fold(const Node& norm) {
    const Shape data = from_.tensor(norm.inputs[0]).shape;
    const std::int64_t channels = data[1];
    const TensorId scale = to_.mapped(norm.inputs[1]), shift = to_.mapped(norm.inputs[2]);
    const TensorId mean = to_.mapped(norm.inputs[3]), variance = to_.mapped(norm.inputs[4]);
    const auto epsilon = static_cast<float>(norm.as<BatchNormAttributes>().epsilon);
    const TensorId deviation =
        to_.node(OpKind::Sqrt, {to_.node(OpKind::Add, {variance, to_.scalar(epsilon)})});
    const TensorId factor = to_.node(OpKind::Div, {scale, deviation}, {}, norm.name + ".factor");
    const Source source = findSource(norm);
    // (x + bias - mean) * factor + shift = x * factor + (shift - (mean - bias) * factor)
    const TensorId centre =
        source.bias < 0
            ? mean
            : to_.node(OpKind::Sub, {mean, to_.reshape(to_.mapped(source.bias), {channels})});
    const TensorId offset = to_.node(OpKind::Sub, {shift, to_.node(OpKind::Mul, {centre, factor})},
                                     {}, norm.name + ".offset");
    Shape perChannel(data.size() - 1, 1), perOutput(data.size(), 1);
    perChannel[0] = perOutput[0] = channels;
    TensorId scaled;
    if (source.conv) {
      const Node& conv = *source.conv;
      const TensorId kernel =
          to_.node(OpKind::Mul, {to_.mapped(conv.inputs[1]), to_.reshape(factor, perOutput)}, {},
                   conv.name + ".kernel");
      scaled =
          to_.node(OpKind::Conv, {to_.mapped(conv.inputs[0]), kernel}, conv.attributes, conv.name);
    } else {
      scaled = to_.node(OpKind::Mul, {to_.mapped(norm.inputs[0]), to_.reshape(factor, perChannel)},
                        {}, norm.name);
    }
    return to_.node(OpKind::Add, {scaled, to_.reshape(offset, perChannel)}, {}, norm.name);
  }

  const Network& from_;
  NetworkBuilder to_;
  std::vector<int> producers_;
  std::vector<int> uses_;
};

} // namespace

Network foldBatchNorm(const Network& network) {
  return foldConstants(BatchNormFolder(network).run());
}

} // namespace nestwright
