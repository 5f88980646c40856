#include "core/lower/index_simplifier.h"

#include "core/support/error.h"
#include "core/support/floor_divide.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nestwright {
namespace {

std::int64_t saturate(__int128 value) {
  constexpr __int128 bound = ValueRange::kUnbounded;
  return static_cast<std::int64_t>(std::clamp(value, -bound, bound));
}

/// As numbers of the program do: they wrap around.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Whether sums and differences with it stay far from where integers wrap around, as those of
/// indices do but for literals.
bool isModest(const LinearForm& form) {
  const auto isSmall = [](std::int64_t number) { return ValueRange().contains(number); };
  return isSmall(form.constant) && std::ranges::all_of(form.terms, [&](const auto& term) {
           return isSmall(term.coefficient);
         });
}

/// Of variables and numbers alone.
bool isOfLoops(const Expr& e) {
  switch (e->kind) {
  case ExprKind::IntImm:
  case ExprKind::Var:
    return true;
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod:
  case ExprKind::Min:
  case ExprKind::Max:
    return std::ranges::all_of(e->operands, isOfLoops);
  default:
    return false;
  }
}

/// Of integers that are data: without the sums and products that change nothing.
Expr withoutNeutralOperands(const Expr& e) {
  const auto isNumber = [&](int operand, std::int64_t number) {
    const std::int64_t* value = asInt((*e)[operand]);
    return value != nullptr && *value == number;
  };
  switch (e->kind) {
  case ExprKind::Add:
    return isNumber(1, 0) ? (*e)[0] : isNumber(0, 0) ? (*e)[1] : e;
  case ExprKind::Sub:
    return isNumber(1, 0) ? (*e)[0] : e;
  case ExprKind::Mul:
    return isNumber(1, 1) ? (*e)[0] : isNumber(0, 1) ? (*e)[1] : e;
  default:
    return e;
  }
}

void addTerm(LinearForm& form, const Expr& atom, std::int64_t coefficient) {
  for (auto term = form.terms.begin(); term != form.terms.end(); ++term) {
    if (!sameAtom(term->atom, atom)) continue;
    term->coefficient = wrappingSum(term->coefficient, coefficient);
    if (term->coefficient == 0) form.terms.erase(term);
    return;
  }
  if (coefficient != 0) form.terms.push_back({atom, coefficient});
}

void addScaled(LinearForm& form, const LinearForm& other, std::int64_t factor) {
  for (const auto& term : other.terms)
    addTerm(form, term.atom, wrappingProduct(term.coefficient, factor));
  form.constant = wrappingSum(form.constant, wrappingProduct(other.constant, factor));
}

LinearForm atomForm(Expr atom) {
  LinearForm form;
  form.type = atom->type;
  form.terms.push_back({std::move(atom), 1});
  return form;
}

/// Splits off the terms whose coefficient is a multiple of `divisor`, and the constant's multiple.
LinearForm takeMultiples(LinearForm& form, std::int64_t divisor) {
  LinearForm multiples;
  multiples.type = form.type;
  std::erase_if(form.terms, [&](const LinearForm::Term& term) {
    if (term.coefficient % divisor != 0) return false;
    multiples.terms.push_back(term);
    return true;
  });
  std::int64_t quotient = floorDivide(form.constant, divisor);
  multiples.constant = quotient * divisor;
  form.constant -= multiples.constant;
  return multiples;
}

LinearForm divided(LinearForm form, std::int64_t divisor) {
  for (auto& term : form.terms)
    term.coefficient /= divisor;
  form.constant /= divisor;
  return form;
}

LinearForm multiplied(LinearForm form, std::int64_t factor) {
  for (auto& term : form.terms)
    term.coefficient = wrappingProduct(term.coefficient, factor);
  std::erase_if(form.terms, [](const LinearForm::Term& term) { return term.coefficient == 0; });
  form.constant = wrappingProduct(form.constant, factor);
  return form;
}

/// Divisors of `divisor` that occur as coefficients, largest first: where a sum of tiles may be cut
/// into whole tiles and a position inside one.
std::vector<std::int64_t> tileSizes(const LinearForm& form, std::int64_t divisor) {
  std::vector<std::int64_t> sizes;
  for (const auto& term : form.terms) {
    std::int64_t size = std::gcd(term.coefficient, divisor);
    if (size > 1 && size < divisor) sizes.push_back(size);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Whether `a` is `factor` times `b`, constants aside.
bool hasTermsOf(const LinearForm& a, const LinearForm& b, std::int64_t factor) {
  return a.terms.size() == b.terms.size() &&
         std::all_of(a.terms.begin(), a.terms.end(), [&](const LinearForm::Term& term) {
           return std::any_of(b.terms.begin(), b.terms.end(), [&](const LinearForm::Term& other) {
             return term.coefficient == factor * other.coefficient &&
                    sameAtom(term.atom, other.atom);
           });
         });
}

/// What sums and products say nothing of where they wrap around. Those of data may, anywhere.
bool isOrdered(ExprKind kind) {
  return kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod || kind == ExprKind::Min ||
         kind == ExprKind::Max;
}

/// What is no sum, and may hold the like.
bool bends(ExprKind kind) {
  switch (kind) {
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return true;
  default:
    return isOrdered(kind);
  }
}

} // namespace

Expr toExpr(const LinearForm& form) {
  // The lowest number of all has no positive counterpart.
  const auto isTakenAway = [](std::int64_t number) {
    return number < 0 && number != std::numeric_limits<std::int64_t>::min();
  };
  Expr sum;
  for (const auto& [atom, coefficient] : form.terms) {
    const bool minus = sum.get() != nullptr && isTakenAway(coefficient);
    const std::int64_t factor = minus ? -coefficient : coefficient;
    Expr term = factor == 1 ? atom : atom * intImm(factor, form.type);
    sum = sum.get() == nullptr ? term : minus ? sum - term : sum + term;
  }
  if (sum.get() == nullptr) return intImm(form.constant, form.type);
  if (isTakenAway(form.constant)) return sum - intImm(-form.constant, form.type);
  return form.constant == 0 ? sum : sum + intImm(form.constant, form.type);
}

std::optional<std::int64_t> coefficientOf(const LinearForm& form, const Var& var) {
  std::int64_t coefficient = 0;
  for (const auto& term : form.terms)
    if (term.atom->kind == ExprKind::Var) {
      if (term.atom->var == var) coefficient = term.coefficient;
    } else if (uses(term.atom, var)) {
      return std::nullopt;
    }
  return coefficient;
}

bool usesAny(const Expr& e, const std::vector<Var>& vars) {
  return std::ranges::any_of(vars, [&](const Var& var) { return uses(e, var); });
}

bool sameTerms(const LinearForm& a, const LinearForm& b) {
  return a.terms.size() == b.terms.size() &&
         std::ranges::all_of(a.terms, [&](const LinearForm::Term& term) {
           return std::ranges::any_of(b.terms, [&](const LinearForm::Term& other) {
             return term.coefficient == other.coefficient && equalStructure(term.atom, other.atom);
           });
         });
}

void IndexSimplifier::forget() {
  if (!forms_.empty()) forms_.clear();
  if (!atomRanges_.empty()) atomRanges_.clear();
}

void IndexSimplifier::setRange(const Var& var, ValueRange range) {
  ranges_[var.get()] = range;
  forget();
}

void IndexSimplifier::rememberSums() {
  remembersSums_ = true;
  forget();
}

Expr IndexSimplifier::operator()(const Expr& e) {
  switch (e->kind) {
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
  case ExprKind::Var:
    return e;
  default:
    break;
  }
  if (e->type.isBool() && e->type.isScalar()) return condition(e);
  if (e->kind == ExprKind::Select || e->kind == ExprKind::IfThenElse) {
    Expr decision = (*this)((*e)[0]);
    if (const std::int64_t* value = asInt(decision)) return (*this)((*e)[*value ? 1 : 2]);
    Expr then;
    // Both sides of a select are evaluated: what is read there must stay inside of its buffer where
    // the condition does not hold, too.
    if (e->kind == ExprKind::Select && readsMemory((*e)[1]))
      then = (*this)((*e)[1]);
    else
      assuming(decision, [&] { then = (*this)((*e)[1]); });
    Expr otherwise = (*this)((*e)[2]);
    int next = 0;
    return mapOperands(e, [&](const Expr&) {
      ++next;
      return next == 1 ? decision : next == 2 ? then : otherwise;
    });
  }
  if (isIndex(e)) {
    Expr simple = toExpr(linear(e));
    return equalStructure(simple, e) ? e : simple;
  }
  const Expr simple = mapOperands(e, [this](const Expr& operand) { return (*this)(operand); });
  return e->type.isInt() && e->type.isScalar() ? withoutNeutralOperands(simple) : simple;
}

bool IndexSimplifier::isIndex(const Expr& e) {
  return e->type == kInt64 || (e->type == kInt32 && isOfLoops(e));
}

LinearForm IndexSimplifier::linear(const Expr& e) {
  if (!bends(e->kind)) return computedLinear(e);
  if (const auto known = forms_.find(e.get()); known != forms_.end()) return known->second.second;
  LinearForm form = computedLinear(e);
  forms_.try_emplace(e.get(), e, form);
  return form;
}

LinearForm IndexSimplifier::computedLinear(const Expr& e) {
  LinearForm form;
  form.type = e->type;
  if (isOrdered(e->kind) && readsMemory(e))
    return atomForm(mapOperands(e, [this](const Expr& operand) { return (*this)(operand); }));
  switch (e->kind) {
  case ExprKind::IntImm:
    form.constant = e->integer;
    return form;
  case ExprKind::Var:
    return atomForm(e);
  case ExprKind::Add:
  case ExprKind::Sub:
    form = linear((*e)[0]);
    addScaled(form, linear((*e)[1]), e->kind == ExprKind::Add ? 1 : -1);
    joinQuotients(form);
    return form;
  case ExprKind::Mul: {
    LinearForm a = linear((*e)[0]), b = linear((*e)[1]);
    if (a.isConstant()) return multiplied(std::move(b), a.constant);
    if (b.isConstant()) return multiplied(std::move(a), b.constant);
    return atomForm(toExpr(a) * toExpr(b));
  }
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod: {
    LinearForm a = linear((*e)[0]), b = linear((*e)[1]);
    bool quotient = e->kind == ExprKind::FloorDiv;
    if (b.isConstant() && b.constant > 0 && isModest(a))
      return quotient ? floorDiv(std::move(a), b.constant) : floorMod(std::move(a), b.constant);
    return atomForm(binary(e->kind, toExpr(a), toExpr(b)));
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    LinearForm a = linear((*e)[0]), b = linear((*e)[1]);
    const std::optional<LinearForm> apart = difference(a, b);
    const ValueRange sign = apart ? range(*apart) : ValueRange();
    bool smaller = e->kind == ExprKind::Min;
    if (sign.high <= 0) return smaller ? a : b;
    if (sign.low >= 0) return smaller ? b : a;
    return atomForm(binary(e->kind, toExpr(a), toExpr(b)));
  }
  case ExprKind::Select:
  case ExprKind::IfThenElse: {
    Expr decision = (*this)((*e)[0]);
    if (const std::int64_t* value = asInt(decision)) return linear((*e)[*value ? 1 : 2]);
    break;
  }
  default:
    break;
  }
  return atomForm(mapOperands(e, [this](const Expr& operand) { return (*this)(operand); }));
}

LinearForm IndexSimplifier::floorDiv(LinearForm numerator, std::int64_t divisor) {
  if (divisor == 1) return numerator;
  LinearForm result = divided(takeMultiples(numerator, divisor), divisor);
  ValueRange rest = range(numerator);
  std::int64_t quotient = floorDivide(rest.low, divisor);
  if (quotient == floorDivide(rest.high, divisor)) {
    result.constant += quotient;
    return result;
  }
  for (std::int64_t size : tileSizes(numerator, divisor)) {
    LinearForm inside = numerator;
    LinearForm tiles = takeMultiples(inside, size);
    ValueRange position = range(inside);
    if (position.low < 0 || position.high >= size) continue;
    addScaled(result, floorDiv(divided(std::move(tiles), size), divisor / size), 1);
    return result;
  }
  if (numerator.constant == 0 && numerator.terms.size() == 1 &&
      numerator.terms[0].coefficient == 1 && numerator.terms[0].atom->kind == ExprKind::FloorDiv) {
    const Expr& inner = numerator.terms[0].atom;
    if (const std::int64_t* value = asInt((*inner)[1]); value && *value > 0) {
      addScaled(result, floorDiv(linear((*inner)[0]), *value * divisor), 1);
      return result;
    }
  }
  addTerm(result, nestwright::floorDiv(toExpr(numerator), intImm(divisor, numerator.type)), 1);
  return result;
}

LinearForm IndexSimplifier::floorMod(LinearForm numerator, std::int64_t divisor) {
  LinearForm result;
  result.type = numerator.type;
  if (divisor == 1) return result;
  takeMultiples(numerator, divisor);
  ValueRange rest = range(numerator);
  std::int64_t quotient = floorDivide(rest.low, divisor);
  if (quotient == floorDivide(rest.high, divisor)) {
    numerator.constant -= quotient * divisor;
    return numerator;
  }
  for (std::int64_t size : tileSizes(numerator, divisor)) {
    LinearForm inside = numerator;
    LinearForm tiles = takeMultiples(inside, size);
    ValueRange position = range(inside);
    if (position.low < 0 || position.high >= size) continue;
    addScaled(result, floorMod(divided(std::move(tiles), size), divisor / size), size);
    addScaled(result, inside, 1);
    return result;
  }
  // (x mod (m * divisor)) mod divisor is x mod divisor
  if (numerator.constant == 0 && numerator.terms.size() == 1 &&
      numerator.terms[0].coefficient == 1 && numerator.terms[0].atom->kind == ExprKind::FloorMod) {
    const Expr& inner = numerator.terms[0].atom;
    if (const std::int64_t* value = asInt((*inner)[1]); value && *value % divisor == 0)
      return floorMod(linear((*inner)[0]), divisor);
  }
  addTerm(result, nestwright::floorMod(toExpr(numerator), intImm(divisor, numerator.type)), 1);
  return result;
}

/// k*c*(x div c) + k*(x mod c) is k*x: undoes the fusing of loops.
void IndexSimplifier::joinQuotients(LinearForm& form) {
  for (std::size_t m = 0; m < form.terms.size(); ++m) {
    Expr remainder = form.terms[m].atom;
    if (remainder->kind != ExprKind::FloorMod) continue;
    const std::int64_t* divisor = asInt((*remainder)[1]);
    if (divisor == nullptr || *divisor <= 0) continue;
    std::int64_t factor = form.terms[m].coefficient;
    LinearForm quotient = floorDiv(linear((*remainder)[0]), *divisor);
    if (quotient.terms.size() != 1 || quotient.constant != 0 || quotient.terms[0].coefficient != 1)
      continue;
    for (const auto& term : form.terms) {
      if (term.coefficient != factor * *divisor || !sameAtom(term.atom, quotient.terms[0].atom))
        continue;
      addTerm(form, Expr(term.atom), -factor * *divisor);
      addTerm(form, remainder, -factor);
      addScaled(form, linear((*remainder)[0]), factor);
      joinQuotients(form);
      return;
    }
  }
}

std::optional<LinearForm> IndexSimplifier::difference(LinearForm a, const LinearForm& b) {
  if (!isModest(a) || !isModest(b)) return std::nullopt;
  addScaled(a, b, -1);
  joinQuotients(a);
  return a;
}

ValueRange IndexSimplifier::range(const Expr& e) {
  return range(linear(e));
}

ValueRange IndexSimplifier::range(const LinearForm& form) {
  __int128 low = form.constant, high = form.constant;
  bool hasLow = true, hasHigh = true;
  for (const auto& [atom, coefficient] : form.terms) {
    ValueRange r = rangeOfAtom(atom);
    const bool knowsLow = r.low > -ValueRange::kUnbounded,
               knowsHigh = r.high < ValueRange::kUnbounded;
    hasLow = hasLow && (coefficient > 0 ? knowsLow : knowsHigh);
    hasHigh = hasHigh && (coefficient > 0 ? knowsHigh : knowsLow);
    __int128 a = static_cast<__int128>(r.low) * coefficient;
    __int128 b = static_cast<__int128>(r.high) * coefficient;
    low += std::min(a, b);
    high += std::max(a, b);
  }
  if (!hasLow) low = -ValueRange::kUnbounded;
  if (!hasHigh) high = ValueRange::kUnbounded;
  for (const LinearForm& known : belowZero_) {
    const __int128 below = known.constant + 1;
    if (hasTermsOf(form, known, 1)) high = std::min(high, form.constant - below);
    if (hasTermsOf(form, known, -1)) low = std::max(low, form.constant + below);
  }
  return {saturate(low), saturate(high)};
}

ValueRange IndexSimplifier::rangeOfAtom(const Expr& atom) {
  if (!bends(atom->kind)) return computedRange(atom);
  if (const auto known = atomRanges_.find(atom.get()); known != atomRanges_.end())
    return known->second.second;
  const ValueRange range = computedRange(atom);
  atomRanges_.try_emplace(atom.get(), atom, range);
  return range;
}

ValueRange IndexSimplifier::computedRange(const Expr& atom) {
  switch (atom->kind) {
  case ExprKind::Var: {
    auto found = ranges_.find(atom->var.get());
    return found == ranges_.end() ? ValueRange{} : found->second;
  }
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod: {
    const std::int64_t* divisor = asInt((*atom)[1]);
    if (divisor == nullptr || *divisor <= 0) return {};
    if (atom->kind == ExprKind::FloorMod) return {0, *divisor - 1};
    ValueRange r = range((*atom)[0]);
    return {r.low == -ValueRange::kUnbounded ? r.low : floorDivide(r.low, *divisor),
            r.high == ValueRange::kUnbounded ? r.high : floorDivide(r.high, *divisor)};
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    ValueRange a = range((*atom)[0]), b = range((*atom)[1]);
    if (atom->kind == ExprKind::Min) return {std::min(a.low, b.low), std::min(a.high, b.high)};
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
  case ExprKind::Select:
  case ExprKind::IfThenElse: {
    ValueRange a = range((*atom)[1]), b = range((*atom)[2]);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  default:
    return {};
  }
}

} // namespace nestwright
