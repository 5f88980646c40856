#include "core/lower/cpu/tile_writer.h"

#include "core/lower/cpu/tap_plan.h"
#include "core/lower/expand_lanes.h"
#include "core/lower/guards.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {
namespace {

/// Statements of a tile in all of its versions: 1024 vector statements are about 8 KiB of code.
constexpr std::int64_t kMaxTapStatements = 1024;
/// Of the tiles, which a version has at least whose loops are unrolled as the pragma asks.
constexpr double kUnrolledShare = 0.25;

/// Makes the scalar statement of one accumulator, given its place among the accumulators.
using MakeStore = std::function<Stmt(const std::vector<Expr>& place)>;
/// Makes what the reduction loops run.
using MakeBody = std::function<Stmt()>;

class TileWriter {
 public:
  TileWriter(const ReductionNest& nest, const RegisterTile& tile, IndexSimplifier& simplify,
             const TileEpilogue* epilogue)
      : nest_(nest), tile_(tile), simplify_(simplify), epilogue_(epilogue),
        spans_(nest.spatial.size()), element_(nest.spatial.size()), operand_(nest.operand),
        target_(nest.update->buffer) {
    for (std::size_t i = 0; i < nest.reduction.size(); ++i)
      if (tile.mode != LaneMode::Reduction || i != tile.laneLoop) order_.push_back(i);
  }

  /// Null when the epilogue has no vector form.
  Stmt write() {
    Stmt tiles = overTiles(0);
    return lacksVectorForm_ ? nullptr : tiles;
  }

 private:
  Stmt overTiles(std::size_t loop);
  Stmt tile();
  Stmt inVersions(bool few);
  Stmt version(const TapVersion& version);
  std::vector<Stmt> spatialTile();
  std::vector<Stmt> foldedTile();
  Stmt fold();
  Stmt restOfReduction();
  Stmt reductionLoops(const MakeBody& make, const Var& laneLoop, std::int64_t laneLoopExtent);
  Stmt reductionLoop(std::size_t depth, const MakeBody& make);
  Stmt dotLoop(std::size_t depth, const MakeBody& make);
  Stmt reached(const MakeBody& make);
  bool decide(const TapGuard& guard, std::vector<Expr>& holding);
  std::vector<ValueRange> runsOf(std::size_t loop) const;
  Stmt underUniform(std::size_t depth, Stmt body) const;
  std::vector<ValueRange> allRows() const;
  Stmt everyElement(const MakeStore& make, std::size_t loop = 0, std::vector<Expr> place = {});
  Stmt everyLane(const MakeStore& make, std::vector<Expr> place);
  Stmt lanesAt(const MakeStore& make, std::vector<Expr> place, const Expr& offset, int lanes);

  /// Code for few tiles is kept short.
  std::int64_t pragmaOf(const NestLoop& loop) const {
    return version_->share >= kUnrolledShare ? loop.unrollMaxStep : 0;
  }
  bool isLaneLoop(std::size_t spatial) const {
    return tile_.mode == LaneMode::Spatial && spatial == tile_.laneLoop;
  }
  Expr located(const Expr& e) const;
  Expr updated(const Expr& accumulator) const {
    return binary(nest_.update->value->kind, accumulator, located(operand_));
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
  const TileEpilogue* epilogue_;
  bool lacksVectorForm_ = false;       // the epilogue
  std::vector<Span> spans_;            // per spatial loop: the tile being written
  std::vector<Expr> element_;          // per spatial loop: the iteration being written
  std::vector<ValueRange> rows_;       // per spatial loop: of the tile, those being written
  std::vector<std::size_t> order_;     // reduction loops that stay loops, outermost first
  std::vector<ValueRange> iterations_; // per reduction loop: those being written
  std::vector<Expr> reductionAt_;      // per reduction loop: its variable
  TapPlan taps_;
  const TapVersion* version_ = nullptr; // being written
  Expr operand_;                        // of the rows and iterations being written
  Var along_;          // the products of a step that one instruction adds, where there are such
  Expr reductionLane_; // iteration of the reduction loop that became lanes, where one did
  bool wide_ = false;  // a reduction's lanes side by side
  Buffer target_, accumulators_;
};

Stmt withPragma(Stmt loop, std::int64_t unrollMaxStep, bool reduction) {
  auto node = std::make_shared<StmtNode>(*loop);
  node->unrollMaxStep = unrollMaxStep;
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
    pieces.push_back(withPragma(makeFor(outer, 0, count, ForKind::Serial, std::move(body)),
                                original.unrollMaxStep, false));
  }
  if (const std::int64_t rest = original.extent % size; rest != 0) {
    spans_[loop] = {original.extent - rest, rest};
    pieces.push_back(overTiles(loop + 1));
  }
  return makeSequence(std::move(pieces));
}

Stmt TileWriter::tile() {
  Stmt all = inVersions(false);
  if (taps_.versions.size() > 2 && statementsAfterUnrolling(all) > kMaxTapStatements)
    all = inVersions(true);
  for (std::size_t i = 0; i < spans_.size(); ++i)
    element_[i] = spans_[i].start;
  for (const Expr& condition : nest_.outerConditions)
    all = makeIf(located(condition), all);
  return all;
}

/// The tile, once for each way in which terms are left out at the border.
Stmt TileWriter::inVersions(bool few) {
  taps_ = planTaps(nest_, tile_, spans_, few, simplify_);
  std::vector<Stmt> versions;
  for (const TapVersion& each : taps_.versions) {
    Stmt tile = version(each);
    versions.push_back(each.condition ? makeIf(each.condition, std::move(tile)) : std::move(tile));
  }
  return makeSequence(std::move(versions));
}

Stmt TileWriter::version(const TapVersion& version) {
  version_ = &version;
  rows_ = allRows();
  iterations_.clear();
  reductionAt_.clear();
  for (const NestLoop& loop : nest_.reduction) {
    iterations_.push_back({0, loop.extent - 1});
    reductionAt_.emplace_back(loop.var);
  }
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
  return makeAllocate(accumulators_, MemoryScope::Register, makeSequence(std::move(phases)));
}

std::vector<ValueRange> TileWriter::allRows() const {
  std::vector<ValueRange> rows;
  for (const Span& span : spans_)
    rows.push_back({0, span.size - 1});
  return rows;
}

std::vector<Stmt> TileWriter::spatialTile() {
  Stmt load = everyElement([&](const std::vector<Expr>& place) {
    return makeStore(accumulators_, place, nest_.neutral ? nest_.neutral : result());
  });
  along_ = tile_.dot > 1 ? fresh("dot", tile_.dot) : nullptr;
  Stmt reduce = reductionLoops(
      [&] {
        return everyElement([&](const std::vector<Expr>& place) {
          return makeStore(accumulators_, place, updated(accumulator(place)));
        });
      },
      nullptr, 1);
  along_ = nullptr;
  Stmt store =
      everyElement([&](const std::vector<Expr>& place) { return storeResult(accumulator(place)); });
  return reduce ? std::vector{load, reduce, store} : std::vector{load, store};
}

/// Lanes are partial results: they start neutral and are combined after the reduction loops.
std::vector<Stmt> TileWriter::foldedTile() {
  const NestLoop& lanes = nest_.reduction[tile_.laneLoop];
  const std::int64_t count = lanes.extent / tile_.lanes;
  Var outer = fresh(lanes.var->name, count);
  wide_ = true;
  Stmt start = everyElement(
      [&](const std::vector<Expr>& place) { return makeStore(accumulators_, place, neutral()); });
  const Expr laneStart = count == 1 ? Expr(0) : Expr(outer) * Expr(tile_.lanes);
  Stmt reduce = reductionLoops(
      [&] {
        return everyElement([&](const std::vector<Expr>& place) {
          reductionLane_ = laneStart + place.back();
          return makeStore(accumulators_, place, updated(accumulator(place)));
        });
      },
      outer, count);
  wide_ = false;
  std::vector<Stmt> phases = {start};
  if (reduce) phases.push_back(reduce);
  phases.push_back(fold());
  if (lanes.extent % tile_.lanes != 0)
    if (Stmt rest = restOfReduction()) phases.push_back(rest);
  return phases;
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
  return reductionLoops(
      [&] {
        return everyElement(
            [&](const std::vector<Expr>&) { return storeResult(updated(result())); });
      },
      lane, rest);
}

/// What `make` gives under the conditions inside the reduction loops; null where nothing is to be
/// done. The loop that became lanes is innermost: `laneLoop` over the given extent.
Stmt TileWriter::reductionLoops(const MakeBody& make, const Var& laneLoop,
                                std::int64_t laneLoopExtent) {
  Stmt all = reductionLoop(0, [&]() -> Stmt {
    Stmt body = reached(make);
    if (!body) return nullptr;
    for (const Expr& condition : nest_.conditions)
      body = makeIf(located(condition), body);
    if (tile_.mode != LaneMode::Reduction || laneLoopExtent == 1) return body;
    return withPragma(makeFor(laneLoop, 0, laneLoopExtent, ForKind::Serial, std::move(body)),
                      pragmaOf(nest_.reduction[tile_.laneLoop]), true);
  });
  return all ? underUniform(0, std::move(all)) : nullptr;
}

/// The loops from number `depth` on, each in the runs of iterations that reach the same rows.
Stmt TileWriter::reductionLoop(std::size_t depth, const MakeBody& make) {
  if (depth == order_.size()) return make();
  const std::size_t number = order_[depth];
  if (along_ && number == tile_.dotLoop) return dotLoop(depth, make);
  const NestLoop& loop = nest_.reduction[number];
  const ValueRange whole = iterations_[number];
  std::vector<Stmt> pieces;
  for (const ValueRange& run : runsOf(number)) {
    const std::int64_t extent = run.high - run.low + 1;
    Var var = loop.var;
    if (extent != loop.extent) {
      var = makeVar(loop.var->name, loop.var->type);
      simplify_.setRange(var, run);
    }
    iterations_[number] = run;
    reductionAt_[number] = Expr(var);
    if (Stmt body = reductionLoop(depth + 1, make)) {
      body = underUniform(depth + 1, std::move(body));
      // A single iteration stays a loop, by which the order of reads is known, and costs nothing.
      const ForKind kind = extent == 1 ? ForKind::Unrolled : ForKind::Serial;
      pieces.push_back(withPragma(makeFor(var, Expr(run.low), extent, kind, std::move(body)),
                                  pragmaOf(loop), true));
    }
  }
  iterations_[number] = whole;
  reductionAt_[number] = Expr(loop.var);
  return pieces.empty() ? nullptr : makeSequence(std::move(pieces));
}

/// The same for the loop of which several iterations are one step. No condition depends on it.
Stmt TileWriter::dotLoop(std::size_t depth, const MakeBody& make) {
  const NestLoop& loop = nest_.reduction[tile_.dotLoop];
  const std::int64_t steps = loop.extent / tile_.dot;
  const Var step = fresh(loop.var->name, steps);
  reductionAt_[tile_.dotLoop] = Expr(step) * Expr(tile_.dot) + Expr(along_);
  Stmt body = reductionLoop(depth + 1, make);
  reductionAt_[tile_.dotLoop] = Expr(loop.var);
  if (!body) return nullptr;
  body = makeFor(step, 0, steps, steps == 1 ? ForKind::Unrolled : ForKind::Serial,
                 underUniform(depth + 1, std::move(body)));
  return withPragma(std::move(body), pragmaOf(loop), true);
}

/// `body` under those conditions of whole tiles that are settled by the loops outside of number
/// `depth` and not by fewer.
Stmt TileWriter::underUniform(std::size_t depth, Stmt body) const {
  std::vector<Expr> conditions;
  for (const Expr& condition : taps_.uniform) {
    std::size_t settled = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (uses(condition, nest_.reduction[order_[i]].var)) settled = i + 1;
    if (settled != depth) continue;
    if (Expr here = located(condition); !isConst(here, 1)) conditions.push_back(std::move(here));
  }
  return conditions.empty() ? body : makeIf(conjunction(conditions), std::move(body));
}

/// The iterations of a reduction loop in runs for which every guard lets the same rows through.
std::vector<ValueRange> TileWriter::runsOf(std::size_t loop) const {
  std::vector<ValueRange> iterations = iterations_, runs;
  std::vector<Truth> last;
  for (std::int64_t i = iterations_[loop].low; i <= iterations_[loop].high; ++i) {
    iterations[loop] = {i, i};
    std::vector<Truth> now;
    bool alike = !runs.empty();
    for (const TapGuard& guard : taps_.guards) {
      if (guard.reduction[loop] == 0) continue;
      const Truth all = truthOf(guard, *version_, allRows(), iterations);
      now.push_back(all);
      if (all != Truth::Sometimes) continue;
      for (std::size_t row = 0; row < spans_.size(); ++row) {
        if (guard.rows[row] == 0) continue;
        std::vector<ValueRange> rows = allRows();
        for (std::int64_t at = 0; at < spans_[row].size; ++at) {
          rows[row] = {at, at};
          now.push_back(truthOf(guard, *version_, rows, iterations));
          alike = alike && now.back() != Truth::Sometimes; // loops further inside decide
        }
      }
    }
    alike = alike && now == last;
    if (alike)
      runs.back().high = i;
    else
      runs.push_back({i, i});
    last = std::move(now);
  }
  return runs;
}

/// Narrows the rows to those for which the guard holds in all of the iterations being written.
/// Where it does, it is `holding`. False when there is no such row.
bool TileWriter::decide(const TapGuard& guard, std::vector<Expr>& holding) {
  const Truth all = truthOf(guard, *version_, allRows(), iterations_);
  if (all == Truth::Never) return false;
  if (all == Truth::Always) {
    holding.push_back(guard.condition);
    return true;
  }
  const auto moves = [](std::int64_t factor) { return factor != 0; };
  if (std::count_if(guard.rows.begin(), guard.rows.end(), moves) != 1) return true;
  const auto row = static_cast<std::size_t>(
      std::find_if(guard.rows.begin(), guard.rows.end(), moves) - guard.rows.begin());
  std::vector<ValueRange> rows = allRows();
  ValueRange through{spans_[row].size, -1};
  for (std::int64_t at = 0; at < spans_[row].size; ++at) {
    rows[row] = {at, at};
    const Truth truth = truthOf(guard, *version_, rows, iterations_);
    if (truth == Truth::Sometimes) return true; // asked when it runs
    if (truth == Truth::Never) continue;
    through = {std::min(through.low, at), std::max(through.high, at)};
  }
  rows_[row] = {std::max(rows_[row].low, through.low), std::min(rows_[row].high, through.high)};
  holding.push_back(guard.condition);
  return rows_[row].low <= rows_[row].high;
}

/// What `make` gives for the rows that the iterations being written reach.
Stmt TileWriter::reached(const MakeBody& make) {
  std::vector<Expr> holding = taps_.uniform;
  bool some = true;
  for (const TapGuard& guard : taps_.guards)
    some = some && decide(guard, holding);
  operand_ = withoutConditions(nest_.operand, holding);
  Stmt body = some ? make() : nullptr;
  rows_ = allRows();
  operand_ = nest_.operand;
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
  const ValueRange& rows = rows_[loop];
  Var row = makeVar(fmt::format("{}.u", nest_.spatial[loop].var->name));
  simplify_.setRange(row, rows);
  element_[loop] = span.start + Expr(row);
  place.emplace_back(row);
  Stmt body = everyElement(make, loop + 1, std::move(place));
  element_[loop] = span.start;
  return makeFor(row, Expr(rows.low), rows.high - rows.low + 1, ForKind::Unrolled, std::move(body));
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
  Stmt statement = make(place);
  if (lanes > 1) {
    Stmt vector = LaneExpander(simplify_, lane, lanes).store(statement);
    lacksVectorForm_ |= !vector;
    if (!vector && epilogue_) return statement; // write() gives nothing
    statement = vector;
  }
  NW_ASSERT(statement, "a tile of {} was planned that has no vector form", target_->name);
  if (along_) statement = makeFor(along_, 0, tile_.dot, ForKind::Unrolled, std::move(statement));
  return along_ ? withPragma(std::move(statement), 0, true) : statement;
}

Expr TileWriter::located(const Expr& e) const {
  return simplify_(substitute(e, [&](const Var& v) {
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (nest_.spatial[i].var == v) return element_[i];
    if (tile_.mode == LaneMode::Reduction && nest_.reduction[tile_.laneLoop].var == v)
      return reductionLane_;
    for (std::size_t i = 0; i < reductionAt_.size(); ++i)
      if (nest_.reduction[i].var == v) return reductionAt_[i];
    return Expr();
  }));
}

Stmt TileWriter::storeResult(const Expr& value) const {
  std::vector<Expr> indices;
  for (const Expr& index : nest_.update->indices)
    indices.push_back(located(index));
  if (epilogue_ == nullptr) return makeStore(target_, std::move(indices), value);
  return mapChildren(finishedStore(*epilogue_, indices, value), nullptr,
                     [&](const Expr& e) { return simplify_(e); });
}

Expr TileWriter::neutral() const {
  const DataType type = target_->type;
  switch (nest_.update->value->kind) {
  case ExprKind::Add:
    return identity(Reducer::Sum, type);
  case ExprKind::Mul:
    return identity(Reducer::Product, type);
  case ExprKind::Min:
    return identity(Reducer::Min, type);
  case ExprKind::Max:
    return identity(Reducer::Max, type);
  default:
    break;
  }
  NW_ASSERT(false, "no update of {}", target_->name);
  return {};
}

} // namespace

Stmt writeTiles(const ReductionNest& nest, const RegisterTile& tile, IndexSimplifier& simplify,
                const TileEpilogue* epilogue) {
  return TileWriter(nest, tile, simplify, epilogue).write();
}

} // namespace nestwright
