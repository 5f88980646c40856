#include "core/lower/copy_layout.h"

#include <algorithm>

namespace nestwright {

namespace {

bool isCopy(const OpNode& op) {
  if (op.reducer || op.body->kind != ExprKind::Load || op.body->operands.size() != op.axes.size())
    return false;
  for (std::size_t i = 0; i < op.axes.size(); ++i)
    if (op.body[i]->kind != ExprKind::Var || op.body[i]->var != op.axes[i].var) return false;
  return true;
}

/// The indices with which the only reader reads the buffer once; null when there is no such reader.
const std::vector<Expr>* soleReading(const State& state, const Buffer& buffer,
                                     const OpNode*& reader) {
  const std::vector<Expr>* found = nullptr;
  int count = 0;
  for (const Op& op : state.dag().ops()) {
    if (!op->isCompute()) continue;
    visit(op->body, [&](const Expr& e) {
      if (e->kind != ExprKind::Load || e->buffer != buffer) return true;
      ++count;
      found = &e->operands;
      reader = op.get();
      return true;
    });
  }
  return count == 1 ? found : nullptr;
}

} // namespace

std::vector<int> copyLayout(const State& state, int stage) {
  const Stage& copy = state.stage(stage);
  if (copy.location != ComputeLocation::Attached || !copy.alignments.empty() || !isCopy(*copy.op))
    return {};
  const OpNode* reader = nullptr;
  const std::vector<Expr>* indices = soleReading(state, copy.op->output, reader);
  if (indices == nullptr) return {};
  std::vector<int> order, spatial;
  for (int i = 0; i < static_cast<int>(indices->size()); ++i) {
    const bool isReduced =
        std::any_of(reader->reduceAxes.begin(), reader->reduceAxes.end(),
                    [&](const Axis& axis) { return uses((*indices)[i], axis.var); });
    (isReduced ? order : spatial).push_back(i);
  }
  order.insert(order.end(), spatial.begin(), spatial.end());
  return std::is_sorted(order.begin(), order.end()) ? std::vector<int>() : order;
}

} // namespace nestwright
