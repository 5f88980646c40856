#pragma once
/// \file The hints of lowered programs, as their loops come to them.

#include "core/lower/index_simplifier.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace nestwright::test {

inline int hintsIn(const Stmt& all) {
  int count = 0;
  visit(all, [&](const Stmt& s) { count += s->kind == StmtKind::Prefetch; });
  return count;
}
inline int hintsIn(const LoopFunction& function) {
  return hintsIn(function.body);
}

inline LoopFunction lowered(const std::string& task, Steps steps,
                            const LowerOptions& options = {}) {
  return lower(State::replay(parseTaskSpec(task).dag, std::move(steps)), options);
}

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
    const auto [has, isNew] = hasHints_.try_emplace(s.get());
    if (isNew) has->second = hintsIn(s) > 0;
    if (!has->second) return;
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
    const auto [form, isNew] = forms_.try_emplace(index.get());
    if (isNew) form->second = IndexSimplifier().linear(index);
    std::int64_t value = form->second.constant;
    for (const LinearForm::Term& term : form->second.terms)
      value += term.coefficient * atom(term.atom);
    return value;
  }
  std::int64_t atom(const Expr& e) {
    if (e->kind == ExprKind::Var) return values_.at(e->var);
    return *asInt(IndexSimplifier()(substitute(e, [&](const Var& v) {
      const auto found = values_.find(v);
      return found == values_.end() ? Expr() : Expr(found->second);
    })));
  }

  Told told_;
  std::map<Var, std::int64_t> values_;
  std::map<const ExprNode*, LinearForm> forms_; // of indices
  std::map<const StmtNode*, bool> hasHints_;
  Loops named_;
};

} // namespace nestwright::test
