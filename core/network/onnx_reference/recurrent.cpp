// ONNX recurrent layers, as the standard defines them: one step after another.

#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace nestwright::onnx_reference {

namespace {

using Numbers = std::vector<double>; // of one step, one direction and one element of the batch
using Function = std::function<double(double)>;

Function functionOf(const ReferenceNode& node, const std::string& name) {
  if (name == "Sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "Tanh") return [](double x) { return std::tanh(x); };
  if (name == "Relu") return [](double x) { return std::max(x, 0.0); };
  node.fail(fmt::format("the activation function '{}' is not known", name));
}

/// What all of them have in common: `gates` matrices of [hidden, inputs] below one another.
class Layer {
 public:
  Layer(const ReferenceNode& node, std::int64_t gates, const std::vector<std::string>& defaults,
        std::size_t initialCell)
      : node_(node), gates_(gates), batchFirst_(node.integer("layout", 0) != 0),
        direction_(node.text("direction", "forward")), hidden_(node.shape(2).at(2)),
        directions_(node.shape(1).at(0)), inputs_(node.shape(0).at(2)),
        batch_(node.shape(0).at(batchFirst_ ? 0 : 1)),
        steps_(node.shape(0).at(batchFirst_ ? 1 : 0)), initialCell_(initialCell) {
    std::vector<std::string> names = node.texts("activations");
    if (names.empty())
      for (std::int64_t d = 0; d < directions_; ++d)
        names.insert(names.end(), defaults.begin(), defaults.end());
    if (names.size() != defaults.size() * at(directions_))
      node.fail("the activation functions do not fit the directions");
    for (const std::string& name : names)
      functions_.push_back(functionOf(node, name));
    perDirection_ = defaults.size();
    if (node.has(4))
      for (const std::int64_t length : node.integersOf(4))
        if (length != steps_) node.fail("sequences of different lengths are not known");
  }

  /// Calls step(direction, x * W + bias of inputs, h * R + bias of states, h, c) for each step,
  /// which changes h (and c), and puts the results together.
  template <class F>
  Results run(const F& step) const {
    const auto all = [&](std::int64_t steps) {
      return std::vector<float>(at(steps * directions_ * batch_ * hidden_));
    };
    std::vector<float> y = all(steps_), lastH = all(1), lastC = all(1);
    for (std::int64_t d = 0; d < directions_; ++d)
      for (std::int64_t b = 0; b < batch_; ++b) {
        Numbers h = initial(5, d, b), c = initial(initialCell_, d, b);
        for (std::int64_t s = 0; s < steps_; ++s) {
          const bool backwards = direction_ == "reverse" || d == 1;
          const std::int64_t t = backwards ? steps_ - 1 - s : s;
          step(d, gatesOf(1, d, input(t, b), 0), gatesOf(2, d, h, gates_ * hidden_), h, c);
          for (std::int64_t i = 0; i < hidden_; ++i) {
            const std::int64_t place = batchFirst_
                                           ? ((b * steps_ + t) * directions_ + d) * hidden_ + i
                                           : ((t * directions_ + d) * batch_ + b) * hidden_ + i;
            y[at(place)] = static_cast<float>(h[at(i)]);
          }
        }
        for (std::int64_t i = 0; i < hidden_; ++i) {
          lastH[at(statePlace(d, b) + i)] = static_cast<float>(h[at(i)]);
          lastC[at(statePlace(d, b) + i)] = static_cast<float>(c[at(i)]);
        }
      }
    const Shape state =
        batchFirst_ ? Shape{batch_, directions_, hidden_} : Shape{directions_, batch_, hidden_};
    return {{batchFirst_ ? Shape{batch_, steps_, directions_, hidden_}
                         : Shape{steps_, directions_, batch_, hidden_},
             std::move(y)},
            {state, std::move(lastH)},
            {state, std::move(lastC)}};
  }

  std::int64_t hidden() const { return hidden_; }
  /// Function number `i` of a direction, behind the clip.
  double activated(std::int64_t d, std::size_t i, double x) const {
    if (node_.attribute("clip")) {
      const double limit = node_.real("clip", 0);
      x = std::clamp(x, -limit, limit);
    }
    return functions_[at(d) * perDirection_ + i](x);
  }
  /// h * R of one gate alone, without a bias.
  double recurrent(std::int64_t d, std::int64_t gate, std::int64_t i, const Numbers& h) const {
    double sum = 0;
    const std::int64_t row = (d * gates_ * hidden_ + gate * hidden_ + i) * hidden_;
    for (std::int64_t n = 0; n < hidden_; ++n)
      sum += realAt(node_[2], row + n) * h[at(n)];
    return sum;
  }
  /// The bias of a gate's states.
  double stateBias(std::int64_t d, std::int64_t gate, std::int64_t i) const {
    return node_.has(3) ? realAt(node_[3], d * 2 * gates_ * hidden_ + (gates_ + gate) * hidden_ + i)
                        : 0;
  }

 private:
  std::int64_t statePlace(std::int64_t d, std::int64_t b) const {
    return (batchFirst_ ? b * directions_ + d : d * batch_ + b) * hidden_;
  }

  Numbers initial(std::size_t operand, std::int64_t d, std::int64_t b) const {
    Numbers state(at(hidden_), 0);
    if (operand > 0 && node_.has(operand))
      for (std::int64_t i = 0; i < hidden_; ++i)
        state[at(i)] = realAt(node_[operand], statePlace(d, b) + i);
    return state;
  }

  Numbers input(std::int64_t t, std::int64_t b) const {
    Numbers x;
    for (std::int64_t i = 0; i < inputs_; ++i)
      x.push_back(realAt(node_[0], (batchFirst_ ? b * steps_ + t : t * batch_ + b) * inputs_ + i));
    return x;
  }

  /// The rows of operand `weights` times x, plus their bias from `firstBias` on.
  Numbers gatesOf(std::size_t weights, std::int64_t d, const Numbers& x,
                  std::int64_t firstBias) const {
    const std::int64_t rows = gates_ * hidden_, columns = std::ssize(x);
    const std::vector<float>& w = node_[weights].floats();
    Numbers sums(at(rows), 0);
    for (std::int64_t r = 0; r < rows; ++r) {
      if (node_.has(3)) sums[at(r)] = realAt(node_[3], d * 2 * rows + firstBias + r);
      for (std::int64_t i = 0; i < columns; ++i)
        sums[at(r)] += w.at(at((d * rows + r) * columns + i)) * x[at(i)];
    }
    return sums;
  }

  const ReferenceNode& node_;
  std::int64_t gates_;
  bool batchFirst_;
  std::string direction_;
  std::int64_t hidden_, directions_, inputs_, batch_, steps_;
  std::size_t initialCell_, perDirection_ = 0;
  std::vector<Function> functions_;
};

Results simple(const ReferenceNode& node) {
  const Layer layer(node, 1, {"Tanh"}, 0);
  Results results =
      layer.run([&](std::int64_t d, const Numbers& x, const Numbers& r, Numbers& h, Numbers&) {
        for (std::size_t i = 0; i < h.size(); ++i)
          h[i] = layer.activated(d, 0, x[i] + r[i]);
      });
  results.pop_back();
  return results;
}

/// Gates z (update), r (reset), h (hidden).
Results gatedUnit(const ReferenceNode& node) {
  const Layer layer(node, 3, {"Sigmoid", "Tanh"}, 0);
  const bool linearFirst = node.integer("linear_before_reset", 0) != 0;
  const std::int64_t n = layer.hidden();
  Results results =
      layer.run([&](std::int64_t d, const Numbers& x, const Numbers& s, Numbers& h, Numbers&) {
        Numbers reset, masked, next;
        for (std::int64_t i = 0; i < n; ++i) {
          reset.push_back(layer.activated(d, 0, x[at(n + i)] + s[at(n + i)]));
          masked.push_back(reset.back() * h[at(i)]);
        }
        for (std::int64_t i = 0; i < n; ++i) {
          const double update = layer.activated(d, 0, x[at(i)] + s[at(i)]);
          const double past = linearFirst
                                  ? reset[at(i)] * s[at(2 * n + i)]
                                  : layer.recurrent(d, 2, i, masked) + layer.stateBias(d, 2, i);
          const double fresh = layer.activated(d, 1, x[at(2 * n + i)] + past);
          next.push_back((1 - update) * fresh + update * h[at(i)]);
        }
        h = next;
      });
  results.pop_back();
  return results;
}

/// Gates i (input), o (output), f (forget), c (cell), with peepholes of i, o and f.
Results longShortTerm(const ReferenceNode& node) {
  const Layer layer(node, 4, {"Sigmoid", "Tanh", "Tanh"}, 6);
  if (node.integer("input_forget", 0) != 0) node.fail("coupled gates are not known");
  const std::int64_t n = layer.hidden();
  const auto peephole = [&](std::int64_t d, std::int64_t gate, std::int64_t i) {
    return node.has(7) ? realAt(node[7], (d * 3 + gate) * n + i) : 0;
  };
  return layer.run([&](std::int64_t d, const Numbers& x, const Numbers& s, Numbers& h, Numbers& c) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto sum = [&](std::int64_t gate) { return x[at(gate * n + i)] + s[at(gate * n + i)]; };
      const double old = c[at(i)];
      const double in = layer.activated(d, 0, sum(0) + peephole(d, 0, i) * old);
      const double forget = layer.activated(d, 0, sum(2) + peephole(d, 2, i) * old);
      c[at(i)] = forget * old + in * layer.activated(d, 1, sum(3));
      const double out = layer.activated(d, 0, sum(1) + peephole(d, 1, i) * c[at(i)]);
      h[at(i)] = out * layer.activated(d, 2, c[at(i)]);
    }
  });
}

} // namespace

const Operators& recurrentOperators() {
  static const Operators kTable = {
      {"RNN", simple},
      {"GRU", gatedUnit},
      {"LSTM", longShortTerm},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
