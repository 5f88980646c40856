#include "tests/bench/operators.h"

#include "tests/bench/peers.h"

#include <fmt/format.h>

namespace nestwright::bench {
namespace {

#ifdef NESTWRIGHT_HAS_ONEDNN
constexpr bool kOneDnn = true;
#else
constexpr bool kOneDnn = false;
#endif
#ifdef NESTWRIGHT_HAS_OPENBLAS
constexpr bool kOpenBlas = true;
#else
constexpr bool kOpenBlas = false;
#endif

using Contenders = std::vector<Contender>;

/// A plain product's right matrix counts as constant weights, as it does for us; both layouts of
/// oneDNN take part, and the faster one counts.
BenchOperator matmul(const std::string& label, const std::string& task, const MatmulShape& shape,
                     double tvmRate) {
  return {label, task, tvmRate,
          [shape]([[maybe_unused]] const InputSets& inputs, [[maybe_unused]] int threads) {
            Contenders all;
            if constexpr (kOneDnn) {
              if (!oneDnnHas(shape.type)) return all;
              all.push_back(oneDnnMatmul(inputs, shape, threads));
              if (shape.batch == 1) {
                MatmulShape laidOut = shape;
                laidOut.constantWeights = true;
                all.push_back(oneDnnMatmul(inputs, laidOut, threads));
                all.push_back(oneDnnInnerProduct(inputs, shape, threads));
              }
            }
            if constexpr (kOpenBlas)
              if (shape.type == FactorType::Float32)
                all.push_back(openBlasMatmul(inputs, shape, threads));
            return all;
          }};
}

BenchOperator conv(const std::string& label, const std::string& task, const ConvShape& shape,
                   double tvmRate) {
  return {label, task, tvmRate,
          [shape]([[maybe_unused]] const InputSets& inputs, [[maybe_unused]] int threads) {
            (void)shape; // where there is no peer
            Contenders all;
            if constexpr (kOneDnn)
              if (oneDnnHas(shape.type)) all.push_back(oneDnnConv(inputs, shape, threads));
            if constexpr (kOpenBlas)
              if (shape.kernel == 1 && !shape.depthwise && shape.type == FactorType::Float32)
                all.push_back(openBlasPointwise(inputs, shape, threads));
            return all;
          }};
}

BenchOperator convOf(std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t k,
                     double tvmRate) {
  return conv(fmt::format("conv {0}x{0} {1}x{1} {2}->{3} +bias +relu", k, size, in, out),
              fmt::format("conv2d:n=1,h={0},w={0},ci={1},co={2},k={3},s=1,p={4},bias=1,relu=1",
                          size, in, out, k, k / 2),
              {size, in, out, k}, tvmRate);
}

/// The product and the convolution of these types; nothing else is as in float32.
std::vector<BenchOperator> narrow(FactorType type, const std::string& name) {
  MatmulShape square{1, 1024, 1024, 1024}, batch{12, 128, 128, 64};
  ConvShape window{14, 256, 256, 3};
  square.type = batch.type = window.type = type;
  return {
      matmul("matmul 1024 " + name, "matmul:m=1024,n=1024,k=1024," + name + "=1", square, 0),
      matmul("batch matmul 12x128x128x64 " + name,
             "batch_matmul:b=12,m=128,n=128,k=64," + name + "=1", batch, 0),
      conv("conv 14x14 3x3 256->256 +bias +relu " + name,
           "conv2d:n=1,h=14,w=14,ci=256,co=256,k=3,s=1,p=1,bias=1,relu=1," + name + "=1", window,
           0),
  };
}

BenchOperator softmax(std::int64_t rows, std::int64_t columns, double tvmRate) {
  return {fmt::format("softmax {}x{}", rows, columns),
          fmt::format("softmax:m={},n={}", rows, columns), tvmRate,
          [=]([[maybe_unused]] const InputSets& inputs, [[maybe_unused]] int threads) {
            Contenders all;
            if constexpr (kOneDnn) all.push_back(oneDnnSoftmax(inputs, rows, columns, threads));
            return all;
          }};
}

BenchOperator norm(std::int64_t batch, std::int64_t m, std::int64_t n) {
  return {fmt::format("norm {}x{}x{}", batch, m, n),
          fmt::format("norm:b={},m={},n={}", batch, m, n), 0,
          [=]([[maybe_unused]] const InputSets& inputs, [[maybe_unused]] int threads) {
            Contenders all;
            if constexpr (kOneDnn) {
              all.push_back(oneDnnNorm(inputs, batch, m * n, threads));
              all.push_back(oneDnnNormByMatmul(inputs, batch, m * n, threads));
            }
            if constexpr (kOpenBlas) all.push_back(openBlasNorm(inputs, batch, m * n, threads));
            return all;
          }};
}

} // namespace

std::vector<BenchOperator> benchOperators() {
  const double giga = 1e9;
  // Its softmax took 0.330 ms; four operations for each element, as flops() counts them.
  const double tvmSoftmax = 1536 * 128 * 4 / 0.330e-3;
  return {
      matmul("matmul 512", "matmul:m=512,n=512,k=512", {1, 512, 512, 512}, 252 * giga),
      matmul("matmul 1024", "matmul:m=1024,n=1024,k=1024", {1, 1024, 1024, 1024}, 231 * giga),
      matmul("dense 128x768->3072", "matmul:m=128,n=3072,k=768", {1, 128, 3072, 768}, 208 * giga),
      convOf(56, 64, 64, 3, 239 * giga),
      convOf(28, 128, 128, 3, 224 * giga),
      convOf(14, 256, 256, 3, 240 * giga),
      convOf(7, 512, 512, 3, 148 * giga),
      convOf(56, 64, 256, 1, 222 * giga),
      conv("depthwise 3x3 112x112 32", "depthwise_conv2d:n=1,h=112,w=112,c=32,k=3,s=1,p=1",
           {112, 32, 32, 3, true, false}, 103 * giga),
      matmul("batch matmul 12x128x128x64", "batch_matmul:b=12,m=128,n=128,k=64", {12, 128, 128, 64},
             189 * giga),
      softmax(1536, 128, tvmSoftmax),
      norm(16, 512, 512),
  };
}

std::vector<BenchOperator> narrowOperators() {
  std::vector<BenchOperator> all = narrow(FactorType::BFloat16, "bf16");
  const std::vector<BenchOperator> bytes = narrow(FactorType::Int8, "int8");
  all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

std::vector<BenchOperator> streamedOperators() {
  std::vector<BenchOperator> all = {
      softmax(4096, 1024, 0),
      norm(16, 512, 512),
      conv("depthwise 3x3 112x112 96", "depthwise_conv2d:n=1,h=112,w=112,c=96,k=3,s=1,p=1",
           {112, 96, 96, 3, true, false}, 0),
      {"layer norm 512x1024", "bert_large:batch=4#0", 0, nullptr},
      {"max pool 3x3/2 112x112 64", "resnet18:batch=4#1", 0, nullptr},
      {"average pool 2x2/2 56x56 128", "densenet121:batch=4#10", 0, nullptr},
  };
  for (BenchOperator& op : all)
    op.peers = [of = op.peers](const InputSets& inputs, int threads) {
      Contenders peers = of ? of(inputs, threads) : Contenders{};
      if (threads == 1) peers.push_back(copy(inputs));
      return peers;
    };
  return all;
}

std::string peersText() {
  std::vector<std::string> names;
  if constexpr (kOneDnn) names.push_back(oneDnnText());
  if constexpr (kOpenBlas) names.push_back(openBlasText());
  return names.empty() ? "none (install libdnnl-dev and libopenblas-dev, then build again)"
                       : fmt::format("{}", fmt::join(names, ", "));
}

} // namespace nestwright::bench
