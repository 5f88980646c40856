#include "core/feature/touched_nest.h"

#include "core/feature/index_form.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {
namespace {

/// How far each loop around an access moves it.
using Strides = std::vector<std::pair<const VarNode*, std::int64_t>>;

/// Reads strides from a sum: a variable's factor where the variable is a term of its own. Inside a
/// division or a remainder a variable has the literal that it is multiplied by there, else 1. Where
/// it occurs more than once the first counts.
class StrideReader {
 public:
  Strides read(const Affine& sum) {
    for (const Term& term : sum.terms)
      if (term.atom->kind == ExprKind::Var)
        add(term.atom->var.get(), term.factor);
      else
        visit(term.atom);
    return std::move(strides_);
  }

 private:
  void add(const VarNode* variable, std::int64_t stride) {
    const auto known = std::ranges::find(strides_, variable, &Strides::value_type::first);
    if (known == strides_.end()) strides_.emplace_back(variable, stride);
  }

  void visit(const Expr& e) {
    if (e->kind == ExprKind::Var) {
      add(e->var.get(), 1);
      return;
    }
    if (e->kind == ExprKind::Mul && (*e)[0]->kind == ExprKind::Var)
      if (const std::int64_t* literal = asInt((*e)[1])) {
        add((*e)[0]->var.get(), *literal);
        return;
      }
    for (const Expr& operand : e->operands)
      visit(operand);
  }

  Strides strides_;
};

/// Blocks contain threads, and threads what one of them does.
int parallelLevel(Annotation annotation) {
  if (blockAxis(annotation)) return 2;
  return threadAxis(annotation) || annotation == Annotation::Parallel ? 1 : 0;
}

class TouchWalk {
 public:
  TouchWalk(const State& state, const Bounds& bounds) : state_(state), bounds_(bounds) {}

  TouchedNest run() {
    for (int id = 0; id < state_.stageCount(); ++id)
      if (!state_.stage(id).isPlaceholder() && state_.stage(id).location == ComputeLocation::Root)
        stage(id);
    sortTouches();
    return std::move(nest_);
  }

 private:
  const StageBounds& boundsOf(int id) const { return bounds_.stages[static_cast<std::size_t>(id)]; }

  void stage(int id) {
    const Stage& stage = state_.stage(id);
    if (stage.op->kind == OpNode::Kind::Constant) return; // folded into what reads it
    const auto& iterators = stage.iterators;
    const auto firstReduction =
        std::ranges::find_if(iterators, &Iterator::isReduction) - iterators.begin();
    level(id, 0, static_cast<std::size_t>(firstReduction),
          axisValues(state_, bounds_, id, withOwnLoops(id)));
  }

  /// The loops around the stage and, right inside of them, its own.
  std::vector<EnclosingLoop> withOwnLoops(int id) const {
    const StageBounds& bounds = boundsOf(id);
    std::vector<EnclosingLoop> loops = enclosing_;
    for (std::size_t i = 0; i < bounds.extents.size(); ++i)
      loops.push_back({bounds.loopVars[i].get(), bounds.extents[i]});
    return loops;
  }

  void level(int id, std::size_t depth, std::size_t firstReduction, const AxisValues& axes) {
    const Stage& stage = state_.stage(id);
    if (stage.op->reducer && depth == firstReduction) initialise(id, firstReduction, axes);
    if (depth == stage.iterators.size()) {
      compute(id, axes);
      return;
    }
    open(id, depth);
    std::vector<int> attached = state_.attachedAt({id, static_cast<int>(depth)});
    std::ranges::sort(attached); // producers before consumers
    for (const int producer : attached)
      this->stage(producer);
    level(id, depth + 1, firstReduction, axes);
    close();
  }

  /// Loops of their own store a reduction's neutral element.
  void initialise(int id, std::size_t firstReduction, const AxisValues& axes) {
    const Stage& stage = state_.stage(id);
    std::size_t opened = 0;
    for (std::size_t i = firstReduction; i < stage.iterators.size(); ++i) {
      if (stage.iterators[i].isReduction()) continue;
      open(id, i);
      ++opened;
    }
    store(id, axes);
    for (; opened > 0; --opened)
      close();
  }

  void compute(int id, const AxisValues& axes) {
    const OpNode& op = *state_.stage(id).op;
    store(id, axes);
    if (op.reducer) {
      count(combination(*op.reducer), op.output->type);
      store(id, axes); // which it reads, too
    }
    visit(op.body, axes);
  }

  /// An access to an element of what the stage itself computes.
  void store(int id, const AxisValues& axes) {
    std::vector<Affine> indices;
    for (std::size_t i = 0; i < state_.stage(id).op->axes.size(); ++i)
      indices.push_back(axes[i].second);
    touch(id, indices);
  }

  void visit(const Expr& e, const AxisValues& values) {
    if (e->kind == ExprKind::Load) {
      load(e, values);
      return;
    }
    if (!e->operands.empty()) count(e->kind, e->type);
    for (const Expr& operand : e->operands)
      visit(operand, values);
  }

  void load(const Expr& e, const AxisValues& values) {
    const int producer = state_.dag().indexOf(e->buffer);
    NW_ASSERT(producer >= 0, "{} is read, but nothing makes it", e->buffer->name);
    const Stage& stage = state_.stage(producer);
    if (stage.op->kind == OpNode::Kind::Constant) return;
    std::vector<Affine> indices;
    for (const Expr& operand : e->operands)
      indices.push_back(indexValue(operand, values, enclosing_));
    if (stage.location != ComputeLocation::Inlined) {
      touch(producer, indices);
      for (const Expr& operand : e->operands)
        visit(operand, values);
      return;
    }
    visit(stage.op->body, inlinedValues(stage, std::move(indices)));
  }

  void count(ExprKind kind, DataType type) {
    if (!type.isFloat() || stack_.empty()) return;
    TouchedLoop& loop = nest_.loops[stack_.back()];
    if (kind == ExprKind::Add || kind == ExprKind::Sub) loop.addSub += 1;
    if (kind == ExprKind::Mul) loop.mul += 1;
    if (kind == ExprKind::Div || kind == ExprKind::FloorMod) loop.divMod += 1;
  }

  /// The place of an element in the memory of a stage, which holds the region that is computed at
  /// once.
  Affine flattened(int id, const std::vector<Affine>& indices) const {
    const OpNode& op = *state_.stage(id).op;
    const bool isWhole = state_.stage(id).location == ComputeLocation::Root;
    Affine place;
    std::int64_t step = 1;
    for (std::size_t d = indices.size(); d-- > 0;) {
      add(place, indices[d], step);
      if (isWhole) {
        step *= op.output->shape[d];
        continue;
      }
      const AxisRange& range = boundsOf(id).axes[d];
      if (range.min) add(place, indexValue(range.min, {}, enclosing_), -step);
      step *= range.extent;
    }
    place = recombined(std::move(place)); // which undoes the fusing of loops
    sortTerms(place);
    return place;
  }

  void touch(int id, const std::vector<Affine>& indices) {
    const std::string& buffer = state_.stage(id).name();
    const int access = static_cast<int>(nest_.accesses.size());
    nest_.accesses.push_back({buffer, fmt::format("{}_{}", buffer, numbers_[id]++)});
    const Strides strides = StrideReader().read(flattened(id, indices));
    for (std::size_t depth = 0; depth < stack_.size(); ++depth) {
      const auto moved =
          std::ranges::find(strides, enclosing_[depth].variable, &Strides::value_type::first);
      LoopTouch touch{.access = access};
      if (moved != strides.end()) touch.stride = static_cast<double>(moved->second);
      nest_.loops[stack_[depth]].touches.push_back(touch);
    }
  }

  void open(int id, std::size_t iterator) {
    const StageBounds& bounds = boundsOf(id);
    TouchedLoop loop;
    loop.name = state_.stage(id).iterators[iterator].name;
    loop.annotation = state_.stage(id).iterators[iterator].annotation;
    loop.length = static_cast<double>(bounds.extents[iterator]);
    loop.level = static_cast<int>(stack_.size()) + 1;
    loop.topdown = loop.length * (stack_.empty() ? 1 : nest_.loops[stack_.back()].topdown);
    stack_.push_back(nest_.loops.size());
    enclosing_.push_back({bounds.loopVars[iterator].get(), bounds.extents[iterator]});
    nest_.loops.push_back(std::move(loop));
  }

  /// The same accesses in a loop around: the last ones that it has seen so far.
  std::vector<LoopTouch>::iterator sameTouches(std::size_t around, std::size_t count) {
    return nest_.loops[around].touches.end() - static_cast<std::ptrdiff_t>(count);
  }

  void close() {
    TouchedLoop& loop = nest_.loops[stack_.back()];
    const std::size_t count = loop.touches.size();
    const std::vector<bool> moved = [&] {
      std::vector<bool> result;
      for (const LoopTouch& touch : loop.touches)
        result.push_back(touch.stride != 0);
      return result;
    }();
    for (const std::size_t around : stack_) {
      auto touch = sameTouches(around, count);
      for (std::size_t i = 0; i < count; ++i, ++touch)
        (moved[i] ? touch->count : touch->reuse) *= loop.length;
    }
    for (const LoopTouch& touch : loop.touches)
      loop.bottomup = std::max(loop.bottomup, touch.count * touch.reuse);
    stack_.pop_back();
    enclosing_.pop_back();
    noteThreads(loop);
  }

  /// What one thread does is noted, with a minus, in the loops over threads right around it; when
  /// such a loop ends it becomes the ratio.
  void noteThreads(TouchedLoop& loop) {
    const int outer = parallelLevel(loop.annotation) + 1;
    const auto levelOf = [&](std::size_t number) {
      return parallelLevel(nest_.loops[number].annotation);
    };
    if (!stack_.empty() && levelOf(stack_.back()) == outer)
      for (const std::size_t around : stack_) {
        if (levelOf(around) != outer) continue;
        auto base = sameTouches(around, loop.touches.size());
        for (const LoopTouch& touch : loop.touches) {
          base->threadCount = -touch.count;
          base->threadReuse = -touch.reuse;
          ++base;
        }
      }
    for (LoopTouch& touch : loop.touches) {
      if (touch.threadCount >= 0) continue;
      touch.threadCount = std::floor(touch.count / -touch.threadCount);
      touch.threadReuse = std::floor(touch.reuse / -touch.threadReuse);
    }
  }

  void sortTouches() {
    const auto nameOf = [&](const LoopTouch& touch) -> const std::string& {
      return nest_.accesses[static_cast<std::size_t>(touch.access)].name;
    };
    for (TouchedLoop& loop : nest_.loops)
      std::ranges::sort(loop.touches, {}, nameOf);
  }

  const State& state_;
  const Bounds& bounds_;
  TouchedNest nest_;
  std::vector<std::size_t> stack_;       // the loops around the present place, outermost first
  std::vector<EnclosingLoop> enclosing_; // the same
  std::map<int, int> numbers_;           // accesses to each stage's buffer so far
};

} // namespace

TouchedNest touchedNest(const State& state, const Bounds& bounds) {
  return TouchWalk(state, bounds).run();
}

} // namespace nestwright
