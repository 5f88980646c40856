#pragma once
/// \file Expressions evaluated for many threads at once, so that walking through one is paid once
/// for a block. Private to this room.

#include "core/emulate/thread_memory.h"

#include <memory>
#include <unordered_map>

namespace nestwright {

/// The value of a variable: one for all threads, or one each.
struct Variable {
  double value = 0;
  std::vector<double> each;   // of a launch's thread variable
  bool changesInBlock = true; // false for a launch's variables
  bool isUnrolled = false;    // of an unrolled loop that starts at a literal
};

/// The names in force while a program is emulated.
struct ProgramNames {
  std::unordered_map<const VarNode*, std::unique_ptr<Variable>> variables;
  std::unordered_map<const BufferNode*, std::unique_ptr<ThreadMemory>> memories;

  Variable& variable(const VarNode* var);
  ThreadMemory& memory(const BufferNode* buffer);
};

/// Values by thread; a stride of 0 means one for all of them.
struct Values {
  const double* data = nullptr;
  int stride = 0;

  double operator[](int thread) const { return data[static_cast<std::ptrdiff_t>(thread) * stride]; }
};

class ThreadExpr;

/// An element of a buffer, whose indices may be a single flattened one.
class ThreadAddress {
 public:
  ThreadAddress(const Buffer& buffer, const std::vector<Expr>& indices, int lane,
                ProgramNames& names, const EmulationPoint& moment);
  ThreadAddress(ThreadAddress&&) noexcept;
  ~ThreadAddress();

  /// The element's row-major position for each of the threads, which are in bounds.
  const std::vector<std::int64_t>& positions(const ThreadSet& threads);

  ThreadMemory& memory() const { return *memory_; }
  /// Whether the positions are the same for all threads.
  bool isUniform() const;

 private:
  ThreadMemory* memory_;
  int alignment_ = 1; // what the position must be a multiple of
  std::vector<ThreadExpr> indices_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> positions_;
};

/// One lane of an expression.
class ThreadExpr {
 public:
  ThreadExpr(const Expr& vector, int lane, ProgramNames& names, const EmulationPoint& moment);
  ThreadExpr(ThreadExpr&&) noexcept = default;

  /// Valid until the next call, for these threads.
  Values values(const ThreadSet& threads);
  /// Whether the value is the same for all threads.
  bool isUniform() const { return !byThread_; }

 private:
  void evaluate(const ThreadSet& threads);
  void evaluateBinary(const ThreadSet& threads);
  void evaluateChoice(const ThreadSet& threads);
  void evaluateLoad(const ThreadSet& threads);
  void round(const ThreadSet& threads);
  void checkRange(const ThreadSet& threads) const;

  Expr expr_; // of one lane: a scalar
  const EmulationPoint* moment_;
  const Variable* variable_ = nullptr;
  std::vector<ThreadExpr> operands_;
  std::unique_ptr<ThreadAddress> address_; // of a load
  bool rounds_ = false;                    // an operation on numbers of 16 bits
  bool byThread_ = false;                  // may differ between threads
  bool lasting_ = true;                    // stays the same while a block runs
  std::int64_t block_ = -1;                // that a lasting value was computed for
  std::vector<double> values_;
};

} // namespace nestwright
