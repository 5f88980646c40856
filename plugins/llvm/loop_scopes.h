#pragma once
/// \file What variables have for values, and where what depends on them can be computed first: a
/// scope for each loop and branch that is being written, with a block before its body.

#include "plugins/llvm/module_context.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright::llvm_backend {

class LoopScopes {
 public:
  struct Binding {
    llvm::Value* value = nullptr;
    int depth = 0; // index of the scope that it belongs to
    bool nonNegative = false;
  };
  /// What a remembered value is made of: things and their factors.
  using Key = std::vector<std::pair<const void*, std::int64_t>>;

  /// The outermost scope's code goes to the end of `entry`.
  LoopScopes(llvm::IRBuilder<>& builder, llvm::BasicBlock* entry);

  /// Begins the body of a loop or branch; what is remembered in it ends with it.
  void open();
  void close() { scopes_.pop_back(); }

  /// `nonNegative`: no value of the variable is below zero.
  void bind(const Var& var, llvm::Value* value, bool nonNegative);
  void unbind(const Var& var) { vars_.erase(var.get()); }
  /// Throws Error for a variable that is not bound.
  const Binding& bindingOf(const VarNode* var) const;

  /// The scope in which the expression can be computed first.
  int depthOf(const Expr& e) const;
  /// Where code of that scope is to be inserted.
  llvm::Instruction* placeIn(int depth);
  /// What that scope remembers; null as long as nobody has put it there.
  llvm::Value*& remembered(int depth, const Key& key);

  std::optional<std::int64_t> constantOf(const Expr& e) const;
  bool isNonNegative(const Expr& e) const;

 private:
  struct Scope {
    llvm::BasicBlock* preamble = nullptr;
    std::map<Key, llvm::Value*> known;
  };

  llvm::IRBuilder<>& builder_;
  std::vector<Scope> scopes_;
  std::unordered_map<const VarNode*, Binding> vars_;
};

} // namespace nestwright::llvm_backend
