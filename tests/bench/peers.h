#pragma once
/// \file The same operators by others, as the yardstick. Each function is there only where its
/// library was found (NESTWRIGHT_HAS_ONEDNN, NESTWRIGHT_HAS_OPENBLAS). Inputs are found by their
/// names in the workloads of core/network/graph/workloads.h; outputs are dense and row-major.

#include "tests/bench/contender.h"

#include <cstdint>

namespace nestwright::bench {

/// What is multiplied, and what the result is: float32 or bfloat16, or uint8 and int8 with a result
/// of int32.
enum class FactorType : std::uint8_t { Float32, BFloat16, Int8 };

/// batch = 1: plain matrices. With `constantWeights` the right matrix is laid out beforehand as the
/// library likes it.
struct MatmulShape {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool constantWeights = false;
  FactorType type = FactorType::Float32; // only oneDNN has the others
};

/// Stride 1 and padding that keeps the size; weights laid out beforehand.
struct ConvShape {
  std::int64_t size = 1, inputs = 1, outputs = 1, kernel = 1;
  bool depthwise = false; // then inputs == outputs
  bool biasAndRelu = true;
  FactorType type = FactorType::Float32; // likewise
};

std::string oneDnnText();
/// Whether it multiplies such numbers on this processor.
bool oneDnnHas(FactorType type);
Contender oneDnnMatmul(const InputSets& inputs, const MatmulShape& shape, int threads);
/// The right matrix as weights of an inner product.
Contender oneDnnInnerProduct(const InputSets& inputs, const MatmulShape& shape, int threads);
Contender oneDnnConv(const InputSets& inputs, const ConvShape& shape, int threads);
Contender oneDnnSoftmax(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                        int threads);
/// Euclidean norm of each row: the reduction made for it, and each row times itself.
Contender oneDnnNorm(const InputSets& inputs, std::int64_t rows, std::int64_t columns, int threads);
Contender oneDnnNormByMatmul(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                             int threads);

std::string openBlasText();
/// Starts this program again with the environment that lets OpenBLAS use AVX-512, when the
/// processor has it and OpenBLAS does not know the processor.
void restartForOpenBlas(char** argv);
Contender openBlasMatmul(const InputSets& inputs, const MatmulShape& shape, int threads);
/// A 1x1 convolution as one matrix product, then bias and ReLU.
Contender openBlasPointwise(const InputSets& inputs, const ConvShape& shape, int threads);
/// The square root of each row's product with itself, which is faster than snrm2.
Contender openBlasNorm(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                       int threads);

/// What one core streams: reads as many bytes as the operator's inputs have, and writes as many as
/// its outputs. It computes nothing, and has no output.
Contender copy(const InputSets& inputs);

} // namespace nestwright::bench
