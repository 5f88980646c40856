#pragma once
/// \file Executes the loops that bound inference describes, one iteration at a time, and complains
/// about everything that a correct program does not do.

#include "core/schedule/bounds.h"
#include "core/support/error.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace nestwright::test {

class LoopSimulation {
 public:
  using Point = std::vector<std::int64_t>;

  LoopSimulation(const State& state, const Bounds& bounds)
      : state_(state), bounds_(bounds), stages_(state.stageCount()) {}

  /// The first thing that went wrong; empty when nothing did.
  std::string run() {
    for (int id = 0; id < state_.stageCount() && complaint_.empty(); ++id) {
      const Stage& stage = state_.stage(id);
      if (!stage.isPlaceholder() && stage.location == ComputeLocation::Root) execute(id);
    }
    for (const Op& output : state_.dag().outputs())
      requireComplete(output);
    return complaint_;
  }

  std::int64_t iterations() const { return iterations_; }

 private:
  using Values = std::unordered_map<const VarNode*, std::int64_t>;
  struct Instance {
    std::map<Point, std::int64_t> counts; // executed reduction points of each element
    std::set<Point> points;               // spatial and reduction indices
  };

  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  }

  void execute(int id) {
    stages_[id] = {};
    loop(id, 0);
    const StageBounds& bounds = bounds_.stages[id];
    const OpNode& op = *state_.stage(id).op;
    Point first, last;
    for (std::size_t d = 0; d < op.axes.size(); ++d) {
      const std::int64_t min = value(bounds.axes[d].min, loops_);
      first.push_back(std::max<std::int64_t>(min, 0));
      last.push_back(std::min(min + bounds.axes[d].extent, op.axes[d].extent) - 1);
    }
    requireBox(id, first, last, first, 0);
  }

  void requireBox(int id, const Point& first, const Point& last, Point at, std::size_t d) {
    if (!complaint_.empty()) return;
    if (d == at.size()) return requireElement(id, at, "of its own region");
    for (at[d] = first[d]; at[d] <= last[d]; ++at[d])
      requireBox(id, first, last, at, d + 1);
  }

  void requireComplete(const Op& output) {
    const Point zero(output->axes.size(), 0);
    Point last;
    for (const Axis& axis : output->axes)
      last.push_back(axis.extent - 1);
    requireBox(state_.dag().indexOf(output->output), zero, last, zero, 0);
  }

  void requireElement(int id, const Point& at, const std::string& why) {
    std::int64_t wanted = 1;
    for (const Axis& axis : state_.stage(id).op->reduceAxes)
      wanted *= axis.extent;
    const auto found = stages_[id].counts.find(at);
    if (found == stages_[id].counts.end() || found->second != wanted)
      complain(fmt::format("{}[{}] {} was computed {} of {} times", state_.stage(id).name(),
                           text(at), why, found == stages_[id].counts.end() ? 0 : found->second,
                           wanted));
  }

  static std::string text(const Point& point) {
    std::string result;
    for (const std::int64_t value : point)
      result += fmt::format("{} ", value);
    return result;
  }

  void loop(int id, std::size_t depth) {
    const StageBounds& bounds = bounds_.stages[id];
    if (depth == bounds.extents.size()) return iteration(id);
    for (std::int64_t v = 0; v < bounds.extents[depth] && complaint_.empty(); ++v) {
      loops_[bounds.loopVars[depth].get()] = v;
      std::vector<int> inside = state_.attachedAt({id, static_cast<int>(depth)});
      std::sort(inside.begin(), inside.end());
      for (const int attached : inside)
        execute(attached);
      loop(id, depth + 1);
    }
    loops_.erase(bounds.loopVars[depth].get());
  }

  void iteration(int id) {
    ++iterations_;
    const StageBounds& bounds = bounds_.stages[id];
    const OpNode& op = *state_.stage(id).op;
    for (const Expr& guard : bounds.guards)
      if (value(guard, loops_) == 0) return;
    Values axes;
    Point element, point;
    for (std::size_t a = 0; a < bounds.axisValues.size(); ++a) {
      const bool spatial = a < op.axes.size();
      const Axis& axis = spatial ? op.axes[a] : op.reduceAxes[a - op.axes.size()];
      const std::int64_t at = value(bounds.axisValues[a], loops_);
      const std::int64_t min = value(bounds.axes[a].min, loops_);
      if (at < 0 || at >= axis.extent)
        complain(fmt::format("{}: axis {} is {} of {}", op.name(), axis.name(), at, axis.extent));
      if (at < min || at >= min + bounds.axes[a].extent)
        complain(fmt::format("{}: axis {} is {}, outside its region", op.name(), axis.name(), at));
      axes[axis.var.get()] = at;
      point.push_back(at);
      if (spatial) element.push_back(at);
    }
    if (!stages_[id].points.insert(point).second)
      complain(fmt::format("{}[{}] was visited twice", op.name(), text(point)));
    ++stages_[id].counts[element];
    value(op.body, axes);
  }

  std::int64_t read(const Expr& load, const Values& axes) {
    Point at;
    for (const Expr& index : load->operands)
      at.push_back(value(index, axes));
    const int id = state_.dag().indexOf(load->buffer.get());
    for (std::size_t d = 0; d < at.size(); ++d)
      if (at[d] < 0 || at[d] >= load->buffer->shape[d])
        complain(fmt::format("{}[{}] does not exist", load->buffer->name, text(at)));
    const Stage& stage = state_.stage(id);
    if (stage.isPlaceholder() || !complaint_.empty()) return 0;
    if (stage.location != ComputeLocation::Inlined) {
      requireElement(id, at, "that is read");
      return 0;
    }
    Values inlined;
    for (std::size_t d = 0; d < at.size(); ++d)
      inlined[stage.op->axes[d].var.get()] = at[d];
    return value(stage.op->body, inlined);
  }

  /// Integer value of an expression; that of a float does not matter here and is 0.
  std::int64_t value(const Expr& e, const Values& values) {
    const auto operand = [&](std::size_t i) { return value((*e)[i], values); };
    const auto floorDivide = [](std::int64_t a, std::int64_t b) {
      return a / b - (a % b < 0 ? 1 : 0);
    };
    switch (e->kind) {
    case ExprKind::IntImm:
      return e->integer;
    case ExprKind::Var:
      if (const auto found = values.find(e->var.get()); found != values.end()) return found->second;
      complain(fmt::format("variable {} has no value here", e->var->name));
      return 0;
    case ExprKind::Load:
      return read(e, values);
    case ExprKind::IfThenElse:
    case ExprKind::Select:
      return operand(0) != 0 ? operand(1) : operand(2);
    case ExprKind::And:
      return operand(0) != 0 && operand(1) != 0;
    case ExprKind::Or:
      return operand(0) != 0 || operand(1) != 0;
    default:
      break;
    }
    std::vector<std::int64_t> operands;
    for (std::size_t i = 0; i < e->operands.size(); ++i)
      operands.push_back(operand(i));
    switch (e->kind) {
    case ExprKind::Add:
      return operands[0] + operands[1];
    case ExprKind::Sub:
      return operands[0] - operands[1];
    case ExprKind::Mul:
      return operands[0] * operands[1];
    case ExprKind::FloorDiv:
      return floorDivide(operands[0], operands[1]);
    case ExprKind::FloorMod:
      return operands[0] - floorDivide(operands[0], operands[1]) * operands[1];
    case ExprKind::Lt:
      return operands[0] < operands[1];
    case ExprKind::Ge:
      return operands[0] >= operands[1];
    default:
      return 0;
    }
  }

  const State& state_;
  const Bounds& bounds_;
  std::vector<Instance> stages_;
  Values loops_;
  std::string complaint_;
  std::int64_t iterations_ = 0;
};

} // namespace nestwright::test
