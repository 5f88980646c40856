#include "core/tensor/value_bounds.h"

#include "core/support/floor_divide.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

/// Alternatives are tried one by one; beyond so many of them a condition says nothing.
constexpr std::size_t kMostAlternatives = 64;

bool isScalarInteger(const Expr& e) {
  return e->type.isInt() && e->type.isScalar();
}

/// The elements of a constant are known; those of other tensors can be anything.
ValueBounds elementBounds(const Expr& load) {
  const auto definition = load->buffer->definition.lock();
  if (!definition || definition->values.empty()) return boundsOf(load->type);
  const auto [low, high] = std::ranges::minmax(definition->values);
  const ValueBounds type = boundsOf(load->type);
  const bool fits = low >= static_cast<double>(type.low) && high < static_cast<double>(type.high);
  return fits ? ValueBounds{static_cast<WideInt>(low), static_cast<WideInt>(high)} : type;
}

/// The sum, of which it is known that it is at most zero, by the common divisor of its factors:
/// 2x - 2y + 3 <= 0 says that x - y + 2 <= 0.
WideSum tightened(WideSum fact) {
  WideInt common = 0;
  for (const WideSum::Term& term : fact.terms)
    for (WideInt a = magnitude(term.factor); a != 0;)
      common = std::exchange(a, common % a);
  if (common < 2) return fact;
  for (WideSum::Term& term : fact.terms)
    term.factor /= common;
  fact.constant = -floorDivide(-fact.constant, common);
  return fact;
}

ExprKind opposite(ExprKind comparison) {
  switch (comparison) {
  case ExprKind::Eq:
    return ExprKind::Ne;
  case ExprKind::Ne:
    return ExprKind::Eq;
  case ExprKind::Lt:
    return ExprKind::Ge;
  case ExprKind::Le:
    return ExprKind::Gt;
  case ExprKind::Gt:
    return ExprKind::Le;
  default:
    return ExprKind::Lt;
  }
}

} // namespace

BoundsAnalysis::BoundsAnalysis(const OpNode& op) : findings_(1) {
  for (const auto* axes : {&op.axes, &op.reduceAxes})
    for (const Axis& axis : *axes)
      extents_.emplace(axis.var.get(), axis.extent);
}

ValueBounds BoundsAnalysis::bounds(const Expr& e) {
  return bounds(sum(e));
}

bool BoundsAnalysis::staysInType(const Expr& e) {
  return plain(e).isInside(boundsOf(e->type));
}

ValueBounds BoundsAnalysis::plainBounds(const Expr& e) {
  if (const auto known = plain_.find(e.get()); known != plain_.end()) return known->second.value;
  const ValueBounds found = plain(e), type = boundsOf(e->type);
  const ValueBounds bounds = found.isInside(type) ? found : type; // else it wraps around
  plain_.emplace(e.get(), Known<ValueBounds>{e, bounds});
  return bounds;
}

ValueBounds BoundsAnalysis::plain(const Expr& e) {
  const auto operand = [&](std::size_t i) { return plainBounds(e[i]); };
  const std::int64_t* divisor = e->operands.size() == 2 ? asInt(e[1]) : nullptr;
  switch (e->kind) {
  case ExprKind::IntImm:
    return {e->integer, e->integer};
  case ExprKind::Var:
    return {0, WideInt(extents_.at(e->var.get())) - 1};
  case ExprKind::Add:
    return {operand(0).low + operand(1).low, operand(0).high + operand(1).high};
  case ExprKind::Sub:
    return {operand(0).low - operand(1).high, operand(0).high - operand(1).low};
  case ExprKind::Mul:
    return product(operand(0), operand(1));
  case ExprKind::FloorDiv:
    return divisor ? quotientOf(operand(0), *divisor) : boundsOf(e->type);
  case ExprKind::FloorMod:
    return divisor ? remainderOf(operand(0), *divisor) : boundsOf(e->type);
  case ExprKind::Min:
    return {std::min(operand(0).low, operand(1).low), std::min(operand(0).high, operand(1).high)};
  case ExprKind::Max:
    return {std::max(operand(0).low, operand(1).low), std::max(operand(0).high, operand(1).high)};
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return hull(operand(1), operand(2));
  case ExprKind::Cast: {
    if (e[0]->type.isBool()) return {0, 1};
    const bool whole = isScalarInteger(e[0]);
    return whole && operand(0).isInside(boundsOf(e->type)) ? operand(0) : boundsOf(e->type);
  }
  case ExprKind::Call:
    return e->intrinsic == Intrinsic::Abs ? absoluteOf(operand(0)) : boundsOf(e->type);
  case ExprKind::Load:
    return elementBounds(e);
  default:
    return boundsOf(e->type);
  }
}

/// The expression as a sum, or as one atom where a sum could wrap around in its type.
const WideSum& BoundsAnalysis::sum(const Expr& e) {
  const auto known = findings_.back().sums.find(e.get());
  if (known != findings_.back().sums.end()) return known->second.value;
  WideSum result = sumOf(e);
  if (!isSmall(result)) result = single(e);
  if (!staysInType(e)) {
    const ValueBounds range = bounds(result);
    if (!range.isEmpty() && !range.isInside(boundsOf(e->type))) result = single(e);
  }
  return findings_.back().sums.emplace(e.get(), Known<WideSum>{e, result}).first->second.value;
}

WideSum BoundsAnalysis::sumOf(const Expr& e) {
  switch (e->kind) {
  case ExprKind::IntImm:
    return {{}, e->integer};
  case ExprKind::Var:
    return extents_.at(e->var.get()) == 1 ? WideSum{} : single(e);
  case ExprKind::Add:
  case ExprKind::Sub: {
    WideSum result = sum(e[0]);
    add(result, sum(e[1]), e->kind == ExprKind::Add ? 1 : -1);
    joinQuotients(result);
    return result;
  }
  case ExprKind::Mul: {
    const WideSum a = sum(e[0]), b = sum(e[1]);
    if (!a.isConstant() && !b.isConstant()) return single(e);
    WideSum result;
    add(result, a.isConstant() ? b : a, a.isConstant() ? a.constant : b.constant);
    return result;
  }
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod:
    return divided(e);
  case ExprKind::Min:
  case ExprKind::Max:
    return chosen(e);
  case ExprKind::Cast:
    return isScalarInteger(e[0]) && bounds(e[0]).isInside(boundsOf(e->type)) ? sum(e[0])
                                                                             : single(e);
  default:
    return single(e);
  }
}

/// A floor division or remainder: without one, when but for multiples of the divisor all values
/// have the same quotient; else with the whole numerator, of which guards may say something.
WideSum BoundsAnalysis::divided(const Expr& e) {
  const std::int64_t* divisor = asInt(e[1]);
  if (divisor == nullptr || *divisor < 1) return single(e);
  const WideSum whole = sum(e[0]);
  WideSum rest = whole;
  WideSum quotient = takeMultiples(rest, *divisor);
  const ValueBounds range = bounds(rest);
  const WideInt period = floorDivide(range.low, *divisor);
  const bool onePeriod = period == floorDivide(range.high, *divisor);
  if (onePeriod) {
    quotient.constant += period;
    rest.constant -= period * *divisor;
    return e->kind == ExprKind::FloorDiv ? quotient : rest;
  }
  if (magnitude(whole.constant) > std::numeric_limits<std::int64_t>::max()) return single(e);
  const Expr atom = binary(e->kind, expression(whole, e->type), e[1]);
  findings_.back().sums.emplace(atom.get(), Known<WideSum>{atom, single(atom)});
  return single(atom);
}

/// The smaller or the larger of two operands, where it is always the same one.
WideSum BoundsAnalysis::chosen(const Expr& e) {
  const WideSum a = sum(e[0]), b = sum(e[1]);
  WideSum difference = a;
  add(difference, b, -1);
  const ValueBounds sign = bounds(difference);
  const bool least = e->kind == ExprKind::Min;
  if (sign.high <= 0) return least ? a : b;
  if (sign.low >= 0) return least ? b : a;
  return single(e);
}

/// k*c*(x div c) + k*(x mod c) is k*x.
void BoundsAnalysis::joinQuotients(WideSum& result) {
  if (!isSmall(result)) return;
  for (std::size_t i = 0; i < result.terms.size(); ++i) {
    const WideSum::Term remainder = result.terms[i]; // the sum changes below
    if (remainder.atom->kind != ExprKind::FloorMod) continue;
    const std::int64_t* divisor = asInt(remainder.atom[1]);
    if (divisor == nullptr || *divisor < 1) continue;
    const Expr division = floorDiv(remainder.atom[0], remainder.atom[1]);
    if (factorOf(result, division) != remainder.factor * *divisor) continue;
    add(result, division, -remainder.factor * *divisor);
    add(result, remainder.atom, -remainder.factor);
    add(result, sum(remainder.atom[0]), remainder.factor);
    return joinQuotients(result);
  }
}

ValueBounds BoundsAnalysis::bounds(const WideSum& sum) {
  ValueBounds result{sum.constant, sum.constant};
  for (const auto& [atom, factor] : sum.terms) {
    const ValueBounds range = atomBounds(atom);
    if (range.isEmpty()) return range;
    const ValueBounds part = product(range, factor);
    result = {result.low + part.low, result.high + part.high};
  }
  return withoutOneTerm(sum, result);
}

/// What single facts say about the sum as a whole: with g <= 0 it is at most the sum - k*g, and at
/// least the sum + k*g, where k is chosen so that a term goes.
ValueBounds BoundsAnalysis::withoutOneTerm(const WideSum& sum, ValueBounds result) {
  if (sum.terms.size() < 2) return result;
  for (const WideSum& fact : facts_)
    for (const auto& [atom, factor] : sum.terms) {
      const WideInt known = factorOf(fact, atom);
      if (known == 0 || factor % known != 0) continue;
      const WideInt times = factor / known;
      if (magnitude(times) > kLargestMultiplier) continue;
      WideSum rest = sum;
      add(rest, fact, -times);
      ValueBounds range{rest.constant, rest.constant};
      for (const WideSum::Term& term : rest.terms) {
        const ValueBounds part = product(narrowed(term.atom, plainBounds(term.atom)), term.factor);
        range = {range.low + part.low, range.high + part.high};
      }
      if (times > 0)
        result.high = std::min(result.high, range.high);
      else
        result.low = std::max(result.low, range.low);
    }
  return result;
}

ValueBounds BoundsAnalysis::atomBounds(const Expr& atom) {
  const auto known = findings_.back().atoms.find(atom.get());
  if (known != findings_.back().atoms.end()) return known->second.value;
  const ValueBounds result = narrowed(atom, ofAtom(atom));
  findings_.back().atoms.emplace(atom.get(), Known<ValueBounds>{atom, result});
  return result;
}

/// What each fact says about the atom, with all else in the fact as it likes.
ValueBounds BoundsAnalysis::narrowed(const Expr& atom, ValueBounds result) {
  for (const WideSum& fact : facts_) {
    const WideInt factor = factorOf(fact, atom);
    if (factor == 0) continue;
    WideInt least = fact.constant; // of all but the atom
    for (const WideSum::Term& term : fact.terms)
      if (!equalStructure(term.atom, atom))
        least += product(plainBounds(term.atom), term.factor).low;
    if (factor > 0)
      result.high = std::min(result.high, floorDivide(-least, factor));
    else
      result.low = std::max(result.low, -floorDivide(-least, -factor));
  }
  return result;
}

ValueBounds BoundsAnalysis::ofAtom(const Expr& atom) {
  const ValueBounds type = boundsOf(atom->type);
  ValueBounds result = type;
  switch (atom->kind) {
  case ExprKind::Mul: {
    const ValueBounds a = bounds(atom[0]), b = bounds(atom[1]);
    if (a.isEmpty() || b.isEmpty()) return a.isEmpty() ? a : b;
    result = product(a, b);
    break;
  }
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod: {
    const std::int64_t* divisor = asInt(atom[1]);
    if (divisor == nullptr) break;
    const ValueBounds range = bounds(atom[0]);
    if (range.isEmpty()) return range;
    result = atom->kind == ExprKind::FloorDiv ? quotientOf(range, *divisor)
                                              : remainderOf(range, *divisor);
    break;
  }
  case ExprKind::Min:
  case ExprKind::Max:
    return ofExtremum(atom);
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return ofChoice(atom);
  default:
    return plainBounds(atom);
  }
  return result.isInside(type) ? result : type; // else it wraps around
}

/// The smaller of two is at most their mean, which may be known better than either: min(x, 9 - x).
ValueBounds BoundsAnalysis::ofExtremum(const Expr& e) {
  WideSum both = sum(e[0]);
  const WideSum other = sum(e[1]);
  const ValueBounds a = bounds(both), b = bounds(other);
  if (a.isEmpty() || b.isEmpty()) return a.isEmpty() ? a : b;
  add(both, other, 1);
  const ValueBounds total = bounds(both);
  if (e->kind == ExprKind::Min)
    return {std::min(a.low, b.low), std::min({a.high, b.high, floorDivide(total.high, 2)})};
  return {std::max({a.low, b.low, -floorDivide(-total.low, 2)}), std::max(a.high, b.high)};
}

ValueBounds BoundsAnalysis::ofChoice(const Expr& e) {
  ValueBounds result{1, 0};
  for (const bool value : {true, false})
    assuming(e[0], value,
             [&] { result = hull(result, bounds(e[value ? std::size_t(1) : std::size_t(2)])); });
  return result;
}

void BoundsAnalysis::assuming(const Expr& condition, bool value, const std::function<void()>& f) {
  std::vector<Facts> cases = alternatives(condition, value);
  if (cases.size() * splits_ > kMostAlternatives) cases = {{}};
  const std::size_t factCount = facts_.size(), splitsBefore = splits_;
  splits_ *= std::max<std::size_t>(cases.size(), 1);
  for (const Facts& facts : cases) {
    facts_.insert(facts_.end(), facts.begin(), facts.end());
    findings_.emplace_back();
    f();
    findings_.pop_back();
    facts_.erase(facts_.begin() + static_cast<std::ptrdiff_t>(factCount), facts_.end());
  }
  splits_ = splitsBefore;
}

/// Lists of facts of which one holds where the condition is `value`.
std::vector<BoundsAnalysis::Facts> BoundsAnalysis::alternatives(const Expr& condition, bool value) {
  if (const std::int64_t* literal = asInt(condition))
    return (*literal != 0) == value ? std::vector<Facts>{{}} : std::vector<Facts>{};
  if (condition->kind == ExprKind::Not) return alternatives(condition[0], !value);
  if (condition->kind == ExprKind::And || condition->kind == ExprKind::Or) {
    std::vector<Facts> a = alternatives(condition[0], value);
    const std::vector<Facts> b = alternatives(condition[1], value);
    const bool either = (condition->kind == ExprKind::Or) == value;
    if (either) {
      a.insert(a.end(), b.begin(), b.end());
      return a.size() > kMostAlternatives ? std::vector<Facts>{{}} : a;
    }
    if (a.size() * b.size() > kMostAlternatives) return a.size() < b.size() ? a : b;
    std::vector<Facts> both;
    for (const Facts& left : a)
      for (const Facts& right : b) {
        both.push_back(left);
        both.back().insert(both.back().end(), right.begin(), right.end());
      }
    return both;
  }
  const bool compares = condition->kind >= ExprKind::Eq && condition->kind <= ExprKind::Ge;
  if (!compares || !isScalarInteger(condition[0])) return {{}};
  return value ? comparison(condition->kind, condition[0], condition[1])
               : comparison(opposite(condition->kind), condition[0], condition[1]);
}

/// a + distance <= b, and where that bounds one quotient, what it says about the numerator.
BoundsAnalysis::Facts BoundsAnalysis::atMost(const Expr& a, const Expr& b, int distance) {
  WideSum fact = sum(a);
  add(fact, sum(b), -1);
  fact.constant += distance;
  fact = tightened(std::move(fact));
  if (fact.terms.size() != 1 || fact.terms[0].atom->kind != ExprKind::FloorDiv) return {fact};
  const auto [quotient, factor] = fact.terms[0];
  const std::int64_t* divisor = asInt(quotient[1]);
  if (divisor == nullptr || *divisor < 1) return {fact};
  const bool above = factor > 0;
  const WideInt limit = floorDivide(-fact.constant, magnitude(factor));
  // x div d <= limit is x <= limit*d + d - 1; x div d >= -limit is x >= -limit*d.
  WideSum numerator;
  add(numerator, sum(quotient[0]), above ? 1 : -1);
  numerator.constant -= limit * *divisor + (above ? *divisor - 1 : 0);
  return {fact, isSmall(numerator) ? numerator : fact};
}

/// Lists of facts of which one holds where the comparison does.
std::vector<BoundsAnalysis::Facts> BoundsAnalysis::comparison(ExprKind kind, const Expr& a,
                                                              const Expr& b) {
  switch (kind) {
  case ExprKind::Lt:
    return {atMost(a, b, 1)};
  case ExprKind::Le:
    return {atMost(a, b, 0)};
  case ExprKind::Gt:
    return {atMost(b, a, 1)};
  case ExprKind::Ge:
    return {atMost(b, a, 0)};
  case ExprKind::Ne:
    return {atMost(a, b, 1), atMost(b, a, 1)};
  default: {
    Facts both = atMost(a, b, 0);
    const Facts other = atMost(b, a, 0);
    both.insert(both.end(), other.begin(), other.end());
    return {both};
  }
  }
}

} // namespace nestwright
