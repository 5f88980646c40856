#include "plugins/torch/learner/networks.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>

namespace nestwright::learner {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

void addRow(float* to, const float* from, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i)
    to[i] += from[i];
}

Tensor takeRows(const Tensor& x, const std::vector<std::int64_t>& indices) {
  const std::int64_t width = x.size(1);
  Tensor result = torch::empty({static_cast<std::int64_t>(indices.size()), width});
  const float* from = x.data_ptr<float>();
  float* to = result.data_ptr<float>();
  for (const std::int64_t index : indices) {
    if (index < 0)
      std::fill(to, to + width, 0.0F);
    else
      std::copy(from + index * width, from + (index + 1) * width, to);
    to += width;
  }
  return result;
}

struct GatherRows : torch::autograd::Function<GatherRows> {
  static Tensor forward(AutogradContext* context, const Tensor& x,
                        const std::vector<std::int64_t>& indices) {
    context->saved_data["rows"] = x.size(0);
    context->saved_data["indices"] = indices;
    return takeRows(x.contiguous(), indices);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const Tensor gradient = gradients[0].contiguous();
    const std::vector<std::int64_t> indices = context->saved_data["indices"].toIntVector();
    const std::int64_t width = gradient.size(1);
    Tensor sum = torch::zeros({context->saved_data["rows"].toInt(), width});
    const float* from = gradient.data_ptr<float>();
    float* to = sum.data_ptr<float>();
    for (const std::int64_t index : indices) {
      if (index >= 0) addRow(to + index * width, from, width);
      from += width;
    }
    return {sum, Tensor()};
  }
};

struct SumSegments : torch::autograd::Function<SumSegments> {
  static Tensor forward(AutogradContext* context, const Tensor& x,
                        const std::vector<std::int64_t>& first) {
    context->saved_data["first"] = first;
    const Tensor rows = x.contiguous();
    const std::int64_t width = rows.size(1);
    Tensor sums = torch::zeros({static_cast<std::int64_t>(first.size()) - 1, width});
    const float* from = rows.data_ptr<float>();
    float* to = sums.data_ptr<float>();
    for (std::size_t s = 0; s + 1 < first.size(); ++s)
      for (std::int64_t row = first[s]; row < first[s + 1]; ++row)
        addRow(to + static_cast<std::int64_t>(s) * width, from + row * width, width);
    return sums;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const std::vector<std::int64_t> first = context->saved_data["first"].toIntVector();
    std::vector<std::int64_t> indices;
    indices.reserve(static_cast<std::size_t>(first.back()));
    for (std::size_t s = 0; s + 1 < first.size(); ++s)
      indices.insert(indices.end(), static_cast<std::size_t>(first[s + 1] - first[s]),
                     static_cast<std::int64_t>(s));
    return {takeRows(gradients[0].contiguous(), indices), Tensor()};
  }
};

Tensor runLstm(const Layers& layers, const Tensor& encoded, const std::vector<std::int64_t>& first,
               std::size_t length) {
  const auto programs = static_cast<std::int64_t>(first.size()) - 1;
  auto longest = static_cast<std::int64_t>(length);
  for (std::size_t p = 0; p + 1 < first.size(); ++p)
    longest = std::max(longest, first[p + 1] - first[p]);
  std::vector<std::int64_t> places(static_cast<std::size_t>(programs * longest), -1);
  for (std::int64_t p = 0; p < programs; ++p)
    for (std::int64_t row = first[p]; row < first[p + 1]; ++row)
      places[p * longest + row - first[p]] = row;
  // What a statement adds to the gates is computed once, not for every place of padding.
  const Tensor input = gatherRows(layers.product(encoded, "lstm.weight_ih_l0"), std::move(places))
                           .view({programs, longest, 4 * encoded.size(1)});
  Tensor hidden = torch::zeros({programs, encoded.size(1)}), cell = hidden;
  for (std::int64_t place = 0; place < longest; ++place) {
    const std::vector<Tensor> gates =
        (input.select(1, place) + layers.of("lstm.bias_ih_l0") +
         layers.linear(hidden, "lstm.weight_hh_l0", "lstm.bias_hh_l0"))
            .chunk(4, 1);
    cell = torch::sigmoid(gates[1]) * cell + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
    hidden = torch::sigmoid(gates[3]) * torch::tanh(cell);
  }
  return hidden;
}

} // namespace

Layers::Layers(const NetworkShape& shape, const Tensor& weights, bool learns) : shape_(shape) {
  std::int64_t place = 0;
  for (const ParameterShape& parameter : parametersOf(shape)) {
    const auto size = static_cast<std::int64_t>(parameter.size());
    Tensor view = weights.narrow(0, place, size);
    if (!parameter.isVector)
      view = view.view({static_cast<std::int64_t>(parameter.rows),
                        static_cast<std::int64_t>(parameter.columns)});
    names_.push_back(parameter.name);
    tensors_.push_back(view.detach().requires_grad_(learns));
    place += size;
  }
}

const Tensor& Layers::of(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  NW_ASSERT(found != names_.end(), "the network has no parameter {}", name);
  return tensors_[static_cast<std::size_t>(found - names_.begin())];
}

Tensor Layers::product(const Tensor& x, const std::string& weight) const {
  if (torch::GradMode::is_enabled()) return torch::mm(x, of(weight).t());
  return torch::mm(of(weight), x.t().contiguous()).t().contiguous();
}

Tensor Layers::linear(const Tensor& x, const std::string& weight, const std::string& bias) const {
  if (torch::GradMode::is_enabled()) return torch::linear(x, of(weight), of(bias));
  return product(x, weight).add_(of(bias));
}

Tensor Layers::linear(const std::string& name, const Tensor& x) const {
  return linear(x, name + ".weight", name + ".bias");
}

Tensor Layers::chain(const std::string& name, std::size_t layers, Tensor x, bool reluBehind) const {
  for (std::size_t i = 0; i < layers; ++i) {
    x = linear(fmt::format("{}.{}", name, 2 * i), x);
    if (i + 1 < layers || reluBehind) x = x.relu_();
  }
  return x;
}

Tensor Layers::residual(const std::string& name, const Tensor& x) const {
  return linear(name, x).relu_() + x;
}

Tensor gatherRows(const Tensor& x, std::vector<std::int64_t> indices) {
  return GatherRows::apply(x, indices);
}

Tensor sumSegments(const Tensor& x, std::vector<std::int64_t> first) {
  return SumSegments::apply(x, first);
}

Tensor encodeStatements(const Layers& layers, const Tensor& rows) {
  return layers.chain("segment_encoder", 2, rows, true);
}

Tensor joinStatements(const Layers& layers, const Tensor& encoded,
                      const std::vector<std::int64_t>& first, std::size_t length) {
  return layers.shape().architecture == Architecture::Lstm ? runLstm(layers, encoded, first, length)
                                                           : sumSegments(encoded, first);
}

Tensor decodeStatements(const Layers& layers, const Tensor& joined) {
  return layers.linear("decoder", layers.residual("l1.0", layers.residual("l0.0", joined)));
}

EncodedSteps encodeSteps(const Layers& layers, const Tensor& steps) {
  EncodedSteps encoded;
  encoded.values = layers.chain("encoder", layers.shape().encoder.size(), steps, true);
  encoded.projected =
      layers.linear(encoded.values, "attention.in_proj_weight", "attention.in_proj_bias");
  return encoded;
}

namespace {

/// What attention asks (0), finds (1) and takes (2) of places: [what, programs, attention head,
/// places, depth].
Tensor attentionParts(const NetworkShape& shape, const EncodedSteps& encoded,
                      const std::vector<std::int64_t>& ids, std::int64_t places) {
  const std::int64_t programs = static_cast<std::int64_t>(ids.size()) / places;
  const auto heads = static_cast<std::int64_t>(shape.attentionHeads);
  const std::int64_t depth = encoded.values.size(1) / heads;
  return gatherRows(encoded.projected, ids)
      .view({programs, places, 3, heads, depth})
      .permute({2, 0, 3, 1, 4});
}

Tensor attentionShares(const Tensor& parts, const std::vector<float>& counts) {
  const std::int64_t programs = parts.size(1), places = parts.size(3), depth = parts.size(4);
  const Tensor times =
      torch::from_blob(const_cast<float*>(counts.data()), {programs, places}).clone();
  const Tensor logits =
      torch::matmul(parts[0] / std::sqrt(static_cast<double>(depth)), parts[1].transpose(-2, -1)) +
      times.log().view({programs, 1, 1, places}); // a step that is there n times has n keys
  return torch::softmax(logits, -1);
}

} // namespace

Tensor attentionBetween(const Layers& layers, const EncodedSteps& encoded,
                        const std::vector<std::int64_t>& ids, const std::vector<float>& counts,
                        std::size_t longest) {
  return attentionShares(
      attentionParts(layers.shape(), encoded, ids, static_cast<std::int64_t>(longest)), counts);
}

Tensor scoreSteps(const Layers& layers, const EncodedSteps& encoded, std::vector<std::int64_t> ids,
                  const std::vector<float>& counts, std::size_t longest, bool everyPlace) {
  const NetworkShape& shape = layers.shape();
  const auto places = static_cast<std::int64_t>(longest);
  const std::int64_t programs = static_cast<std::int64_t>(ids.size()) / places;
  const Tensor parts = attentionParts(shape, encoded, ids, places);
  Tensor mixed = torch::matmul(attentionShares(parts, counts), parts[2])
                     .transpose(1, 2)
                     .reshape({programs * places, encoded.values.size(1)});

  std::vector<std::int64_t> used, first = {0};
  std::vector<float> usedCounts;
  for (std::int64_t p = 0; p < programs; ++p) {
    for (std::int64_t i = p * places; i < (p + 1) * places; ++i)
      if (everyPlace || counts[i] > 0) {
        used.push_back(i);
        usedCounts.push_back(counts[i]);
      }
    first.push_back(static_cast<std::int64_t>(used.size()));
  }
  if (used.size() < ids.size()) {
    mixed = gatherRows(mixed, used);
    std::ranges::transform(used, used.begin(), [&](std::int64_t i) { return ids[i]; });
    ids = std::move(used);
  }
  Tensor x = layers.linear("attention.out_proj", mixed) + gatherRows(encoded.values, ids);
  for (std::size_t i = 0; i < shape.residualBlocks; ++i)
    x = layers.residual(fmt::format("l_list.{}.0", i), x);

  const Tensor weights =
      torch::from_blob(usedCounts.data(), {static_cast<std::int64_t>(usedCounts.size()), 1})
          .clone();
  std::vector<Tensor> outputs;
  for (std::size_t head = 0; head < shape.heads; ++head) {
    const std::string decoder = shape.architecture == Architecture::Tlp
                                    ? std::string("decoder")
                                    : fmt::format("mtl_heads.{}", head);
    const Tensor output = layers.chain(decoder, shape.decoder.size(), x, false);
    outputs.push_back(sumSegments(output * weights, first));
  }
  return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 1);
}

namespace {

/// f(x), to score in pieces of one number of rows, filled up with zeros, so that no row depends on
/// how many others there are.
template <class F>
Tensor inPieces(const Tensor& x, const F& f) {
  constexpr std::int64_t kRows = 240;
  if (torch::GradMode::is_enabled()) return f(x);
  std::vector<Tensor> results;
  for (std::int64_t begin = 0; begin < x.size(0); begin += kRows) {
    const std::int64_t here = std::min(kRows, x.size(0) - begin);
    Tensor piece = x.narrow(0, begin, here);
    if (here < kRows) piece = torch::cat({piece, torch::zeros({kRows - here, x.size(1)})});
    results.push_back(f(piece).narrow(0, 0, here));
  }
  return torch::cat(results);
}

/// A gated recurrent unit: the states of nodes by what they add to the gates and the sum of their
/// children's states. Leaves have none.
Tensor nodeStates(const Layers& layers, const Tensor& input, const Tensor* below) {
  const Tensor recurrent =
      below ? inPieces(*below,
                       [&](const Tensor& x) {
                         return layers.linear(x, "cell.weight_hh", "cell.bias_hh");
                       })
            : layers.of("cell.bias_hh").expand({input.size(0), input.size(1)});
  const std::vector<Tensor> own = input.chunk(3, 1), from = recurrent.chunk(3, 1);
  const Tensor reset = torch::sigmoid(own[0] + from[0]);
  const Tensor update = torch::sigmoid(own[1] + from[1]);
  const Tensor fresh = torch::tanh(own[2] + reset * from[2]);
  return below ? fresh + update * (*below - fresh) : fresh - update * fresh;
}

/// Of each program the states of its inner nodes, spread over the slots.
Tensor remembered(const Layers& layers, const Tensor& states, const TreeBatch& batch) {
  const auto firstInner = static_cast<std::int64_t>(batch.levels[1]);
  const Tensor inner = states.narrow(0, firstInner, states.size(0) - firstInner);
  const auto width = static_cast<std::int64_t>(layers.shape().memorySlots) * states.size(1);
  if (inner.size(0) == 0)
    return torch::zeros({static_cast<std::int64_t>(batch.roots.size()), width});
  const Tensor shares = inPieces(inner, [&](const Tensor& x) {
    return torch::softmax(layers.product(x, "memory.weight"), -1);
  });
  const Tensor spread = (shares.unsqueeze(2) * inner.unsqueeze(1)).reshape({inner.size(0), width});
  std::vector<std::int64_t> places = batch.inner;
  for (std::int64_t& place : places)
    place -= firstInner;
  const Tensor counts = torch::from_blob(const_cast<float*>(batch.innerCounts.data()),
                                         {static_cast<std::int64_t>(places.size()), 1})
                            .clone();
  return sumSegments(gatherRows(spread, std::move(places)) * counts, batch.firstInner);
}

} // namespace

Tensor treeNodes(const Layers& layers, const Tensor& facts, std::vector<std::int64_t> names) {
  return torch::cat({facts, gatherRows(layers.of("embedding.weight"), std::move(names))}, 1);
}

Tensor scoreTrees(const Layers& layers, const Tensor& nodes, const TreeBatch& batch) {
  const Tensor gates = inPieces(
      nodes, [&](const Tensor& x) { return layers.linear(x, "cell.weight_ih", "cell.bias_ih"); });
  Tensor states;
  std::size_t inner = 0; // nodes with children so far
  for (std::size_t level = 0; level + 1 < batch.levels.size(); ++level) {
    const std::size_t begin = batch.levels[level], count = batch.levels[level + 1] - begin;
    const Tensor input =
        gates.narrow(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(count));
    if (level == 0) {
      states = nodeStates(layers, input, nullptr);
      continue;
    }
    std::vector<std::int64_t> first(batch.firstChild.begin() + static_cast<std::ptrdiff_t>(inner),
                                    batch.firstChild.begin() +
                                        static_cast<std::ptrdiff_t>(inner + count + 1));
    std::vector<std::int64_t> children(batch.children.begin() + first.front(),
                                       batch.children.begin() + first.back());
    for (std::size_t i = first.size(); i-- > 0;)
      first[i] -= first.front();
    const Tensor below = sumSegments(gatherRows(states, std::move(children)), std::move(first));
    states = torch::cat({states, nodeStates(layers, input, &below)});
    inner += count;
  }
  const Tensor joined = layers.shape().memorySlots > 0 ? remembered(layers, states, batch)
                                                       : gatherRows(states, batch.roots);
  return inPieces(joined, [&](const Tensor& x) {
    return layers.linear("decoder.2", torch::sigmoid(layers.linear("decoder.0", x)));
  });
}

} // namespace nestwright::learner
