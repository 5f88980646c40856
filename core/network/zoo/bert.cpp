// BERT encoders as Hugging Face's BertModel builds them, fed with token ids only: the mask is all
// ones and the token type 0 (handbook/networks.md 4.12).

#include "core/network/zoo/layers.h"

#include <cmath>

namespace nestwright {

namespace {

constexpr std::int64_t kVocabulary = 30522, kPositions = 512, kTokenTypes = 2;

class BertBuilder {
 public:
  BertBuilder(const BertSize& size, const ParameterValues& parameters)
      : size_(size), builder_(size.name, parameters), batch_(parameters.at("batch")),
        sequence_(parameters.at("sequence")) {}

  Network build() {
    TensorId x = embeddings(builder_.input("input_ids", {batch_, sequence_}, kInt64));
    for (int layer = 0; layer < size_.layers; ++layer)
      x = encoderLayer(fmt::format("layer{}", layer), x);
    const TensorId first =
        builder_.slice(x, {{0, 0, 0}, {1, 1, 1}}, {batch_, 1, size_.hidden}, "first_token");
    const TensorId flat = builder_.reshape(first, {batch_, size_.hidden});
    const TensorId pooled = builder_.node(OpKind::Tanh, {dense("pooler", flat, size_.hidden)});
    builder_.output(x);
    builder_.output(pooled);
    return builder_.finish();
  }

 private:
  TensorId table(const std::string& name, std::int64_t rows) {
    const Shape shape{rows, size_.hidden};
    return builder_.constant(
        name, shape, uniformConstant(shape, -1, 1, weightSeed(size_.name, name)), kFloat32, true);
  }

  TensorId dense(const std::string& name, TensorId x, std::int64_t outputs) {
    return denseLayer(builder_, size_.name, name, x, outputs);
  }

  TensorId layerNorm(const std::string& name, TensorId x) {
    const Shape shape{size_.hidden};
    const auto random = [&](const char* part, double low, double high) {
      return builder_.constant(
          name + part, shape,
          uniformConstant(shape, low, high, weightSeed(size_.name, name + part)), kFloat32, true);
    };
    const TensorId scale = random(".scale", 0.8, 1.2);
    const TensorId shift = random(".shift", -0.1, 0.1);
    return builder_.node(OpKind::LayerNorm, {x, scale, shift}, LayerNormAttributes{1e-12}, name);
  }

  /// Rows of a table at constant indices.
  TensorId lookUp(const std::string& name, TensorId table, const Shape& shape,
                  const std::function<std::int64_t(std::int64_t)>& index) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < elementCount(shape); ++i)
      indices.push_back(index(i));
    const TensorId ids =
        builder_.constant(name + ".ids", shape, intConstant(shape, std::move(indices)), kInt64);
    return builder_.node(OpKind::Gather, {table, ids}, AxisAttributes{0}, name);
  }

  TensorId embeddings(TensorId ids) {
    const TensorId words = builder_.node(
        OpKind::Gather, {table("word_embeddings", kVocabulary), ids}, AxisAttributes{0}, "words");
    const TensorId types = lookUp("types", table("type_embeddings", kTokenTypes),
                                  {batch_, sequence_}, [](std::int64_t) { return 0; });
    const TensorId positions = lookUp("positions", table("position_embeddings", kPositions),
                                      {1, sequence_}, [](std::int64_t i) { return i; });
    TensorId x = builder_.node(OpKind::Add, {words, types});
    x = builder_.node(OpKind::Add, {x, positions});
    return layerNorm("embeddings.norm", x);
  }

  /// [batch, sequence, hidden] to [batch, heads, sequence, head size].
  TensorId splitHeads(TensorId x) {
    const TensorId parts =
        builder_.reshape(x, {batch_, sequence_, size_.heads, size_.hidden / size_.heads});
    return builder_.transpose(parts, {0, 2, 1, 3});
  }

  TensorId attention(const std::string& name, TensorId x) {
    const TensorId query = splitHeads(dense(name + ".query", x, size_.hidden));
    const TensorId key = splitHeads(dense(name + ".key", x, size_.hidden));
    const TensorId value = splitHeads(dense(name + ".value", x, size_.hidden));
    const TensorId scores =
        builder_.node(OpKind::MatMul, {query, builder_.transpose(key, {0, 1, 3, 2})},
                      MatMulAttributes{}, name + ".scores");
    const auto headSize = static_cast<float>(size_.hidden) / static_cast<float>(size_.heads);
    const TensorId scaled =
        builder_.node(OpKind::Div, {scores, builder_.scalar(std::sqrt(headSize))});
    const TensorId weights =
        builder_.node(OpKind::Softmax, {scaled}, AxisAttributes{3}, name + ".softmax");
    const TensorId context =
        builder_.node(OpKind::MatMul, {weights, value}, MatMulAttributes{}, name + ".context");
    const TensorId merged = builder_.reshape(builder_.transpose(context, {0, 2, 1, 3}),
                                             {batch_, sequence_, size_.hidden});
    return dense(name + ".output", merged, size_.hidden);
  }

  /// x/2 * (1 + erf(x / sqrt 2)), in the order in which PyTorch computes it.
  TensorId gelu(TensorId x) {
    const TensorId erf = builder_.node(
        OpKind::Erf, {builder_.node(OpKind::Div, {x, builder_.scalar(std::sqrt(2.0f))})});
    const TensorId factor = builder_.node(OpKind::Add, {erf, builder_.scalar(1)});
    return builder_.node(OpKind::Mul,
                         {builder_.node(OpKind::Mul, {x, factor}), builder_.scalar(0.5)});
  }

  TensorId encoderLayer(const std::string& name, TensorId x) {
    const TensorId attended = builder_.node(OpKind::Add, {attention(name + ".attention", x), x});
    const TensorId middle = layerNorm(name + ".attention.norm", attended);
    const TensorId inner = gelu(dense(name + ".intermediate", middle, size_.feedForward));
    const TensorId sum =
        builder_.node(OpKind::Add, {dense(name + ".output", inner, size_.hidden), middle});
    return layerNorm(name + ".norm", sum);
  }

  BertSize size_;
  NetworkBuilder builder_;
  std::int64_t batch_, sequence_;
};

} // namespace

Network buildBert(const BertSize& size, const ParameterValues& parameters) {
  return BertBuilder(size, parameters).build();
}

} // namespace nestwright
