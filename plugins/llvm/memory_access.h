#pragma once
/// \file Loads and stores at addresses: contiguous, lane by lane, gathered, and of some lanes only.

#include "plugins/llvm/module_context.h"

namespace nestwright::llvm_backend {

class MemoryAccess {
 public:
  MemoryAccess(ModuleContext& module, llvm::IRBuilder<>& builder)
      : module_(module), builder_(builder) {}

  /// Whether some lanes may not touch memory now.
  bool isMasked() const { return mask_ != nullptr; }
  /// Of those that may, only these do while it lives.
  class Masked {
   public:
    Masked(MemoryAccess& memory, llvm::Value* lanes) : memory_(memory), outer_(memory.mask_) {
      memory.mask_ = outer_ ? memory.builder_.CreateAnd(outer_, lanes) : lanes;
    }
    ~Masked() { memory_.mask_ = outer_; }
    Masked(const Masked&) = delete;
    Masked& operator=(const Masked&) = delete;

   private:
    MemoryAccess& memory_;
    llvm::Value* outer_;
  };

  /// Elements that lie one behind the other.
  llvm::Value* load(llvm::Value* pointer, DataType type, DataType element, bool onStack);
  void store(llvm::Value* value, llvm::Value* pointer, bool onStack);
  /// Elements anywhere; a pointer for each lane.
  llvm::Value* gather(llvm::Value* pointers, DataType element, int lanes, bool onStack);
  void scatter(llvm::Value* value, llvm::Value* pointers, DataType element, bool onStack);

 private:
  /// Each lane on its own, which a loop around it may then find unchanged.
  bool goesLaneByLane() const { return module_.isPlain() && !mask_; }
  llvm::Constant* laneMask(int lanes, int padded);

  ModuleContext& module_;
  llvm::IRBuilder<>& builder_;
  llvm::Value* mask_ = nullptr; // lanes that may touch memory; null: all
};

} // namespace nestwright::llvm_backend
