#include "core/search/draft/register_draft.h"

#include "core/lower/cpu/strip_parallel.h"
#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

// Of processors of the last ten years, for one core: what matters are their ratios.
constexpr double kFmaPorts = 2, kFmaLatency = 4, kLoadPorts = 2;
constexpr double kLoopCycles = 1.5; // of an iteration that is not unrolled
constexpr double kGatherLoads = 3;  // that one lane of elements apart is worth
constexpr double kFoldCycles = 8;   // to combine the lanes of one vector
/// Statements that become straight code whatever the pragma says: of the usual lowering, which
/// tiles registers itself, and of LLVM alone, which unrolls short loops.
constexpr double kRegisterTile = 64, kShortLoops = 16;
/// Runs of reduction loops that the lowering tiles together, as promote_accumulators does.
constexpr int kMostGroups = 3;
constexpr double kMostTermVectors = 4; // of one result, of terms side by side

double registersOf(const TargetFacts& target) {
  return target.vectorBytes >= 64 ? 32 : 16;
}

double widthOf(const OpNode& op, const TargetFacts& target) {
  return std::max(1.0, double(target.vectorBytes) / double(op.output->type.elementBytes()));
}

/// Additions, products and the like of one element.
int operationsIn(const Expr& e) {
  int count = 0;
  switch (e->kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::Div:
  case ExprKind::Min:
  case ExprKind::Max:
    count = e->type.isFloat() || readsMemory(e) ? 1 : 0; // or arithmetic of indices
    break;
  case ExprKind::Call:
    count = 8;
    break;
  case ExprKind::Load:
    return 0;
  default:
    break;
  }
  for (const Expr& operand : e->operands)
    count += operationsIn(operand);
  return count;
}

/// Those that no other one hides: a product and its sum are one.
double operationsOf(const OpNode& op) {
  const int own = operationsIn(op.body);
  return std::max(1, own / (op.reducer == Reducer::Sum ? 2 : 1) + (op.reducer ? 1 : 0));
}

/// The loops that become straight code, from the inside: the first of them.
std::size_t unrolledFrom(const std::vector<DraftedLoop>& loops, double limit) {
  double statements = 1;
  std::size_t first = loops.size();
  while (first > 0 && loops[first - 1].isOwn) {
    const DraftedLoop& loop = loops[first - 1];
    if (loop.annotation != Annotation::Vectorize) {
      if (loop.annotation != Annotation::Unroll &&
          statements * double(loop.extent) > std::max(limit, 1.0))
        break;
      statements *= double(loop.extent);
    }
    --first;
  }
  return first;
}

/// Useful lanes of the vectors that compute it, of loops as they stand; `tile`: the first of those
/// that are straight code.
double lanesAsWritten(const OpNode& op, const DraftedNest& nest, const TargetFacts& target,
                      std::size_t tile) {
  const std::vector<DraftedLoop>& loops = nest.loops;
  const double width = widthOf(op, target);
  double elements = 1;
  bool isAnnotated = false;
  for (const DraftedLoop& loop : loops)
    if (loop.annotation == Annotation::Vectorize) {
      elements *= double(loop.extent);
      isAnnotated = true;
    }
  // A compiler finds the innermost loop by itself where it is no sum and rows are read in order.
  if (!isAnnotated && !loops.empty() && loops.back().isOwn && !loops.back().isReduction)
    elements = double(loops.back().extent);
  const double lanes = elements / std::ceil(elements / width);
  // Of straight code it joins what lies side by side, whichever loop it came from.
  const DraftedAccess& written = nest.accesses.front();
  if (written.index.empty() || tile >= loops.size()) return lanes;
  const double run = along(written.index.back(), boxOf(nest, tile));
  return std::max(lanes, run / std::ceil(run / width));
}

/// Lanes of a vector that one load brings: those along the buffer's rows in the tile, or in the
/// innermost loop where there is no tile. 1 for elements that the innermost loop takes from rows
/// apart.
double lanesOf(const DraftedAccess& access, const std::vector<DraftedLoop>& loops, const Box& box,
               bool hasTile, double lanes) {
  if (access.index.empty() || loops.empty()) return 1;
  const DraftedLoop& inner = loops.back();
  double inLoop = 0;
  const std::vector<double>& steps = access.index.back();
  for (std::size_t a = 0; a < steps.size(); ++a)
    inLoop += std::abs(steps[a]) * double(inner.reach[a]);
  if (inLoop > 1.5 * double(inner.extent - 1)) return 1;
  return std::clamp(hasTile ? along(steps, box) : inLoop + 1, 1.0, std::max(1.0, lanes));
}

RegisterDraft asWritten(const OpNode& op, const DraftedNest& nest, const TargetFacts& target) {
  const std::vector<DraftedLoop>& loops = nest.loops;
  const double least = target.lowering == Lowering::Full ? kRegisterTile : kShortLoops;
  const std::size_t tile = unrolledFrom(loops, std::max(nest.unrollLimit, least));
  RegisterDraft draft;
  draft.lanes = lanesAsWritten(op, nest, target, tile);
  // The tile in registers: straight code, as far as what it sums fits.
  std::size_t first = tile;
  const auto vectorsOf = [&](const DraftedAccess& access, const Box& box) {
    return std::ceil(elementsOf(access, box) /
                     lanesOf(access, loops, box, first < loops.size(), draft.lanes));
  };
  for (; first < loops.size(); ++first)
    if (vectorsOf(nest.accesses.front(), boxOf(nest, first)) <= registersOf(target) - 3) break;
  const Box box = boxOf(nest, first);
  draft.accumulators = std::max(1.0, vectorsOf(nest.accesses.front(), box));
  const bool isSum = op.reducer.has_value();
  const double chain = isSum ? std::max(1.0, kFmaPorts * kFmaLatency / draft.accumulators) : 1.0;
  draft.arithmetic = nest.points() / draft.lanes * operationsOf(op) * chain / kFmaPorts;
  double moved = 0;
  for (const DraftedAccess& access : nest.accesses) {
    double each = access.isWritten && isSum ? 2 : 1;
    // The innermost loop is the vectors' and no part of the tile: as many of its iterations at
    // once.
    if (first == loops.size() && draft.lanes > 1)
      each /= moves(access, loops.back()) ? lanesOf(access, loops, box, false, draft.lanes)
                                          : draft.lanes;
    moved += each * vectorsOf(access, box) * times(access, loops, first);
  }
  draft.loads = moved / kLoadPorts;
  double iterations = 1;
  for (std::size_t i = 0; i < tile; ++i)
    iterations *= double(loops[i].extent);
  if (tile == loops.size()) iterations /= draft.lanes;
  draft.overhead = kLoopCycles * iterations;
  return draft;
}

/// Elements that one iteration of the loop goes on in the buffer.
double strideOf(const DraftedAccess& access, const DraftedLoop& loop) {
  double stride = 0, elements = 1;
  for (std::size_t d = access.index.size(); d-- > 0;) {
    double steps = 0;
    for (std::size_t a = 0; a < access.index[d].size(); ++a)
      steps += access.index[d][a] * double(loop.reach[a]);
    stride += steps / double(loop.extent - 1) * elements;
    elements *= double(access.shape[d]);
  }
  return stride;
}

/// The loops that the lowering tiles anew (lower/cpu/reduction_nest.h), innermost first.
struct TiledLoops {
  std::vector<DraftedLoop> spatial, reduction;
};

TiledLoops tiledLoops(const DraftedNest& nest, const TargetFacts& target) {
  TiledLoops tiled;
  const std::int64_t strips = leastStrips(target.cores);
  int groups = 0;
  bool wasReduction = false, hasNeighbours = false;
  for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend() && loop->isOwn; ++loop) {
    const bool areNeighbours = strideOf(nest.accesses.front(), *loop) == 1;
    if (loop->annotation == Annotation::Parallel) {
      // Where nothing else does, strips of it give neighbours (lower/cpu/strip_parallel.h).
      if (areNeighbours && !hasNeighbours && loop->extent >= 2 * strips) {
        DraftedLoop& strip = tiled.spatial.emplace_back(*loop);
        strip.extent = loop->extent / strips;
        for (std::int64_t& reach : strip.reach)
          reach = reach * (strip.extent - 1) / (loop->extent - 1);
      }
      break;
    }
    if (loop->isReduction && !wasReduction && ++groups > kMostGroups) break;
    wasReduction = loop->isReduction;
    hasNeighbours = hasNeighbours || areNeighbours;
    (loop->isReduction ? tiled.reduction : tiled.spatial).push_back(*loop);
  }
  return tiled;
}

/// Neighbours in memory that the loops take together, innermost first.
double runOf(const DraftedAccess& access, const std::vector<DraftedLoop>& loops) {
  double run = 1;
  for (const DraftedLoop& loop : loops)
    if (strideOf(access, loop) == run) run *= double(loop.extent);
  return run;
}

/// How one read moves with a loop: not at all, to the next element, or far.
enum class Movement : std::uint8_t { Still, Next, Far };

Movement movementOf(const DraftedAccess& access, const DraftedLoop& loop) {
  if (!moves(access, loop)) return Movement::Still;
  return strideOf(access, loop) == 1 ? Movement::Next : Movement::Far;
}

/// What a vector has side by side: neighbours of the result along an axis, terms of its sums, or
/// nothing (lower/cpu/register_tile.h).
struct Lanes {
  std::optional<std::size_t> axis;
  bool areTerms = false;
  double vectors = 1, each = 1; // along the axis
  std::vector<Movement> reads;  // of each read, from lane to lane
};

std::size_t axisOf(const DraftedLoop& loop) {
  const auto moved = std::ranges::find_if(loop.reach, [](auto reach) { return reach != 0; });
  return std::size_t(moved - loop.reach.begin());
}

std::vector<Movement> movementsOf(const DraftedNest& nest, const DraftedLoop& loop) {
  std::vector<Movement> movements;
  for (std::size_t i = 1; i < nest.accesses.size(); ++i)
    movements.push_back(movementOf(nest.accesses[i], loop));
  return movements;
}

/// All that come into question.
std::vector<Lanes> lanesOf(const DraftedNest& nest, const TiledLoops& loops, double width) {
  std::vector<Lanes> all{{{}, false, 1, 1, std::vector(nest.accesses.size() - 1, Movement::Still)}};
  const DraftedAccess& written = nest.accesses.front();
  for (const DraftedLoop& loop : loops.spatial) {
    if (strideOf(written, loop) != 1) continue;
    std::vector<DraftedLoop> pieces;
    std::ranges::copy_if(loops.spatial, std::back_inserter(pieces),
                         [&](const DraftedLoop& one) { return axisOf(one) == axisOf(loop); });
    const double run = runOf(written, pieces), vectors = std::ceil(run / width);
    all.push_back({axisOf(loop), false, vectors, run / vectors, movementsOf(nest, loop)});
    break;
  }
  const DraftedLoop& inner = loops.reduction.front();
  const double vectors =
      std::clamp(std::floor(double(inner.extent) / width), 1.0, kMostTermVectors);
  if (Lanes terms{{}, true, vectors, width, movementsOf(nest, inner)};
      double(inner.extent) >= width && std::ranges::count(terms.reads, Movement::Far) == 0 &&
      std::ranges::count(terms.reads, Movement::Next) > 0)
    all.push_back(std::move(terms));
  return all;
}

/// Chooses the tile of accumulators as lower/cpu/register_tile.h does, from the same few numbers:
/// of each step along the reduction the slowest of arithmetic, loads, and waiting for the step
/// before.
class TileDraft {
 public:
  TileDraft(const OpNode& op, const DraftedNest& nest, const TargetFacts& target,
            const TiledLoops& loops, const Lanes& lanes)
      : op_(op), nest_(nest), loops_(loops), lanes_(lanes), most_(registersOf(target) - 2) {
    chooseDot(target);
    for (const DraftedLoop& loop : loops_.spatial)
      if (axisOf(loop) != lanes_.axis) addRow(loop);
    sizes_.assign(rows_.size(), 1);
    for (int vectors = 1; vectors <= std::min(lanes_.vectors, most_); ++vectors)
      search(0, vectors, vectors);
  }

  RegisterDraft draft() const {
    double reduced = 1, reducedInAll = 1;
    for (const DraftedLoop& loop : loops_.reduction)
      reduced *= double(loop.extent);
    for (const DraftedLoop& loop : nest_.loops)
      if (loop.isReduction) reducedInAll *= double(loop.extent);
    const double steps = nest_.points() / dot_ / (lanes_.each * best_.accumulators) * best_.waste;
    const double results = nest_.points() / reduced;
    RegisterDraft draft;
    draft.lanes = lanes_.each;
    draft.accumulators = best_.accumulators;
    draft.arithmetic = steps * std::max(best_.arithmetic, kFmaLatency);
    if (lanes_.areTerms) draft.arithmetic += results * kFoldCycles;
    // What was summed before comes from memory.
    const double moved =
        results / (lanes_.areTerms ? 1 : lanes_.each) * (reducedInAll > reduced ? 2 : 1);
    draft.loads = steps * best_.loads + moved / kLoadPorts;
    const double innermost = double(loops_.reduction.front().extent) / dot_;
    draft.overhead =
        kLoopCycles * steps /
        std::clamp(nest_.unrollLimit / best_.accumulators, 1.0, std::max(1.0, innermost));
    return draft;
  }

 private:
  /// Further results of a tile, beside those of one vector: the loops along one axis.
  struct Row {
    std::size_t axis = 0;
    double extent = 1;
    std::vector<bool> moves; // by read
  };
  /// Of one step.
  struct Tile {
    double accumulators = 1, arithmetic = 0, loads = 0;
    double waste = 1;      // of tiles at the ends of loops
    double cycles = 1e300; // for each accumulator
  };

  std::size_t reads() const { return lanes_.reads.size(); }
  const DraftedAccess& read(std::size_t i) const { return nest_.accesses[i + 1]; }

  /// Terms that one instruction adds in each lane, where the reduction has neighbours.
  void chooseDot(const TargetFacts& target) {
    const std::optional<DotFactors> factors = dotFactors(op_.body);
    const int atOnce = dotProductsOf(target).atOnce(op_.body->type.isFloat());
    if (!factors || !lanes_.axis || atOnce == 0) return;
    for (std::size_t i = 0; i < reads(); ++i)
      if (lanes_.reads[i] == Movement::Still &&
          std::fmod(runOf(read(i), loops_.reduction), factors->length) == 0)
        dot_ = atOnce;
  }

  void addRow(const DraftedLoop& loop) {
    const std::size_t axis = axisOf(loop);
    auto row = std::ranges::find(rows_, axis, &Row::axis);
    if (row == rows_.end()) {
      rows_.push_back({axis, 1, std::vector<bool>(reads())});
      row = rows_.end() - 1;
    }
    row->extent *= double(loop.extent);
    for (std::size_t i = 0; i < reads(); ++i)
      row->moves[i] = row->moves[i] || moves(read(i), loop);
  }

  /// Tries all sizes of the rows from `row` on, as long as the accumulators fit.
  void search(std::size_t row, double vectors, double accumulators) {
    if (row == rows_.size()) return offer(vectors, accumulators);
    for (int size = 1; size <= rows_[row].extent && size * accumulators <= most_; ++size) {
      sizes_[row] = size;
      search(row + 1, vectors, accumulators * size);
    }
  }

  void offer(double vectors, double accumulators) {
    Tile tile;
    tile.accumulators = accumulators;
    tile.arithmetic = accumulators * operations_ / kFmaPorts;
    for (std::size_t i = 0; i < reads(); ++i) {
      double loads = lanes_.reads[i] == Movement::Still ? 1 : vectors;
      if (lanes_.reads[i] == Movement::Far) loads *= kGatherLoads * lanes_.each;
      for (std::size_t row = 0; row < rows_.size(); ++row)
        if (rows_[row].moves[i]) loads *= sizes_[row];
      tile.loads += loads / kLoadPorts;
    }
    const auto waste = [](double extent, double size) {
      return std::ceil(extent / size) * size / extent;
    };
    tile.waste = waste(lanes_.vectors, vectors);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      tile.waste *= waste(rows_[row].extent, sizes_[row]);
    tile.cycles = std::max({tile.arithmetic, tile.loads, kFmaLatency}) / accumulators * tile.waste;
    if (tile.cycles < best_.cycles) best_ = tile;
  }

  const OpNode& op_;
  const DraftedNest& nest_;
  const TiledLoops& loops_;
  const Lanes& lanes_;
  const double most_;
  const double operations_ = operationsOf(op_);
  double dot_ = 1;
  std::vector<Row> rows_;
  std::vector<double> sizes_; // of a tile along them
  Tile best_;
};

RegisterDraft asTiled(const OpNode& op, const DraftedNest& nest, const TargetFacts& target,
                      const TiledLoops& loops) {
  const auto cycles = [](const RegisterDraft& draft) {
    return std::max(draft.arithmetic, draft.loads) + draft.overhead;
  };
  std::optional<RegisterDraft> best;
  for (const Lanes& lanes : lanesOf(nest, loops, widthOf(op, target)))
    if (const RegisterDraft draft = TileDraft(op, nest, target, loops, lanes).draft();
        !best || cycles(draft) < cycles(*best))
      best = draft;
  return *best;
}

} // namespace

RegisterDraft draftedRegisters(const OpNode& op, const DraftedNest& nest,
                               const TargetFacts& target) {
  if (op.reducer && target.lowering == Lowering::Full)
    if (const TiledLoops loops = tiledLoops(nest, target); !loops.reduction.empty())
      return asTiled(op, nest, target, loops);
  return asWritten(op, nest, target);
}

} // namespace nestwright
