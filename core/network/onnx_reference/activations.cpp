// ONNX activation functions, as the standard defines them.

#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>
#include <cmath>

namespace nestwright::onnx_reference {

namespace {

Results sigmoid(const ReferenceNode& node) {
  return {mapReal(node[0], [](double x) { return 1 / (1 + std::exp(-x)); })};
}

Results hardSigmoid(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 0.2), beta = node.real("beta", 0.5);
  return {mapReal(node[0], [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); })};
}

Results hardSwish(const ReferenceNode& node) {
  return {mapReal(node[0], [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); })};
}

Results leakyRelu(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 0.01);
  return {mapReal(node[0], [=](double x) { return x < 0 ? alpha * x : x; })};
}

Results parametricRelu(const ReferenceNode& node) {
  const Array& x = node[0];
  if (broadcast(node, x.shape, node.shape(1)) != x.shape)
    node.fail("the slope does not broadcast to the data");
  const std::vector<std::int64_t> places = positionsIn(node.shape(1), x.shape);
  std::vector<float> to(places.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double value = realAt(x, static_cast<std::int64_t>(i));
    to[i] = static_cast<float>(value < 0 ? value * realAt(node[1], places[i]) : value);
  }
  return {{x.shape, std::move(to)}};
}

Results elu(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 1);
  return {mapReal(node[0], [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; })};
}

Results celu(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 1);
  return {mapReal(node[0], [=](double x) {
    return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha));
  })};
}

Results selu(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 1.67326319217681884765625);
  const double gamma = node.real("gamma", 1.05070102214813232421875);
  return {mapReal(node[0], [=](double x) { return gamma * (x <= 0 ? alpha * std::expm1(x) : x); })};
}

Results softplus(const ReferenceNode& node) {
  return {mapReal(node[0], [](double x) { return x > 30 ? x : std::log1p(std::exp(x)); })};
}

Results softsign(const ReferenceNode& node) {
  return {mapReal(node[0], [](double x) { return x / (1 + std::abs(x)); })};
}

Results thresholdedRelu(const ReferenceNode& node) {
  const double alpha = node.real("alpha", 1);
  return {mapReal(node[0], [=](double x) { return x > alpha ? x : 0; })};
}

Results shrink(const ReferenceNode& node) {
  const double limit = node.real("lambd", 0.5), bias = node.real("bias", 0);
  return {mapReal(node[0], [=](double x) {
    return x < -limit ? x + bias : x > limit ? x - bias : 0;
  })};
}

} // namespace

const Operators& activationOperators() {
  static const Operators kTable = {
      {"Sigmoid", sigmoid},
      {"HardSigmoid", hardSigmoid},
      {"HardSwish", hardSwish},
      {"LeakyRelu", leakyRelu},
      {"PRelu", parametricRelu},
      {"Elu", elu},
      {"Celu", celu},
      {"Selu", selu},
      {"Softplus", softplus},
      {"Softsign", softsign},
      {"ThresholdedRelu", thresholdedRelu},
      {"Shrink", shrink},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
