#include "tests/tensor/tvm_dags.h"

namespace nestwright::test {

using Exprs = std::vector<Expr>;

namespace {

Op matmulOp(const std::string& name, const Op& a, const Op& b) {
  const std::int64_t m = a->output->shape[0], k = a->output->shape[1], n = b->output->shape[1];
  return reduce(name, Reducer::Sum, {m, n}, {{"k", k}},
                [&](const Exprs& s, const Exprs& r) {
                  return read(a, {s[0], r[0]}) * read(b, {r[0], s[1]});
                },
                {"i", "j"});
}

/// Zero padding of two neighbouring dimensions.
Op padded(const std::string& name, const Op& data, std::size_t first, std::int64_t pad,
          const Expr& value, std::vector<std::string> axisNames = {}, std::int64_t padAfter = -1) {
  std::vector<std::int64_t> shape = data->output->shape;
  const std::int64_t height = shape[first], width = shape[first + 1];
  if (padAfter < 0) padAfter = pad;
  shape[first] += pad + padAfter;
  shape[first + 1] += pad + padAfter;
  return compute(
      name, shape,
      [&](const Exprs& i) {
        Exprs at = i;
        if (pad == 0) return read(data, at);
        const Expr h = i[first], w = i[first + 1];
        at[first] = h - Expr(pad);
        at[first + 1] = w - Expr(pad);
        const Expr inside =
            h >= Expr(pad) && h < Expr(height + pad) && w >= Expr(pad) && w < Expr(width + pad);
        return ifThenElse(inside, read(data, at), value);
      },
      std::move(axisNames));
}

Op biasRelu(const Op& anchor, const Op& bias) {
  const auto& shape = anchor->output->shape;
  const Op sum = compute("T_add", shape,
                         [&](const Exprs& i) {
                           return read(anchor, i) + read(bias, {i[0], 0, 0, i[3]});
                         },
                         {"ax0", "ax1", "ax2", "ax3"});
  return compute("compute", shape, [&](const Exprs& i) { return max(read(sum, i), floatImm(0)); });
}

Op channelwise(const std::string& name, ExprKind kind, const Op& data, const Op& factor) {
  return compute(name, data->output->shape,
                 [&](const Exprs& i) {
                   return binary(kind, read(data, i), read(factor, {i[1], 0, 0}));
                 },
                 {"i", "j", "k", "l"});
}

} // namespace

ComputeDag matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  return ComputeDag::fromOutputs(
      {matmulOp("C", placeholder("A", {m, k}), placeholder("B", {k, n}))});
}

ComputeDag doubleMatmul(std::int64_t n) {
  const Op d = matmulOp("D", placeholder("A", {n, n}), placeholder("B", {n, n}));
  return ComputeDag::fromOutputs({matmulOp("E", d, placeholder("C", {n, n}))});
}

ComputeDag batchMatmul(std::int64_t b, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Op x = placeholder("X", {b, m, k}), y = placeholder("Y", {b, n, k});
  return ComputeDag::fromOutputs(
      {reduce("T_batch_matmul_NT", Reducer::Sum, {b, m, n}, {{"k", k}},
              [&](const Exprs& s, const Exprs& r) {
                return read(x, {s[0], s[1], r[0]}) * read(y, {s[0], s[2], r[0]});
              },
              {"b", "i", "j"})});
}

ComputeDag conv2dNhwc(std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t kernel,
                      std::int64_t pad) {
  const Op data = placeholder("data", {1, size, size, in});
  const Op pads = padded("pad_temp", data, 1, pad, floatImm(0));
  const Op weights = placeholder("kernel", {kernel, kernel, in, out});
  const std::int64_t outSize = size + 2 * pad - kernel + 1;
  const Op conv = reduce("conv2d_nhwc", Reducer::Sum, {1, outSize, outSize, out},
                         {{"ry", kernel}, {"rx", kernel}, {"rc", in}},
                         [&](const Exprs& s, const Exprs& r) {
                           return read(pads, {s[0], s[1] + r[0], s[2] + r[1], r[2]}) *
                                  read(weights, {r[0], r[1], r[2], s[3]});
                         },
                         {"nn", "yy", "xx", "ff"});
  return ComputeDag::fromOutputs({biasRelu(conv, placeholder("bias", {1, 1, 1, out}))});
}

ComputeDag depthwiseNhwc(std::int64_t size, std::int64_t channels, std::int64_t kernel) {
  const Op data = placeholder("data", {1, size, size, channels});
  const Op pads = padded("PaddedInput", data, 1, kernel / 2, floatImm(0));
  const Op weights = placeholder("kernel", {kernel, kernel, channels, 1});
  const Op conv = reduce("DepthwiseConv2d", Reducer::Sum, {1, size, size, channels},
                         {{"di", kernel}, {"dj", kernel}},
                         [&](const Exprs& s, const Exprs& r) {
                           return read(pads, {s[0], s[1] + r[0], s[2] + r[1], s[3]}) *
                                  read(weights, {r[0], r[1], s[3], 0});
                         },
                         {"b", "i", "j", "c"});
  return ComputeDag::fromOutputs({biasRelu(conv, placeholder("bias", {1, 1, 1, channels}))});
}

ComputeDag conv2dNchwBnRelu() {
  const Op data = placeholder("Data", {1, 512, 56, 56});
  const Op pads = padded("pad_temp", data, 2, 1, floatImm(0));
  const Op weights = placeholder("Kernel", {512, 512, 3, 3});
  const Op conv =
      reduce("conv2d_nchw", Reducer::Sum, {1, 512, 56, 56}, {{"rc", 512}, {"ry", 3}, {"rx", 3}},
             [&](const Exprs& s, const Exprs& r) {
               return read(pads, {s[0], r[0], s[2] + r[1], s[3] + r[2]}) *
                      read(weights, {s[1], r[0], r[1], r[2]});
             },
             {"nn", "ff", "yy", "xx"});
  const Op bias = channelwise("Bias_add", ExprKind::Add, conv, placeholder("Bias", {512, 1, 1}));
  const Op scale = channelwise("Bn_mul", ExprKind::Mul, bias, placeholder("Bn_scale", {512, 1, 1}));
  const Op offset =
      channelwise("Bn_add", ExprKind::Add, scale, placeholder("Bn_offset", {512, 1, 1}));
  return ComputeDag::fromOutputs({compute("compute", offset->output->shape, [&](const Exprs& i) {
    return max(read(offset, i), floatImm(0));
  })});
}

ComputeDag maxPool() {
  const std::vector<std::string> names{"ax0", "ax1", "ax2", "ax3"};
  const Op data = placeholder("Data", {1, 512, 56, 56});
  const Op pads = padded("pad_temp", data, 2, 1, lowestOf(kFloat32), names);
  return ComputeDag::fromOutputs({reduce(
      "pool_max", Reducer::Max, {1, 512, 57, 57}, {{"rv0", 2}, {"rv1", 2}},
      [&](const Exprs& s, const Exprs& r) {
        return read(pads, {s[0], s[1], s[2] + r[0], s[3] + r[1]});
      },
      names)});
}

ComputeDag minReduction() {
  const Op a = placeholder("A", {10, 1024});
  return ComputeDag::fromOutputs({reduce("A_red", Reducer::Min, {10}, {{"k1", 1024}},
                                         [&](const Exprs& s, const Exprs& r) {
                                           return read(a, {s[0], r[0]});
                                         },
                                         {"ax0"})});
}

ComputeDag softmax(std::int64_t rows, std::int64_t columns) {
  const Op a = placeholder("A", {rows, columns});
  const Op highest = reduce("T_softmax_maxelem", Reducer::Max, {rows}, {{"k", columns}},
                            [&](const Exprs& s, const Exprs& r) {
                              return read(a, {s[0], r[0]});
                            });
  const Op powers = compute("T_softmax_exp", {rows, columns}, [&](const Exprs& i) {
    return call(Intrinsic::Exp, {read(a, i) - read(highest, {i[0]})});
  });
  const Op total = reduce("T_softmax_expsum", Reducer::Sum, {rows}, {{"k", columns}},
                          [&](const Exprs& s, const Exprs& r) {
                            return read(powers, {s[0], r[0]});
                          });
  return ComputeDag::fromOutputs({compute("T_softmax_norm", {rows, columns}, [&](const Exprs& i) {
    return read(powers, i) / read(total, {i[0]});
  })});
}

ComputeDag winogradNhwc(std::int64_t size, std::int64_t in, std::int64_t out) {
  constexpr std::int64_t kAlpha = 4, kTile = 2;
  const std::int64_t tiles = (size - 2) / kTile, places = tiles * tiles;
  const Op b = constant("B", {kAlpha, kAlpha}, {1, 0, 0, 0, 0, 1, -1, -1, -1, 1, 1, 0, 0, 0, 0, 1});
  const Op a = constant("A", {kAlpha, kTile}, {1, 0, 1, 1, 1, -1, 0, 1});
  const Op data = placeholder("data", {1, size, size, in});
  const Op weights = placeholder("weights", {kAlpha, kAlpha, out, in});
  const Op tile = compute("input_tile", {kAlpha, kAlpha, places, in},
                          [&](const Exprs& i) {
                            return read(data, {0, floorDiv(i[2], tiles) * kTile + i[0],
                                               floorMod(i[2], tiles) * kTile + i[1], i[3]});
                          },
                          {"eps", "nu", "p", "ci"});
  const auto transformed = [](const char* name, const Op& from, const Op& matrix,
                              const std::string& x, const std::string& y, const std::string& c) {
    OpAttributes attributes;
    attributes.simplifyConstIndices = {x, y, "r_a", "r_b"};
    std::vector<std::int64_t> shape = from->output->shape;
    shape[0] = shape[1] = matrix->output->shape[1];
    return reduce(
        name, Reducer::Sum, shape, {{"r_a", kAlpha}, {"r_b", kAlpha}},
        [&](const Exprs& s, const Exprs& r) {
          return read(from, {r[0], r[1], s[2], s[3]}) * read(matrix, {r[0], s[0]}) *
                 read(matrix, {r[1], s[1]});
        },
        {x, y, "p", c}, attributes);
  };
  const Op pack = transformed("data_pack", tile, b, "eps", "nu", "ci");
  const Op product = reduce(
      "bgemm", Reducer::Sum, {kAlpha, kAlpha, places, out}, {{"ci", in}},
      [&](const Exprs& s, const Exprs& r) {
        return read(pack, {s[0], s[1], s[2], r[0]}) * read(weights, {s[0], s[1], s[3], r[0]});
      },
      {"eps", "nu", "p", "co"});
  const Op inverse = transformed("inverse", product, a, "vh", "vw", "co");
  return ComputeDag::fromOutputs(
      {compute("conv2d_winograd", {1, size - 2, size - 2, out}, [&](const Exprs& i) {
        return read(inverse, {floorMod(i[1], kTile), floorMod(i[2], kTile),
                              floorDiv(i[1], kTile) * tiles + floorDiv(i[2], kTile), i[3]});
      })});
}

std::map<std::string, ComputeDag> tvmDags() {
  return {
      {"matmul_512", matmul(512, 512, 512)},
      {"dense_128x768x3072", matmul(128, 3072, 768)},
      {"conv_56_64_64_3", conv2dNhwc(56, 64, 64, 3, 1)},
      {"conv_56_64_256_1", conv2dNhwc(56, 64, 256, 1, 0)},
      {"bmm_12_128_128_64", batchMatmul(12, 128, 128, 64)},
      {"llvm/matmul_512", matmul(512, 512, 512)},
      {"llvm/matmul_8_8_512", matmul(8, 8, 512)},
      {"llvm/double_matmul_512", doubleMatmul(512)},
      {"llvm/conv2d_nchw_bn_relu", conv2dNchwBnRelu()},
      {"llvm/max_pool2d", maxPool()},
      {"llvm/min_10_1024", minReduction()},
      {"llvm/softmax_1_1024", softmax(1, 1024)},
      {"llvm/op_conv_56_64_64_3", conv2dNhwc(56, 64, 64, 3, 1)},
      {"llvm/op_dw_112_32_3", depthwiseNhwc(112, 32, 3)},
  };
}

} // namespace nestwright::test
