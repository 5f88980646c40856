#include "core/lower/cpu/reduction_nest.h"

#include "core/lower/guards.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

/// Loops and conditions, one inside of the other, and what is inside of them all.
struct Chain {
  std::vector<Stmt> loops; // Fors and Ifs
  Stmt leaf;
};

Chain chainFrom(Stmt s) {
  Chain chain;
  while ((s->kind == StmtKind::For && s->forKind != ForKind::Parallel) || s->kind == StmtKind::If) {
    chain.loops.push_back(s);
    s = s->body[0];
  }
  chain.leaf = s;
  return chain;
}

/// What an update combines its own element with; null when the store is no update.
Expr combinedWith(const StmtNode& store) {
  const Expr& value = store.value;
  switch (value->kind) {
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::Min:
  case ExprKind::Max:
    break;
  default:
    return {};
  }
  const Expr& own = (*value)[0];
  if (own->kind != ExprKind::Load || own->buffer != store.buffer) return {};
  for (std::size_t i = 0; i < own->operands.size(); ++i)
    if (!equalStructure(own->operands[i], store.indices[i])) return {};
  bool readsItself = false;
  visit((*value)[1], [&](const Expr& e) {
    readsItself |= e->kind == ExprKind::Load && e->buffer == store.buffer;
    return !readsItself;
  });
  return readsItself ? Expr() : (*value)[1];
}

bool usesAny(const Expr& e, const std::vector<Stmt>& loops) {
  bool found = false;
  visit(e, [&](const Expr& node) {
    if (node->kind == ExprKind::Var)
      for (const Stmt& loop : loops)
        found |= loop->var == node->var;
    return !found;
  });
  return found;
}

NestLoop toNestLoop(const Stmt& s) {
  return {s->var, s->extent, s->unrollMaxStep};
}

bool isLoopFromZero(const Stmt& s) {
  return s->kind == StmtKind::For && isConst(s->min, 0);
}

/// The neutral element, when `init` stores it to exactly the elements that the loops `spatial`
/// around `update` address.
Expr neutralStoredBy(const Stmt& init, const std::vector<Stmt>& spatial, const StmtNode& update) {
  Chain chain = chainFrom(init);
  const StmtNode& store = *chain.leaf;
  if (store.kind != StmtKind::Store || store.buffer != update.buffer ||
      chain.loops.size() != spatial.size())
    return {};
  if (store.value->kind != ExprKind::FloatImm && store.value->kind != ExprKind::IntImm) return {};
  for (std::size_t i = 0; i < spatial.size(); ++i)
    if (!isLoopFromZero(chain.loops[i]) || chain.loops[i]->extent != spatial[i]->extent) return {};
  for (std::size_t i = 0; i < store.indices.size(); ++i) {
    Expr renamed = substitute(store.indices[i], [&](const Var& v) {
      for (std::size_t l = 0; l < spatial.size(); ++l)
        if (chain.loops[l]->var == v) return Expr(spatial[l]->var);
      return Expr();
    });
    if (!equalStructure(renamed, update.indices[i])) return {};
  }
  return store.value;
}

/// Splits the loops of a chain into: outside, spatial around, reduction, spatial inside.
struct Parts {
  std::vector<Stmt> outside, around, reduction, inside;
  std::vector<Expr> conjuncts;
};

std::optional<Parts> partsOf(const std::vector<Stmt>& loops, int groups) {
  Parts parts;
  std::size_t at = loops.size();
  auto take = [&](bool reduction, std::vector<Stmt>& into) {
    std::size_t before = into.size();
    while (at > 0) {
      const Stmt& s = loops[at - 1];
      if (s->kind == StmtKind::If)
        splitConjunction(s->condition, parts.conjuncts);
      else if (s->reduction != reduction || !isConst(s->min, 0))
        break;
      else
        into.insert(into.begin(), s);
      --at;
    }
    return into.size() > before;
  };
  for (int group = 0; group < groups; ++group) {
    take(false, parts.inside);
    if (!take(true, parts.reduction)) return std::nullopt;
  }
  take(false, parts.around);
  parts.outside.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(at));
  return parts;
}

} // namespace

void visitIntegers(const Expr& e, const std::function<void(const Expr&)>& f) {
  visit(e, [&](const Expr& node) {
    if (node->type.code != DataType::Code::Int || !node->type.isScalar() || readsMemory(node))
      return true; // data, or an index that depends on some
    f(node);
    return false;
  });
}

namespace {

using Coefficients = std::vector<std::optional<std::int64_t>>; // one per integer of the nest

/// Every integer expression of the nest, in affine form.
std::vector<LinearForm> integersOf(const ReductionNest& nest, IndexSimplifier& simplify) {
  std::vector<LinearForm> forms;
  auto add = [&](const Expr& e) {
    visitIntegers(e, [&](const Expr& integer) { forms.push_back(simplify.linear(integer)); });
  };
  for (const Expr& e : nest.update->indices)
    add(e);
  add(nest.operand);
  for (const Expr& e : nest.conditions)
    add(e);
  for (const Expr& e : nest.outerConditions)
    add(e);
  return forms;
}

bool continues(const Coefficients& outer, const Coefficients& inner, std::int64_t innerExtent) {
  for (std::size_t i = 0; i < outer.size(); ++i)
    if (!outer[i] || !inner[i] || *outer[i] != *inner[i] * innerExtent) return false;
  return true;
}

/// Joins what can be joined among `loops`; `adjacent` restricts it to loops next to each other. The
/// variables that became needless are appended to `gone`.
void joinAmong(std::vector<NestLoop>& loops, const std::vector<LinearForm>& forms, bool adjacent,
               std::vector<Var>& gone) {
  std::vector<Coefficients> coefficients;
  for (const NestLoop& loop : loops) {
    Coefficients& row = coefficients.emplace_back();
    for (const LinearForm& form : forms)
      row.push_back(coefficientOf(form, loop.var));
  }
  for (std::size_t inner = loops.size(); inner-- > 1;)
    for (std::size_t outer = inner; outer-- > 0;) {
      if (!continues(coefficients[outer], coefficients[inner], loops[inner].extent)) {
        if (adjacent) break;
        continue;
      }
      gone.push_back(loops[outer].var);
      // The joined loop takes the place of the outer one.
      std::int64_t extent = loops[outer].extent * loops[inner].extent;
      loops[outer] = loops[inner];
      loops[outer].extent = extent;
      coefficients[outer] = coefficients[inner];
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(inner));
      coefficients.erase(coefficients.begin() + static_cast<std::ptrdiff_t>(inner));
      break;
    }
}

} // namespace

void joinLoops(ReductionNest& nest, IndexSimplifier& simplify) {
  std::vector<LinearForm> forms = integersOf(nest, simplify);
  std::vector<Var> gone;
  joinAmong(nest.spatial, forms, false, gone);
  joinAmong(nest.reduction, forms, true, gone);
  for (const NestLoop& loop : nest.spatial)
    simplify.setRange(loop.var, {0, loop.extent - 1});
  for (const NestLoop& loop : nest.reduction)
    simplify.setRange(loop.var, {0, loop.extent - 1});
  if (gone.empty()) return;
  auto drop = [&](const Expr& e) {
    return substitute(e, [&](const Var& v) {
      return std::find(gone.begin(), gone.end(), v) == gone.end() ? Expr() : Expr(0);
    });
  };
  nest.update = mapChildren(nest.update, nullptr, drop);
  nest.operand = drop(nest.operand);
  for (Expr& e : nest.conditions)
    e = drop(e);
  for (Expr& e : nest.outerConditions)
    e = drop(e);
}

Stmt updateOf(const Stmt& s) {
  Chain chain = chainFrom(s);
  bool initialised = chain.leaf->kind == StmtKind::Sequence && chain.leaf->body.size() == 2;
  return initialised ? chain.leaf->body[1] : s;
}

std::optional<ReductionNest> matchReductionNest(const Stmt& s, int groups,
                                                std::vector<Stmt>& outside) {
  Chain chain = chainFrom(s);
  Stmt init;
  if (chain.leaf->kind == StmtKind::Sequence && chain.leaf->body.size() == 2) {
    init = chain.leaf->body[0];
    Chain inner = chainFrom(chain.leaf->body[1]);
    if (inner.loops.empty()) return std::nullopt;
    chain.loops.insert(chain.loops.end(), inner.loops.begin(), inner.loops.end());
    chain.leaf = inner.leaf;
  }
  if (chain.leaf->kind != StmtKind::Store) return std::nullopt;
  ReductionNest nest;
  nest.update = chain.leaf;
  nest.operand = combinedWith(*chain.leaf);
  if (!nest.operand) return std::nullopt;
  std::optional<Parts> parts = partsOf(chain.loops, groups);
  if (!parts) return std::nullopt;
  if (init) {
    // Only when the initialisation comes right before these reduction loops.
    const Stmt& first = chainFrom(s).leaf->body[1];
    if (first != parts->reduction[0]) return std::nullopt;
    nest.neutral = neutralStoredBy(init, parts->inside, *nest.update);
    if (!nest.neutral) return std::nullopt;
    for (const Stmt& s : chainFrom(first).loops)
      if (s->kind == StmtKind::If && !usesAny(s->condition, parts->reduction)) return std::nullopt;
  }
  for (const Expr& index : nest.update->indices)
    if (usesAny(index, parts->reduction)) return std::nullopt;
  outside = parts->outside;
  for (const Expr& e : parts->conjuncts)
    (usesAny(e, parts->reduction) ? nest.conditions : nest.outerConditions).push_back(e);
  for (const Stmt& loop : parts->around)
    nest.spatial.push_back(toNestLoop(loop));
  for (const Stmt& loop : parts->inside)
    nest.spatial.push_back(toNestLoop(loop));
  for (const Stmt& loop : parts->reduction)
    nest.reduction.push_back(toNestLoop(loop));
  return nest;
}

} // namespace nestwright
