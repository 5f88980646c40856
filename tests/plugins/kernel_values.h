#pragma once
/// \file Values in and out of kernels under test, and whether two answers are the same.

#include "core/tensor/compute_dag.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/half.h"
#include "tests/plugins/kernel_runner.h"

#include <QString>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nestwright::test {

/// Gives the kernel its inputs, in the order of the DAG.
inline void setInputs(const RunnableKernel& kernel, const ComputeDag& dag,
                      const std::vector<TensorValues>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const DataType type = dag.inputs()[i]->output->type;
    for (std::size_t k = 0; k < inputs[i].size(); ++k)
      if (type.isHalf())
        kernel.buffer<std::uint16_t>(i)[k] = halfBits(inputs[i][k], type);
      else if (type == kInt8)
        kernel.buffer<std::int8_t>(i)[k] = static_cast<std::int8_t>(inputs[i][k]);
      else if (type == kUInt8)
        kernel.buffer<std::uint8_t>(i)[k] = static_cast<std::uint8_t>(inputs[i][k]);
      else if (type == kInt32)
        kernel.buffer<std::int32_t>(i)[k] = static_cast<std::int32_t>(inputs[i][k]);
      else
        kernel.buffer<float>(i)[k] = static_cast<float>(inputs[i][k]);
  }
}

/// Why the two results differ, or nothing. Sums in another order differ by a few roundings, what
/// has 16 bits by one of its last digit.
inline QString difference(const std::vector<double>& got, const std::vector<double>& expected,
                          DataType type, double tolerance) {
  if (type.isHalf()) tolerance = type == kBFloat16 ? 0x1p-7 : 0x1p-10;
  double scale = 0;
  for (const double value : expected)
    scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double margin = tolerance * std::max(std::abs(expected[i]), 0.1 * scale);
    if (!(std::abs(got[i] - expected[i]) <= margin))
      return QString("element %1 is %2, not %3").arg(i).arg(got[i]).arg(expected[i]);
  }
  return {};
}

/// The n-th output of the kernel.
inline std::vector<double> outputOf(const RunnableKernel& kernel, const ComputeDag& dag,
                                    std::size_t n) {
  const DataType type = dag.outputs()[n]->output->type;
  const std::size_t i = dag.inputs().size() + n;
  std::vector<double> values(kernel.bufferBytes(i) / static_cast<std::size_t>(type.elementBytes()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto bits = kernel.buffer<std::uint16_t>(i)[k];
    values[k] = type == kFloat16    ? fromFloat16(bits)
                : type == kBFloat16 ? fromBFloat16(bits)
                : type == kInt32    ? kernel.buffer<std::int32_t>(i)[k]
                                    : kernel.buffer<float>(i)[k];
  }
  return values;
}

} // namespace nestwright::test
