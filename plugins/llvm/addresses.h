#pragma once
/// \file Addresses: indices as sums of terms, each sum computed once, where the innermost of its
/// loops begins.

#include "plugins/llvm/loop_scopes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwright::llvm_backend {

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

class Addresses {
 public:
  /// `emit` gives the value of an expression at the place where code is inserted.
  Addresses(ModuleContext& module, llvm::IRBuilder<>& builder, LoopScopes& scopes,
            std::function<llvm::Value*(const Expr&)> emit)
      : module_(module), builder_(builder), scopes_(scopes), emit_(std::move(emit)) {}

  void bind(const Buffer& buffer, llvm::Value* pointer) { pointers_[buffer.get()] = pointer; }
  bool isBound(const Buffer& buffer) const { return pointers_.contains(buffer.get()); }
  /// Its first element. Throws Error for a buffer that is not bound.
  llvm::Value* pointerTo(const Buffer& buffer) const;

  /// Nothing for an index that is no such sum. Throws Error for a wrong number of indices.
  std::optional<LinearForm> linearIndex(const Buffer& buffer, const std::vector<Expr>& indices);
  /// Of the first lane's element.
  llvm::Value* at(const Buffer& buffer, const LinearForm& form);
  /// Of all lanes' elements, for gathers and scatters.
  llvm::Value* ofLanes(const Buffer& buffer, const std::vector<Expr>& indices, int lanes);

 private:
  /// A sum of terms, computed where the innermost of their loops begins, and remembered there.
  struct Sum {
    llvm::Value* value = nullptr;
    LoopScopes::Key key;
    int depth = 0;
    bool nonNegative = true;
  };

  bool addLinear(LinearForm& form, const Expr& e, std::int64_t scale);
  Expr canonicalAtom(const Expr& e);
  Sum sumOf(std::vector<LinearForm::Term> terms);
  llvm::Value* product(const LinearForm::Term& term);

  ModuleContext& module_;
  llvm::IRBuilder<>& builder_;
  LoopScopes& scopes_;
  std::function<llvm::Value*(const Expr&)> emit_;
  std::unordered_map<std::size_t, std::vector<Expr>> atoms_; // interned, by hash
  std::unordered_map<const BufferNode*, llvm::Value*> pointers_;
};

} // namespace nestwright::llvm_backend
