#pragma once
/// \file CUDA C, with the functions of the preamble.

#include "core/emit/c_dialect.h"

namespace nestwright::cuda {

class CudaDialect : public CDialect {
 public:
  std::string type(DataType type) const override;
  std::string integer(std::int64_t value, DataType type) override;
  std::string real(double value, DataType type) override;
  std::string widened(const std::string& half, DataType type) override;
  std::string narrowed(const std::string& value, DataType type) override;
  std::string helper(const std::string& name, DataType type,
                     const std::vector<std::string>& arguments) override;
  std::string roundedToZero(const std::string& value, DataType from, DataType to) override;
  std::string function(const std::string& name, DataType type,
                       const std::vector<std::string>& arguments) override;
  std::string reciprocalRoot(const std::string& value, DataType type) override;
  bool dividesAsWritten(const Expr& division) override;
};

} // namespace nestwright::cuda
