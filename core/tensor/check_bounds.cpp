#include "core/tensor/check_bounds.h"

#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/tensor/text.h"
#include "core/tensor/value_bounds.h"

#include <fmt/ranges.h>

#include <limits>
#include <unordered_set>

namespace nestwright {

namespace {

/// The number, or at which end it lies beyond 64 bits.
std::string shown(WideInt value) {
  constexpr WideInt kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr WideInt kHighest = std::numeric_limits<std::int64_t>::max();
  if (value < kLowest) return "below -2^63";
  if (value > kHighest) return "above 2^63";
  return fmt::format("{}", static_cast<std::int64_t>(value));
}

/// An expression for a message, which has no room for the longest.
std::string brief(const Expr& e) {
  constexpr std::size_t kLongest = 200;
  std::string text = print(e);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

class ReadCheck {
 public:
  explicit ReadCheck(const OpNode& op) : op_(op), analysis_(op) {}

  void run() {
    collect(op_.body);
    check(op_.body);
  }

 private:
  /// Finds out which parts read, and whether arithmetic without reads stays in its type.
  bool collect(const Expr& e) {
    bool reads = e->kind == ExprKind::Load;
    for (const Expr& operand : e->operands)
      reads |= collect(operand);
    if (reads)
      reading_.insert(e.get());
    else if (e->type.isInt() && !analysis_.staysInType(e))
      throw InputError(fmt::format("operator '{}' computes {}, whose values leave {}, its type",
                                   op_.name(), brief(e), toString(e->type)));
    return reads;
  }

  void check(const Expr& e) {
    if (!reading_.contains(e.get())) return;
    if (e->kind == ExprKind::Load) checkRead(e);
    if (e->kind != ExprKind::IfThenElse) {
      selects_ += e->kind == ExprKind::Select;
      for (const Expr& operand : e->operands)
        check(operand);
      selects_ -= e->kind == ExprKind::Select;
      return;
    }
    check(e[0]);
    for (const bool value : {true, false})
      if (const Expr& branch = e[value ? 1 : 2]; reading_.contains(branch.get()))
        analysis_.assuming(e[0], value, [&] { check(branch); });
  }

  void checkRead(const Expr& load) {
    for (std::size_t axis = 0; axis < load->operands.size(); ++axis) {
      const std::int64_t extent = load->buffer->shape[axis];
      const ValueBounds range = analysis_.bounds(load[axis]);
      if (!range.isEmpty() && !range.isInside({0, WideInt(extent) - 1}))
        refuse(*load->buffer, axis, load[axis], range);
    }
  }

  [[noreturn]] void refuse(const BufferNode& tensor, std::size_t axis, const Expr& index,
                           const ValueBounds& range) const {
    const std::int64_t extent = tensor.shape[axis];
    std::string text =
        fmt::format("operator '{}' reads '{}' outside of its bounds: axis {} has {}, "
                    "and the index {} ",
                    op_.name(), tensor.name, axis, quantity(extent, "element"), brief(index));
    if (boundsOf(index->type).isInside(range))
      text += fmt::format("can be anything; clamp it, as in max(min({}, {}), 0)",
                          index->operands.empty() || index->kind == ExprKind::Load ? brief(index)
                                                                                   : "index",
                          extent - 1);
    else
      text += fmt::format("runs from {} to {}; guard the read, as in if_then_else(condition, {}[..."
                          "], 0f)",
                          shown(range.low), shown(range.high), tensor.name);
    if (selects_ > 0) text += " (a select is no guard: both its sides are evaluated)";
    throw InputError(text);
  }

  const OpNode& op_;
  BoundsAnalysis analysis_;
  std::unordered_set<const ExprNode*> reading_;
  int selects_ = 0; // around the expression at hand
};

void requireName(const std::string& name, const char* what) {
  if (name.size() > kLongestName)
    throw InputError(fmt::format("the name of {} has {} characters; at most {} are allowed", what,
                                 name.size(), kLongestName));
}

void checkSize(const OpNode& op) {
  requireName(op.name(), "an operator");
  for (const auto* axes : {&op.axes, &op.reduceAxes}) {
    if (axes->size() > kMostDimensions)
      throw InputError(fmt::format("operator '{}' has {} axes of one kind; at most {} are allowed",
                                   op.name(), axes->size(), kMostDimensions));
    for (const Axis& axis : *axes)
      requireName(axis.name(), "an axis");
  }
  const std::vector<std::int64_t>& shape = op.output->shape;
  if (shape.size() > kMostDimensions)
    throw InputError(fmt::format("tensor '{}' has {} dimensions; at most {} are allowed", op.name(),
                                 shape.size(), kMostDimensions));
  // Extents are at least 1, so the product only grows: no need to know what lies beyond.
  WideInt elements = 1, iterations = 1;
  for (const std::int64_t extent : shape)
    if ((elements *= extent) > kMostElements)
      throw InputError(fmt::format("tensor '{}' of {} elements is larger than any memory; at most "
                                   "2^40 elements are allowed",
                                   op.name(), fmt::join(shape, " x ")));
  for (const auto* axes : {&op.axes, &op.reduceAxes})
    for (const Axis& axis : *axes)
      if ((iterations *= axis.extent) > kMostIterations)
        throw InputError(fmt::format("the loops of operator '{}' would never end: axis '{}' brings "
                                     "them to more than 2^50 iterations",
                                     op.name(), axis.name()));
}

} // namespace

void checkBounds(const OpNode& op) {
  checkSize(op);
  if (op.isCompute()) ReadCheck(op).run();
}

void checkBounds(const ComputeDag& dag) {
  if (dag.size() > kMostOperators)
    throw InputError(fmt::format("the compute DAG has {} operators; at most {} are allowed",
                                 dag.size(), kMostOperators));
  for (const Op& op : dag.ops())
    checkBounds(*op);
}

void requireMemory(const ComputeDag& dag, std::int64_t bytes) {
  double total = 0;
  Op largest;
  for (const Op& op : dag.ops()) {
    total += static_cast<double>(op->output->bytes());
    if (!largest || op->output->bytes() > largest->output->bytes()) largest = op;
  }
  if (total > static_cast<double>(bytes))
    throw InputError(fmt::format("its tensors need {}, more than the {} of memory; the largest is "
                                 "'{}' of {} elements with {}",
                                 formatBytes(total), formatBytes(static_cast<double>(bytes)),
                                 largest->name(), fmt::join(largest->output->shape, " x "),
                                 formatBytes(static_cast<double>(largest->output->bytes()))));
}

} // namespace nestwright
