#include "core/lower/cpu/prefetch_rows.h"

#include "core/lower/cpu/shared_hints.h"
#include "core/lower/scalar_access.h"
#include "core/lower/simplify_indices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace nestwright {
namespace {

// Bytes of a row, and of an array whose rows, or windows, are worth a hint.
constexpr std::int64_t kLeastRow = 512, kMostRow = std::int64_t{64} << 10;
constexpr std::int64_t kLeastArray = std::int64_t{128} << 10, kLeastWindowed = 8 * kLeastArray;
constexpr std::int64_t kMostRowHints = 4; // of one step
constexpr int kCallWeight = 20;           // beside an addition

/// What an iteration of a loop touches of an array: elements [first, first + elements), or some of
/// them, neighbours among them.
struct Row {
  Expr first;
  std::int64_t elements = 0;
  std::int64_t accesses = 0; // of one of those that touch it, those that come again counted
  std::int64_t stride = 0;   // to the row of the next iteration; above 0
};

const Stmt& withoutAllocations(const Stmt& s) {
  return s->kind == StmtKind::Allocate ? withoutAllocations(s->body[0]) : s;
}

/// The loops that a statement runs one after the other.
void addPhases(const Stmt& s, std::vector<Stmt>& phases) {
  if (s->kind == StmtKind::For) phases.push_back(s);
  if (s->kind == StmtKind::Allocate || s->kind == StmtKind::Sequence)
    for (const Stmt& child : s->body)
      addPhases(child, phases);
}

/// The work of a phase, about.
double weightOf(const Stmt& s) {
  double weight = 0;
  if (s->kind == StmtKind::Store)
    visit(s->value, [&](const Expr& e) {
      weight += e->type.lanes * (e->kind == ExprKind::Call ? kCallWeight : 1);
      return e->kind != ExprKind::Load;
    });
  for (const Stmt& child : s->body)
    weight += weightOf(child);
  return s->kind == StmtKind::For ? weight * double(s->extent) : weight;
}

std::int64_t extentOf(const ValueRange& range) {
  return range.high - range.low + 1;
}

/// The loops of a phase, one in the other and nothing beside them, outermost first.
std::vector<Stmt> nestOf(const Stmt& phase) {
  std::vector<Stmt> loops;
  for (const Stmt* s = &phase; (*s)->kind == StmtKind::For; s = &(*s)->body[0])
    loops.push_back(*s);
  return loops;
}

bool touches(const Stmt& s, const Buffer& buffer, bool byStoring) {
  bool found = false;
  visit(s, [&](const Stmt& one) {
    if (one->kind != StmtKind::Store || found) return;
    if (byStoring)
      found = one->buffer == buffer;
    else
      visit(one->value, [&](const Expr& e) {
        found |= e->kind == ExprKind::Load && e->buffer == buffer;
        return !found;
      });
  });
  return found;
}

class RowHints {
 public:
  explicit RowHints(const LoopFunction& function)
      : function_(function), simplify_(simplifierFor(function.body)) {}

  Stmt operator()(const Stmt& s) {
    std::vector<Stmt> phases;
    const bool isLoop = s->kind == StmtKind::For && s->forKind != ForKind::Unrolled;
    if (isLoop) addPhases(withoutAllocations(s->body[0]), phases);
    if (phases.size() > 1)
      if (Stmt hinted = withRowHints(s, phases); hinted != s) return hinted;
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    const bool isInnermost = mapped == s; // of those that have something to fetch
    return isLoop && isInnermost && phases.size() == 1 ? withWindowHints(s, phases[0]) : mapped;
  }

 private:
  Stmt withRowHints(const Stmt& loop, const std::vector<Stmt>& phases) {
    std::map<Stmt, Stmt> changed;
    for (std::size_t p = 0; p < function_.parameters.size(); ++p) {
      const Buffer& array = function_.parameters[p];
      const bool isInput = p < static_cast<std::size_t>(function_.inputCount);
      if (array->bytes() < kLeastArray) continue;
      const auto first = std::ranges::find_if(
          phases, [&](const Stmt& phase) { return touches(phase, array, !isInput); });
      if (first == phases.end()) continue;
      const std::optional<Row> row = rowOf(array, *loop, phases);
      if (!row || row->stride < row->elements || !isRow(row->elements, array)) continue;
      if (row->accesses < row->elements / 2) continue; // the rows of a tile lie apart
      const auto from = isInput ? first + 1 : phases.begin();
      const auto to = isInput ? phases.end() : first;
      const auto heaviest = std::max_element(
          from, to, [](const Stmt& a, const Stmt& b) { return weightOf(a) < weightOf(b); });
      if (heaviest == to) continue;
      Stmt& phase = changed.try_emplace(*heaviest, *heaviest).first->second;
      phase = isInput ? withHints(phase, array, row->first + Expr(row->stride), row->elements,
                                  PrefetchFor::Reading)
                      : withHints(phase, array, row->first, row->elements, PrefetchFor::Writing);
    }
    return changed.empty() ? loop : replaced(loop, changed);
  }

  /// Hints for what the next window over an input has and this one has not, and for where its
  /// results go.
  Stmt withWindowHints(const Stmt& loop, const Stmt& phase) {
    Stmt result = phase;
    for (std::size_t p = 0; p < function_.parameters.size(); ++p) {
      const Buffer& array = function_.parameters[p];
      const bool isInput = p < static_cast<std::size_t>(function_.inputCount);
      if (array->bytes() < kLeastWindowed || (!isInput && result == phase)) continue;
      const std::optional<Row> row = rowOf(array, *loop, {phase});
      if (!row || !isRow(row->stride, array) || (row->elements > row->stride) != isInput) continue;
      result = withHints(result, array, row->first + Expr(isInput ? row->elements : row->stride),
                         row->stride, isInput ? PrefetchFor::Reading : PrefetchFor::Writing);
    }
    return result == phase ? loop : replaced(loop, {{phase, result}});
  }

  static bool isRow(std::int64_t elements, const Buffer& array) {
    const std::int64_t bytes = elements * array->type.elementBytes();
    return bytes >= kLeastRow && bytes <= kMostRow;
  }

  static Stmt replaced(const Stmt& s, const std::map<Stmt, Stmt>& changed) {
    const auto found = changed.find(s);
    if (found != changed.end()) return found->second;
    return mapChildren(
        s, [&](const Stmt& child) { return replaced(child, changed); }, nullptr);
  }

  /// Nothing where an iteration touches no neighbours, or what the one before it does, or what can
  /// not be told.
  std::optional<Row> rowOf(const Buffer& array, const StmtNode& loop,
                           const std::vector<Stmt>& phases) {
    std::vector<Var> inside;
    for (const Stmt& phase : phases)
      visit(phase, [&](const Stmt& s) {
        if (s->kind == StmtKind::For) inside.push_back(s->var);
      });
    std::optional<LinearForm> outside; // of the first access
    ValueRange touched;
    std::int64_t most = 0;
    bool dense = false, known = true;
    const auto add = [&](const std::vector<Expr>& indices) {
      const auto access = scalarAccess(*array, indices, simplify_);
      if (!access) {
        known = false;
        return;
      }
      LinearForm within, around;
      within.constant = access->position.constant;
      for (const LinearForm::Term& term : access->position.terms) {
        const bool moves =
            usesAny(term.atom, inside) || (access->lane && uses(term.atom, access->lane));
        (moves ? within : around).terms.push_back(term);
        dense |= moves && term.coefficient == 1;
      }
      const ValueRange range = simplify_.range(within);
      std::int64_t count = access->lanes;
      for (const Var& var : inside)
        if (std::ranges::any_of(within.terms,
                                [&](const LinearForm::Term& term) { return uses(term.atom, var); }))
          count *= extentOf(simplify_.range(Expr(var)));
      most = std::max(most, count);
      if (!outside) {
        outside = around;
        touched = range;
      }
      touched = {std::min(touched.low, range.low), std::max(touched.high, range.high)};
      known = known && sameTerms(*outside, around);
    };
    for (const Stmt& phase : phases)
      visit(phase, [&](const Stmt& s) {
        if (s->kind != StmtKind::Store) return;
        if (s->buffer == array) add(s->indices);
        visit(s->value, [&](const Expr& e) {
          if (e->kind == ExprKind::Load && e->buffer == array) add(e->operands);
          return true;
        });
      });
    if (!known || !dense || !outside) return std::nullopt;
    const std::int64_t elements = extentOf(touched);
    const std::int64_t stride = coefficientOf(*outside, loop.var).value_or(0);
    if (stride < 1 || loop.extent < 2) return std::nullopt;
    return Row{toExpr(*outside) + Expr(touched.low), elements, most, stride};
  }

  /// Each step of the phase names its share of [first, first + elements); the phase itself where
  /// steps are so short that it would be a part of a line, or so long that hints would come in
  /// bursts.
  Stmt withHints(const Stmt& phase, const Buffer& array, const Expr& first, std::int64_t elements,
                 PrefetchFor use) {
    const std::vector<Stmt> nest = nestOf(phase);
    const std::int64_t element = array->type.elementBytes();
    std::size_t depth = nest.size();
    std::int64_t share = 0;
    for (;; --depth) { // outward while several steps would name the same line
      std::int64_t steps = 1;
      for (std::size_t i = 0; i < depth; ++i)
        steps *= nest[i]->extent;
      share = (elements + steps - 1) / steps;
      if (share * element >= kCacheLine || depth == 1) break;
      const bool isLong = nest[depth - 1]->forKind != ForKind::Unrolled;
      if (isLong && share * element >= kCacheLine / 2) break;
    }
    if (share * element < kCacheLine / 2 || hintsFor(array, share) > kMostRowHints) return phase;
    const Expr step = stepOf(std::span(nest).first(depth));
    std::vector<Stmt> statements = hintsOfStep(array, first, step, share, use, simplify_);
    statements.push_back(nest[depth - 1]->body[0]);
    Stmt result = makeSequence(std::move(statements));
    for (std::size_t i = depth; i-- > 0;)
      result = withBody(nest[i], std::move(result));
    return result;
  }

  const LoopFunction& function_;
  IndexSimplifier simplify_;
};

} // namespace

Stmt prefetchRows(const LoopFunction& function) {
  return RowHints(function)(function.body);
}

} // namespace nestwright
