#include "core/lower/cpu/tile_writer.h"

#include "core/lower/expand_lanes.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

/// A consecutive part of a spatial loop that is done at once: [start, start + size).
struct Span {
  Expr start;
  std::int64_t size = 1;
};

/// Makes the scalar statement of one accumulator, given its place among the accumulators.
using MakeStore = std::function<Stmt(const std::vector<Expr>& place)>;

class TileWriter {
 public:
  TileWriter(const ReductionNest& nest, const RegisterTile& tile, IndexSimplifier& simplify)
      : nest_(nest), tile_(tile), simplify_(simplify), spans_(nest.spatial.size()),
        element_(nest.spatial.size()), target_(nest.update->buffer) {}

  Stmt overTiles(std::size_t loop);

 private:
  Stmt tile();
  std::vector<Stmt> spatialTile();
  std::vector<Stmt> foldedTile();
  Stmt accumulate(const Expr& laneStart);
  Stmt fold();
  Stmt restOfReduction();
  Stmt reductionLoops(Stmt body, const Var& laneLoop, std::int64_t laneLoopExtent) const;
  Stmt everyElement(const MakeStore& make, std::size_t loop = 0, std::vector<Expr> place = {});
  Stmt everyLane(const MakeStore& make, std::vector<Expr> place);
  Stmt lanesAt(const MakeStore& make, std::vector<Expr> place, const Expr& offset, int lanes);

  bool isLaneLoop(std::size_t spatial) const {
    return tile_.mode == LaneMode::Spatial && spatial == tile_.laneLoop;
  }
  Expr located(const Expr& e) const;
  Expr updated(const Expr& accumulator) const {
    return binary(nest_.update->value->kind, accumulator, located(nest_.operand));
  }
  Stmt storeResult(const Expr& value) const;
  Expr result() const { return located((*nest_.update->value)[0]); }
  Expr accumulator(const std::vector<Expr>& place) const { return load(accumulators_, place); }
  Expr neutral() const;
  Var fresh(const std::string& name, std::int64_t extent) {
    Var var = makeVar(name);
    simplify_.setRange(var, {0, extent - 1});
    return var;
  }

  const ReductionNest& nest_;
  const RegisterTile& tile_;
  IndexSimplifier& simplify_;
  std::vector<Span> spans_;   // per spatial loop: the tile being written
  std::vector<Expr> element_; // per spatial loop: the iteration being written
  Expr reductionLane_;        // iteration of the reduction loop that became lanes, where one did
  bool wide_ = false;         // a reduction's lanes side by side
  Buffer target_, accumulators_;
};

Stmt withPragma(Stmt loop, const NestLoop& from, bool reduction) {
  auto node = std::make_shared<StmtNode>(*loop);
  node->unrollMaxStep = from.unrollMaxStep;
  node->reduction = reduction;
  return node;
}

/// The loops over whole tiles, then the smaller tiles that are left.
Stmt TileWriter::overTiles(std::size_t loop) {
  if (loop == nest_.spatial.size()) return tile();
  const NestLoop& original = nest_.spatial[loop];
  const std::int64_t size = tile_.sizes[loop], count = original.extent / size;
  std::vector<Stmt> pieces;
  if (count == 1) {
    spans_[loop] = {0, size};
    pieces.push_back(overTiles(loop + 1));
  } else {
    Var outer = fresh(original.var->name, count);
    spans_[loop] = {Expr(outer) * Expr(size), size};
    Stmt body = overTiles(loop + 1);
    pieces.push_back(
        withPragma(makeFor(outer, 0, count, ForKind::Serial, std::move(body)), original, false));
  }
  if (const std::int64_t rest = original.extent % size; rest != 0) {
    spans_[loop] = {original.extent - rest, rest};
    pieces.push_back(overTiles(loop + 1));
  }
  return makeSequence(std::move(pieces));
}

Stmt TileWriter::tile() {
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    element_[i] = spans_[i].start;
    if (!isLaneLoop(i) && spans_[i].size > 1) shape.push_back(spans_[i].size);
  }
  if (tile_.mode == LaneMode::Spatial) shape.push_back(spans_[tile_.laneLoop].size);
  if (tile_.mode == LaneMode::Reduction) shape.push_back(tile_.lanes);
  if (shape.empty()) shape.push_back(1);
  accumulators_ =
      makeBuffer(fmt::format("{}.tile", target_->name), std::move(shape), target_->type);
  std::vector<Stmt> phases = tile_.mode == LaneMode::Reduction ? foldedTile() : spatialTile();
  Stmt all = makeAllocate(accumulators_, MemoryScope::Register, makeSequence(std::move(phases)));
  for (const Expr& condition : nest_.outerConditions)
    all = makeIf(located(condition), all);
  return all;
}

std::vector<Stmt> TileWriter::spatialTile() {
  Stmt load = everyElement([&](const std::vector<Expr>& place) {
    return makeStore(accumulators_, place, nest_.neutral ? nest_.neutral : result());
  });
  Stmt reduce =
      reductionLoops(everyElement([&](const std::vector<Expr>& place) {
                       return makeStore(accumulators_, place, updated(accumulator(place)));
                     }),
                     nullptr, 1);
  Stmt store =
      everyElement([&](const std::vector<Expr>& place) { return storeResult(accumulator(place)); });
  return {load, reduce, store};
}

/// Lanes are partial results: they start neutral and are combined after the reduction loops.
std::vector<Stmt> TileWriter::foldedTile() {
  const NestLoop& lanes = nest_.reduction[tile_.laneLoop];
  const std::int64_t count = lanes.extent / tile_.lanes;
  Var outer = fresh(lanes.var->name, count);
  wide_ = true;
  Stmt start = everyElement(
      [&](const std::vector<Expr>& place) { return makeStore(accumulators_, place, neutral()); });
  Stmt body = accumulate(count == 1 ? Expr(0) : Expr(outer) * Expr(tile_.lanes));
  wide_ = false;
  std::vector<Stmt> phases = {start, reductionLoops(body, outer, count), fold()};
  if (lanes.extent % tile_.lanes != 0) phases.push_back(restOfReduction());
  return phases;
}

Stmt TileWriter::accumulate(const Expr& laneStart) {
  return everyElement([&](const std::vector<Expr>& place) {
    reductionLane_ = laneStart + place.back();
    return makeStore(accumulators_, place, updated(accumulator(place)));
  });
}

/// Stores the combined lanes of every accumulator: the upper half onto the lower half, until one
/// lane is left.
Stmt TileWriter::fold() {
  const ExprKind kind = nest_.update->value->kind;
  return everyElement([&](std::vector<Expr> place) {
    std::vector<Stmt> statements;
    place.emplace_back();
    auto lanesFrom = [&](int first, int count) {
      place.back() = count == 1 ? Expr(first) : ramp(Expr(first), Expr(1), count);
      return accumulator(place);
    };
    for (int width = tile_.lanes; width > 1;) {
      const int half = width / 2;
      Expr upper = lanesFrom(width - half, half), lower = lanesFrom(0, half);
      statements.push_back(makeStore(accumulators_, place, binary(kind, lower, upper)));
      width -= half;
    }
    Expr sum = lanesFrom(0, 1);
    statements.push_back(storeResult(nest_.neutral ? sum : binary(kind, result(), sum)));
    return makeSequence(std::move(statements));
  });
}

/// The iterations at the end that do not fill all lanes, one by one.
Stmt TileWriter::restOfReduction() {
  const NestLoop& lanes = nest_.reduction[tile_.laneLoop];
  const std::int64_t rest = lanes.extent % tile_.lanes;
  Var lane = fresh(lanes.var->name, rest);
  reductionLane_ = rest == 1 ? Expr(lanes.extent - 1) : Expr(lane) + Expr(lanes.extent - rest);
  Stmt body =
      everyElement([&](const std::vector<Expr>&) { return storeResult(updated(result())); });
  return reductionLoops(body, lane, rest);
}

/// `body` under the conditions inside the reduction loops. The loop that became lanes is innermost:
/// `laneLoop` over the given extent.
Stmt TileWriter::reductionLoops(Stmt body, const Var& laneLoop, std::int64_t laneLoopExtent) const {
  for (const Expr& condition : nest_.conditions)
    body = makeIf(located(condition), body);
  const bool folded = tile_.mode == LaneMode::Reduction;
  if (folded && laneLoopExtent > 1)
    body = withPragma(makeFor(laneLoop, 0, laneLoopExtent, ForKind::Serial, std::move(body)),
                      nest_.reduction[tile_.laneLoop], true);
  for (std::size_t i = nest_.reduction.size(); i-- > 0;) {
    const NestLoop& loop = nest_.reduction[i];
    if (folded && i == tile_.laneLoop) continue;
    body =
        withPragma(makeFor(loop.var, 0, loop.extent, ForKind::Serial, std::move(body)), loop, true);
  }
  return body;
}

/// The statement for every element of the tile: unrolled loops over the rows, lanes inside.
Stmt TileWriter::everyElement(const MakeStore& make, std::size_t loop, std::vector<Expr> place) {
  if (loop == spans_.size()) return everyLane(make, std::move(place));
  const Span& span = spans_[loop];
  if (isLaneLoop(loop)) return everyElement(make, loop + 1, std::move(place));
  if (span.size == 1) {
    element_[loop] = span.start;
    return everyElement(make, loop + 1, std::move(place));
  }
  Var row = fresh(fmt::format("{}.u", nest_.spatial[loop].var->name), span.size);
  element_[loop] = span.start + Expr(row);
  place.emplace_back(row);
  Stmt body = everyElement(make, loop + 1, std::move(place));
  element_[loop] = span.start;
  return makeFor(row, 0, span.size, ForKind::Unrolled, std::move(body));
}

Stmt TileWriter::everyLane(const MakeStore& make, std::vector<Expr> place) {
  if (tile_.mode == LaneMode::Reduction && wide_)
    return lanesAt(make, std::move(place), 0, tile_.lanes);
  if (tile_.mode != LaneMode::Spatial) {
    if (tile_.mode == LaneMode::None && place.empty()) place.emplace_back(0);
    return make(place);
  }
  const std::int64_t size = spans_[tile_.laneLoop].size, full = size / tile_.lanes;
  const int rest = static_cast<int>(size % tile_.lanes);
  std::vector<Stmt> groups;
  if (full == 1) groups.push_back(lanesAt(make, place, 0, tile_.lanes));
  if (full > 1) {
    Var vector = fresh(fmt::format("{}.v", nest_.spatial[tile_.laneLoop].var->name), full);
    Stmt body = lanesAt(make, place, Expr(vector) * Expr(tile_.lanes), tile_.lanes);
    groups.push_back(makeFor(vector, 0, full, ForKind::Unrolled, std::move(body)));
  }
  if (rest > 0) groups.push_back(lanesAt(make, place, Expr(full * tile_.lanes), rest));
  return makeSequence(std::move(groups));
}

/// One statement for `lanes` accumulators from `offset` on.
Stmt TileWriter::lanesAt(const MakeStore& make, std::vector<Expr> place, const Expr& offset,
                         int lanes) {
  Var lane = fresh("lane", lanes);
  Expr position = lanes == 1 ? offset : simplify_(offset + Expr(lane));
  place.push_back(position);
  if (tile_.mode == LaneMode::Spatial)
    element_[tile_.laneLoop] = spans_[tile_.laneLoop].start + position;
  Stmt scalar = make(place);
  if (lanes == 1) return scalar;
  Stmt expanded = LaneExpander(simplify_, lane, lanes).store(scalar);
  NW_ASSERT(expanded, "a tile of {} was planned that has no vector form", target_->name);
  return expanded;
}

Expr TileWriter::located(const Expr& e) const {
  return simplify_(substitute(e, [&](const Var& v) {
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (nest_.spatial[i].var == v) return element_[i];
    if (tile_.mode == LaneMode::Reduction && nest_.reduction[tile_.laneLoop].var == v)
      return reductionLane_;
    return Expr();
  }));
}

Stmt TileWriter::storeResult(const Expr& value) const {
  std::vector<Expr> indices;
  for (const Expr& index : nest_.update->indices)
    indices.push_back(located(index));
  return makeStore(target_, std::move(indices), value);
}

Expr TileWriter::neutral() const {
  const DataType type = target_->type;
  switch (nest_.update->value->kind) {
  case ExprKind::Add:
    return zeroOf(type);
  case ExprKind::Mul:
    return oneOf(type);
  case ExprKind::Min:
    return highestOf(type);
  case ExprKind::Max:
    return lowestOf(type);
  default:
    break;
  }
  NW_ASSERT(false, "no update of {}", target_->name);
  return {};
}

} // namespace

Stmt writeTiles(const ReductionNest& nest, const RegisterTile& tile, IndexSimplifier& simplify) {
  return TileWriter(nest, tile, simplify).overTiles(0);
}

} // namespace nestwright
