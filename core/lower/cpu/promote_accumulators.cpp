#include "core/lower/cpu/promote_accumulators.h"

#include "core/lower/cpu/tile_writer.h"
#include "core/lower/simplify_indices.h"

#include <algorithm>

namespace nestwright {
namespace {

/// Runs of reduction loops: a tiled reduction has two.
constexpr int kMaxGroups = 3;
/// What moving spatial loops out of a reduction loop is thought to cost, as a factor of the time:
/// the program wanted the order that it has for its use of the caches. It matters once what a tile
/// reads does not stay in a second-level cache until the next tile reads it again.
constexpr double kInterchangeCost = 1.1, kFarInterchangeCost = 2.5;
constexpr double kNearBytes = 256 << 10;

class PromoteAccumulatorsPass {
 public:
  PromoteAccumulatorsPass(const Stmt& root, const LowerOptions& options)
      : options_(options), simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::Sequence) return block(s);
    if (s->kind == StmtKind::Allocate)
      if (Stmt finished = finish(*s)) return finished;
    if (s->kind == StmtKind::For || s->kind == StmtKind::If)
      if (Stmt promoted = promote(s)) return promoted;
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  /// An initialisation is the statement before its update.
  Stmt block(const Stmt& s) {
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < s->body.size(); ++i) {
      Stmt pair =
          i + 1 < s->body.size() ? promote(makeSequence({s->body[i], s->body[i + 1]})) : nullptr;
      statements.push_back(pair ? pair : (*this)(s->body[i]));
      if (pair) ++i;
    }
    return makeSequence(std::move(statements));
  }

  struct Plan {
    ReductionNest nest;
    std::vector<Stmt> outside;
    RegisterTile tile;
  };

  std::optional<Plan> plan(const Stmt& s, int groups) {
    Plan plan;
    std::optional<ReductionNest> nest = matchReductionNest(s, groups, plan.outside);
    if (!nest) return std::nullopt;
    plan.nest = std::move(*nest);
    IndexSimplifier simplify = simplify_; // joining loops changes ranges
    joinLoops(plan.nest, simplify);
    plan.tile = chooseRegisterTile(plan.nest, simplify, options_);
    std::int64_t elements = 1;
    for (std::int64_t size : plan.tile.sizes)
      elements *= size;
    if (groups > 1 && elements < plan.nest.insideReduction)
      plan.tile.cycles *=
          plan.tile.footprintBytes <= kNearBytes ? kInterchangeCost : kFarInterchangeCost;
    return plan;
  }

  /// The best of the ways to read `s` as a reduction nest; nothing when there is none, or when a
  /// nest further inside is better.
  std::optional<Plan> best(const Stmt& s) {
    std::optional<Plan> best;
    for (int groups = 1; groups <= kMaxGroups; ++groups)
      if (std::optional<Plan> next = plan(s, groups))
        if (!best || next->tile.cycles < best->tile.cycles) best = std::move(next);
    if (!best) return std::nullopt;
    if (Stmt update = updateOf(s); update != s)
      if (std::optional<Plan> inner = plan(update, 1))
        if (inner->tile.cycles < best->tile.cycles) return std::nullopt;
    return best;
  }

  Stmt promote(const Stmt& s) {
    std::optional<Plan> plan = best(s);
    return plan ? written(*plan) : nullptr;
  }

  /// The plan as tiles, or null when they cannot have the epilogue.
  Stmt written(Plan& plan, const TileEpilogue* epilogue = nullptr) {
    joinLoops(plan.nest, simplify_);
    Stmt tiles = writeTiles(plan.nest, plan.tile, simplify_, epilogue);
    for (std::size_t i = plan.outside.size(); tiles && i-- > 0;)
      tiles = withBody(plan.outside[i], tiles);
    return tiles;
  }

  /// The results of a nest that one statement reads, each once: that is done in the nest's place,
  /// and nobody stores them. Null where that cannot be.
  Stmt finish(const StmtNode& allocate) {
    const std::optional<TileEpilogue> epilogue = epilogueOf(allocate);
    if (!epilogue) return nullptr;
    std::vector<Stmt> producers = allocate.body[0]->body;
    producers.pop_back();
    std::optional<Plan> plan = best(makeSequence(std::move(producers)));
    return plan && givesResults(*plan) ? written(*plan, &*epilogue) : nullptr;
  }

  /// Each result leaves the registers once, for good, in lanes. All of them do: whoever reads them
  /// reads all that there is.
  static bool givesResults(const Plan& plan) {
    if (!plan.nest.neutral || !plan.nest.outerConditions.empty()) return false;
    return plan.tile.mode == LaneMode::Spatial &&
           std::ranges::all_of(plan.outside,
                               [](const Stmt& s) { return s->kind == StmtKind::For; });
  }

  const LowerOptions& options_;
  IndexSimplifier simplify_;
};

} // namespace

Stmt promoteAccumulators(const Stmt& s, const LowerOptions& options) {
  return PromoteAccumulatorsPass(s, options)(s);
}

} // namespace nestwright
