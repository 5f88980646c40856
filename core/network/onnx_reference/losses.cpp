// ONNX losses, as the standard defines them.

#include "core/network/graph/infer.h"
#include "core/network/onnx_reference/reference_node.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace nestwright::onnx_reference {

namespace {

/// Goes through the places of data [N, C, places...], of which `inner` are behind the classes.
struct ClassedData {
  std::int64_t classes = 0, inner = 0, places = 0;

  explicit ClassedData(const ReferenceNode& node) {
    const Shape& in = node.shape(0);
    if (in.size() < 2) node.fail("the data has no axis of classes");
    classes = in[1];
    inner = extentBetween(in, 2, in.size());
    places = in[0] * inner;
    if (elementCount(node.shape(1)) != places)
      node.fail(
          fmt::format("{} classes for {}", elementCount(node.shape(1)), quantity(places, "place")));
  }
  /// Of class `c` at a place.
  std::int64_t position(std::int64_t place, std::int64_t c) const {
    return (place / inner * classes + c) * inner + place % inner;
  }
};

/// From the logarithm of each class's share.
Array lossFrom(const ReferenceNode& node, const Array& logarithms) {
  const ClassedData data(node);
  const std::string reduction = node.text("reduction", "mean");
  std::optional<std::int64_t> ignored;
  if (node.attribute("ignore_index")) ignored = node.integer("ignore_index", 0);
  std::vector<float> losses(at(data.places), 0);
  double sum = 0, count = 0;
  for (std::int64_t place = 0; place < data.places; ++place) {
    const std::int64_t given = node.integersOf(1).at(at(place));
    if (given == ignored) continue;
    const std::int64_t c = given < 0 ? given + data.classes : given;
    if (c < 0 || c >= data.classes)
      node.fail(fmt::format("there is no class {} of {}", given, data.classes));
    const double weight = node.has(2) ? realAt(node[2], c) : 1;
    const double loss = -weight * realAt(logarithms, data.position(place, c));
    losses[at(place)] = static_cast<float>(loss);
    sum += loss;
    count += weight;
  }
  if (reduction == "none") return {node.shape(1), std::move(losses)};
  if (reduction == "sum") return {{}, std::vector<float>{static_cast<float>(sum)}};
  if (reduction != "mean") node.fail(fmt::format("the reduction '{}' is not known", reduction));
  return {{}, std::vector<float>{static_cast<float>(sum / count)}};
}

Results logLikelihoodLoss(const ReferenceNode& node) {
  return {lossFrom(node, node[0])};
}

Results crossEntropyLoss(const ReferenceNode& node) {
  const ClassedData data(node);
  std::vector<float> logarithms(at(elementCount(node.shape(0))));
  for (std::int64_t place = 0; place < data.places; ++place) {
    const auto score = [&](std::int64_t c) { return realAt(node[0], data.position(place, c)); };
    double top = score(0), total = 0;
    for (std::int64_t c = 1; c < data.classes; ++c)
      top = std::max(top, score(c));
    for (std::int64_t c = 0; c < data.classes; ++c)
      total += std::exp(score(c) - top);
    for (std::int64_t c = 0; c < data.classes; ++c)
      logarithms[at(data.position(place, c))] =
          static_cast<float>(score(c) - top - std::log(total));
  }
  Array shares{node.shape(0), std::move(logarithms)};
  Array loss = lossFrom(node, shares);
  return {std::move(loss), std::move(shares)};
}

} // namespace

const Operators& lossOperators() {
  static const Operators kTable = {
      {"NegativeLogLikelihoodLoss", logLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", crossEntropyLoss},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
