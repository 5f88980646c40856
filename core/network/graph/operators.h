#pragma once
/// \file Deep-learning operators as compute operators, with the names that TVM's operator library
/// gives to tensors and axes (so that public records fit). Workloads and the groups of a network
/// are put together from these.

#include "core/network/graph/window.h"
#include "core/tensor/compute_dag.h"

#include <string>

namespace nestwright {

// Operands of float16 and bfloat16 are computed with in float32, narrow integers in int32, and so
// are the results; `toType` rounds a result to where it shall be kept. Other types stay as they
// are.

/// Whether it is an integer of 8 or 16 bits, products of which are summed in int32.
bool isNarrow(DataType type);

/// The element as what it is computed with: float32 for a half type, int32 for a narrow integer,
/// else itself.
Expr widened(const Expr& element);
/// The same of a half type alone.
Expr widenedHalf(const Expr& element);

/// `x` converted to `type`; `x` itself when it has it: T_cast(ax0, ...).
Op toType(const Op& x, DataType type);

/// `x` with `value` around it; `x` itself when there is nothing to pad. Vectors have one entry a
/// dimension. The guard is an if-then-else, so nothing is read out of bounds.
Op pad(const Op& x, const Shape& before, const Shape& after, const Expr& value,
       const std::string& name = "pad_temp", const std::string& axisPrefix = "i");

/// Convolution over 1 to 3 spatial axes. Channels last: data N..C, kernel ..IO, or ..CM when every
/// group has a single input channel (depthwise, two spatial axes). Channels first: data NC..,
/// kernel OI... Output channel o reads input channels (o / (CO/g)) * (CI/g) + rc. Names as TVM's:
/// pad_temp and conv2d_nhwc(nn, yy, xx, ff), PaddedInput and DepthwiseConv2d(b, i, j, c).
/// `layoutFree`: the kernel is constant and may be stored in another order. `around` is what the
/// padding holds.
Op convolution(const Op& data, const Op& kernel, const Window& window, std::int64_t groups,
               TensorLayout layout, bool layoutFree = true, std::int64_t around = 0);

/// Transposed convolution over 1 to 3 spatial axes. Kernel ..IO (channels last) or IO.. with all
/// input channels and one group's output channels. The zeros between the inputs are an if-then-else
/// inside the sum (handbook/networks.md 5). Output extent (h-1)*stride - pads + (k-1)*dilation + 1.
/// One group, two axes, channels last: conv2d_transpose_nhwc(nn, yy, xx, ff).
Op transposedConvolution(const Op& data, const Op& kernel, const Window& window,
                         std::int64_t groups, TensorLayout layout, bool layoutFree = true);

/// x[..., k] * w[k, n]; leading dimensions are kept. Axes of two dimensions: i, j. `layoutFree` as
/// in `convolution`.
Op dense(const Op& x, const Op& weight, bool layoutFree = true);

/// One product a batch element: x[b, m, k] times y[b, k, n], or y[b, n, k] when `transposed`.
Op batchMatmul(const Op& x, const Op& y, bool transposed);

enum class Pooling : std::uint8_t { Max, Average, AverageWithPadding };

/// Pooling with the output extents given (they depend on the rounding).
Op pool(const Op& data, const Window& window, const Shape& outputExtents, Pooling kind,
        TensorLayout layout);

/// Mean over all spatial axes, which become 1.
Op globalAveragePool(const Op& data, TensorLayout layout);

/// Softmax over the last dimension, or its logarithm.
Op softmax(const Op& x);
Op logSoftmax(const Op& x);

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the last dimension; gamma and beta
/// have one dimension.
Op layerNorm(const Op& x, const Op& gamma, const Op& beta, double epsilon);

/// The common shape of two shapes under NumPy's broadcasting rule, or an empty optional.
std::optional<Shape> broadcastShape(const Shape& a, const Shape& b);

/// The element of `x` that an output element at `indices` of `shape` needs when `x` is broadcast.
Expr broadcastRead(const Op& x, const std::vector<Expr>& indices, const Shape& shape);

/// a + b with broadcasting: T_add(ax0, ...).
Op add(const Op& a, const Op& b, const std::string& name = "T_add");

/// max(x, 0): compute(i0, ...).
Op relu(const Op& x, const std::string& name = "compute");

/// "ax0", "ax1", ... as TVM names the axes of injective operators.
std::vector<std::string> axisNames(std::size_t rank, const std::string& prefix = "ax");

} // namespace nestwright
