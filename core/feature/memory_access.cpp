#include "core/feature/memory_access.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright {

namespace {

constexpr double kPageBytes = 4096;
/// Addresses this far apart share a set of a first-level cache whose ways hold a page each.
constexpr std::int64_t kWayBytes = 4096;
constexpr double kWays = 12;

/// Adds what one step of each loop adds to the index, times `factor`.
void addSteps(const Expr& e, double factor, const std::vector<LoopAround>& loops,
              std::vector<double>& steps) {
  const auto literal = [](const Expr& operand) {
    const std::int64_t* value = asInt(operand);
    return value ? static_cast<double>(*value) : 0.0;
  };
  switch (e->kind) {
  case ExprKind::Var:
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (loops[i].variable == e->var.get()) steps[i] += factor;
    return;
  case ExprKind::Mul:
    if (asInt(e[1])) return addSteps(e[0], factor * literal(e[1]), loops, steps);
    if (asInt(e[0])) return addSteps(e[1], factor * literal(e[0]), loops, steps);
    return;
  case ExprKind::FloorDiv:
    if (literal(e[1]) != 0) addSteps(e[0], factor / literal(e[1]), loops, steps);
    return;
  case ExprKind::Sub:
    addSteps(e[0], factor, loops, steps);
    return addSteps(e[1], -factor, loops, steps);
  case ExprKind::Add:
    addSteps(e[1], factor, loops, steps);
    return addSteps(e[0], factor, loops, steps);
  case ExprKind::Ramp:
    steps.back() += factor * literal(e[1]);
    return addSteps(e[0], factor, loops, steps);
  case ExprKind::FloorMod:
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::Cast:
  case ExprKind::Broadcast:
    return addSteps(e[0], factor, loops, steps);
  default:
    return;
  }
}

} // namespace

MemoryAccess::MemoryAccess(const Buffer& buffer, const std::vector<Expr>& indices,
                           const std::vector<LoopAround>& loops)
    : buffer_(buffer.get()), elementBytes_(buffer->type.elementBytes()) {
  for (const LoopAround& loop : loops)
    extents_.push_back(loop.extent);
  extents_.push_back(lanesOf(indices));
  const bool flat = indices.size() != buffer->shape.size();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Dimension& dimension = dimensions_.emplace_back();
    dimension.shape = static_cast<double>(flat ? buffer->elements() : buffer->shape[i]);
    dimension.steps.assign(extents_.size(), 0);
    addSteps(indices[i], 1, loops, dimension.steps);
  }
}

MemoryAccess MemoryAccess::limitedTo(std::size_t loop, double extent) const {
  MemoryAccess limited = *this;
  limited.extents_[loop] = std::min(extents_[loop], extent);
  return limited;
}

bool MemoryAccess::movedBy(std::size_t loop) const {
  return std::ranges::any_of(dimensions_, [&](const Dimension& d) { return d.steps[loop] != 0; });
}

Touched MemoryAccess::touched(std::size_t first, double lineBytes) const {
  Touched result;
  double run = 1, inner = 1;      // elements one after another; those of the dimensions so far
  double rows = 1, rowStride = 0; // runs, and bytes from one to the next
  double nearRows = 1;            // of the dimension with that stride
  bool whole = true;              // the dimensions so far are touched from end to end
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    const Dimension& dimension = dimensions_[d];
    double span = 1, count = 1, least = dimension.shape;
    for (std::size_t i = first; i < extents_.size(); ++i) {
      const double step = std::abs(dimension.steps[i]);
      if (step == 0 || extents_[i] <= 1) continue;
      span += step * (extents_[i] - 1);
      count *= extents_[i];
      least = std::min(least, step);
    }
    span = std::min(span, dimension.shape);
    count = std::min(count, span);
    result.elements *= count;
    if (whole) {
      run = span * inner;
      whole = span >= dimension.shape;
    } else {
      if (count > 1 && rowStride == 0) {
        rowStride = inner * elementBytes_ * std::max(1.0, least);
        nearRows = count;
      }
      rows *= count;
    }
    inner *= dimension.shape;
  }
  const auto pieces = [&](double bytes) {
    return std::min(result.elements, rows * (1 + (run - 1) * elementBytes_ / bytes));
  };
  result.lines = pieces(lineBytes);
  result.pages = pieces(kPageBytes);
  if (rowStride > 0) {
    const auto stride = std::max<std::int64_t>(1, static_cast<std::int64_t>(rowStride));
    const double period =
        static_cast<double>(kWayBytes) / static_cast<double>(std::gcd(stride, kWayBytes));
    const double sets = std::min(static_cast<double>(kWayBytes) / lineBytes,
                                 std::min(nearRows, period) * std::max(1.0, result.lines / rows));
    result.conflict = result.lines / (sets * kWays);
  }
  return result;
}

} // namespace nestwright
