#pragma once
/// \file C11 with what GCC and Clang add: vector types and the functions that expressions call,
/// each defined where it is used.

#include "core/emit/c_dialect.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

class C11Dialect : public CDialect {
 public:
  /// Whether an integer is never below zero.
  std::function<bool(const Expr&)> isNonNegative;

  std::string type(DataType type) const override;
  std::string integer(std::int64_t value, DataType type) override;
  std::string real(double value, DataType type) override;
  std::string widened(const std::string& half, DataType type) override;
  std::string narrowed(const std::string& value, DataType type) override;
  /// "min" and "max" of vectors, too.
  std::string helper(const std::string& name, DataType type,
                     const std::vector<std::string>& arguments) override;
  std::string roundedToZero(const std::string& value, DataType from, DataType to) override;
  std::string function(const std::string& name, DataType type,
                       const std::vector<std::string>& arguments) override;
  std::string reciprocalRoot(const std::string& value, DataType type) override;
  bool dividesAsWritten(const Expr& division) override;

  /// "f32x16", a vector of more than one lane.
  std::string vectorType(DataType type);

  bool usesMath() const { return math_; }
  bool usesMemory() const { return memory_; } // memcpy
  /// The vector types that were named, and the macro LANES, which reads and writes them.
  std::string vectorTypes() const;
  /// The functions that were called, none more.
  std::string functions() const;

 private:
  std::set<std::pair<int, int>> vectors_;                   // place in a table of types, lanes
  std::set<std::pair<std::string, std::string>> functions_; // name, definition
  bool math_ = false, memory_ = false;
};

/// All names that a dialect may give to a type or function: no variable is to have one.
std::vector<std::string> c11Names();

} // namespace nestwright
