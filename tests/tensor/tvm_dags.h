#pragma once
/// \file The compute DAGs of the public implementation's workloads, built by hand: what the oracles
/// of tests/data/tvm-ansor-zen5 speak of.

#include "core/tensor/compute_dag.h"

#include <map>
#include <string>

namespace nestwright::test {

ComputeDag matmul(std::int64_t m, std::int64_t n, std::int64_t k);
ComputeDag doubleMatmul(std::int64_t n);
ComputeDag batchMatmul(std::int64_t b, std::int64_t m, std::int64_t n, std::int64_t k);
/// NHWC convolution at batch 1 and stride 1 with bias and ReLU.
ComputeDag conv2dNhwc(std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t kernel,
                      std::int64_t pad);
ComputeDag depthwiseNhwc(std::int64_t size, std::int64_t channels, std::int64_t kernel);
ComputeDag conv2dNchwBnRelu();
ComputeDag maxPool();
ComputeDag minReduction();
ComputeDag softmax(std::int64_t rows, std::int64_t columns);
/// NHWC 3x3 convolution at batch 1 as Winograd's F(2x2, 3x3), of transformed weights, unpadded; the
/// size is even.
ComputeDag winogradNhwc(std::int64_t size, std::int64_t in, std::int64_t out);

/// All DAGs by their key in tasks.json or sketches.json.
std::map<std::string, ComputeDag> tvmDags();

} // namespace nestwright::test
