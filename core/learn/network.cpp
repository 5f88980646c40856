#include "core/learn/network.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/random.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr NameTable<Architecture, 5> kNames{{"mlp", "lstm", "tlp", "mtl-tlp", "treegru"}};

/// The layers of a network, one after another.
class Parameters {
 public:
  void linear(const std::string& name, std::size_t in, std::size_t out) {
    const float bound = 1 / std::sqrt(static_cast<float>(in));
    matrix(name + ".weight", out, in, bound);
    vector(name + ".bias", out, bound);
  }
  void matrix(std::string name, std::size_t rows, std::size_t columns, float bound) {
    all_.push_back({std::move(name), rows, columns, false, bound});
  }
  void vector(std::string name, std::size_t size, float bound) {
    all_.push_back({std::move(name), size, 1, true, bound});
  }
  /// Linear layers with something that has no parameters in between: 0, 2, 4 ...
  void chain(const std::string& name, std::size_t in, std::span<const std::size_t> widths) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      linear(fmt::format("{}.{}", name, 2 * i), in, widths[i]);
      in = widths[i];
    }
  }
  std::vector<ParameterShape> take() { return std::move(all_); }

 private:
  std::vector<ParameterShape> all_;
};

void addStatementLayers(Parameters& parameters, const NetworkShape& shape) {
  const std::size_t hidden = shape.hidden;
  const std::size_t widths[] = {hidden, hidden};
  parameters.chain("segment_encoder", shape.columns, widths);
  if (shape.architecture == Architecture::Lstm) {
    const float bound = 1 / std::sqrt(static_cast<float>(hidden));
    parameters.matrix("lstm.weight_ih_l0", 4 * hidden, hidden, bound);
    parameters.matrix("lstm.weight_hh_l0", 4 * hidden, hidden, bound);
    parameters.vector("lstm.bias_ih_l0", 4 * hidden, bound);
    parameters.vector("lstm.bias_hh_l0", 4 * hidden, bound);
  }
  parameters.linear("l0.0", hidden, hidden);
  parameters.linear("l1.0", hidden, hidden);
  parameters.linear("decoder", hidden, 1);
}

void addStepLayers(Parameters& parameters, const NetworkShape& shape) {
  parameters.chain("encoder", shape.columns, shape.encoder);
  const std::size_t width = shape.encoder.back();
  parameters.matrix("attention.in_proj_weight", 3 * width, width,
                    std::sqrt(6 / static_cast<float>(4 * width))); // Xavier's
  parameters.vector("attention.in_proj_bias", 3 * width, 0);
  parameters.matrix("attention.out_proj.weight", width, width,
                    1 / std::sqrt(static_cast<float>(width)));
  parameters.vector("attention.out_proj.bias", width, 0);
  for (std::size_t i = 0; i < shape.residualBlocks; ++i)
    parameters.linear(fmt::format("l_list.{}.0", i), width, width);
  if (shape.architecture == Architecture::Tlp)
    parameters.chain("decoder", width, shape.decoder);
  else
    for (std::size_t head = 0; head < shape.heads; ++head)
      parameters.chain(fmt::format("mtl_heads.{}", head), width, shape.decoder);
}

/// Of the cell the gates reset, update and new, below one another, as PyTorch's GRUCell has them.
void addTreeLayers(Parameters& parameters, const NetworkShape& shape) {
  const std::size_t hidden = shape.hidden;
  const std::size_t input = shape.columns - kTreeLinks + shape.embedding;
  const auto xavier = [](std::size_t in, std::size_t out) {
    return std::sqrt(6 / static_cast<float>(in + out));
  };
  const auto linear = [&](const std::string& name, std::size_t in, std::size_t out) {
    parameters.matrix(name + ".weight", out, in, xavier(in, out));
    parameters.vector(name + ".bias", out, 0);
  };
  parameters.matrix("embedding.weight", shape.names, shape.embedding,
                    xavier(shape.names, shape.embedding));
  parameters.matrix("cell.weight_ih", 3 * hidden, input, xavier(input, hidden));
  parameters.matrix("cell.weight_hh", 3 * hidden, hidden, xavier(hidden, hidden));
  parameters.vector("cell.bias_ih", 3 * hidden, 0);
  parameters.vector("cell.bias_hh", 3 * hidden, 0);
  if (shape.memorySlots > 0)
    parameters.matrix("memory.weight", shape.memorySlots, hidden,
                      xavier(hidden, shape.memorySlots));
  linear("decoder.0", hidden * std::max<std::size_t>(shape.memorySlots, 1), hidden);
  linear("decoder.2", hidden, 1);
}

} // namespace

const char* name(Architecture architecture) {
  return kNames.of(architecture);
}

Architecture networkArchitectureFromName(const std::string& text) {
  if (const auto architecture = kNames.find(text)) return *architecture;
  throw UsageError(
      fmt::format("there is no network \"{}\"; there are {}", text, fmt::join(kNames.names, ", ")));
}

void requireSensible(const NetworkShape& shape) {
  constexpr std::size_t kMostColumns = 1 << 16, kWidest = 1 << 12, kMostLayers = 16;
  constexpr std::size_t kLongest = 1 << 10, kMostHeads = 64;
  const auto require = [&](bool condition, const char* what) {
    if (!condition)
      throw InputError(
          fmt::format("there can be no {} network whose {}", name(shape.architecture), what));
  };
  const auto sensible = [&](const std::vector<std::size_t>& widths) {
    return !widths.empty() && widths.size() <= kMostLayers &&
           std::ranges::all_of(widths, [](std::size_t w) { return w >= 1 && w <= kWidest; });
  };
  require(shape.columns >= 1 && shape.columns <= kMostColumns, "rows have no or too many columns");
  require(shape.hidden >= 1 && shape.hidden <= kWidest, "hidden width is 0 or above 4096");
  require(sensible(shape.encoder) && sensible(shape.decoder),
          "layers are none, more than 16, or wider than 4096");
  require(shape.residualBlocks <= kMostLayers, "residual blocks are more than 16");
  require(shape.heads >= 1 && shape.heads <= kMostHeads, "heads are none or more than 64");
  require(hasHeads(shape.architecture) || shape.heads == 1,
          "heads are several: only mtl-tlp has more than one");
  require(shape.length <= kLongest, "programs have more than 1024 rows");
  if (shape.ofTrees()) {
    require(shape.columns > kTreeLinks, "nodes have no facts");
    require(shape.names >= 1 && shape.names <= kMostColumns && shape.embedding >= 1 &&
                shape.embedding <= kWidest,
            "names are none or too many, or wider than 4096");
    require(shape.memorySlots <= kMostHeads, "memory slots are more than 64");
  }
  if (!shape.ofSteps()) return;
  require(shape.length >= 1, "programs have no rows");
  require(shape.attentionHeads >= 1 && shape.encoder.back() % shape.attentionHeads == 0,
          "attention heads do not divide its width");
  require(shape.decoder.back() == 1, "last layer has more than one output");
}

NetworkShape publishedShape(Architecture architecture, std::size_t columns) {
  NetworkShape shape;
  shape.architecture = architecture;
  shape.columns = columns;
  if (shape.ofSteps()) shape.length = 25;
  if (hasHeads(architecture)) shape.heads = 2;
  if (shape.ofTrees()) shape.hidden = 128;
  return shape;
}

std::vector<ParameterShape> parametersOf(const NetworkShape& shape) {
  Parameters parameters;
  if (shape.ofSteps())
    addStepLayers(parameters, shape);
  else if (shape.ofTrees())
    addTreeLayers(parameters, shape);
  else
    addStatementLayers(parameters, shape);
  return parameters.take();
}

std::size_t parameterCount(const NetworkShape& shape) {
  std::size_t count = 0;
  for (const ParameterShape& parameter : parametersOf(shape))
    count += parameter.size();
  return count;
}

NeuralNetwork freshNetwork(const NetworkShape& shape, std::uint64_t seed) {
  requireSensible(shape);
  NeuralNetwork network{shape, {}, {}};
  network.weights.reserve(parameterCount(shape));
  for (const ParameterShape& parameter : parametersOf(shape)) {
    Random random = Random::stream(seed, parameter.name, 0);
    for (std::size_t i = 0; i < parameter.size(); ++i)
      network.weights.push_back(parameter.bound * static_cast<float>(2 * random.unit() - 1));
  }
  return network;
}

} // namespace nestwright
