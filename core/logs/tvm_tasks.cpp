#include "core/logs/tvm_tasks.h"

#include "core/network/graph/operators.h"
#include "core/schedule/state.h"
#include "core/support/error.h"
#include "core/tensor/check_bounds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace nestwright {

namespace {

using Numbers = std::vector<std::int64_t>;

/// An anchor with its name for people, to which element-wise operators are put.
struct Chain {
  std::string name;
  Op result;
};

bool flatten(const nlohmann::json& json, Numbers& numbers, int depth) {
  constexpr int kDeepest = 4;
  if (json.is_number_integer()) {
    numbers.push_back(json.get<std::int64_t>());
    return true;
  }
  if (json.is_string()) return json == "float32" || json == "TENSOR";
  if (!json.is_array() || depth > kDeepest) return false;
  return std::all_of(json.begin(), json.end(),
                     [&](const auto& item) { return flatten(item, numbers, depth + 1); });
}

Op product(const Op& a, const Op& b) {
  const Shape shape = a->output->shape;
  return compute(
      "T_multiply", shape,
      [&](const std::vector<Expr>& i) { return read(a, i) * broadcastRead(b, i, shape); },
      axisNames(shape.size()));
}

/// The chain with further inputs of these shapes, each multiplied (all but the last of several
/// vectors, as a batch norm's) or added, then with and without a ReLU. Fewer stages come first.
void addChains(const Chain& chain, const std::vector<Shape>& extras,
               std::vector<TaskGuess>& guesses) {
  Op result = chain.result;
  std::string name = chain.name;
  int number = 0;
  for (std::size_t i = 0; i < extras.size(); ++i) {
    const bool whole = extras[i] == chain.result->output->shape;
    const bool scales = !whole && i + 1 < extras.size() && extras[i + 1] == extras[i];
    const Op input = placeholder(
        whole ? fmt::format("residual{}", number) : fmt::format("bias{}", number), extras[i]);
    ++number;
    if (scales)
      result = product(result, input);
    else
      result = add(result, input, number == 1 ? "T_add" : fmt::format("T_add_{}", number - 1));
    name += whole ? " + Add" : scales ? " + Mul" : " + Bias";
  }
  guesses.push_back({name, ComputeDag::fromOutputs({result})});
  guesses.push_back({name + " + Relu", ComputeDag::fromOutputs({relu(result, "T_relu")})});
}

/// TVM's convolutions copy their input into a padded one even where the padding is nothing.
Op paddedInput(const Op& data) {
  return compute("pad_temp", data->output->shape,
                 [&](const std::vector<Expr>& i) { return read(data, i); });
}

struct Conv {
  Shape data, kernel;
  std::int64_t strideY = 1, strideX = 1, padY = 0, padX = 0;
  TensorLayout layout = TensorLayout::ChannelsLast;
};

/// The convolution with its own stage for the padding, and, unpadded, without; depthwise where the
/// kernel has one output channel.
std::vector<Chain> convolutions(const Conv& conv) {
  const auto positive = [](std::int64_t n) { return n > 0; };
  if (!std::all_of(conv.data.begin(), conv.data.end(), positive) ||
      !std::all_of(conv.kernel.begin(), conv.kernel.end(), positive) || conv.strideY < 1 ||
      conv.strideX < 1)
    return {};
  const bool last = conv.layout == TensorLayout::ChannelsLast;
  const std::int64_t height = conv.data[last ? 1 : 2], width = conv.data[last ? 2 : 3];
  const std::int64_t in = conv.data[last ? 3 : 1];
  const Window window{{conv.kernel[last ? 0 : 2], conv.kernel[last ? 1 : 3]},
                      {conv.strideY, conv.strideX},
                      {conv.padY, conv.padX},
                      {conv.padY, conv.padX},
                      {1, 1}};
  if (window.outputs(0, height) < 1 || window.outputs(1, width) < 1) return {};
  const bool depthwise = last && in > 1 && conv.kernel[2] == in && conv.kernel[3] == 1;
  const std::int64_t out = depthwise ? in : conv.kernel[last ? 3 : 0];
  const std::string name =
      fmt::format("{} {}x{}{} {}->{} on {}x{}", depthwise ? "DepthwiseConv" : "Conv",
                  window.kernel[0], window.kernel[1],
                  conv.strideY > 1 ? fmt::format("/{}", conv.strideY) : "", in, out, height, width);
  const Op data = placeholder("data", conv.data), kernel = placeholder("kernel", conv.kernel);
  const auto apply = [&](const Op& input) {
    return convolution(input, kernel, window, depthwise ? in : 1, conv.layout, false);
  };
  std::vector<Chain> chains;
  chains.push_back({name, apply(data)});
  if (conv.padY == 0 && conv.padX == 0) chains.push_back({name, apply(paddedInput(data))});
  return chains;
}

/// Cuts what is left of the numbers into shapes that fit the result; false when that fails.
bool extraShapes(const Numbers& numbers, std::size_t begin, std::size_t end, const Shape& result,
                 std::vector<Shape>& extras) {
  Shape vector(result.size(), 1);
  vector.back() = result.back();
  for (std::size_t at = begin; at < end;) {
    const std::size_t left = end - at;
    const auto matches = [&](const Shape& shape) {
      return shape.size() <= left &&
             std::equal(shape.begin(), shape.end(), numbers.begin() + std::ptrdiff_t(at));
    };
    if (matches(result))
      extras.push_back(result);
    else if (matches(vector))
      extras.push_back(vector);
    else if (matches({result.back()}))
      extras.push_back({result.back()});
    else
      return false;
    at += extras.back().size();
  }
  return true;
}

Shape part(const Numbers& numbers, std::size_t begin, std::size_t end) {
  return {numbers.begin() + std::ptrdiff_t(begin), numbers.begin() + std::ptrdiff_t(end)};
}

/// Stride and padding that make `out` elements of `in`: of the usual ones the first.
bool geometryOf(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t& stride,
                std::int64_t& pad) {
  for (const std::int64_t s : {1, 2, 4})
    for (const std::int64_t p : {(kernel - 1) / 2, std::int64_t(0), std::int64_t(1), kernel - 1})
      if (in + 2 * p >= kernel && (in + 2 * p - kernel) / s + 1 == out) {
        stride = s, pad = p;
        return true;
      }
  return false;
}

/// Shapes of an NHWC convolution's input, kernel, further inputs and result.
void guessConvolution(const Numbers& n, std::vector<TaskGuess>& guesses) {
  constexpr std::size_t kRank = 4;
  if (n.size() < 3 * kRank) return;
  Conv conv{part(n, 0, kRank), part(n, kRank, 2 * kRank), 1, 1, 0, 0, TensorLayout::ChannelsLast};
  const Shape result = part(n, n.size() - kRank, n.size());
  const bool depthwise = conv.kernel[2] == conv.data[3] && conv.kernel[3] == 1;
  if (conv.kernel[2] != conv.data[3] || result[0] != conv.data[0]) return;
  if (result[3] != (depthwise ? conv.data[3] : conv.kernel[3])) return;
  if (!geometryOf(conv.data[1], conv.kernel[0], result[1], conv.strideY, conv.padY) ||
      !geometryOf(conv.data[2], conv.kernel[1], result[2], conv.strideX, conv.padX))
    return;
  std::vector<Shape> extras;
  if (!extraShapes(n, 2 * kRank, n.size() - kRank, result, extras)) return;
  for (const Chain& chain : convolutions(conv))
    addChains(chain, extras, guesses);
}

/// Shapes of a product with the transposed right matrix: [m, k], [n, k], ..., [m, n].
void guessDense(const Numbers& n, std::vector<TaskGuess>& guesses) {
  constexpr std::size_t kRank = 2;
  if (n.size() < 3 * kRank || n[1] != n[3]) return;
  const Shape result = part(n, n.size() - kRank, n.size());
  std::vector<Shape> extras;
  if (result != Shape{n[0], n[2]} || !extraShapes(n, 2 * kRank, n.size() - kRank, result, extras))
    return;
  const Op a = placeholder("data", part(n, 0, 2)), b = placeholder("weight", part(n, 2, 4));
  const Op c = reduce("T_matmul_NT", Reducer::Sum, result, {{"k", n[1]}},
                      [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
                        return read(a, {i[0], r[0]}) * read(b, {i[1], r[0]});
                      },
                      {"i", "j"});
  addChains({fmt::format("Dense {}x{}->{}", n[0], n[1], n[2]), c}, extras, guesses);
}

void guessBatchMatmul(const Numbers& n, std::vector<TaskGuess>& guesses) {
  constexpr std::size_t kRank = 3;
  if (n.size() != 3 * kRank || n[0] != n[3] || n[0] != n[6]) return;
  if (*std::min_element(n.begin(), n.end()) < 1) return;
  for (const bool transposed : {true, false}) {
    if (n[2] != n[transposed ? 5 : 4] || n[7] != n[1] || n[8] != n[transposed ? 4 : 5]) continue;
    const Op product =
        batchMatmul(placeholder("X", part(n, 0, 3)), placeholder("Y", part(n, 3, 6)), transposed);
    guesses.push_back({fmt::format("BatchMatMul {}x{}x{}->{}", n[0], n[1], n[2], n[8]),
                       ComputeDag::fromOutputs({product})});
  }
}

/// [m, k] times [k, columns], with a matrix added where the name says so.
void guessMatmul(std::int64_t m, std::int64_t columns, std::int64_t k, const std::string& name,
                 std::vector<TaskGuess>& guesses) {
  if (m < 1 || columns < 1 || k < 1) return;
  std::vector<Shape> extras;
  if (name.find("add") != std::string::npos) extras.push_back({m, columns});
  const Op c = dense(placeholder("A", {m, k}), placeholder("B", {k, columns}), false);
  addChains({fmt::format("MatMul {}x{}->{}", m, k, columns), c}, extras, guesses);
}

/// Shapes of an NHWC max-pooling's input, further inputs and result. The windows that networks use;
/// one with padding has a stage more, by which the steps tell them apart.
void guessPooling(const Numbers& n, std::vector<TaskGuess>& guesses) {
  constexpr std::size_t kRank = 4;
  if (n.size() < 2 * kRank) return;
  const Shape data = part(n, 0, kRank), result = part(n, n.size() - kRank, n.size());
  std::vector<Shape> extras;
  if (data[0] != result[0] || data[3] != result[3] ||
      !extraShapes(n, kRank, n.size() - kRank, result, extras))
    return;
  for (const auto& [kernel, stride, pad] :
       {std::array<std::int64_t, 3>{3, 2, 1}, {2, 2, 0}, {3, 2, 0}, {3, 1, 1}}) {
    const Window window{{kernel, kernel}, {stride, stride}, {pad, pad}, {pad, pad}, {1, 1}};
    if (window.outputs(0, data[1]) != result[1] || window.outputs(1, data[2]) != result[2])
      continue;
    const Op pooled = pool(placeholder("data", data), window, {result[1], result[2]}, Pooling::Max,
                           TensorLayout::ChannelsLast);
    const std::string name = fmt::format("MaxPool {}x{}/{} on {}x{}x{}", kernel, kernel, stride,
                                         data[1], data[2], data[3]);
    addChains({name, pooled}, extras, guesses);
  }
}

/// Functions that the public tutorials and tests register by these names.
void guessByName(const std::string& name, const Numbers& n, std::vector<TaskGuess>& guesses) {
  if (name.find("batch_matmul") != std::string::npos && n.size() == 4) {
    guessBatchMatmul({n[0], n[1], n[3], n[0], n[2], n[3], n[0], n[1], n[2]}, guesses);
  } else if (name.find("matmul") != std::string::npos && n.size() == 3) {
    guessMatmul(n[0], n[1], n[2], name, guesses);
    guessMatmul(n[0], n[2], n[1], name, guesses); // the tutorial's order
  } else if (name.find("conv2d") != std::string::npos && n.size() >= 9) {
    const bool nhwc = name.find("nhwc") != std::string::npos;
    // ..., strides and paddings, each once or for both axes.
    const bool twice = n.size() >= 11;
    Conv conv{nhwc ? Shape{n[0], n[1], n[2], n[3]} : Shape{n[0], n[4], n[1], n[2]},
              nhwc ? Shape{n[5], n[6], n[3], n[4]} : Shape{n[3], n[4], n[5], n[6]},
              n[7],
              twice ? n[8] : n[7],
              twice ? n[9] : n[8],
              twice ? n[10] : n[8],
              nhwc ? TensorLayout::ChannelsLast : TensorLayout::ChannelsFirst};
    Shape bias(4, 1);
    bias[nhwc ? 3 : 1] = nhwc ? n[4] : n[3];
    for (const Chain& chain : convolutions(conv)) {
      addChains(chain, {}, guesses);
      addChains(chain, {bias}, guesses);
    }
  }
}

bool staysInBounds(const ComputeDag& dag) {
  try {
    checkBounds(dag);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool scheduled(const Stage& stage) {
  return !stage.relations.empty() ||
         std::any_of(stage.iterators.begin(), stage.iterators.end(),
                     [](const Iterator& it) { return it.annotation != Annotation::None; });
}

} // namespace

Numbers keyNumbers(const std::string& key) {
  const nlohmann::json json = nlohmann::json::parse(key, nullptr, false);
  if (!json.is_array() || json.empty() || !json[0].is_string()) return {};
  Numbers numbers;
  for (std::size_t i = 1; i < json.size(); ++i)
    if (!flatten(json[i], numbers, 0)) return {};
  return numbers;
}

std::vector<TaskGuess> guessTasks(const std::string& key) {
  constexpr std::int64_t kLargest = 1 << 20;
  const Numbers numbers = keyNumbers(key);
  std::vector<TaskGuess> guesses;
  const bool sensible = std::all_of(numbers.begin(), numbers.end(),
                                    [](std::int64_t n) { return n >= 0 && n <= kLargest; });
  if (numbers.empty() || !sensible) return guesses;
  try {
    guessByName(nlohmann::json::parse(key)[0].get<std::string>(), numbers, guesses);
    if (std::find(numbers.begin(), numbers.end(), 0) == numbers.end()) {
      guessConvolution(numbers, guesses);
      guessPooling(numbers, guesses);
      guessDense(numbers, guesses);
      guessBatchMatmul(numbers, guesses);
    }
  } catch (const InputError&) {
    // Shapes that make no operator.
  }
  // By size, in the order in which they were made where that is equal.
  std::multimap<std::size_t, TaskGuess> bySize;
  for (TaskGuess& guess : guesses)
    if (staysInBounds(guess.dag)) bySize.emplace(guess.dag.size(), std::move(guess));
  std::vector<TaskGuess> sorted;
  for (auto& [size, guess] : bySize)
    sorted.push_back(std::move(guess));
  return sorted;
}

bool fits(const ComputeDag& dag, const Steps& steps) {
  try {
    State state(dag);
    for (const Step& step : steps) {
      const auto* split = std::get_if<SplitStep>(&step);
      if (split != nullptr && split->stage < state.stageCount()) {
        const auto& iterators = state.stage(split->stage).iterators;
        const auto at = std::size_t(split->iterator);
        if (at < iterators.size() && iterators[at].extent && split->extent &&
            *iterators[at].extent != *split->extent)
          return false;
      }
      state.apply(step);
    }
    return scheduled(state.stage(state.stageCount() - 1));
  } catch (const IllegalSchedule&) {
    return false;
  }
}

Numbers shapeNumbers(const ComputeDag& dag) {
  Numbers numbers;
  for (const std::vector<Op>& ops : {dag.inputs(), dag.outputs()})
    for (const Op& op : ops)
      numbers.insert(numbers.end(), op->output->shape.begin(), op->output->shape.end());
  return numbers;
}

} // namespace nestwright
