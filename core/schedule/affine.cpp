#include "core/schedule/affine.h"

#include "core/support/error.h"
#include "core/support/floor_divide.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nestwright {

namespace {

std::int64_t saturated(std::int64_t value) {
  return std::clamp(value, -kUnbounded, kUnbounded);
}

} // namespace

std::int64_t addBounds(std::int64_t a, std::int64_t b) {
  if (a <= -kUnbounded || b <= -kUnbounded) return -kUnbounded;
  if (a >= kUnbounded || b >= kUnbounded) return kUnbounded;
  return saturated(a + b);
}

std::int64_t scaleBound(std::int64_t bound, std::int64_t factor) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(bound, factor, &product))
    return (bound < 0) == (factor < 0) ? kUnbounded : -kUnbounded;
  return saturated(product);
}

void add(Affine& a, const Affine& b, std::int64_t factor) {
  a.constant += b.constant * factor;
  for (const Term& term : b.terms) {
    const auto same = std::find_if(a.terms.begin(), a.terms.end(), [&](const Term& other) {
      return sameAtom(term.atom, other.atom);
    });
    if (same == a.terms.end()) {
      a.terms.push_back({term.atom, term.factor * factor, term.range});
    } else if ((same->factor += term.factor * factor) == 0) {
      a.terms.erase(same);
    }
  }
}

Affine scaled(Affine a, std::int64_t factor) {
  if (factor == 0) return 0;
  a.constant *= factor;
  for (Term& term : a.terms)
    term.factor *= factor;
  return a;
}

IntRange rangeOf(const Affine& a) {
  IntRange sum{a.constant, a.constant};
  for (const Term& term : a.terms) {
    const std::int64_t x = scaleBound(term.range.low, term.factor);
    const std::int64_t y = scaleBound(term.range.high, term.factor);
    sum.low = addBounds(sum.low, std::min(x, y));
    sum.high = addBounds(sum.high, std::max(x, y));
  }
  return sum;
}

Divided divideTerms(const Affine& a, std::int64_t divisor) {
  Divided result;
  for (const Term& term : a.terms) {
    if (term.factor % divisor == 0)
      result.quotient.terms.push_back({term.atom, term.factor / divisor, term.range});
    else
      result.remainder.terms.push_back(term);
  }
  result.quotient.constant = floorDivide(a.constant, divisor);
  result.remainder.constant = floorRemainder(a.constant, divisor);
  return result;
}

namespace {

/// The multiple k when all values of `a` lie in [k * divisor, (k + 1) * divisor).
std::optional<std::int64_t> constantQuotient(const Affine& a, std::int64_t divisor) {
  const IntRange range = rangeOf(a);
  if (!range.isBounded()) return std::nullopt;
  const std::int64_t quotient = floorDivide(range.low, divisor);
  if (quotient != floorDivide(range.high, divisor)) return std::nullopt;
  return quotient;
}

/// a = unit * coarse + fine with 0 <= fine < unit, and unit divides the divisor.
struct Layered {
  std::int64_t unit = 0;
  Affine coarse, fine;
};

std::optional<Layered> layered(const Affine& a, std::int64_t divisor) {
  std::optional<Layered> best;
  for (const Term& term : a.terms) {
    const std::int64_t unit = std::gcd(term.factor, divisor);
    if (unit <= 1 || (best && best->unit >= unit)) continue;
    Divided parts = divideTerms(a, unit);
    if (constantQuotient(parts.remainder, unit) != 0) continue;
    best = Layered{unit, std::move(parts.quotient), std::move(parts.remainder)};
  }
  return best;
}

IntRange quotientRange(IntRange range, std::int64_t divisor) {
  return {range.low <= -kUnbounded ? -kUnbounded : floorDivide(range.low, divisor),
          range.high >= kUnbounded ? kUnbounded : floorDivide(range.high, divisor)};
}

bool isSingleAtom(const Affine& a) {
  return a.terms.size() == 1 && a.constant == 0 && a.terms[0].factor == 1;
}

Expr atomDiv(const Expr& atom, std::int64_t divisor) {
  if (divisor == 1) return atom;
  if (atom->kind == ExprKind::FloorDiv)
    if (const std::int64_t* inner = asInt((*atom)[1]))
      return floorDiv((*atom)[0], intImm(*inner * divisor));
  return floorDiv(atom, intImm(divisor));
}

/// Remainder of an atom, with the remainder moved inside a division.
Expr atomMod(const Expr& atom, std::int64_t divisor) {
  if (atom->kind == ExprKind::FloorMod) {
    if (const std::int64_t* inner = asInt((*atom)[1])) {
      if (*inner % divisor == 0) return atomMod((*atom)[0], divisor);
      if (divisor % *inner == 0) return atom;
    }
  } else if (atom->kind == ExprKind::FloorDiv) {
    if (const std::int64_t* inner = asInt((*atom)[1]))
      return floorDiv(atomMod((*atom)[0], *inner * divisor), intImm(*inner));
  }
  return floorMod(atom, intImm(divisor));
}

} // namespace

Affine floorDiv(const Affine& a, std::int64_t divisor) {
  if (divisor == 1) return a;
  Divided parts = divideTerms(a, divisor);
  Affine result = std::move(parts.quotient);
  const Affine& rest = parts.remainder;
  if (const auto quotient = constantQuotient(rest, divisor)) {
    result.constant += *quotient;
  } else if (const auto layers = layered(rest, divisor)) {
    add(result, floorDiv(layers->coarse, divisor / layers->unit));
  } else {
    const IntRange range = quotientRange(rangeOf(rest), divisor);
    const Expr atom = isSingleAtom(rest) ? atomDiv(rest.terms[0].atom, divisor)
                                         : floorDiv(toExpr(rest), intImm(divisor));
    add(result, Affine(atom, range));
  }
  return result;
}

Affine floorMod(const Affine& a, std::int64_t divisor, FusedVariable knowledge) {
  if (divisor == 1) return 0;
  const bool hidden = knowledge == FusedVariable::UnknownRange && isSingleAtom(a);
  Affine rest = divideTerms(a, divisor).remainder;
  const auto quotient = hidden ? std::nullopt : constantQuotient(rest, divisor);
  if (quotient) {
    rest.constant -= *quotient * divisor;
    return rest;
  }
  if (const auto layers = layered(rest, divisor)) {
    Affine result = scaled(floorMod(layers->coarse, divisor / layers->unit), layers->unit);
    add(result, layers->fine);
    return result;
  }
  IntRange range{0, divisor - 1};
  if (!isSingleAtom(rest)) return {floorMod(toExpr(rest), intImm(divisor)), range};
  const Term& term = rest.terms[0];
  if (term.range.low >= 0) range.high = std::min(range.high, term.range.high);
  return {atomMod(term.atom, divisor), range};
}

namespace {

/// A part of an index: floor((x mod modulus) / unit). Without a division the unit is 1.
struct Digits {
  Expr of;
  std::int64_t modulus = 0, unit = 1;
};

std::optional<Digits> digitsOf(const Expr& atom) {
  Digits digits;
  const Expr* reduced = &atom;
  if (atom->kind == ExprKind::FloorDiv) {
    const std::int64_t* unit = asInt((*atom)[1]);
    if (unit == nullptr || *unit < 1) return std::nullopt;
    digits.unit = *unit;
    reduced = &(*atom)[0];
  }
  if ((*reduced)->kind != ExprKind::FloorMod) return std::nullopt;
  const std::int64_t* modulus = asInt((**reduced)[1]);
  if (modulus == nullptr || *modulus < 1 || *modulus % digits.unit != 0) return std::nullopt;
  digits.of = (**reduced)[0];
  digits.modulus = *modulus;
  return digits;
}

/// The term that the two are together, if they belong together: the digits of x below c, and c
/// times the division by c of x or of a remainder of x. Digits may be counted in units that divide
/// c: (x / 12) * 3 + (x % 12) / 4 is x / 4.
std::optional<Term> joined(const Term& division, const Term& rest) {
  if (division.atom->kind != ExprKind::FloorDiv) return std::nullopt;
  const std::int64_t* divisor = asInt((*division.atom)[1]);
  const std::optional<Digits> low = digitsOf(rest.atom);
  if (divisor == nullptr || !low || *divisor != low->modulus) return std::nullopt;
  const std::int64_t steps = *divisor / low->unit;
  if (division.factor != rest.factor * steps) return std::nullopt;
  const Expr& divided = (*division.atom)[0];
  bool same = sameAtom(divided, low->of);
  if (!same && divided->kind == ExprKind::FloorMod) {
    const std::int64_t* outer = asInt((*divided)[1]);
    same = outer != nullptr && *outer % *divisor == 0 && sameAtom((*divided)[0], low->of);
  }
  if (!same) return std::nullopt;
  const auto whole = [&](std::int64_t quotient, std::int64_t below) {
    return addBounds(scaleBound(quotient, steps), below);
  };
  const IntRange& q = division.range;
  return Term{
      atomDiv(divided, low->unit), rest.factor, {whole(q.low, 0), whole(q.high, steps - 1)}};
}

} // namespace

Affine recombined(Affine a) {
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    for (std::size_t j = 0; j < a.terms.size(); ++j) {
      if (const auto term = joined(a.terms[i], a.terms[j])) {
        Affine rest = std::move(a);
        rest.terms[i] = *term;
        rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(j));
        Affine result(rest.constant);
        for (const Term& kept : rest.terms) {
          Affine single(kept.atom, kept.range);
          add(result, single, kept.factor);
        }
        return recombined(std::move(result));
      }
    }
  }
  return a;
}

Expr toExpr(const Affine& a) {
  Expr sum;
  const auto append = [&](const Expr& atom, std::int64_t factor) {
    const std::int64_t size = factor < 0 ? -factor : factor;
    const Expr product = size == 1 ? atom : atom * intImm(size);
    if (!sum)
      sum = factor < 0 ? atom * intImm(factor) : product;
    else
      sum = factor < 0 ? sum - product : sum + product;
  };
  // A positive term goes first if there is one: "b - a" reads better than "a*-1 + b".
  const auto first = std::find_if(a.terms.begin(), a.terms.end(),
                                  [](const Term& term) { return term.factor > 0; });
  if (first != a.terms.end())
    append(first->atom, first->factor);
  else if (a.constant > 0 || a.terms.empty())
    sum = intImm(a.constant);
  const bool constantFirst = first == a.terms.end() && static_cast<bool>(sum);
  for (auto term = a.terms.begin(); term != a.terms.end(); ++term)
    if (term != first) append(term->atom, term->factor);
  if (constantFirst || a.constant == 0) return sum;
  return a.constant < 0 ? sum - intImm(-a.constant) : sum + intImm(a.constant);
}

} // namespace nestwright
