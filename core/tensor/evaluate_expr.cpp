#include "core/tensor/evaluate_expr.h"

#include "core/support/error.h"
#include "core/tensor/half.h"
#include "core/tensor/scalar_arithmetic.h"

#include <array>
#include <cmath>

namespace nestwright {

namespace {

using Lanes = std::array<double, kChunk>;
using Mask = std::array<bool, kChunk>;

/// Where a run is: the position of all loops, and how many lanes count from there.
struct Place {
  const std::int64_t* position;
  int count;
};

} // namespace

/// Values are doubles throughout; integers up to 2^53 are exact in them, which covers every index.
struct VectorProgram::Node {
  Expr expr;
  std::vector<std::unique_ptr<Node>> operands;
  int loop = -1;                    // Var: which loop
  bool varies = false;              // with the innermost loop
  const double* data = nullptr;     // Load
  std::vector<std::int64_t> slopes; // Load: change of each index per iteration
  bool hasSlopes = false;           // every index is affine in the innermost loop
  bool rounds = false;              // an operation on numbers of 16 bits
  Lanes values{};

  /// The value when nothing varies, computed without touching lanes.
  double scalar(const Place& place);
  /// Fills `values`; lanes where `mask` is false are unspecified and must not fault.
  void run(const Place& place, const Mask* mask);

 private:
  double unroundedScalar(const Place& place);
  void runLoad(const Place& place, const Mask* mask);
  bool runStridedLoad(const Place& place);
  void runChoice(const Place& place, const Mask* mask);
  void runBinary(int count);
  double element(const std::vector<std::int64_t>& index) const;
};

namespace {

using Node = VectorProgram::Node;

} // namespace

void failOutside(const BufferNode& buffer, std::size_t dimension, std::int64_t index) {
  throw InputError(fmt::format("a read of '{}' is out of bounds: index {} of dimension {}, whose "
                               "extent is {}",
                               buffer.name, index, dimension, buffer.shape[dimension]));
}

namespace {

/// How much an index changes per iteration of `inner`, when that is always the same.
std::optional<std::int64_t> slopeOf(const Expr& e, const Var& inner) {
  if (!uses(e, inner)) return 0;
  if (e->kind == ExprKind::Var) return 1;
  if (e->kind != ExprKind::Add && e->kind != ExprKind::Sub && e->kind != ExprKind::Mul)
    return std::nullopt;
  const auto a = slopeOf(e[0], inner), b = slopeOf(e[1], inner);
  if (!a || !b) return std::nullopt;
  if (e->kind == ExprKind::Add) return *a + *b;
  if (e->kind == ExprKind::Sub) return *a - *b;
  if (const std::int64_t* factor = asInt(e[0])) return *factor * *b;
  if (const std::int64_t* factor = asInt(e[1])) return *factor * *a;
  return std::nullopt;
}

struct Compiler {
  const std::vector<Axis>& outer;
  const Axis& inner;
  const std::map<const BufferNode*, const double*>& data;

  std::unique_ptr<Node> compile(const Expr& e) const {
    auto node = std::make_unique<Node>();
    node->expr = e;
    node->varies = uses(e, inner.var);
    node->rounds = e->type.isHalf() && (isBinary(e->kind) || e->kind == ExprKind::Call);
    for (const Expr& operand : e->operands)
      node->operands.push_back(compile(operand));
    if (e->kind == ExprKind::Var) {
      node->loop = static_cast<int>(outer.size());
      for (std::size_t i = 0; i < outer.size(); ++i)
        if (outer[i].var == e->var) node->loop = static_cast<int>(i);
    }
    if (e->kind == ExprKind::Load) {
      node->data = data.at(e->buffer.get());
      node->hasSlopes = true;
      for (const Expr& index : e->operands) {
        const std::optional<std::int64_t> slope = slopeOf(index, inner.var);
        node->hasSlopes = node->hasSlopes && slope.has_value();
        node->slopes.push_back(slope.value_or(0));
      }
    }
    return node;
  }
};

} // namespace

double Node::element(const std::vector<std::int64_t>& index) const {
  const BufferNode& buffer = *expr->buffer;
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= buffer.shape[d]) failOutside(buffer, d, index[d]);
    flat = flat * buffer.shape[d] + index[d];
  }
  return data[flat];
}

double Node::scalar(const Place& place) {
  const double value = unroundedScalar(place);
  return rounds ? roundedTo(value, expr->type) : value;
}

double Node::unroundedScalar(const Place& place) {
  const auto operand = [&](std::size_t i) { return operands[i]->scalar(place); };
  switch (expr->kind) {
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
    return literal(expr);
  case ExprKind::Var:
    return static_cast<double>(place.position[loop]);
  case ExprKind::Not:
    return operand(0) == 0;
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return operand(0) != 0 ? operand(1) : operand(2);
  case ExprKind::Cast:
    return applyCast(expr[0]->type, expr->type, operand(0));
  case ExprKind::Call:
    return applyIntrinsic(expr->intrinsic, operand(0), operands.size() > 1 ? operand(1) : 0);
  case ExprKind::Load: {
    std::vector<std::int64_t> index;
    for (std::size_t d = 0; d < operands.size(); ++d)
      index.push_back(static_cast<std::int64_t>(operand(d)));
    return element(index);
  }
  default:
    return applyBinary(expr->kind, expr->type, operand(0), operand(1));
  }
}

/// Loads whose indices move evenly; false when some lane is out of bounds (it may be masked).
bool Node::runStridedLoad(const Place& place) {
  const BufferNode& buffer = *expr->buffer;
  std::int64_t flat = 0, stride = 0;
  for (std::size_t d = 0; d < operands.size(); ++d) {
    const auto first = static_cast<std::int64_t>(operands[d]->scalar(place));
    const std::int64_t last = first + slopes[d] * (place.count - 1), extent = buffer.shape[d];
    if (first < 0 || first >= extent || last < 0 || last >= extent) return false;
    flat = flat * extent + first;
    stride = stride * extent + slopes[d];
  }
  const double* from = data + flat;
  for (int i = 0; i < place.count; ++i)
    values[i] = from[i * stride];
  return true;
}

void Node::runLoad(const Place& place, const Mask* mask) {
  if (hasSlopes && runStridedLoad(place)) return;
  for (const auto& operand : operands)
    operand->run(place, mask);
  std::vector<std::int64_t> index(operands.size());
  for (int i = 0; i < place.count; ++i) {
    if (mask && !(*mask)[i]) continue;
    for (std::size_t d = 0; d < operands.size(); ++d)
      index[d] = static_cast<std::int64_t>(operands[d]->values[i]);
    values[i] = element(index);
  }
}

void Node::runChoice(const Place& place, const Mask* mask) {
  Node& condition = *operands[0];
  if (!condition.varies && !mask) {
    Node& chosen = *operands[condition.scalar(place) != 0 ? 1 : 2];
    chosen.run(place, nullptr);
    std::copy_n(chosen.values.begin(), place.count, values.begin());
    return;
  }
  condition.run(place, mask);
  Mask taken, other;
  for (int i = 0; i < place.count; ++i) {
    const bool isActive = !mask || (*mask)[i];
    taken[i] = isActive && condition.values[i] != 0;
    other[i] = isActive && condition.values[i] == 0;
  }
  operands[1]->run(place, &taken);
  operands[2]->run(place, &other);
  for (int i = 0; i < place.count; ++i)
    values[i] = operands[taken[i] ? 1 : 2]->values[i];
}

void Node::runBinary(int count) {
  const double* a = operands[0]->values.data();
  const double* b = operands[1]->values.data();
  const DataType type = expr->type;
  // The two operations of every sum of products, as plain loops that the compiler vectorises.
  const bool isPlain = !wraps(type);
  if (isPlain && expr->kind == ExprKind::Mul) {
    for (int i = 0; i < count; ++i)
      values[i] = a[i] * b[i];
  } else if (isPlain && expr->kind == ExprKind::Add) {
    for (int i = 0; i < count; ++i)
      values[i] = a[i] + b[i];
  } else {
    for (int i = 0; i < count; ++i)
      values[i] = applyBinary(expr->kind, type, a[i], b[i]);
  }
}

void Node::run(const Place& place, const Mask* mask) {
  const int count = place.count;
  if (!varies && !mask) {
    std::fill_n(values.begin(), count, scalar(place));
    return;
  }
  switch (expr->kind) {
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
    std::fill_n(values.begin(), count, literal(expr));
    return;
  case ExprKind::Var: {
    const auto start = static_cast<double>(place.position[loop]);
    for (int i = 0; i < count; ++i)
      values[i] = varies ? start + i : start;
    return;
  }
  case ExprKind::Load:
    runLoad(place, mask);
    return;
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    runChoice(place, mask);
    return;
  default:
    break;
  }
  for (const auto& operand : operands)
    operand->run(place, mask);
  const double* a = operands[0]->values.data();
  if (isBinary(expr->kind)) {
    runBinary(count);
  } else if (expr->kind == ExprKind::Not) {
    for (int i = 0; i < count; ++i)
      values[i] = a[i] == 0;
  } else if (expr->kind == ExprKind::Cast) {
    for (int i = 0; i < count; ++i)
      values[i] = applyCast(expr[0]->type, expr->type, a[i]);
  } else {
    const double* b = operands.back()->values.data();
    for (int i = 0; i < count; ++i)
      values[i] = applyIntrinsic(expr->intrinsic, a[i], b[i]);
  }
  if (rounds)
    for (int i = 0; i < count; ++i)
      values[i] = roundedTo(values[i], expr->type);
}

VectorProgram::VectorProgram(const Expr& body, const std::vector<Axis>& outer, const Axis& inner,
                             const std::map<const BufferNode*, const double*>& data)
    : root_(Compiler{outer, inner, data}.compile(body)), position_(outer.size() + 1) {}

VectorProgram::~VectorProgram() = default;

const double* VectorProgram::run(const std::vector<std::int64_t>& outer, std::int64_t start,
                                 int count) {
  std::copy(outer.begin(), outer.end(), position_.begin());
  position_.back() = start;
  root_->run({position_.data(), count}, nullptr);
  return root_->values.data();
}

} // namespace nestwright
