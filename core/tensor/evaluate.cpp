#include "core/tensor/evaluate.h"

#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/evaluate_expr.h"
#include "core/tensor/scalar_arithmetic.h"

namespace nestwright {

namespace {

/// Steps the outer loops like a counter; false after the last position.
bool advance(std::vector<std::int64_t>& position, const std::vector<Axis>& loops) {
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (++position[i] < loops[i].extent) return true;
    position[i] = 0;
  }
  return false;
}

TensorValues evaluateOp(const OpNode& op, const std::map<const BufferNode*, const double*>& data) {
  std::vector<Axis> loops = op.axes;
  loops.insert(loops.end(), op.reduceAxes.begin(), op.reduceAxes.end());
  if (loops.empty()) loops.push_back({makeVar("once"), 1});
  const Axis inner = loops.back();
  loops.pop_back();
  VectorProgram program(op.body, loops, inner, data);

  TensorValues result(static_cast<std::size_t>(op.output->elements()));
  const double neutral = op.reducer ? literal(identity(*op.reducer, op.output->type)) : 0;
  const bool innerIsReduced = !op.reduceAxes.empty();
  std::fill(result.begin(), result.end(), neutral);

  std::vector<std::int64_t> position(loops.size(), 0);
  do {
    // Only the spatial loops select an element; the innermost loop counts when it is spatial.
    std::int64_t element = 0;
    for (std::size_t i = 0; i < op.axes.size() && i < loops.size(); ++i)
      element = element * op.axes[i].extent + position[i];
    if (!innerIsReduced && !op.axes.empty()) element *= inner.extent;
    for (std::int64_t start = 0; start < inner.extent; start += kChunk) {
      const int count = static_cast<int>(std::min<std::int64_t>(kChunk, inner.extent - start));
      const double* values = program.run(position, start, count);
      for (int i = 0; i < count; ++i) {
        double& target = result[element + (innerIsReduced ? 0 : start + i)];
        target =
            op.reducer ? accumulated(*op.reducer, target, values[i], op.output->type) : values[i];
      }
    }
  } while (advance(position, loops));
  for (double& value : result)
    value = stored(value, op.output->type);
  return result;
}

} // namespace

std::map<std::string, TensorValues> evaluate(const ComputeDag& dag,
                                             const std::map<std::string, TensorValues>& inputs) {
  std::map<std::string, TensorValues> results;
  std::map<const BufferNode*, const double*> data;
  for (const Op& op : dag.ops()) {
    TensorValues values;
    if (op->isCompute()) {
      values = evaluateOp(*op, data);
    } else if (op->kind == OpNode::Kind::Constant) {
      values = op->values;
    } else {
      const auto found = inputs.find(op->name());
      if (found == inputs.end())
        throw InputError(fmt::format("no values were given for the input '{}'", op->name()));
      if (static_cast<std::int64_t>(found->second.size()) != op->output->elements())
        throw InputError(fmt::format("the input '{}' has {}, but was given {}", op->name(),
                                     quantity(op->output->elements(), "element"),
                                     quantity(std::ssize(found->second), "value")));
      values = found->second;
    }
    const auto place = results.emplace(op->name(), std::move(values)).first;
    data[op->output.get()] = place->second.data();
  }
  return results;
}

} // namespace nestwright
