#include "core/feature/statement.h"

#include "core/feature/index_form.h"
#include "core/support/error.h"

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

bool isComparison(ExprKind kind) {
  return kind >= ExprKind::Eq && kind <= ExprKind::Ge;
}

bool isLogic(ExprKind kind) {
  return kind == ExprKind::And || kind == ExprKind::Or || kind == ExprKind::Not;
}

bool isScalarInteger(const Expr& e) {
  return e->type.isInt() && e->type.isScalar();
}

class StatementReader {
 public:
  StatementReader(const State& state, int stage, const std::vector<EnclosingLoop>& loops)
      : state_(state), stage_(stage), loops_(loops) {
    result_.stage = stage;
    result_.nodes.reserve(128);
  }

  Statement initial(const AxisValues& axes) {
    addTarget(axes);
    return std::move(result_);
  }

  Statement update(const AxisValues& axes) {
    const OpNode& op = *state_.stage(stage_).op;
    addTarget(axes);
    if (op.reducer) {
      addLoad(stage_, op.axes.size(),
              [&](std::size_t i) -> const Affine& { return axes[i].second; });
      count(combination(*op.reducer), op.output->type);
    }
    visit(op.body, axes);
    return std::move(result_);
  }

  Statement initialShare() {
    addValue(ReductionValue::Share, AccessType::Write);
    return std::move(result_);
  }

  Statement addToShare(const AxisValues& axes) {
    const OpNode& op = *state_.stage(stage_).op;
    addValue(ReductionValue::Share, AccessType::ReadWrite);
    count(combination(*op.reducer), op.output->type);
    visit(op.body, axes);
    return std::move(result_);
  }

  Statement storeCombined(const AxisValues& axes) {
    addTarget(axes);
    addValue(ReductionValue::Combined, AccessType::Read);
    return std::move(result_);
  }

 private:
  void addValue(ReductionValue value, AccessType type) {
    result_.accesses.push_back({bufferOf(state_, stage_, value), type, {}});
  }

  void addTarget(const AxisValues& axes) {
    result_.accesses.reserve(4);
    BufferAccess& target = result_.accesses.emplace_back();
    target.buffer = stage_;
    target.type = AccessType::Write;
    for (std::size_t i = 0; i < state_.stage(stage_).op->axes.size(); ++i)
      target.indices.push_back(writeIndex(axes[i].second, loops_, result_.nodes, nullptr, nullptr));
  }

  /// `index(d)` is that of dimension d.
  template <class F>
  void addLoad(int buffer, std::size_t dimensions, const F& index) {
    std::vector<IndexPlace> places;
    places.reserve(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d)
      places.push_back(write(index(d)));
    auto known = std::find_if(result_.accesses.begin(), result_.accesses.end(),
                              [&](const BufferAccess& a) { return a.buffer == buffer; });
    if (known == result_.accesses.end())
      result_.accesses.push_back({buffer, AccessType::Read, std::move(places)});
    else if (known->type != AccessType::Read)
      // Read and written: an update in place, whose indices are those of the store.
      known->type = AccessType::ReadWrite;
    else
      known->indices.insert(known->indices.end(), places.begin(), places.end());
  }

  Affine affine(const Expr& e, const AxisValues& values) const {
    return indexValue(e, values, loops_);
  }

  /// Counts the operations of an index and appends it.
  IndexPlace write(const Affine& index) {
    std::vector<Expr> opaque;
    const IndexPlace place = writeIndex(index, loops_, result_.nodes, &result_.integers, &opaque);
    for (const Expr& e : opaque)
      visitOpaque(e, {});
    return place;
  }

  void visit(const Expr& e, const AxisValues& values) {
    if (isScalarInteger(e) && e->kind != ExprKind::Load) {
      write(affine(e, values));
      return;
    }
    if (isComparison(e->kind) && isScalarInteger((*e)[0])) {
      visitComparison(e, values);
      return;
    }
    visitOpaque(e, values);
  }

  void visitOpaque(const Expr& e, const AxisValues& values) {
    switch (e->kind) {
    case ExprKind::Load:
      visitLoad(e, values);
      return;
    case ExprKind::Select:
    case ExprKind::IfThenElse:
      visitChoice(e, values);
      return;
    default:
      break;
    }
    if (isLogic(e->kind))
      result_.logic += 1;
    else if (!e->operands.empty())
      count(e->kind, (*e)[0]->type);
    for (const Expr& operand : e->operands)
      visit(operand, values);
  }

  void visitLoad(const Expr& e, const AxisValues& values) {
    const int producer = state_.dag().indexOf(e->buffer);
    NW_ASSERT(producer >= 0, "{} is read, but nothing makes it", e->buffer->name);
    const Stage& stage = state_.stage(producer);
    // The literals of a constant are folded into the code that reads them.
    if (stage.op->kind == OpNode::Kind::Constant) return;
    std::vector<Affine> indices;
    indices.reserve(e->operands.size());
    for (const Expr& operand : e->operands)
      indices.push_back(affine(operand, values));
    if (stage.location != ComputeLocation::Inlined) {
      addLoad(producer, indices.size(), [&](std::size_t d) -> const Affine& { return indices[d]; });
      return;
    }
    visit(stage.op->body, inlinedValues(stage, std::move(indices)));
  }

  void visitChoice(const Expr& e, const AxisValues& values) {
    const std::optional<bool> decided = decide((*e)[0], values);
    if (decided) {
      visit((*e)[*decided ? 1 : 2], values);
      return;
    }
    visitCondition((*e)[0], values);
    if (e->kind == ExprKind::Select)
      result_.selects += 1;
    else
      (e->type.isFloat() ? result_.floats : result_.integers).mathFunction += 1;
    visit((*e)[1], values);
    visit((*e)[2], values);
  }

  /// The parts of a condition that the ranges of the loops do not decide.
  void visitCondition(const Expr& e, const AxisValues& values) {
    if (e->kind != ExprKind::And && e->kind != ExprKind::Or) {
      visit(e, values);
      return;
    }
    const bool first = decide((*e)[0], values).has_value();
    const bool second = decide((*e)[1], values).has_value();
    if (!first) visitCondition((*e)[0], values);
    if (!second) visitCondition((*e)[1], values);
    if (!first && !second) result_.logic += 1;
  }

  std::optional<bool> decide(const Expr& e, const AxisValues& values) {
    if (const std::int64_t* literal = asInt(e)) return *literal != 0;
    if (e->kind == ExprKind::And || e->kind == ExprKind::Or) {
      const std::optional<bool> a = decide((*e)[0], values);
      const std::optional<bool> b = decide((*e)[1], values);
      const bool absorbing = e->kind == ExprKind::Or;
      if (a == absorbing || b == absorbing) return absorbing;
      return a && b ? std::optional(!absorbing) : std::nullopt;
    }
    if (e->kind == ExprKind::Not) {
      const std::optional<bool> a = decide((*e)[0], values);
      return a ? std::optional(!*a) : std::nullopt;
    }
    if (!isComparison(e->kind) || !isScalarInteger((*e)[0])) return std::nullopt;
    const IntRange range = rangeOf(difference(e, values));
    return decide(e->kind, range);
  }

  static std::optional<bool> decide(ExprKind kind, const IntRange& difference) {
    switch (kind) {
    case ExprKind::Lt:
      if (difference.high < 0) return true;
      if (difference.low >= 0) return false;
      return std::nullopt;
    case ExprKind::Le:
      if (difference.high <= 0) return true;
      if (difference.low > 0) return false;
      return std::nullopt;
    case ExprKind::Gt:
    case ExprKind::Ge: {
      const auto opposite = decide(kind == ExprKind::Gt ? ExprKind::Le : ExprKind::Lt, difference);
      return opposite ? std::optional(!*opposite) : std::nullopt;
    }
    default:
      break;
    }
    const bool equal = kind == ExprKind::Eq;
    if (difference.low == 0 && difference.high == 0) return equal;
    if (difference.low > 0 || difference.high < 0) return !equal;
    return std::nullopt;
  }

  Affine difference(const Expr& comparison, const AxisValues& values) {
    Affine result = affine((*comparison)[0], values);
    add(result, affine((*comparison)[1], values), -1);
    return result;
  }

  /// Terms on both sides, and one literal.
  void visitComparison(const Expr& e, const AxisValues& values) {
    const Affine all = difference(e, values);
    Affine left, right;
    for (const Term& term : all.terms)
      (term.factor > 0 ? left : right)
          .terms.push_back({term.atom, std::abs(term.factor), term.range});
    // A single term's factor and divisor go to the literal's side.
    if (all.terms.size() == 1) {
      Term& term = left.terms.empty() ? right.terms[0] : left.terms[0];
      term.factor = 1;
      if (term.atom->kind == ExprKind::FloorDiv) term.atom = (*term.atom)[0];
    }
    sortTerms(left);
    write(left);
    right.constant = all.terms.size() == 1 ? 0 : -all.constant;
    sortTerms(right);
    write(right);
    result_.integers.compare += 1;
  }

  void count(ExprKind kind, DataType type) {
    OperationCounts& counts = type.isFloat() ? result_.floats : result_.integers;
    switch (kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
      counts.addSub += 1;
      break;
    case ExprKind::Mul:
      counts.mul += 1;
      break;
    case ExprKind::Div:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      counts.divMod += 1;
      break;
    case ExprKind::Min:
    case ExprKind::Max:
      counts.compare += 1;
      break;
    case ExprKind::Call:
      counts.mathFunction += 1;
      break;
    default:
      if (isComparison(kind)) counts.compare += 1;
    }
  }

  const State& state_;
  int stage_;
  const std::vector<EnclosingLoop>& loops_;
  Statement result_;
};

} // namespace

AxisValues inlinedValues(const Stage& stage, std::vector<Affine> indices) {
  if (stage.op->reducer)
    throw IllegalSchedule(fmt::format("{} is a reduction and cannot be inlined", stage.name()));
  AxisValues values;
  for (std::size_t i = 0; i < indices.size(); ++i)
    values.emplace_back(stage.op->axes[i].var.get(), std::move(indices[i]));
  return values;
}

AxisValues axisValues(const State& state, const Bounds& bounds, int stage,
                      const std::vector<EnclosingLoop>& loops) {
  const OpNode& op = *state.stage(stage).op;
  const std::vector<Expr>& expressions = bounds.stages[static_cast<std::size_t>(stage)].axisValues;
  AxisValues values;
  values.reserve(expressions.size());
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::size_t spatial = op.axes.size();
    const Axis& axis = i < spatial ? op.axes[i] : op.reduceAxes[i - spatial];
    values.emplace_back(axis.var.get(), indexValue(expressions[i], {}, loops));
  }
  return values;
}

Statement readStatement(const State& state, int stage, const AxisValues& axes,
                        const std::vector<EnclosingLoop>& loops) {
  return StatementReader(state, stage, loops).update(axes);
}

Statement initialStatement(const State& state, int stage, const AxisValues& axes,
                           const std::vector<EnclosingLoop>& loops) {
  return StatementReader(state, stage, loops).initial(axes);
}

Statement initialShare(const State& state, int stage, const std::vector<EnclosingLoop>& loops) {
  return StatementReader(state, stage, loops).initialShare();
}

Statement addToShare(const State& state, int stage, const AxisValues& axes,
                     const std::vector<EnclosingLoop>& loops) {
  return StatementReader(state, stage, loops).addToShare(axes);
}

Statement storeCombined(const State& state, int stage, const AxisValues& axes,
                        const std::vector<EnclosingLoop>& loops) {
  return StatementReader(state, stage, loops).storeCombined(axes);
}

int bufferOf(const State& state, int stage, ReductionValue value) {
  return (1 + static_cast<int>(value)) * state.stageCount() + stage;
}

std::optional<int> stageOfReductionValue(const State& state, int buffer) {
  if (buffer < state.stageCount()) return std::nullopt;
  return buffer % state.stageCount();
}

} // namespace nestwright
