// ONNX recurrent layers, unrolled: the inputs of all steps go through one matrix product, and each
// step adds one of its own on the state before. Equal steps are equal tasks.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

#include <functional>
#include <map>
#include <tuple>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// Each step becomes nodes of its own.
constexpr std::int64_t kMostSteps = 2048;

/// The operands of recurrent layers in ONNX's order.
enum Operand : std::uint8_t { Data, Weights, Recurrence, Bias, Lengths, State, Cell, Peepholes };

/// What a direction works with. Matrices and vectors hold all gates side by side.
struct Direction {
  int number = 0;
  bool backwards = false;
  TensorId inputs = -1;     // of all steps: [steps * batch, gates * hidden], with the inputs' bias
  TensorId recurrence = -1; // [hidden, gates * hidden]
  TensorId stateBias = -1;  // [gates * hidden], or -1
  std::vector<OpKind> functions;
};

/// h and c of a step, [batch, hidden] each.
struct States {
  TensorId hidden = -1, cell = -1;
};

/// What RNN, GRU and LSTM have in common.
class RecurrentLayer {
 public:
  /// `gates` of the layer; the functions of a direction when none are named.
  RecurrentLayer(NodeImport& node, std::int64_t gates, std::vector<OpKind> functions)
      : node_(node), gates_(gates), defaults_(std::move(functions)),
        batchFirst_(node.integer("layout", 0) != 0) {
    if (node.rank(Data) != 3 || node.rank(Weights) != 3 || node.rank(Recurrence) != 3)
      node.fail("data, weights and recurrence weights need three dimensions");
    const Shape data = node.shape(Data), weights = node.shape(Weights);
    const Shape recurrence = node.shape(Recurrence);
    steps_ = data[batchFirst_ ? 1 : 0];
    batch_ = data[batchFirst_ ? 0 : 1];
    hidden_ = recurrence[2];
    directions_ = weights[0];
    const std::string direction = node.text("direction", "forward");
    const std::int64_t expected = direction == "bidirectional" ? 2 : 1;
    if (direction != "forward" && direction != "reverse" && expected == 1)
      node.fail(fmt::format("the direction '{}' is not known", direction));
    if (weights != Shape{expected, gates * hidden_, data[2]} ||
        recurrence != Shape{expected, gates * hidden_, hidden_})
      node.fail(fmt::format("weights [{}] and [{}] do not fit data [{}] and {}",
                            fmt::join(weights, ", "), fmt::join(recurrence, ", "),
                            fmt::join(data, ", "), quantity(gates, "gate")));
    if (steps_ < 1 || steps_ > kMostSteps)
      node.fail(
          fmt::format("sequences of up to {} steps are supported, not {}", kMostSteps, steps_));
    requireFullLength();
    firstBackwards_ = direction == "reverse";
  }

  std::int64_t hidden() const { return hidden_; }
  NodeImport& node() { return node_; }

  /// step(direction, x of all gates with the bias, states) gives the next states.
  Outputs run(const std::function<States(const Direction&, TensorId, const States&)>& step) {
    std::vector<TensorId> all, lastHidden, lastCell;
    for (int d = 0; d < static_cast<int>(directions_); ++d) {
      const Direction direction = readDirection(d);
      States states{initial(State, d), gates_ == 4 ? initial(Cell, d) : -1};
      std::vector<TensorId> ofStep(static_cast<std::size_t>(steps_));
      for (std::int64_t s = 0; s < steps_; ++s) {
        const std::int64_t t = direction.backwards ? steps_ - 1 - s : s;
        states = step(direction, node_.emitSlice(direction.inputs, 0, t * batch_, batch_), states);
        ofStep[static_cast<std::size_t>(t)] =
            node_.emitReshape(states.hidden, {1, 1, batch_, hidden_});
      }
      all.push_back(joined(ofStep, 0));
      lastHidden.push_back(node_.emitReshape(states.hidden, {1, batch_, hidden_}));
      if (states.cell >= 0)
        lastCell.push_back(node_.emitReshape(states.cell, {1, batch_, hidden_}));
    }
    Outputs outputs{joined(all, 1), joined(lastHidden, 0)};
    if (!lastCell.empty()) outputs.push_back(joined(lastCell, 0));
    if (batchFirst_) {
      outputs[0] = node_.emitTranspose(outputs[0], {2, 0, 1, 3});
      for (std::size_t i = 1; i < outputs.size(); ++i)
        outputs[i] = node_.emitTranspose(outputs[i], {1, 0, 2});
    }
    return outputs;
  }

  // what steps are put together from
  TensorId add(TensorId a, TensorId b) { return node_.emit(OpKind::Add, {a, b}); }
  TensorId multiply(TensorId a, TensorId b) { return node_.emit(OpKind::Mul, {a, b}); }
  /// [batch, hidden] of gate `i` of what holds all of them.
  TensorId gate(TensorId all, std::int64_t i) {
    return slice(all, static_cast<int>(node_.builder().tensor(all).shape.size()) - 1, i * hidden_,
                 hidden_);
  }
  /// As NodeImport's, made once for all steps.
  TensorId slice(TensorId x, int axis, std::int64_t start, std::int64_t extent) {
    const auto [entry, isNew] = slices_.emplace(std::tuple(x, axis, start, extent), -1);
    if (isNew) entry->second = node_.emitSlice(x, axis, start, extent);
    return entry->second;
  }
  /// The state times the recurrence weights of gates [first, last).
  TensorId recurrent(const Direction& direction, TensorId state, std::int64_t first,
                     std::int64_t last) {
    const TensorId weights =
        slice(direction.recurrence, 1, first * hidden_, (last - first) * hidden_);
    return node_.emit(OpKind::MatMul, {state, weights}, MatMulAttributes{});
  }
  /// A function of a direction, behind the clip.
  TensorId activated(const Direction& direction, std::size_t i, TensorId x) {
    if (node_.has("clip")) {
      const double limit = node_.real("clip", 0);
      if (!(limit > 0)) node_.fail("the clip must be positive");
      x = node_.emit(OpKind::Clip, {x}, ClipAttributes{-limit, limit});
    }
    return node_.emit(direction.functions[i], {x});
  }

 private:
  /// Sequences of other lengths than the data's would need a mask in every step.
  void requireFullLength() {
    if (!node_.hasInput(Lengths)) return;
    if (!node_.isKnown(Lengths))
      node_.fail("lengths of sequences that are not constant are not supported; pad all to one "
                 "length and export without sequence_lens");
    for (const std::int64_t length : node_.constantInts(Lengths))
      if (length != steps_)
        node_.fail(fmt::format("a sequence of {} in data of {} is not supported; pad all to "
                               "one length and export without sequence_lens",
                               quantity(length, "step"), steps_));
  }

  std::vector<OpKind> functionsOf(int direction) {
    const auto* given = node_.attribute("activations");
    if (!given || given->strings_size() == 0) return defaults_;
    if (given->strings_size() != static_cast<int>(defaults_.size()) * static_cast<int>(directions_))
      node_.fail("the activation functions do not fit the directions");
    std::vector<OpKind> functions;
    for (int i = 0; i < static_cast<int>(defaults_.size()); ++i) {
      const std::string& name = given->strings(direction * static_cast<int>(defaults_.size()) + i);
      if (name != "Sigmoid" && name != "Tanh" && name != "Relu")
        node_.fail(fmt::format("the activation function '{}' is not supported; Sigmoid, Tanh and "
                               "Relu are",
                               name));
      functions.push_back(name == "Sigmoid" ? OpKind::Sigmoid
                          : name == "Tanh"  ? OpKind::Tanh
                                            : OpKind::Relu);
    }
    return functions;
  }

  /// Part `d` of an operand [directions, ...], in another shape.
  TensorId part(Operand operand, int d, const Shape& shape) {
    return node_.emitReshape(node_.emitSlice(node_.input(operand), 0, d, 1), shape);
  }

  Direction readDirection(int d) {
    const std::int64_t rows = gates_ * hidden_, columns = node_.shape(Data)[2];
    Direction direction{d, firstBackwards_ || d == 1, -1, -1, -1, functionsOf(d)};
    TensorId data = node_.input(Data);
    if (batchFirst_) data = node_.emitTranspose(data, {1, 0, 2});
    data = node_.emitReshape(data, {steps_ * batch_, columns});
    const TensorId weights = node_.emitTranspose(part(Weights, d, {rows, columns}), {1, 0});
    direction.inputs = node_.emit(OpKind::MatMul, {data, weights}, MatMulAttributes{});
    direction.recurrence = node_.emitTranspose(part(Recurrence, d, {rows, hidden_}), {1, 0});
    if (node_.hasInput(Bias)) {
      if (node_.shape(Bias) != Shape{directions_, 2 * rows})
        node_.fail("the bias does not fit the weights");
      const TensorId both = part(Bias, d, {2 * rows});
      direction.inputs = add(direction.inputs, node_.emitSlice(both, 0, 0, rows));
      direction.stateBias = node_.emitSlice(both, 0, rows, rows);
    }
    return direction;
  }

  /// [batch, hidden] before the first step.
  TensorId initial(Operand operand, int d) {
    const Shape shape{batch_, hidden_};
    if (!node_.hasInput(operand))
      return node_.builder().constant(node_.outputName(), shape, filledConstant(shape, 0));
    TensorId state = node_.input(operand);
    if (batchFirst_) state = node_.emitTranspose(state, {1, 0, 2});
    if (node_.builder().tensor(state).shape != Shape{directions_, batch_, hidden_})
      node_.fail(fmt::format("the initial state [{}] does not fit",
                             fmt::join(node_.shape(operand), ", ")));
    return node_.emitReshape(node_.emitSlice(state, 0, d, 1), shape);
  }

  TensorId joined(const std::vector<TensorId>& parts, int axis) {
    return parts.size() == 1 ? parts[0] : node_.emit(OpKind::Concat, parts, AxisAttributes{axis});
  }

  NodeImport& node_;
  std::int64_t gates_;
  std::vector<OpKind> defaults_;
  bool batchFirst_, firstBackwards_ = false;
  std::int64_t steps_ = 0, batch_ = 0, hidden_ = 0, directions_ = 1;
  std::map<std::tuple<TensorId, int, std::int64_t, std::int64_t>, TensorId> slices_;
};

/// h = f(x + h R + bias)
Outputs importRnn(NodeImport& node) {
  RecurrentLayer layer(node, 1, {OpKind::Tanh});
  return layer.run([&](const Direction& direction, TensorId x, const States& before) {
    TensorId sum = layer.add(layer.recurrent(direction, before.hidden, 0, 1), x);
    if (direction.stateBias >= 0) sum = layer.add(sum, direction.stateBias);
    return States{layer.activated(direction, 0, sum), -1};
  });
}

/// Gates z (update), r (reset) and h; the state becomes (1 - z) h' + z h.
Outputs importGru(NodeImport& node) {
  RecurrentLayer layer(node, 3, {OpKind::Sigmoid, OpKind::Tanh});
  const bool linearFirst = node.integer("linear_before_reset", 0) != 0;
  return layer.run([&](const Direction& direction, TensorId x, const States& before) {
    const TensorId h = before.hidden;
    const auto biased = [&](TensorId sum, std::int64_t gate) {
      return direction.stateBias < 0 ? sum : layer.add(sum, layer.gate(direction.stateBias, gate));
    };
    // The last gate waits for the reset, unless that comes behind its product.
    const TensorId past = layer.recurrent(direction, h, 0, linearFirst ? 3 : 2);
    const auto opened = [&](std::int64_t gate) {
      const TensorId sum = layer.add(layer.gate(past, gate), layer.gate(x, gate));
      return layer.activated(direction, 0, biased(sum, gate));
    };
    const TensorId update = opened(0), reset = opened(1);
    const TensorId candidate =
        linearFirst ? layer.multiply(reset, biased(layer.gate(past, 2), 2))
                    : biased(layer.recurrent(direction, layer.multiply(reset, h), 2, 3), 2);
    const TensorId fresh = layer.activated(direction, 1, layer.add(candidate, layer.gate(x, 2)));
    const TensorId rest = node.emit(OpKind::Sub, {node.number(1), update});
    return States{layer.add(layer.multiply(rest, fresh), layer.multiply(update, h)), -1};
  });
}

/// Gates i (input), o (output), f (forget) and c; the cell becomes f c + i c', the state o h(c).
Outputs importLstm(NodeImport& node) {
  RecurrentLayer layer(node, 4, {OpKind::Sigmoid, OpKind::Tanh, OpKind::Tanh});
  if (node.integer("input_forget", 0) != 0)
    node.fail("coupled input and forget gates are not supported");
  return layer.run([&](const Direction& direction, TensorId x, const States& before) {
    TensorId all = layer.add(layer.recurrent(direction, before.hidden, 0, 4), x);
    if (direction.stateBias >= 0) all = layer.add(all, direction.stateBias);
    // Peepholes of i, o and f let these see the cell.
    const auto opened = [&](std::int64_t gate, TensorId cell) {
      TensorId sum = layer.gate(all, gate);
      if (node.hasInput(Peepholes)) {
        const TensorId row = layer.slice(node.input(Peepholes), 0, direction.number, 1);
        const TensorId eye = layer.gate(row, gate);
        sum = layer.add(sum, layer.multiply(cell, eye));
      }
      return layer.activated(direction, 0, sum);
    };
    const TensorId kept = layer.multiply(opened(2, before.cell), before.cell);
    const TensorId fresh = layer.activated(direction, 1, layer.gate(all, 3));
    const TensorId cell = layer.add(kept, layer.multiply(opened(0, before.cell), fresh));
    return States{layer.multiply(opened(1, cell), layer.activated(direction, 2, cell)), cell};
  });
}

} // namespace

const std::map<std::string, Importer>& recurrentImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"RNN", importRnn},
      {"GRU", importGru},
      {"LSTM", importLstm},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
