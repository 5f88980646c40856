#include "core/lower/executed_work.h"

#include "core/lower/index_simplifier.h"
#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/access_analysis.h"
#include "core/tensor/neutral_terms.h"

#include <algorithm>
#include <map>

namespace nestwright {
namespace {

constexpr std::int64_t kMostCases = 200'000; // of conditions that are looked at

ExecutedWork& operator+=(ExecutedWork& a, const ExecutedWork& b) {
  a.operations += b.operations;
  a.multiplications += b.multiplications;
  return a;
}

ExecutedWork operator*(ExecutedWork work, double times) {
  return {work.operations * times, work.multiplications * times};
}

/// Calls `f` on the conditions that decide what is executed in the expression.
void visitChoices(const Expr& root, const std::function<void(const Expr&)>& f) {
  visit(root, [&](const Expr& e) {
    if (e->kind == ExprKind::IfThenElse) f((*e)[0]);
    return e->kind != ExprKind::Load;
  });
}

class WorkCounter {
 public:
  std::optional<ExecutedWork> operator()(const Stmt& s) {
    const ExecutedWork work = count(s);
    return known_ ? std::optional(work) : std::nullopt;
  }

 private:
  ExecutedWork count(const Stmt& s);
  ExecutedWork countLoop(const StmtNode& loop);
  ExecutedWork countValue(const Expr& e, DataType::Code counted);
  std::optional<std::int64_t> valueOf(const Expr& e);
  bool holds(const Expr& condition);
  bool decides(const StmtNode& loop);

  std::map<const VarNode*, std::int64_t> values_; // of the loops that decide something
  std::map<const StmtNode*, bool> decides_;
  std::int64_t cases_ = 0;
  bool known_ = true; // so far
};

/// Of an index or a condition in the iterations that are being counted; nothing from when on the
/// work is not known.
std::optional<std::int64_t> WorkCounter::valueOf(const Expr& e) {
  known_ = known_ && ++cases_ <= kMostCases;
  if (!known_) return std::nullopt;
  const Expr literal = IndexSimplifier()(substitute(e, [&](const Var& v) {
    const auto found = values_.find(v.get());
    return found == values_.end() ? Expr() : Expr(found->second);
  }));
  const std::int64_t* value = asInt(literal);
  known_ = value != nullptr;
  return value ? std::optional(*value) : std::nullopt;
}

bool WorkCounter::holds(const Expr& condition) {
  return valueOf(condition).value_or(0) != 0;
}

/// Whether a condition inside the loop, or where a loop inside of it begins, depends on it.
bool WorkCounter::decides(const StmtNode& loop) {
  const auto [known, isNew] = decides_.emplace(&loop, false);
  if (!isNew) return known->second;
  bool found = false;
  const auto look = [&](const Expr& e) { found = found || uses(e, loop.var); };
  visit(loop.body[0], [&](const Stmt& s) {
    if (s->kind == StmtKind::If) look(s->condition);
    if (s->kind == StmtKind::For) look(s->min);
    if (s->kind == StmtKind::Store) visitChoices(s->value, look);
  });
  return decides_[&loop] = found;
}

ExecutedWork WorkCounter::countLoop(const StmtNode& loop) {
  if (!decides(loop)) return count(loop.body[0]) * static_cast<double>(loop.extent);
  const std::optional<std::int64_t> begin = valueOf(loop.min);
  if (!begin) return {};
  ExecutedWork sum;
  for (std::int64_t i = 0; i < loop.extent && known_; ++i) {
    values_[loop.var.get()] = *begin + i;
    sum += count(loop.body[0]);
  }
  values_.erase(loop.var.get());
  return sum;
}

ExecutedWork WorkCounter::countValue(const Expr& e, DataType::Code counted) {
  ExecutedWork sum;
  switch (e->kind) {
  case ExprKind::Load:
    return {};
  case ExprKind::IfThenElse:
    return countValue((*e)[holds((*e)[0]) ? 1 : 2], counted);
  case ExprKind::Select: {
    const ExecutedWork a = countValue((*e)[1], counted), b = countValue((*e)[2], counted);
    sum = countValue((*e)[0], counted);
    return sum += a.operations >= b.operations ? a : b;
  }
  default:
    break;
  }
  for (const Expr& operand : e->operands)
    sum += countValue(operand, counted);
  const bool counts = isBinary(e->kind) && (*e)[0]->type.code == counted;
  if (!counts) return sum;
  sum.operations += e->type.lanes;
  if (e->kind == ExprKind::Mul) sum.multiplications += e->type.lanes;
  return sum;
}

ExecutedWork WorkCounter::count(const Stmt& s) {
  switch (s->kind) {
  case StmtKind::For:
    return countLoop(*s);
  case StmtKind::Store:
    return countValue(s->value, s->buffer->type.code);
  case StmtKind::If:
    return holds(s->condition) ? count(s->body[0]) : ExecutedWork{};
  case StmtKind::Allocate:
    return count(s->body[0]);
  case StmtKind::Prefetch:
    return {};
  case StmtKind::Sequence: {
    ExecutedWork sum;
    for (const Stmt& child : s->body)
      sum += count(child);
    return sum;
  }
  default: // of a GPU program
    known_ = false;
    return {};
  }
}

} // namespace

std::optional<ExecutedWork> executedWork(const LoopFunction& function) {
  return WorkCounter()(function.body);
}

double leastOperations(const ComputeDag& dag) {
  State state(dag);
  const AccessAnalysis analysis(dag);
  for (int id = 0; id < state.stageCount(); ++id) {
    const std::vector<int>& readers = analysis.directConsumers(id);
    const bool neutral = std::ranges::all_of(readers, [&](int reader) {
      return isNeutralPadding(*state.stage(id).op, *state.stage(reader).op);
    });
    if (!readers.empty() && neutral) state.apply(ComputeInlineStep{id});
  }
  try {
    const std::optional<ExecutedWork> executed = executedWork(lower(state));
    return executed ? std::min(executed->operations, flops(dag)) : flops(dag);
  } catch (const IllegalSchedule&) {
    return flops(dag);
  }
}

} // namespace nestwright
