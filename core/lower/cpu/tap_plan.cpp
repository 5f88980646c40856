#include "core/lower/cpu/tap_plan.h"

#include "core/lower/guards.h"
#include "core/tensor/neutral_terms.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::int64_t kMaxBaseValues = 512; // that are told apart
constexpr std::size_t kMaxVersions = 12;

/// Consecutive values of a base for which the same terms are neutral.
struct Interval {
  ValueRange values;
  std::int64_t count = 0; // of values
};

class TapPlanner {
 public:
  TapPlanner(const ReductionNest& nest, const RegisterTile& tile, const std::vector<Span>& spans,
             IndexSimplifier& simplify)
      : nest_(nest), spans_(spans), simplify_(simplify) {
    if (tile.mode == LaneMode::Spatial) lane_ = nest.spatial[tile.laneLoop].var;
    if (tile.mode == LaneMode::Reduction) lane_ = nest.reduction[tile.laneLoop].var;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      rows_.push_back(makeVar("row"));
      simplify_.setRange(rows_[i], {0, spans[i].size - 1});
      rowRanges_.push_back({0, spans[i].size - 1});
    }
    for (const NestLoop& loop : nest.reduction) {
      reductions_.push_back(loop.var);
      reductionRanges_.push_back({0, loop.extent - 1});
    }
  }

  TapPlan plan(bool few) {
    for (const Expr& condition : neutralUnless(nest_.update->value->kind, nest_.operand))
      if (!lane_ || !uses(condition, lane_)) place(condition);
    for (std::size_t base = 0; base < bases_.size(); ++base)
      intervals_.push_back(intervalsOf(base));
    std::size_t versions = 1;
    for (const std::vector<Interval>& intervals : intervals_) {
      versions *= intervals.size();
      few = few || intervals.empty();
    }
    if (few || versions > kMaxVersions)
      twoVersions();
    else
      allVersions();
    return std::move(plan_);
  }

 private:
  void place(const Expr& condition);
  std::optional<TapGuard> guardOf(const Expr& condition, const Expr& located, LinearForm& base);
  std::size_t baseOf(LinearForm form, std::int64_t& factor);
  std::vector<Interval> intervalsOf(std::size_t base);
  std::vector<std::int64_t> valuesOf(const LinearForm& base);
  ValueRange insideOf(std::size_t base);
  void twoVersions();
  void allVersions();
  Expr within(std::size_t base, const ValueRange& values);

  const ReductionNest& nest_;
  const std::vector<Span>& spans_;
  IndexSimplifier& simplify_;
  Var lane_;
  std::vector<Var> rows_, reductions_;
  std::vector<ValueRange> rowRanges_, reductionRanges_;
  std::vector<LinearForm> bases_;
  std::vector<std::vector<Interval>> intervals_; // of each base
  TapPlan plan_;
};

/// Finds out how the condition can be decided; one that cannot be stays in the operand.
void TapPlanner::place(const Expr& condition) {
  const Expr located = simplify_(substitute(condition, [&](const Var& v) {
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (nest_.spatial[i].var == v)
        return spans_[i].size == 1 ? spans_[i].start : spans_[i].start + Expr(rows_[i]);
    return Expr();
  }));
  LinearForm base;
  std::optional<TapGuard> guard = guardOf(condition, located, base);
  const bool sameForRows = !usesAny(located, rows_);
  if (guard && (!sameForRows || base.terms.empty())) {
    guard->base = baseOf(std::move(base), guard->baseFactor);
    plan_.guards.push_back(std::move(*guard));
  } else if (sameForRows) {
    plan_.uniform.push_back(condition);
  }
}

/// The guard but for its base, whose form is set; nothing when the condition is no such sum.
std::optional<TapGuard> TapPlanner::guardOf(const Expr& condition, const Expr& located,
                                            LinearForm& base) {
  std::optional<LinearForm> form;
  if (const std::int64_t* known = asInt(located)) {
    form = LinearForm{};
    form->constant = *known ? -1 : 0;
  } else {
    form = belowZero(located, simplify_);
  }
  if (!form) return std::nullopt;
  TapGuard guard;
  guard.condition = condition;
  guard.rows.assign(rows_.size(), 0);
  guard.reduction.assign(reductions_.size(), 0);
  guard.constant = form->constant;
  for (const LinearForm::Term& term : form->terms) {
    const auto take = [&](const std::vector<Var>& vars, std::vector<std::int64_t>& factors) {
      if (term.atom->kind != ExprKind::Var) return false;
      const auto found = std::find(vars.begin(), vars.end(), term.atom->var);
      if (found == vars.end()) return false;
      factors[static_cast<std::size_t>(found - vars.begin())] = term.coefficient;
      return true;
    };
    if (take(rows_, guard.rows) || take(reductions_, guard.reduction)) continue;
    if (usesAny(term.atom, rows_) || usesAny(term.atom, reductions_)) return std::nullopt;
    base.terms.push_back(term);
  }
  return guard;
}

std::size_t TapPlanner::baseOf(LinearForm form, std::int64_t& factor) {
  factor = !form.terms.empty() && form.terms[0].coefficient < 0 ? -1 : 1;
  for (LinearForm::Term& term : form.terms)
    term.coefficient *= factor;
  for (std::size_t i = 0; i < bases_.size(); ++i)
    if (sameTerms(bases_[i], form)) return i;
  bases_.push_back(std::move(form));
  return bases_.size() - 1;
}

/// All values of the base in order; none when there are too many.
std::vector<std::int64_t> TapPlanner::valuesOf(const LinearForm& base) {
  std::vector<std::int64_t> values = {0};
  for (const LinearForm::Term& term : base.terms) {
    const ValueRange atom = simplify_.range(term.atom);
    if (atom.low <= -ValueRange::kUnbounded || atom.high >= ValueRange::kUnbounded) return {};
    const std::int64_t count = atom.high - atom.low + 1;
    if (count > kMaxBaseValues) return {};
    std::vector<std::int64_t> sums;
    for (const std::int64_t value : values)
      for (std::int64_t i = 0; i < count; ++i)
        sums.push_back(value + term.coefficient * (atom.low + i));
    std::sort(sums.begin(), sums.end());
    sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
    if (static_cast<std::int64_t>(sums.size()) > kMaxBaseValues) return {};
    values = std::move(sums);
  }
  return values;
}

/// The values of the base for which all guards on it hold throughout.
ValueRange TapPlanner::insideOf(std::size_t base) {
  ValueRange inside = simplify_.range(bases_[base]);
  for (const TapGuard& guard : plan_.guards) {
    if (guard.base != base) continue;
    std::int64_t most = guard.constant;
    const auto add = [&](const std::vector<std::int64_t>& factors,
                         const std::vector<ValueRange>& ranges) {
      for (std::size_t i = 0; i < factors.size(); ++i)
        most += std::max(factors[i] * ranges[i].low, factors[i] * ranges[i].high);
    };
    add(guard.rows, rowRanges_);
    add(guard.reduction, reductionRanges_);
    // baseFactor * base + most < 0
    if (guard.baseFactor > 0)
      inside.high = std::min(inside.high, -most - 1);
    else
      inside.low = std::max(inside.low, most + 1);
  }
  return inside;
}

/// All values of the base in order; none when there are too many of them.
std::vector<Interval> TapPlanner::intervalsOf(std::size_t base) {
  const std::vector<std::int64_t> values = valuesOf(bases_[base]);
  // What each value of rows and loops adds to a guard, in order: how many of them a base lets
  // through says which.
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> added;
  for (const TapGuard& guard : plan_.guards) {
    if (guard.base != base) continue;
    std::vector<std::int64_t> sums = {guard.constant};
    const auto extend = [&](std::int64_t factor, const ValueRange& range) {
      if (factor == 0) return;
      std::vector<std::int64_t> next;
      for (const std::int64_t sum : sums)
        for (std::int64_t i = range.low; i <= range.high; ++i)
          next.push_back(sum + factor * i);
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      sums = std::move(next);
    };
    for (std::size_t i = 0; i < rows_.size(); ++i)
      extend(guard.rows[i], rowRanges_[i]);
    for (std::size_t i = 0; i < reductions_.size(); ++i)
      extend(guard.reduction[i], reductionRanges_[i]);
    added.emplace_back(guard.baseFactor, std::move(sums));
  }
  std::vector<Interval> intervals;
  std::vector<std::ptrdiff_t> last;
  for (const std::int64_t value : values) {
    std::vector<std::ptrdiff_t> through;
    for (const auto& [factor, sums] : added)
      through.push_back(std::lower_bound(sums.begin(), sums.end(), -factor * value) - sums.begin());
    if (intervals.empty() || through != last) intervals.push_back({{value, value}, 0});
    intervals.back().values.high = value;
    ++intervals.back().count;
    last = std::move(through);
  }
  return intervals;
}

/// That the base is in the range, as far as it may be elsewhere.
Expr TapPlanner::within(std::size_t base, const ValueRange& values) {
  const ValueRange all = simplify_.range(bases_[base]);
  std::vector<Expr> conditions;
  if (values.low > all.low) conditions.push_back(toExpr(bases_[base]) >= Expr(values.low));
  if (values.high < all.high) conditions.push_back(toExpr(bases_[base]) < Expr(values.high + 1));
  return conditions.empty() ? Expr() : simplify_(conjunction(conditions));
}

void TapPlanner::twoVersions() {
  TapVersion inside, all;
  std::vector<Expr> conditions;
  bool some = true;
  for (std::size_t base = 0; base < bases_.size(); ++base) {
    const ValueRange values = insideOf(base);
    all.bases.push_back(simplify_.range(bases_[base]));
    inside.bases.push_back(values);
    some = some && values.low <= values.high;
    if (!some) continue;
    if (Expr condition = within(base, values)) conditions.push_back(std::move(condition));
  }
  if (!some || conditions.empty()) {
    plan_.versions = {some ? std::move(inside) : std::move(all)};
    return;
  }
  inside.condition = simplify_(conjunction(conditions));
  all.condition = simplify_(logicalNot(inside.condition));
  all.share = 0;
  plan_.versions = {std::move(inside), std::move(all)};
}

void TapPlanner::allVersions() {
  struct Choice {
    TapVersion version;
    std::vector<Expr> conditions;
    std::int64_t count = 1;
  };
  std::vector<Choice> choices(1);
  for (std::size_t base = 0; base < bases_.size(); ++base) {
    std::vector<Choice> next;
    for (const Choice& choice : choices)
      for (const Interval& interval : intervals_[base]) {
        Choice& longer = next.emplace_back(choice);
        longer.version.bases.push_back(interval.values);
        longer.count *= interval.count;
        if (Expr condition = within(base, interval.values))
          longer.conditions.push_back(std::move(condition));
      }
    choices = std::move(next);
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.count > b.count; });
  std::int64_t tiles = 0;
  for (const Choice& choice : choices)
    tiles += choice.count;
  for (Choice& choice : choices) {
    choice.version.share = static_cast<double>(choice.count) / static_cast<double>(tiles);
    if (!choice.conditions.empty())
      choice.version.condition = simplify_(conjunction(choice.conditions));
    plan_.versions.push_back(std::move(choice.version));
  }
}

} // namespace

Truth truthOf(const TapGuard& guard, const TapVersion& version, const std::vector<ValueRange>& rows,
              const std::vector<ValueRange>& reduction) {
  ValueRange sum{guard.constant, guard.constant};
  const auto add = [&](std::int64_t factor, const ValueRange& range) {
    if (factor == 0) return;
    sum.low += std::min(factor * range.low, factor * range.high);
    sum.high += std::max(factor * range.low, factor * range.high);
  };
  add(guard.baseFactor, version.bases[guard.base]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    add(guard.rows[i], rows[i]);
  for (std::size_t i = 0; i < reduction.size(); ++i)
    add(guard.reduction[i], reduction[i]);
  return sum.high < 0 ? Truth::Always : sum.low >= 0 ? Truth::Never : Truth::Sometimes;
}

TapPlan planTaps(const ReductionNest& nest, const RegisterTile& tile,
                 const std::vector<Span>& spans, bool few, IndexSimplifier& simplify) {
  return TapPlanner(nest, tile, spans, simplify).plan(few);
}

} // namespace nestwright
