#pragma once
/// \file The hints of a program, as its loops come to them.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace nestwright::test {

/// Runs the loops alone.
class LoopHints {
 public:
  /// Values of the loops around, by name.
  using Loops = std::map<std::string, std::int64_t>;
  using Told = std::function<void(const Loops& loops, const StmtNode& hint, std::int64_t element)>;

  LoopHints(const LoopFunction& function, Told told) : told_(std::move(told)) {
    run(function.body);
  }

 private:
  void run(const Stmt& s) {
    if (s->kind == StmtKind::For)
      for (std::int64_t i = 0; i < s->extent; ++i) {
        values_[s->var] = named_[s->var->name] = i;
        run(s->body[0]);
      }
    else if (s->kind == StmtKind::Prefetch)
      told_(named_, *s, valueOf(s->indices.at(0)));
    else
      for (const Stmt& child : s->body)
        run(child);
  }
  std::int64_t valueOf(const Expr& index) {
    const Expr value = IndexSimplifier()(substitute(index, [&](const Var& v) {
      const auto found = values_.find(v);
      return found == values_.end() ? Expr() : Expr(found->second);
    }));
    return *asInt(value);
  }

  Told told_;
  std::map<Var, std::int64_t> values_;
  Loops named_;
};

inline int hintsIn(const LoopFunction& function) {
  int count = 0;
  visit(function.body, [&](const Stmt& s) { count += s->kind == StmtKind::Prefetch; });
  return count;
}

} // namespace nestwright::test
