#include "core/tensor/compute_dag.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"

#include <set>
#include <unordered_set>

namespace nestwright {

Expr identity(Reducer reducer, DataType type) {
  switch (reducer) {
  case Reducer::Sum:
    return zeroOf(type);
  case Reducer::Product:
    return oneOf(type);
  case Reducer::Min: // an infinity is beyond the highest number
    return type.isFloat() ? floatImm(kInfinity, type) : highestOf(type);
  case Reducer::Max:
    return type.isFloat() ? floatImm(-kInfinity, type) : lowestOf(type);
  }
  NW_ASSERT(false, "unknown reducer {}", static_cast<int>(reducer));
  return {};
}

Expr combine(Reducer reducer, Expr a, Expr b) {
  switch (reducer) {
  case Reducer::Sum:
    return a + b;
  case Reducer::Product:
    return a * b;
  case Reducer::Min:
    return min(std::move(a), std::move(b));
  case Reducer::Max:
    return max(std::move(a), std::move(b));
  }
  NW_ASSERT(false, "unknown reducer {}", static_cast<int>(reducer));
  return {};
}

ExprKind combination(Reducer reducer) {
  switch (reducer) {
  case Reducer::Sum:
    return ExprKind::Add;
  case Reducer::Product:
    return ExprKind::Mul;
  case Reducer::Min:
    return ExprKind::Min;
  case Reducer::Max:
    return ExprKind::Max;
  }
  NW_ASSERT(false, "unknown reducer {}", static_cast<int>(reducer));
  return {};
}

namespace {

/// Finishes an operator: gives it its output, which knows who defines it.
Op define(OpNode node, std::string name, std::vector<std::int64_t> shape, DataType type) {
  const auto isUnprintable = [](unsigned char c) { return c < ' ' || c == '`'; };
  if (name.empty() || std::any_of(name.begin(), name.end(), isUnprintable))
    throw InputError(fmt::format("'{}' cannot name an operator: a name has at least one character, "
                                 "no control characters and no backquotes",
                                 name));
  const auto op = std::make_shared<OpNode>(std::move(node));
  BufferNode output = *makeBuffer(std::move(name), std::move(shape), type);
  output.definition = op;
  op->output = std::make_shared<const BufferNode>(std::move(output));
  return op;
}

} // namespace

Op placeholder(std::string name, std::vector<std::int64_t> shape, DataType type) {
  return define({}, std::move(name), std::move(shape), type);
}

Op constant(std::string name, std::vector<std::int64_t> shape, std::vector<double> values,
            DataType type) {
  OpNode node;
  node.kind = OpNode::Kind::Constant;
  node.values = std::move(values);
  if (type.isFloat())
    for (double& value : node.values)
      value = roundedTo(value, type);
  Op op = define(std::move(node), std::move(name), std::move(shape), type);
  if (static_cast<std::int64_t>(op->values.size()) != op->output->elements())
    throw InputError(fmt::format("constant '{}' has {}, but was given {}", op->name(),
                                 quantity(op->output->elements(), "element"),
                                 quantity(std::ssize(op->values), "value")));
  return op;
}

namespace {

void requireDistinctAxes(const OpNode& op, const std::string& name) {
  std::set<std::string_view> seen;
  for (const auto* axes : {&op.axes, &op.reduceAxes})
    for (const Axis& axis : *axes) {
      if (!seen.insert(axis.name()).second)
        throw InputError(
            fmt::format("operator '{}' has two axes named '{}'; rename one", name, axis.name()));
      if (axis.extent < 1)
        throw InputError(fmt::format("axis '{}' of operator '{}' has the extent {}; extents are "
                                     "at least 1",
                                     axis.name(), name, axis.extent));
    }
}

std::vector<Axis> makeAxes(const std::string& op, const std::vector<std::int64_t>& shape,
                           const std::vector<std::string>& names) {
  if (!names.empty() && names.size() != shape.size())
    throw InputError(fmt::format("operator '{}' has {} but {}", op,
                                 quantity(std::ssize(shape), "dimension"),
                                 quantity(std::ssize(names), "axis name")));
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    axes.push_back({makeVar(names.empty() ? fmt::format("i{}", i) : names[i]), shape[i]});
  return axes;
}

std::vector<Expr> variables(const std::vector<Axis>& axes) {
  std::vector<Expr> vars;
  for (const Axis& axis : axes)
    vars.emplace_back(axis.var);
  return vars;
}

} // namespace

Op compute(std::string name, std::vector<std::int64_t> shape,
           const std::function<Expr(const std::vector<Expr>&)>& body,
           std::vector<std::string> axisNames, OpAttributes attributes) {
  OpNode op;
  op.kind = OpNode::Kind::Compute;
  op.axes = makeAxes(name, shape, axisNames);
  op.body = body(variables(op.axes));
  op.attributes = std::move(attributes);
  requireDistinctAxes(op, name);
  const DataType type = op.body->type;
  return define(std::move(op), std::move(name), std::move(shape), type);
}

Op reduce(std::string name, Reducer reducer, std::vector<std::int64_t> shape,
          std::vector<NamedExtent> reduceAxes,
          const std::function<Expr(const std::vector<Expr>&, const std::vector<Expr>&)>& body,
          std::vector<std::string> axisNames, OpAttributes attributes) {
  OpNode op;
  op.kind = OpNode::Kind::Compute;
  op.axes = makeAxes(name, shape, axisNames);
  for (NamedExtent& axis : reduceAxes)
    op.reduceAxes.push_back({makeVar(std::move(axis.name)), axis.extent});
  op.reducer = reducer;
  op.body = body(variables(op.axes), variables(op.reduceAxes));
  op.attributes = std::move(attributes);
  requireDistinctAxes(op, name);
  const DataType type = op.body->type;
  return define(std::move(op), std::move(name), std::move(shape), type);
}

Expr read(const Op& op, std::vector<Expr> indices) {
  // An alias of the operator's own pointer: the reader keeps the operator alive.
  return load(Buffer(op, op->output.get()), std::move(indices));
}

namespace {

/// Buffers that the expression reads, each once, in the order in which a reader meets them: those
/// inside an index come before the buffer that is indexed.
void collectReads(const Expr& e, std::vector<const BufferNode*>& reads) {
  for (const Expr& operand : e->operands)
    collectReads(operand, reads);
  if (e->kind == ExprKind::Load &&
      std::find(reads.begin(), reads.end(), e->buffer.get()) == reads.end())
    reads.push_back(e->buffer.get());
}

void requireOwnVariables(const OpNode& op) {
  std::unordered_set<const VarNode*> own;
  for (const auto* axes : {&op.axes, &op.reduceAxes})
    for (const Axis& axis : *axes)
      own.insert(axis.var.get());
  visit(op.body, [&](const Expr& e) {
    if (e->kind == ExprKind::Var && !own.contains(e->var.get()))
      throw InputError(
          fmt::format("operator '{}' uses the variable '{}', which is none of its axes", op.name(),
                      e->var->name));
    return true;
  });
}

} // namespace

ComputeDag::ComputeDag(std::vector<Op> ops) {
  std::unordered_set<std::string_view> names;
  auto nodes = std::make_shared<Nodes>();
  for (const Op& op : ops) {
    if (!names.insert(op->name()).second)
      throw InputError(fmt::format("two operators are named '{}'; rename one", op->name()));
    if (op->isCompute()) {
      requireOwnVariables(*op);
      std::vector<const BufferNode*> reads;
      collectReads(op->body, reads);
      for (const BufferNode* buffer : reads)
        if (!nodes->definers.contains(buffer))
          throw InputError(
              fmt::format("operator '{}' reads '{}', which no earlier operator defines", op->name(),
                          buffer->name));
    }
    nodes->definers.emplace(op->output.get(), static_cast<int>(nodes->definers.size()));
  }
  nodes->ops = std::move(ops);
  nodes_ = std::move(nodes);
}

namespace {

void appendAfterProducers(const Op& op, std::unordered_set<const OpNode*>& seen,
                          std::vector<Op>& order) {
  if (!seen.insert(op.get()).second) return;
  if (op->isCompute()) {
    std::vector<const BufferNode*> reads;
    collectReads(op->body, reads);
    for (const BufferNode* buffer : reads) {
      const Op producer = buffer->definition.lock();
      if (!producer)
        throw InputError(fmt::format("operator '{}' reads '{}', which no operator defines",
                                     op->name(), buffer->name));
      appendAfterProducers(producer, seen, order);
    }
  }
  order.push_back(op);
}

} // namespace

ComputeDag ComputeDag::fromOutputs(const std::vector<Op>& outputs) {
  std::unordered_set<const OpNode*> seen;
  std::vector<Op> order;
  for (const Op& output : outputs)
    appendAfterProducers(output, seen, order);
  return ComputeDag(std::move(order));
}

int ComputeDag::indexOf(const BufferNode* buffer) const {
  const auto found = nodes_->definers.find(buffer);
  return found == nodes_->definers.end() ? -1 : found->second;
}

int ComputeDag::indexOf(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i)
    if ((*this)[i]->name() == name) return static_cast<int>(i);
  return -1;
}

std::vector<Op> ComputeDag::inputs() const {
  std::vector<Op> result;
  for (const Op& op : ops())
    if (op->kind == OpNode::Kind::Placeholder) result.push_back(op);
  return result;
}

std::vector<Op> ComputeDag::outputs() const {
  std::vector<const BufferNode*> reads;
  for (const Op& op : ops())
    if (op->isCompute()) collectReads(op->body, reads);
  std::vector<Op> result;
  for (const Op& op : ops())
    if (op->isCompute() && std::find(reads.begin(), reads.end(), op->output.get()) == reads.end())
      result.push_back(op);
  return result;
}

std::optional<AlternativeOf> alternativeOf(const ComputeDag& dag) {
  for (const Op& op : dag.ops())
    if (op->attributes.alternative) return op->attributes.alternative;
  return std::nullopt;
}

} // namespace nestwright
