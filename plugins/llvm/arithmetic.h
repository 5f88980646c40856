#pragma once
/// \file Arithmetic on values, scalars and vectors alike, with the meaning that expressions give
/// it: halves are computed as float32, integers divide downwards and never stop the program.

#include "plugins/llvm/module_context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::llvm_backend {

/// How the last operation of a formula may be rounded otherwise.
enum class Rounding : std::uint8_t {
  AsWritten,
  AnyOrder,     // an addition of a reduction, in any order
  ByReciprocal, // a quotient as a product with the reciprocal of the divisor
};

class Arithmetic {
 public:
  Arithmetic(ModuleContext& module, llvm::IRBuilder<>& builder)
      : module_(module), builder_(builder) {}

  /// `kind` is a comparison, and gives i1 in each lane.
  llvm::Value* compare(ExprKind kind, DataType type, llvm::Value* a, llvm::Value* b);
  /// Of floating-point numbers. Throws Error for a kind that only integers have.
  llvm::Value* ofFloats(ExprKind kind, DataType type, llvm::Value* a, llvm::Value* b,
                        Rounding rounding);
  /// A sum, difference or product of integers.
  llvm::Value* ofIntegers(ExprKind kind, DataType type, llvm::Value* a, llvm::Value* b);
  /// What is known of a division before it runs.
  struct Division {
    std::optional<std::int64_t> divisor;
    bool nonNegative = false; // the dividend
  };
  /// The quotient or remainder of integers, rounded down. Throws Error for a literal zero.
  llvm::Value* divide(ExprKind kind, DataType type, llvm::Value* a, llvm::Value* b,
                      const Division& known);
  /// A value of one type as one of another: saturating, where it does not fit.
  llvm::Value* convert(llvm::Value* value, DataType from, DataType to);
  /// A mathematical function: an inline polynomial, an instruction, or a call into libm. `exponent`
  /// is that of a power where it is a literal. Throws Error where there is none for the type.
  llvm::Value* call(Intrinsic function, DataType type, std::vector<llvm::Value*> arguments,
                    std::optional<double> exponent);

 private:
  llvm::Value* divideDown(ExprKind kind, DataType type, llvm::Value* a, llvm::Value* b,
                          const Division& known);
  llvm::Value* convertWide(llvm::Value* value, DataType from, DataType to);
  llvm::Value* saturated(llvm::Value* value, DataType to);
  llvm::Value* widened(llvm::Value* value, DataType type);
  llvm::Value* narrowed(llvm::Value* value, DataType type);

  ModuleContext& module_;
  llvm::IRBuilder<>& builder_;
};

} // namespace nestwright::llvm_backend
