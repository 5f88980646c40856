#include "core/feature/warp_access.h"

#include "core/support/floor_divide.h"
#include "core/tensor/scalar_arithmetic.h"

#include <algorithm>

namespace nestwright {

namespace {

template <class F>
LaneValues combined(const LaneValues& a, const LaneValues& b, F&& f) {
  LaneValues result;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    result[lane] = f(a[lane], b[lane]);
  return result;
}

/// The value where `variable` is 1 and all others are 0.
std::int64_t valueAt(const Expr& e, const VarNode* variable) {
  switch (e->kind) {
  case ExprKind::IntImm:
    return e->integer;
  case ExprKind::Var:
    return e->var.get() == variable ? 1 : 0;
  case ExprKind::Cast:
  case ExprKind::Ramp:
  case ExprKind::Broadcast:
    return valueAt(e[0], variable);
  default:
    if (!isBinary(e->kind) || e[0]->type.isFloat()) return 0;
    return applyBinary(e->kind, valueAt(e[0], variable), valueAt(e[1], variable));
  }
}

/// Row-major: `at(d)` is the index of dimension d, or the only one.
template <class Value, class F, class Combine>
Value flattened(const BufferNode& buffer, const std::vector<Expr>& indices, Value zero, F&& at,
                Combine&& combine) {
  Value position = zero;
  for (std::size_t d = 0; d < indices.size(); ++d)
    position = combine(position, indices.size() == buffer.shape.size() ? buffer.shape[d] : 1,
                       at(indices[d]));
  return position;
}

} // namespace

Warp::Warp(const Launch& launch, std::int64_t number) {
  const std::int64_t first = number * static_cast<std::int64_t>(kWarpLanes);
  lanes_ = static_cast<std::size_t>(std::clamp<std::int64_t>(
      launch.threadsPerBlock() - first, 1, static_cast<std::int64_t>(kWarpLanes)));
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    std::int64_t rest = first + static_cast<std::int64_t>(lane);
    for (std::size_t axis = 0; axis < threads_.size(); ++axis) {
      threads_[axis][lane] = rest % launch.threads[axis].extent;
      rest /= launch.threads[axis].extent;
    }
  }
  for (std::size_t axis = 0; axis < variables_.size(); ++axis)
    variables_[axis] = launch.threads[axis].var.get();
}

LaneValues Warp::valueOf(const Expr& e) const {
  LaneValues result{};
  switch (e->kind) {
  case ExprKind::IntImm:
    result.fill(e->integer);
    return result;
  case ExprKind::Var:
    for (std::size_t axis = 0; axis < variables_.size(); ++axis)
      if (variables_[axis] == e->var.get()) return threads_[axis];
    return result;
  case ExprKind::Not:
    for (std::size_t lane = 0; const std::int64_t value : valueOf(e[0]))
      result[lane++] = value == 0;
    return result;
  case ExprKind::Cast:
  case ExprKind::Ramp:
  case ExprKind::Broadcast:
    return valueOf(e[0]);
  default:
    if (!isBinary(e->kind) || e[0]->type.isFloat()) return result;
    return combined(valueOf(e[0]), valueOf(e[1]),
                    [&](std::int64_t a, std::int64_t b) { return applyBinary(e->kind, a, b); });
  }
}

LaneValues Warp::positionOf(const BufferNode& buffer, const std::vector<Expr>& indices) const {
  return flattened(
      buffer, indices, LaneValues{}, [this](const Expr& index) { return valueOf(index); },
      [](const LaneValues& position, std::int64_t extent, const LaneValues& index) {
        return combined(position, index,
                        [&](std::int64_t a, std::int64_t b) { return a * extent + b; });
      });
}

std::int64_t stepOf(const BufferNode& buffer, const std::vector<Expr>& indices,
                    const VarNode* loop) {
  const auto positionAt = [&](const VarNode* variable) {
    return flattened(
        buffer, indices, std::int64_t{0},
        [&](const Expr& index) { return valueAt(index, variable); },
        [](std::int64_t position, std::int64_t extent, std::int64_t index) {
          return position * extent + index;
        });
  };
  return positionAt(loop) - positionAt(nullptr);
}

int sectorsOf(std::span<const std::int64_t> addresses, int bytes) {
  std::array<std::int64_t, 2 * kWarpLanes> sectors{};
  std::size_t count = 0;
  for (const std::int64_t address : addresses)
    for (const std::int64_t at : {address, address + bytes - 1})
      sectors[count++] = floorDivide(at, kSectorBytes);
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end =
      std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<int>(end - sectors.begin());
}

int wavefrontsOf(std::span<const std::int64_t> addresses, int bytes) {
  constexpr int kWordBytes = 4, kBanks = 32;
  const int words = std::max(1, bytes / kWordBytes);
  const std::size_t together = kWarpLanes / static_cast<std::size_t>(words);
  int wavefronts = 0;
  for (std::size_t first = 0; first < addresses.size(); first += together) {
    std::array<std::int64_t, kWarpLanes> asked{};
    std::size_t count = 0;
    for (const std::int64_t address :
         addresses.subspan(first, std::min(together, addresses.size() - first)))
      for (int word = 0; word < words; ++word)
        asked[count++] = floorDivide(address, kWordBytes) + word;
    std::sort(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count));
    std::array<int, kBanks> ofBank{};
    int most = 0;
    for (auto word = asked.begin(); word != end; ++word)
      most = std::max(most, ++ofBank[static_cast<std::size_t>(floorRemainder(*word, kBanks))]);
    wavefronts += most;
  }
  return wavefronts;
}

} // namespace nestwright
