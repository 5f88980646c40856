#pragma once
/// \file What languages that look like C write differently.

#include "core/tensor/expr.h"

#include <string>
#include <vector>

namespace nestwright {

/// Types, literals and functions of one of them. Members that write a call take its arguments as
/// text. All throw Error for what the language cannot say.
class CDialect {
 public:
  virtual ~CDialect() = default;
  virtual std::string type(DataType type) const = 0;
  /// Literals, in parentheses where they begin with a sign.
  virtual std::string integer(std::int64_t value, DataType type) = 0;
  virtual std::string real(double value, DataType type) = 0;
  /// A half as float32, and a float32 rounded to a half.
  virtual std::string widened(const std::string& half, DataType type) = 0;
  virtual std::string narrowed(const std::string& value, DataType type) = 0;
  /// "min", "max", "abs", "floordiv" or "floormod" of operands of this type.
  virtual std::string helper(const std::string& name, DataType type,
                             const std::vector<std::string>& arguments) = 0;
  /// A float as an integer; what does not fit becomes the nearest that does, and NaN zero.
  virtual std::string roundedToZero(const std::string& value, DataType from, DataType to) = 0;
  /// A function of float32, or of float64; the name is C's for float64.
  virtual std::string function(const std::string& name, DataType type,
                               const std::vector<std::string>& arguments) = 0;
  /// 1 / sqrt(x).
  virtual std::string reciprocalRoot(const std::string& value, DataType type) = 0;
  /// Whether the language's own / and % give this quotient or remainder by a literal.
  virtual bool dividesAsWritten(const Expr& division) = 0;
};

/// The shortest digits that give the finite number back, as a literal of its type: "1.0f", "1e+30".
/// Of a half those of a float.
std::string floatDigits(double value, DataType type);

} // namespace nestwright
