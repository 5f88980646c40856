#include "plugins/llvm/addresses.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <utility>

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

/// What two references to one value share: the variable, or the interned expression.
const void* identityOf(const Expr& atom) {
  if (atom->kind == ExprKind::Var) return atom->var.get();
  return atom.get();
}

/// True when the expression depends on its variables alone and may be computed at any place where
/// these are known.
bool isPure(const Expr& e) {
  bool pure = true;
  visit(e, [&](const Expr& node) {
    switch (node->kind) {
    case ExprKind::Load:
    case ExprKind::Call:
    case ExprKind::IfThenElse:
      pure = false;
      break;
    case ExprKind::Div:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      pure = pure && asInt((*node)[1]); // anything else might be zero
      break;
    default:
      break;
    }
    return pure;
  });
  return pure;
}

/// Equal for expressions of equal structure.
std::size_t shapeOf(const Expr& e) {
  std::size_t hash = 0;
  const auto add = [&](std::size_t value) { hash = hash * 1099511628211u + value; };
  visit(e, [&](const Expr& node) {
    add(static_cast<std::size_t>(node->kind));
    add(static_cast<std::size_t>(node->integer));
    add(reinterpret_cast<std::size_t>(node->var.get()));
    return true;
  });
  return hash;
}

} // namespace

bool Addresses::addLinear(LinearForm& form, const Expr& e, std::int64_t scale) {
  if (const auto literal = scopes_.constantOf(e)) {
    form.constant += scale * *literal;
    return true;
  }
  switch (e->kind) {
  case ExprKind::Add:
    return addLinear(form, (*e)[0], scale) && addLinear(form, (*e)[1], scale);
  case ExprKind::Sub:
    return addLinear(form, (*e)[0], scale) && addLinear(form, (*e)[1], -scale);
  case ExprKind::Mul:
    if (const auto factor = scopes_.constantOf((*e)[1]))
      return addLinear(form, (*e)[0], scale * *factor);
    if (const auto factor = scopes_.constantOf((*e)[0]))
      return addLinear(form, (*e)[1], scale * *factor);
    break;
  case ExprKind::Broadcast:
    return addLinear(form, (*e)[0], scale);
  case ExprKind::Ramp: {
    const auto stride = scopes_.constantOf((*e)[1]);
    if (!stride) return false;
    form.laneStride += scale * *stride;
    return addLinear(form, (*e)[0], scale);
  }
  default:
    break;
  }
  if (!e->type.isScalar()) return false;
  const Expr atom = e->kind == ExprKind::Var ? e : canonicalAtom(e);
  if (const auto* literal = asInt(atom)) {
    form.constant += scale * *literal;
    return true;
  }
  const auto same = std::find_if(form.terms.begin(), form.terms.end(), [&](const auto& term) {
    return identityOf(term.atom) == identityOf(atom);
  });
  if (same != form.terms.end())
    same->coefficient += scale;
  else
    form.terms.push_back({atom, scale});
  return true;
}

/// The same node for equal expressions, so that what is computed for one serves all.
Expr Addresses::canonicalAtom(const Expr& e) {
  // A literal loop variable differs between copies of an unrolled body; it becomes part of the
  // expression.
  Expr bound = substitute(e, [&](const Var& var) -> Expr {
    const auto literal = scopes_.constantOf(Expr(var));
    return literal ? intImm(*literal, var->type) : Expr();
  });
  for (const Expr& known : atoms_[shapeOf(bound)])
    if (equalStructure(known, bound)) return known;
  atoms_[shapeOf(bound)].push_back(bound);
  return bound;
}

bool sameTerms(const LinearForm& a, const LinearForm& b) {
  return a.laneStride == b.laneStride &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const LinearForm::Term& x, const LinearForm::Term& y) {
                      return x.coefficient == y.coefficient && equalStructure(x.atom, y.atom);
                    });
}

std::optional<LinearForm> Addresses::linearIndex(const Buffer& buffer,
                                                 const std::vector<Expr>& indices) {
  LinearForm form;
  if (indices.size() == 1) { // one dimension, or flattened by the lowering
    if (!addLinear(form, indices[0], 1)) return std::nullopt;
    std::erase_if(form.terms, [](const LinearForm::Term& t) { return t.coefficient == 0; });
    return form;
  }
  if (indices.size() != buffer->shape.size())
    throw Error(fmt::format("buffer {} has {} but is accessed with {} indices", buffer->name,
                            quantity(std::ssize(buffer->shape), "dimension"), indices.size()));
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    if (!addLinear(form, indices[d], stride)) return std::nullopt;
    stride *= buffer->shape.empty() ? 1 : buffer->shape[d];
  }
  std::erase_if(form.terms, [](const LinearForm::Term& t) { return t.coefficient == 0; });
  return form;
}

Value* Addresses::pointerTo(const Buffer& buffer) const {
  const auto found = pointers_.find(buffer.get());
  if (found != pointers_.end()) return found->second;
  const auto constant = module_.constants.find(buffer.get());
  if (constant != module_.constants.end()) return constant->second;
  throw Error(fmt::format("the kernel uses buffer {} where it is not allocated", buffer->name));
}

Value* Addresses::product(const LinearForm::Term& term) {
  Value* factor = builder_.CreateSExtOrTrunc(emit_(term.atom), builder_.getInt64Ty());
  return builder_.CreateNSWMul(factor, builder_.getInt64(term.coefficient));
}

Addresses::Sum Addresses::sumOf(std::vector<LinearForm::Term> terms) {
  // Outer variables first: each partial sum is then invariant in the loops further in.
  std::vector<std::pair<int, LinearForm::Term>> ordered;
  for (LinearForm::Term& term : terms)
    ordered.emplace_back(scopes_.depthOf(term.atom), std::move(term));
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  Sum sum;
  for (const auto& [depth, term] : ordered) {
    sum.depth = depth;
    sum.key.emplace_back(identityOf(term.atom), term.coefficient);
    sum.nonNegative = sum.nonNegative && term.coefficient > 0 && scopes_.isNonNegative(term.atom);
    Value*& known = scopes_.remembered(depth, sum.key);
    if (!known) {
      builder_.SetInsertPoint(scopes_.placeIn(depth));
      Value* added = product(term);
      known = sum.value ? builder_.CreateNSWAdd(sum.value, added) : added;
    }
    sum.value = known;
  }
  return sum;
}

Value* Addresses::at(const Buffer& buffer, const LinearForm& form) {
  std::vector<LinearForm::Term> pure, impure;
  for (const LinearForm::Term& term : form.terms)
    (isPure(term.atom) ? pure : impure).push_back(term);
  Sum sum = sumOf(std::move(pure));
  bool nonNegative = sum.nonNegative && form.constant >= 0;
  llvm::Type* element = memoryType(module_.llvm(), buffer->type.element());
  Value* pointer = pointerTo(buffer);
  if (sum.value) {
    sum.key.emplace_back(buffer.get(), 0);
    Value*& known = scopes_.remembered(sum.depth, sum.key);
    if (!known) {
      const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
      builder_.SetInsertPoint(scopes_.placeIn(sum.depth));
      known = builder_.CreateGEP(element, pointer, sum.value, "", nonNegative && impure.empty());
    }
    pointer = known;
  }
  // What reads memory is computed anew each time: the memory may have changed.
  for (const LinearForm::Term& term : impure) {
    pointer = builder_.CreateGEP(element, pointer, product(term));
    nonNegative = false;
  }
  if (form.constant == 0) return pointer;
  return builder_.CreateGEP(element, pointer, builder_.getInt64(form.constant), "", nonNegative);
}

Value* Addresses::ofLanes(const Buffer& buffer, const std::vector<Expr>& indices, int lanes) {
  auto* wide = llvm::FixedVectorType::get(builder_.getInt64Ty(), static_cast<unsigned>(lanes));
  Value* offset = llvm::ConstantAggregateZero::get(wide);
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    Value* index = builder_.CreateSExtOrTrunc(splat(builder_, emit_(indices[d]), lanes), wide);
    Value* step = llvm::ConstantVector::getSplat(
        llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)), builder_.getInt64(stride));
    offset = builder_.CreateNSWAdd(offset, builder_.CreateNSWMul(index, step));
    stride *= buffer->shape.empty() ? 1 : buffer->shape[d];
  }
  return builder_.CreateGEP(memoryType(module_.llvm(), buffer->type.element()), pointerTo(buffer),
                            offset);
}

} // namespace nestwright::llvm_backend
