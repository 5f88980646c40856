#pragma once
/// \file Index arithmetic over loop variables of known range: affine normal forms, exact division
/// laws, and interval analysis of conditions.

#include "core/tensor/expr.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// The values from `low` to `high`, both included; beyond +-kUnbounded nothing is known.
struct ValueRange {
  static constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;
  std::int64_t low = -kUnbounded, high = kUnbounded;
  bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

/// constant + sum of coefficient * atom. An atom is a variable or any expression that is not
/// affine, simplified inside. No atom occurs twice, no coefficient is zero.
struct LinearForm {
  struct Term {
    Expr atom;
    std::int64_t coefficient;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0;
  DataType type = kInt64;
  bool isConstant() const { return terms.empty(); }
};

/// The form as an expression, terms in the order in which they came.
Expr toExpr(const LinearForm& form);

/// The coefficient of `var`, 0 when it does not occur; nothing when it occurs inside an atom.
std::optional<std::int64_t> coefficientOf(const LinearForm& form, const Var& var);

bool usesAny(const Expr& e, const std::vector<Var>& vars);

/// Whether they differ by their constants alone.
bool sameTerms(const LinearForm& a, const LinearForm& b);

class IndexSimplifier {
 public:
  void setRange(const Var& var, ValueRange range);

  /// Simplifies integer arithmetic, conditions, and selects with decided conditions, at any depth.
  Expr operator()(const Expr& e);

  /// Affine form of a scalar integer expression.
  LinearForm linear(const Expr& e);

  /// All values that a scalar integer expression can take (and maybe some that it cannot).
  ValueRange range(const Expr& e);
  ValueRange range(const LinearForm& form);

  /// True when the condition holds for all values of the variables.
  bool proves(const Expr& condition);

  /// From here on, what is assumed of a sum or a quotient counts, too, and not only what follows
  /// for each variable.
  void rememberSums();

  /// Runs `f` with the variables' ranges narrowed to where `condition` holds.
  void assuming(const Expr& condition, const std::function<void()>& f);

 private:
  /// Whether sums of it can be taken apart: it is an int64, or what narrow_indices made of one.
  /// Narrower integers that are data wrap around. So may an int64 that is, of which therefore only
  /// sums and products are taken apart.
  static bool isIndex(const Expr& e);
  LinearForm computedLinear(const Expr& e);
  ValueRange computedRange(const Expr& atom);
  void forget();
  /// a - b; nothing where it might go beyond 64 bits, and then say nothing of which is larger.
  std::optional<LinearForm> difference(LinearForm a, const LinearForm& b);
  LinearForm floorDiv(LinearForm numerator, std::int64_t divisor);
  LinearForm floorMod(LinearForm numerator, std::int64_t divisor);
  void joinQuotients(LinearForm& form);
  ValueRange rangeOfAtom(const Expr& atom);
  Expr condition(const Expr& e);
  Expr comparison(const Expr& e);
  Expr lessThanZero(LinearForm form);
  void narrow(const Expr& conjunct, std::vector<std::pair<const VarNode*, ValueRange>>& saved);

  void remember(const Expr& conjunct);

  std::unordered_map<const VarNode*, ValueRange> ranges_;
  bool remembersSums_ = false;
  std::vector<LinearForm> belowZero_; // what is assumed, if sums are remembered

  /// What is known of an expression as long as nothing else is assumed. Divisions in divisions
  /// would be normalised again at each level, twice as often at each. An entry holds its
  /// expression, whose address is the key.
  template <class Value>
  using Known = std::unordered_map<const ExprNode*, std::pair<Expr, Value>>;
  Known<LinearForm> forms_;
  Known<ValueRange> atomRanges_;
};

} // namespace nestwright
