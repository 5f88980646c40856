#include "core/learn/onnx/export_network.h"

#include "core/learn/learner_protocol.h"
#include "core/learn/onnx/onnx_graph.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/version.h"

#include <fmt/ranges.h>

#include <cmath>

namespace nestwright {

namespace {

using Ints = std::vector<std::int64_t>;

std::int64_t toInt(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

/// The layers of a network as nodes.
class Exporter {
 public:
  Exporter(const TrainedNetwork& trained, const std::string& features)
      : trained_(trained), features_(features), shape_(trained.network.shape) {
    std::span<const float> rest = trained.network.weights;
    for (const ParameterShape& parameter : parametersOf(shape_)) {
      Ints extents = {toInt(parameter.rows)};
      if (!parameter.isVector) extents.push_back(toInt(parameter.columns));
      if (!parameter.name.starts_with("lstm."))
        graph_.constant(parameter.name, extents, rest.first(parameter.size()));
      else
        recurrence_.emplace_back(parameter, rest.first(parameter.size()));
      rest = rest.subspan(parameter.size());
    }
  }

  std::string run() {
    const std::string rows = shape_.ofSteps() ? fmt::format("{}", shape_.length) : "rows";
    graph_.input("rows", {"programs", rows, fmt::format("{}", shape_.columns)}, true);
    std::string x = "rows";
    const std::vector<float>& maxima = trained_.network.maxima;
    if (!maxima.empty())
      x = graph_.node("Div", {x, graph_.constant("maxima", {toInt(maxima.size())}, maxima)});
    std::string scores = shape_.ofSteps() ? ofSteps(x) : ofStatements(x);
    if (squashes(shape_.architecture, trained_.options.step.loss))
      scores = graph_.node("Sigmoid", {scores});
    graph_.output("scores", scores, {"programs", fmt::format("{}", shape_.heads)});
    describe();
    return graph_.bytes();
  }

 private:
  std::string linear(const std::string& name, const std::string& x) {
    return linear(x, name + ".weight", name + ".bias");
  }
  std::string linear(const std::string& x, const std::string& weight, const std::string& bias) {
    const std::string turned = graph_.node("Transpose", {weight}, {{"perm", Ints{1, 0}}});
    return graph_.node("Add", {graph_.node("MatMul", {x, turned}), bias});
  }
  std::string chain(const std::string& name, std::size_t layers, std::string x, bool reluBehind) {
    for (std::size_t i = 0; i < layers; ++i) {
      x = linear(fmt::format("{}.{}", name, 2 * i), x);
      if (i + 1 < layers || reluBehind) x = graph_.node("Relu", {x});
    }
    return x;
  }
  std::string residual(const std::string& name, const std::string& x) {
    return graph_.node("Add", {graph_.node("Relu", {linear(name, x)}), x});
  }
  std::string sumOver(std::int64_t axis, const std::string& x) {
    return graph_.node("ReduceSum", {x, graph_.integers({axis})}, {{"keepdims", std::int64_t{0}}});
  }
  /// 0, 1, 2 ... up to the extent of x's second axis.
  std::string places(const std::string& x) {
    const std::string extent = graph_.node("Gather", {graph_.node("Shape", {x}), graph_.integer(1)},
                                           {{"axis", std::int64_t{0}}});
    return graph_.node("Range", {graph_.integer(0), extent, graph_.integer(1)});
  }
  /// x where `chosen` [programs, places] holds, zeros elsewhere.
  std::string where(const std::string& chosen, const std::string& x) {
    const std::string weights =
        graph_.node("Cast", {chosen}, {{"to", std::int64_t{OnnxGraph::kFloat}}});
    return graph_.node("Mul", {x, graph_.node("Unsqueeze", {weights, graph_.integers({2})})});
  }

  std::string ofStatements(const std::string& rows) {
    graph_.input("lengths", {"programs"}, false);
    std::string x = chain("segment_encoder", 2, rows, true);
    const std::string lengths = graph_.node("Unsqueeze", {"lengths", graph_.integers({1})});
    x = where(graph_.node("Less", {places(x), lengths}), x);
    x = shape_.architecture == Architecture::Lstm ? lastState(x, lengths) : sumOver(1, x);
    return linear("decoder", residual("l1.0", residual("l0.0", x)));
  }

  /// The recurrence runs over a program's statements and over zeros up to the network's length.
  std::string lastState(const std::string& statements, const std::string& lengths) {
    const std::int64_t hidden = toInt(shape_.hidden), length = toInt(shape_.length);
    const std::string padded =
        graph_.node("Pad", {statements, graph_.integers({0, 0, 0, 0, length, 0})});
    const std::string states = graph_.node(
        "LSTM",
        {graph_.node("Transpose", {padded}, {{"perm", Ints{1, 0, 2}}}),
         graph_.constant("lstm.weight_ih_l0", {1, 4 * hidden, hidden}, gatesOf("weight_ih")),
         graph_.constant("lstm.weight_hh_l0", {1, 4 * hidden, hidden}, gatesOf("weight_hh")),
         graph_.constant("lstm.bias_l0", {1, 8 * hidden}, biases())},
        {{"hidden_size", hidden}});
    const std::string byProgram =
        graph_.node("Transpose", {graph_.node("Squeeze", {states, graph_.integers({1})})},
                    {{"perm", Ints{1, 0, 2}}});
    const std::string last = graph_.node(
        "Sub", {graph_.node("Max", {lengths, graph_.integer(length)}), graph_.integer(1)});
    return sumOver(1, where(graph_.node("Equal", {places(byProgram), last}), byProgram));
  }

  /// A parameter of the recurrence, with its gates in ONNX's order: PyTorch has input, forget,
  /// cell, output; ONNX input, output, forget, cell.
  std::vector<float> gatesOf(std::string_view part) const {
    for (const auto& [parameter, numbers] : recurrence_) {
      if (parameter.name.find(part) == std::string::npos) continue;
      const std::size_t gate = parameter.size() / 4;
      std::vector<float> ordered;
      for (const std::size_t from : {0, 3, 1, 2})
        ordered.insert(ordered.end(), numbers.begin() + toInt(from * gate),
                       numbers.begin() + toInt((from + 1) * gate));
      return ordered;
    }
    NW_ASSERT(false, "the recurrence has no parameter {}", part);
  }
  std::vector<float> biases() const {
    std::vector<float> both = gatesOf("bias_ih");
    const std::vector<float> hidden = gatesOf("bias_hh");
    both.insert(both.end(), hidden.begin(), hidden.end());
    return both;
  }

  std::string ofSteps(const std::string& rows) {
    const std::string values = chain("encoder", shape_.encoder.size(), rows, true);
    const auto mixed = linear("attention.out_proj", attention(values));
    std::string x = graph_.node("Add", {mixed, values});
    for (std::size_t i = 0; i < shape_.residualBlocks; ++i)
      x = residual(fmt::format("l_list.{}.0", i), x);
    std::vector<std::string> outputs;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      const std::string decoder = shape_.architecture == Architecture::Tlp
                                      ? std::string("decoder")
                                      : fmt::format("mtl_heads.{}", head);
      outputs.push_back(sumOver(1, chain(decoder, shape_.decoder.size(), x, false)));
    }
    return outputs.size() == 1 ? outputs.front()
                               : graph_.node("Concat", outputs, {{"axis", std::int64_t{1}}});
  }

  std::string attention(const std::string& values) {
    const std::int64_t heads = toInt(shape_.attentionHeads), width = toInt(shape_.encoder.back());
    const std::vector<std::string> parts = graph_.nodes(
        "Split", {linear(values, "attention.in_proj_weight", "attention.in_proj_bias")}, 3,
        {{"axis", std::int64_t{2}}});
    const auto byHead = [&](const std::string& x, Ints order) {
      const std::string parted =
          graph_.node("Reshape", {x, graph_.integers({0, 0, heads, width / heads})});
      return graph_.node("Transpose", {parted}, {{"perm", std::move(order)}});
    };
    const std::vector<float> root = {
        std::sqrt(static_cast<float>(width) / static_cast<float>(heads))};
    const std::string asked = graph_.node(
        "Div", {byHead(parts[0], {0, 2, 1, 3}), graph_.constant("attention.root", {}, root)});
    const std::string shares =
        graph_.node("Softmax", {graph_.node("MatMul", {asked, byHead(parts[1], {0, 2, 3, 1})})},
                    {{"axis", std::int64_t{-1}}});
    const std::string mixed = graph_.node("MatMul", {shares, byHead(parts[2], {0, 2, 1, 3})});
    return graph_.node("Reshape", {graph_.node("Transpose", {mixed}, {{"perm", Ints{0, 2, 1, 3}}}),
                                   graph_.integers({0, 0, width})});
  }

  void describe() {
    const bool steps = shape_.ofSteps();
    const std::string inputs =
        steps
            ? fmt::format("Input rows: [programs, {}, {}], a program's schedule steps, cut to "
                          "the first {} and filled up with zeros.",
                          shape_.length, shape_.columns, shape_.length)
            : fmt::format("Input rows: [programs, rows, {}], a program's statements, as they are; "
                          "input lengths: [programs], how many of the rows are the program's.",
                          shape_.columns);
    graph_.describe(fmt::format(
        "A cost model of tensor programs, trained by Nestwright {}: {}. {} Output scores: "
        "[programs, {}], higher is faster, {}. A program all of whose features are 0 has no "
        "score.",
        version(), name(shape_.architecture), inputs, shape_.heads,
        shape_.heads == 1 ? "one a program" : "one a program and target"));
    graph_.property("nestwright_version", version());
    graph_.property("architecture", name(shape_.architecture));
    if (!features_.empty()) graph_.property("features", features_);
    graph_.property("columns", fmt::format("{}", shape_.columns));
    graph_.property("length", fmt::format("{}", shape_.length));
    graph_.property("training", toJson(trained_.options).dump());
    graph_.property("programs", fmt::format("{}", trained_.programs));
    graph_.property("epoch", fmt::format("{}", trained_.kept));
    graph_.property("data", trained_.dataHash);
    graph_.property("targets", nlohmann::json(trained_.machines).dump());
    graph_.property("tasks", nlohmann::json(trained_.tasks).dump());
  }

  const TrainedNetwork& trained_;
  const std::string& features_;
  const NetworkShape& shape_;
  std::vector<std::pair<ParameterShape, std::span<const float>>> recurrence_;
  OnnxGraph graph_;
};

} // namespace

bool hasOnnxForm(Architecture architecture) {
  return architecture != Architecture::TreeGru;
}

std::string toOnnx(const TrainedNetwork& trained, const std::string& features) {
  const Architecture architecture = trained.network.shape.architecture;
  if (!hasOnnxForm(architecture))
    throw UsageError(fmt::format("the network {} cannot be written as ONNX: it has another form "
                                 "for each program",
                                 name(architecture)));
  return Exporter(trained, features).run();
}

} // namespace nestwright
