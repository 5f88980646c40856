#include "core/tensor/access_analysis.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nestwright {

struct AccessAnalysis::Data {
  struct OpFacts {
    std::vector<int> consumers, producers;
    bool isSimple = true, isStrictlyInlineable = false, needsTiling = false;
  };

  ComputeDag dag;
  std::vector<OpFacts> ops;
  std::map<std::pair<int, int>, std::vector<std::vector<Expr>>> reads; // by (consumer, producer)
  std::map<std::pair<int, int>, int> commonOnEdge;                     // by (consumer, producer)
};

namespace {

/// The variable of an index of the form v, v + c, c + v or v - c.
std::optional<Var> shiftedVar(const Expr& index) {
  if (index->kind == ExprKind::Var) return index->var;
  if (index->kind != ExprKind::Add && index->kind != ExprKind::Sub) return std::nullopt;
  if (index[0]->kind == ExprKind::Var && asInt(index[1])) return index[0]->var;
  if (index->kind == ExprKind::Add && index[1]->kind == ExprKind::Var && asInt(index[0]))
    return index[1]->var;
  return std::nullopt;
}

int axisNumber(const std::vector<Axis>& axes, const Var& var) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].var == var) return static_cast<int>(i);
  return -1;
}

/// How one tuple of indices follows the spatial axes of its reader.
struct TupleShape {
  bool isSimple = true, isAxisMissing = false, isAxisDuplicated = false, isInOrder = true;
  bool isIdentity() const { return isSimple && !isAxisMissing && !isAxisDuplicated && isInOrder; }
};

TupleShape shapeOf(const OpNode& op, const std::vector<Expr>& tuple) {
  TupleShape shape;
  std::vector<int> timesUsed(op.axes.size(), 0);
  int previous = -1;
  for (const Expr& index : tuple) {
    if (asInt(index)) continue;
    const std::optional<Var> var = shiftedVar(index);
    const int axis = var ? axisNumber(op.axes, *var) : -1;
    if (axis < 0) {
      shape.isSimple = false;
      return shape;
    }
    shape.isAxisDuplicated |= ++timesUsed[axis] > 1;
    shape.isInOrder &= axis >= previous;
    previous = axis;
  }
  shape.isAxisMissing = std::count(timesUsed.begin(), timesUsed.end(), 0) > 0;
  return shape;
}

struct BodyFacts {
  bool hasBranch = false, hasExp = false;
};

BodyFacts factsOf(const Expr& body) {
  BodyFacts facts;
  visit(body, [&](const Expr& e) {
    facts.hasBranch |= e->kind == ExprKind::Select || e->kind == ExprKind::IfThenElse;
    facts.hasExp |= e->kind == ExprKind::Call && e->intrinsic == Intrinsic::Exp;
    return true;
  });
  return facts;
}

bool isUsedIn(const std::vector<std::vector<Expr>>& tuples, const Var& var) {
  return std::any_of(tuples.begin(), tuples.end(), [&](const std::vector<Expr>& tuple) {
    return std::any_of(tuple.begin(), tuple.end(),
                       [&](const Expr& index) { return uses(index, var); });
  });
}

/// Leading dimensions in which the shapes agree and every read follows the consumer's axis.
int commonLeadingAxes(const OpNode& consumer, const OpNode& producer,
                      const std::vector<std::vector<Expr>>& tuples) {
  const std::size_t rank = std::min(consumer.output->shape.size(), producer.output->shape.size());
  std::size_t common = 0;
  for (; common < rank; ++common) {
    if (consumer.output->shape[common] != producer.output->shape[common]) break;
    const bool follows =
        std::all_of(tuples.begin(), tuples.end(), [&](const std::vector<Expr>& tuple) {
          return shiftedVar(tuple[common]) == consumer.axes[common].var;
        });
    if (!follows) break;
  }
  return static_cast<int>(common);
}

} // namespace

AccessAnalysis::AccessAnalysis(ComputeDag dag) {
  auto data = std::make_shared<Data>();
  data->ops.resize(dag.size());
  for (int consumer = 0; consumer < static_cast<int>(dag.size()); ++consumer) {
    if (!dag[consumer]->isCompute()) continue;
    visit(dag[consumer]->body, [&](const Expr& e) {
      if (e->kind == ExprKind::Load)
        data->reads[{consumer, dag.indexOf(e->buffer)}].push_back(e->operands);
      return true;
    });
  }
  for (const auto& [edge, tuples] : data->reads) {
    const auto& [consumer, producer] = edge;
    data->ops[producer].consumers.push_back(consumer);
    data->ops[consumer].producers.push_back(producer);
    data->commonOnEdge[edge] = commonLeadingAxes(*dag[consumer], *dag[producer], tuples);
  }
  data->dag = std::move(dag);
  data_ = data;
  for (int i = 0; i < static_cast<int>(data->ops.size()); ++i)
    classify(*data, i);
}

void AccessAnalysis::classify(Data& data, int id) {
  const OpNode& op = *data.dag[id];
  if (!op.isCompute()) return;
  Data::OpFacts& facts = data.ops[id];
  bool isInOrder = true, isDuplicated = false;
  int producersWithReuse = 0;
  for (const int producer : facts.producers) {
    const auto& tuples = data.reads.at({id, producer});
    for (const auto& tuple : tuples) {
      const TupleShape shape = shapeOf(op, tuple);
      facts.isSimple &= shape.isSimple;
      isInOrder &= shape.isInOrder;
      isDuplicated |= shape.isAxisDuplicated;
    }
    producersWithReuse += std::any_of(op.axes.begin(), op.axes.end(), [&](const Axis& axis) {
      return axis.extent > 1 && !isUsedIn(tuples, axis.var);
    });
  }
  const BodyFacts body = factsOf(op.body);
  facts.isStrictlyInlineable =
      facts.producers.empty() ||
      (facts.isSimple && isInOrder && !isDuplicated && !body.hasExp && !body.hasBranch);
  facts.needsTiling =
      op.attributes.simplifyConstIndices.empty() &&
      (producersWithReuse >= 2 || (producersWithReuse >= 1 && !op.reduceAxes.empty()));
}

const ComputeDag& AccessAnalysis::dag() const {
  return data_->dag;
}

const std::vector<int>& AccessAnalysis::directConsumers(int op) const {
  return data_->ops[op].consumers;
}

const std::vector<int>& AccessAnalysis::directProducers(int op) const {
  return data_->ops[op].producers;
}

const std::vector<std::vector<Expr>>& AccessAnalysis::reads(int consumer, int producer) const {
  static const std::vector<std::vector<Expr>> kNone;
  const auto found = data_->reads.find({consumer, producer});
  return found == data_->reads.end() ? kNone : found->second;
}

bool AccessAnalysis::isStrictlyInlineable(int op) const {
  return data_->ops[op].isStrictlyInlineable;
}

bool AccessAnalysis::needsMultiLevelTiling(int op) const {
  return data_->ops[op].needsTiling;
}

bool AccessAnalysis::isOutput(int op) const {
  return dag()[op]->isCompute() && directConsumers(op).empty();
}

int AccessAnalysis::commonOuterIterators(int a, int b) const {
  if (a == b) return static_cast<int>(dag()[a]->output->shape.size());
  // Producers come first in the DAG, so that one pass from the producer on sees all paths.
  const int first = std::min(a, b), last = std::max(a, b);
  constexpr int kUnreached = -1;
  std::vector<int> common(dag().size(), kUnreached);
  common[first] = static_cast<int>(dag()[a]->output->shape.size());
  for (int op = first + 1; op <= last; ++op)
    for (const int producer : directProducers(op)) {
      if (producer < first || common[producer] == kUnreached) continue;
      const int along = std::min(common[producer], data_->commonOnEdge.at({op, producer}));
      common[op] = common[op] == kUnreached ? along : std::min(common[op], along);
    }
  return std::max(common[last], 0);
}

bool AccessAnalysis::elementwiseMatch(int a, int t) const {
  int current = a;
  while (current != t) {
    if (directConsumers(current).size() != 1) return false;
    const int next = directConsumers(current)[0];
    const OpNode& reader = *dag()[next];
    const OpNode& op = *dag()[current];
    if (!op.isCompute() || reader.output->shape != op.output->shape) return false;
    const auto& tuples = reads(next, current);
    if (!std::all_of(tuples.begin(), tuples.end(), [&](const std::vector<Expr>& tuple) {
          return shapeOf(reader, tuple).isIdentity();
        }))
      return false;
    current = next;
  }
  return true;
}

} // namespace nestwright
