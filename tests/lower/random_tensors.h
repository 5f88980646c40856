#pragma once
/// \file Values to run programs on, and where two results differ.

#include "core/support/random.h"
#include "core/tensor/compute_dag.h"
#include "core/tensor/half.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

using Tensors = std::map<std::string, std::vector<double>>;

inline Tensors randomInputs(const ComputeDag& dag, Random& random) {
  Tensors inputs;
  for (const Op& op : dag.inputs())
    for (std::int64_t i = 0; i < op->output->elements(); ++i)
      inputs[op->name()].push_back(
          op->output->type.isFloat()
              ? roundedTo(static_cast<float>(random.unit() * 2 - 1), op->output->type)
              : static_cast<double>(random.below(9)) -
                    (op->output->type.code == DataType::Code::UInt ? 0 : 4));
  return inputs;
}

/// Where the result is wrong, or nothing.
inline std::string difference(const Tensors& expected, const Tensors& actual) {
  for (const auto& [name, values] : actual)
    for (std::size_t i = 0; i < values.size(); ++i) {
      double reference = expected.at(name)[i];
      const double error = std::fabs(values[i] - reference);
      if (values[i] != reference && !(error <= 1e-4 * (1 + std::fabs(reference))))
        return fmt::format("{}[flat {}] is {} instead of {}", name, i, values[i], reference);
    }
  return {};
}

} // namespace nestwright
