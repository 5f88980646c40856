#include "plugins/cuda/text/cuda_dialect.h"

#include "plugins/cuda/text/type_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright::cuda {

std::string CudaDialect::type(DataType type) const {
  return typeText(type);
}

std::string CudaDialect::integer(std::int64_t value, DataType type) {
  return intText(value, type);
}

std::string CudaDialect::real(double value, DataType type) {
  return floatText(value, type);
}

std::string CudaDialect::widened(const std::string& half, DataType) {
  return fmt::format("nw_f32({})", half);
}

std::string CudaDialect::narrowed(const std::string& value, DataType type) {
  return fmt::format("nw_to_{}({})", type.code == DataType::Code::BFloat ? "bf16" : "f16", value);
}

std::string CudaDialect::helper(const std::string& name, DataType type,
                                const std::vector<std::string>& arguments) {
  return fmt::format("nw_{}<{}>({})", name, typeText(type), fmt::join(arguments, ", "));
}

std::string CudaDialect::roundedToZero(const std::string& value, DataType, DataType to) {
  // The highest number of 64 bits is no literal of the IR.
  const bool isUnsigned64 = to.code == DataType::Code::UInt && to.bits == 64;
  return fmt::format(
      "nw_round_to_zero<{}>({}, {}, {})", typeText(to), value, intText(lowestOf(to)->integer, to),
      isUnsigned64 ? "18446744073709551615ull" : intText(highestOf(to)->integer, to));
}

std::string CudaDialect::function(const std::string& name, DataType type,
                                  const std::vector<std::string>& arguments) {
  return fmt::format("{}{}({})", name, type.bits == 64 ? "" : "f", fmt::join(arguments, ", "));
}

std::string CudaDialect::reciprocalRoot(const std::string& value, DataType type) {
  return function("rsqrt", type, {value});
}

/// Only unsigned numbers are surely not negative.
bool CudaDialect::dividesAsWritten(const Expr& division) {
  return division->type.code == DataType::Code::UInt && asInt((*division)[1]);
}

} // namespace nestwright::cuda
