#include "core/tensor/wide_sum.h"

#include "core/support/floor_divide.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr WideInt kLargestFactor = WideInt(1) << 40;
constexpr WideInt kLargestConstant = WideInt(1) << 64;

WideInt product(WideInt a, WideInt b) {
  WideInt result = 0;
  constexpr WideInt kBeyondAll = WideInt(1) << 126;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? kBeyondAll : -kBeyondAll;
  return result;
}

} // namespace

WideInt magnitude(WideInt value) {
  return value < 0 ? -value : value;
}

ValueBounds boundsOf(DataType type) {
  if (type.isBool()) return {0, 1};
  if (type.code == DataType::Code::UInt) return {0, (WideInt(1) << type.bits) - 1};
  const WideInt half = WideInt(1) << (type.bits - 1);
  return {-half, half - 1};
}

ValueBounds hull(const ValueBounds& a, const ValueBounds& b) {
  if (a.isEmpty()) return b;
  if (b.isEmpty()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

ValueBounds product(const ValueBounds& a, const ValueBounds& b) {
  const auto [low, high] = std::minmax({product(a.low, b.low), product(a.low, b.high),
                                        product(a.high, b.low), product(a.high, b.high)});
  return {low, high};
}

ValueBounds product(const ValueBounds& a, WideInt factor) {
  return product(a, {factor, factor});
}

ValueBounds quotientOf(const ValueBounds& a, std::int64_t divisor) {
  if (divisor == 0) return {0, 0};
  const auto [low, high] = std::minmax({floorDivide(a.low, divisor), floorDivide(a.high, divisor)});
  return {low, high};
}

ValueBounds remainderOf(const ValueBounds& a, std::int64_t divisor) {
  if (divisor == 0) return {0, 0};
  const WideInt period = floorDivide(a.low, divisor);
  if (period == floorDivide(a.high, divisor))
    return {a.low - period * divisor, a.high - period * divisor};
  return divisor > 0 ? ValueBounds{0, WideInt(divisor) - 1} : ValueBounds{WideInt(divisor) + 1, 0};
}

ValueBounds absoluteOf(const ValueBounds& a) {
  const WideInt low = a.low > 0 ? a.low : a.high < 0 ? -a.high : WideInt(0);
  return {low, std::max(-a.low, a.high)};
}

void add(WideSum& sum, const Expr& atom, WideInt factor) {
  const auto same =
      std::find_if(sum.terms.begin(), sum.terms.end(),
                   [&](const WideSum::Term& term) { return equalStructure(term.atom, atom); });
  if (same == sum.terms.end()) {
    if (factor != 0) sum.terms.push_back({atom, factor});
  } else if ((same->factor += factor) == 0) {
    sum.terms.erase(same);
  }
}

void add(WideSum& sum, const WideSum& other, WideInt factor) {
  for (const auto& [atom, own] : other.terms)
    add(sum, atom, own * factor);
  sum.constant += other.constant * factor;
}

WideInt factorOf(const WideSum& sum, const Expr& atom) {
  for (const WideSum::Term& term : sum.terms)
    if (equalStructure(term.atom, atom)) return term.factor;
  return 0;
}

bool isSmall(const WideSum& sum) {
  return magnitude(sum.constant) <= kLargestConstant &&
         std::all_of(sum.terms.begin(), sum.terms.end(), [](const WideSum::Term& term) {
           return magnitude(term.factor) <= kLargestFactor;
         });
}

WideSum single(const Expr& atom) {
  return {{{atom, 1}}, 0};
}

Expr expression(const WideSum& sum, DataType type) {
  Expr result = intImm(static_cast<std::int64_t>(sum.constant), type);
  for (const auto& [atom, factor] : sum.terms)
    result = result + cast(type, atom) * intImm(static_cast<std::int64_t>(factor), type);
  return result;
}

WideSum takeMultiples(WideSum& sum, std::int64_t divisor) {
  WideSum quotient;
  std::erase_if(sum.terms, [&](const WideSum::Term& term) {
    if (term.factor % divisor != 0) return false;
    quotient.terms.push_back({term.atom, term.factor / divisor});
    return true;
  });
  quotient.constant = floorDivide(sum.constant, divisor);
  sum.constant -= quotient.constant * divisor;
  return quotient;
}

} // namespace nestwright
