#pragma once
/// \file The tasks that the public implementation's records were made for.

#include "core/tensor/compute_dag.h"

namespace nestwright::test {

inline ComputeDag matmulDag(std::int64_t n, std::int64_t m, std::int64_t k) {
  const Op a = placeholder("A", {n, k});
  const Op b = placeholder("B", {k, m});
  const Op c = reduce("C", Reducer::Sum, {n, m}, {{"k", k}},
                      [&](const auto& i, const auto& r) {
                        return read(a, {i[0], r[0]}) * read(b, {r[0], i[1]});
                      },
                      {"i", "j"});
  return ComputeDag::fromOutputs({c});
}

inline ComputeDag batchMatmulDag(std::int64_t batch, std::int64_t n, std::int64_t m,
                                 std::int64_t k) {
  const Op x = placeholder("X", {batch, n, k});
  const Op y = placeholder("Y", {batch, m, k});
  const Op z = reduce("T_batch_matmul_NT", Reducer::Sum, {batch, n, m}, {{"k", k}},
                      [&](const auto& i, const auto& r) {
                        return read(x, {i[0], i[1], r[0]}) * read(y, {i[0], i[2], r[0]});
                      },
                      {"b", "i", "j"});
  return ComputeDag::fromOutputs({z});
}

/// Convolution of an NHWC image, square in space, with bias and ReLU.
inline ComputeDag conv2dDag(std::int64_t size, std::int64_t channels, std::int64_t filters,
                            std::int64_t kernel, std::int64_t pad, std::int64_t stride = 1) {
  const Op data = placeholder("data", {1, size, size, channels});
  const std::int64_t padded = size + 2 * pad;
  const Op padTemp = compute("pad_temp", {1, padded, padded, channels}, [&](const auto& i) -> Expr {
    if (pad == 0) return read(data, i);
    const Expr inside = i[1] >= pad && i[1] < size + pad && i[2] >= pad && i[2] < size + pad;
    return ifThenElse(inside, read(data, {i[0], i[1] - pad, i[2] - pad, i[3]}), floatImm(0));
  });
  const Op weights = placeholder("kernel", {kernel, kernel, channels, filters});
  const std::int64_t out = (padded - kernel) / stride + 1;
  const Op conv = reduce("conv2d_nhwc", Reducer::Sum, {1, out, out, filters},
                         {{"ry", kernel}, {"rx", kernel}, {"rc", channels}},
                         [&](const auto& i, const auto& r) {
                           const auto at = [&](const Expr& x, const Expr& k) {
                             return stride == 1 ? x + k : x * stride + k;
                           };
                           return read(padTemp, {i[0], at(i[1], r[0]), at(i[2], r[1]), r[2]}) *
                                  read(weights, {r[0], r[1], r[2], i[3]});
                         },
                         {"nn", "yy", "xx", "ff"});
  const Op bias = placeholder("bias", {1, 1, 1, filters});
  const Op sum = compute("T_add", {1, out, out, filters},
                         [&](const auto& i) {
                           return read(conv, i) + read(bias, {i[0], 0, 0, i[3]});
                         },
                         {"ax0", "ax1", "ax2", "ax3"});
  const Op relu = compute("compute", {1, out, out, filters},
                          [&](const auto& i) { return max(read(sum, i), floatImm(0)); });
  return ComputeDag::fromOutputs({relu});
}

/// By the name of its files in tests/data/tvm-ansor-zen5.
inline ComputeDag oracleDag(std::string_view task) {
  if (task == "matmul_512") return matmulDag(512, 512, 512);
  if (task == "dense_128x768x3072") return matmulDag(128, 3072, 768);
  if (task == "bmm_12_128_128_64") return batchMatmulDag(12, 128, 128, 64);
  if (task == "conv_56_64_64_3") return conv2dDag(56, 64, 64, 3, 1);
  return conv2dDag(56, 64, 256, 1, 0);
}

inline constexpr const char* kOracleTasks[] = {
    "matmul_512", "dense_128x768x3072", "bmm_12_128_128_64", "conv_56_64_64_3", "conv_56_64_256_1"};

} // namespace nestwright::test
