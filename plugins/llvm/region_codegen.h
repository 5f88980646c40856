#pragma once
/// \file Code of one region: the kernel's serial part, or the body of a parallel loop. A region is
/// one LLVM function whose buffers are `noalias` pointer parameters, because LLVM trusts parameters
/// more than any metadata.

#include "core/lower/dot_product.h"
#include "plugins/llvm/debug_lines.h"
#include "plugins/llvm/module_codegen.h"

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestwright::llvm_backend {

/// What all regions of a module share.
struct ModuleContext {
  llvm::Module& module;
  const StoragePlan& plan;
  const CodegenOptions& options;
  std::string kernelName;
  std::unordered_map<const BufferNode*, llvm::Constant*> constants;
  int regionCount = 0;
  DebugLines* lines = nullptr; // where code is to be marked with what it came from

  llvm::LLVMContext& llvm() const { return module.getContext(); }
};

/// The element type in registers (bool: i1) and in memory (bool: i8). float16 and bfloat16 are i16
/// in both (half_codegen.cpp).
llvm::Type* valueType(llvm::LLVMContext& context, DataType type);
llvm::Type* memoryType(llvm::LLVMContext& context, DataType type);
/// A function with the attributes that every function of the module carries.
llvm::Function* makeFunction(ModuleContext& module, llvm::FunctionType* type,
                             const std::string& name, bool exported);

/// An index as a sum: constant + coefficient * atom ... + laneStride * lane.
struct LinearForm {
  struct Term {
    Expr atom; // a variable, or an expression that is not linear
    std::int64_t coefficient = 0;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0, laneStride = 0;
};
/// Whether they differ by their constants alone.
bool sameTerms(const LinearForm& a, const LinearForm& b);

class RegionCodegen {
 public:
  RegionCodegen(ModuleContext& module, llvm::Function* function);

  void bindBuffer(const Buffer& buffer, llvm::Value* pointer) { pointers_[buffer.get()] = pointer; }
  /// As `bindBuffer`, for a pointer that nothing else points into.
  void bindBufferArgument(const Buffer& buffer, llvm::Argument* argument);
  /// `nonNegative`: no value of the variable is below zero.
  void bindVar(const Var& var, llvm::Value* value, bool nonNegative);
  /// Where parallel loops take their threads and the workspace of each from; without these every
  /// loop is serial.
  void enableParallel(llvm::Value* threads, llvm::Value* threadWorkspace);

  void emit(const Stmt& s);
  /// The loop `for (var = begin; var < end; ++var)`, which may run zero times.
  void emitRange(const StmtNode& loop, llvm::Value* begin, llvm::Value* end);
  llvm::IRBuilder<>& builder() { return builder_; }

 private:
  using Value = llvm::Value;

  // stmt_codegen.cpp
  /// The code that follows comes from this statement.
  void locate(const StmtNode& s);
  void emitFor(const StmtNode& s);
  /// An unrolled loop that copies what a vector gathers from neighbouring rows, where it can be
  /// written as transposed blocks; false, and nothing emitted, where it cannot.
  bool emitTransposed(const StmtNode& s); // transpose_codegen.cpp
  struct TransposedRows {
    Buffer from, to;
    int lanes = 0, length = 1;             // neighbours that are moved together
    std::vector<LinearForm> reads, writes; // of the first lane's first neighbour, per row
  };
  std::optional<TransposedRows> transposedRows(const StmtNode& s);

  // dot_codegen.cpp
  /// An unrolled loop that adds neighbouring products, where one instruction does that; false, and
  /// nothing emitted, where none does.
  bool emitDotProduct(const StmtNode& s);
  /// An unrolled loop that copies what a dot product takes in each lane, as whole vectors; false,
  /// and nothing emitted, where it cannot.
  bool emitDotCopy(const StmtNode& s);
  bool hasDotProduct(DataType sum) const;
  std::optional<LinearForm> neighboursOf(const DotProduct& dot, const Expr& load);
  Value* emitDotFactor(const DotFactor& factor, const LinearForm& at, int length, int lanes,
                       int width);

  void emitLoop(const StmtNode& s, Value* begin, Value* end);
  void emitIf(const StmtNode& s);
  void emitAllocate(const StmtNode& s);
  llvm::BasicBlock* block(const char* name);

  // parallel_codegen.cpp
  struct Region;
  void emitParallel(const StmtNode& s);
  Region makeRegion(const StmtNode& s);
  llvm::Function* makeThreadFunction(const Region& region, llvm::StructType* contextType);

  // memory_codegen.cpp
  void emitStore(const StmtNode& s);
  Value* emitLoad(const Expr& e);
  Value* loadContiguous(Value* pointer, DataType type, DataType element, bool onStack);
  void storeContiguous(Value* value, Value* pointer, bool onStack);
  /// Each lane on its own, which a loop around it may then find unchanged.
  Value* loadLanes(Value* pointers, DataType element, int lanes, bool onStack);
  void storeLanes(Value* value, Value* pointers, bool onStack);
  bool isPlain() const;
  llvm::Constant* laneMask(int lanes, int padded);

  // address_codegen.cpp
  std::optional<LinearForm> linearIndex(const Buffer& buffer, const std::vector<Expr>& indices);
  bool addLinear(LinearForm& form, const Expr& e, std::int64_t scale);
  Expr canonicalAtom(const Expr& e);
  /// A sum of terms, computed where the innermost of their loops begins, and remembered there.
  struct Sum {
    Value* value = nullptr;
    std::vector<std::pair<const void*, std::int64_t>> key;
    int depth = 0;
    bool nonNegative = true;
  };
  Sum sumOf(std::vector<LinearForm::Term> terms);
  int depthOf(const Expr& e) const;
  Value* emitAddress(const Buffer& buffer, const LinearForm& form);
  Value* emitPointers(const Buffer& buffer, const std::vector<Expr>& indices, int lanes);
  Value* pointerTo(const Buffer& buffer);
  bool isNonNegative(const Expr& e) const;
  std::optional<std::int64_t> constantOf(const Expr& e) const;

  // expr_codegen.cpp
  Value* emit(const Expr& e);
  Value* emitScalarOrSplat(const Expr& e, int lanes);
  Value* emitBinary(const Expr& e);
  Value* emitFloatBinary(ExprKind kind, Value* a, Value* b);
  Value* emitIntBinary(const Expr& e, Value* a, Value* b);
  Value* emitSafeDivision(const Expr& e, Value* a, Value* b);
  Value* emitFloorDivision(const Expr& e, Value* a, Value* b);
  Value* emitCompare(ExprKind kind, DataType type, Value* a, Value* b);
  Value* emitCast(const Expr& e);
  Value* emitConversion(Value* value, DataType from, DataType to);
  Value* emitIfThenElse(const Expr& e);
  Value* splat(Value* value, int lanes);

  // half_codegen.cpp
  bool convertsHalves() const;
  /// A value of this type as what it is computed with: float32 for a half type, else itself.
  Value* widened(Value* value, DataType type);
  /// What was computed, as a value of this type: of 16 bits for a half type, else itself.
  Value* narrowed(Value* value, DataType type);

  // math_codegen.cpp
  Value* emitCall(const Expr& e);
  Value* emitFunction(const Expr& e, const std::vector<Value*>& arguments);
  Value* emitLibm(Intrinsic intrinsic, const std::vector<Value*>& arguments);

  /// Computations that depend on loop variables of one nesting level are placed at that level.
  struct Scope {
    llvm::BasicBlock* preamble = nullptr;
    std::map<std::vector<std::pair<const void*, std::int64_t>>, Value*> sums;
  };
  struct Binding {
    Value* value = nullptr;
    int depth = 0; // index of the scope that it belongs to
    bool nonNegative = false;
  };
  const Binding& bindingOf(const VarNode* var) const;
  void openScope();
  void closeScope() { scopes_.pop_back(); }

  ModuleContext& module_;
  llvm::Function* function_;
  llvm::DISubprogram* scope_ = nullptr;
  llvm::IRBuilder<> builder_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::size_t, std::vector<Expr>> atoms_; // interned, by hash
  std::unordered_map<const VarNode*, Binding> vars_;
  std::unordered_map<const BufferNode*, Value*> pointers_;
  Value* mask_ = nullptr;    // lanes that may touch memory; null: all
  bool associative_ = false; // the next addition is a reduction's and may be reordered
  Value* threads_ = nullptr;
  Value* threadWorkspace_ = nullptr;
};

} // namespace nestwright::llvm_backend
