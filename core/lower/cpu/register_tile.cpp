#include "core/lower/cpu/register_tile.h"

#include "core/lower/dot_product.h"
#include "core/lower/expand_lanes.h"
#include "core/support/error.h"

#include <cmath>

namespace nestwright {
namespace {

constexpr double kPerCycle = 2;        // multiply-adds, and loads
constexpr double kLatency = 4;         // cycles of a multiply-add
constexpr double kDotLatency = 6;      // of one that adds several products
constexpr double kVectorsPerCycle = 3; // vector instructions of all kinds
constexpr double kLoopCost = 2;        // cycles to enter and leave a tile
constexpr double kFoldCost = 8;        // cycles to combine the lanes of one vector
constexpr double kPieceCost = 0.01;    // of the time, per further copy of the code (remainders)
constexpr double kGatherLoads = 3;     // loads that one lane of a gather is worth
constexpr double kLoadBias = 0.05;     // cycles; among equals, fewer loads
constexpr double kUnrolledSteps = 32;  // of a reduction that a compiler writes out

/// Vector instructions of a step along the reduction by factors that have to be widened.
struct WidenedStep {
  double multiplications = 0; // for each accumulator; of floats they add, too
  double instructions = 0;    // for each accumulator, these among them
  double widening = 0;        // for each vector that is read
  double latency = 0;         // cycles between two steps
};
/// Of bfloat16 or of bytes: a step of several terms, and of one.
struct WidenedSteps {
  WidenedStep several, one;
};
constexpr WidenedSteps kWidenedFloats = {{2, 2, 2, 2 * kLatency}, {1, 1, 3, kLatency}};
constexpr WidenedSteps kWidenedBytes = {{2, 4, 2.5, 2}, {2, 3, 3, 1}};

/// How one load moves with the loops: 0 not at all, 1 to the next element, 2 otherwise.
enum class Movement : std::uint8_t { Still, Next, Far };

struct LoadMovement {
  double elementBytes = 4;
  std::vector<Movement> spatial, reduction;
  /// Per spatial loop: how many results next to each other read the same element, as those under a
  /// sliding window do; 1 for none.
  std::vector<std::int64_t> readers;
};

Movement movementOf(const LinearForm& position, const Var& var) {
  std::optional<std::int64_t> stride = coefficientOf(position, var);
  if (!stride) return Movement::Far;
  return *stride == 0 ? Movement::Still : *stride == 1 ? Movement::Next : Movement::Far;
}

/// Whether a condition inside of the value depends on the variable.
bool choosesBy(const Expr& value, const Var& var) {
  bool found = false;
  visit(value, [&](const Expr& e) {
    found |= e->kind == ExprKind::IfThenElse && uses((*e)[0], var);
    return !found;
  });
  return found;
}

class TileChooser {
 public:
  TileChooser(const ReductionNest& nest, IndexSimplifier& simplify, const LowerOptions& options)
      : nest_(nest), simplify_(simplify), registers_(options.vectorRegisters) {
    maxLanes_ = std::max(1, options.vectorBytes / nest.update->buffer->type.elementBytes());
    if (nest.update->value->kind == ExprKind::Add) {
      dotLength_ = dotLength(nest.operand, options.dotProducts);
      const bool floats = nest.operand->type.isFloat();
      if (options.dotProducts.atOnce(floats) < dotLength_)
        widened_ = floats ? &kWidenedFloats : &kWidenedBytes;
    }
    collectAccesses();
    for (const NestLoop& loop : nest.spatial)
      fixed_.push_back(isConditional(loop.var));
    for (const NestLoop& loop : nest.reduction)
      steps_ *= static_cast<double>(loop.extent);
    current_.sizes.assign(nest.spatial.size(), 1);
  }

  RegisterTile choose() {
    LinearForm position = simplify_.linear(flatIndex(*nest_.update->buffer, nest_.update->indices));
    current_.mode = LaneMode::None;
    current_.lanes = 1;
    search(0, 1);
    for (std::size_t i = 0; i < nest_.spatial.size(); ++i)
      if (movementOf(position, nest_.spatial[i].var) == Movement::Next) trySpatial(i);
    for (std::size_t i = 0; i < nest_.reduction.size(); ++i)
      tryReduction(i);
    double iterations = steps_;
    for (const NestLoop& loop : nest_.spatial)
      iterations *= static_cast<double>(loop.extent);
    best_.cycles = bestCost_ / iterations;
    for (const LoadMovement& access : accesses_)
      best_.footprintBytes += footprint(access);
    return best_;
  }

 private:
  void collectAccesses();
  bool isConditional(const Var& var) const;
  std::int64_t readersOf(const LinearForm& position, const Var& spatial) const;
  void trySpatial(std::size_t loop);
  void tryReduction(std::size_t loop);
  bool canDot(std::size_t lanes, std::size_t reduction) const;
  void search(std::size_t loop, std::int64_t accumulators);
  double cost();
  double costOfPieces(std::size_t loop, std::vector<std::int64_t>& sizes, double count,
                      int& pieces);
  double costOfTile(const std::vector<std::int64_t>& sizes) const;
  double footprint(const LoadMovement& access) const;
  double loadsOf(const LoadMovement& access, const std::vector<std::int64_t>& sizes) const;
  double windowOf(const LoadMovement& access, const std::vector<std::int64_t>& sizes) const;
  std::int64_t vectors(std::int64_t elements) const {
    return (elements + current_.lanes - 1) / current_.lanes;
  }

  const ReductionNest& nest_;
  IndexSimplifier& simplify_;
  int registers_;
  int maxLanes_ = 1;
  int dotLength_ = 0; // products of a step that instructions add; 0 where there are none for them
  const WidenedSteps* widened_ = nullptr; // where no instruction does such a step
  double steps_ = 1;
  std::vector<LoadMovement> accesses_;
  std::vector<bool> fixed_; // loops that a condition depends on
  RegisterTile current_, best_;
  double bestCost_ = 1e300;
};

void TileChooser::collectAccesses() {
  std::vector<Expr> seen;
  visit(nest_.operand, [&](const Expr& e) {
    if (e->kind != ExprKind::Load) return true;
    for (const Expr& other : seen)
      if (equalStructure(other, e)) return false;
    seen.push_back(e);
    LinearForm position = simplify_.linear(flatIndex(*e->buffer, e->operands));
    LoadMovement& access = accesses_.emplace_back();
    access.elementBytes = e->buffer->type.elementBytes();
    for (const NestLoop& loop : nest_.spatial)
      access.spatial.push_back(movementOf(position, loop.var));
    for (const NestLoop& loop : nest_.reduction)
      access.reduction.push_back(movementOf(position, loop.var));
    for (const NestLoop& loop : nest_.spatial)
      access.readers.push_back(readersOf(position, loop.var));
    return true;
  });
}

std::int64_t TileChooser::readersOf(const LinearForm& position, const Var& spatial) const {
  const std::optional<std::int64_t> stride = coefficientOf(position, spatial);
  if (!stride || *stride == 0) return 1;
  for (const NestLoop& loop : nest_.reduction)
    if (coefficientOf(position, loop.var) == stride) return loop.extent;
  return 1;
}

bool TileChooser::isConditional(const Var& var) const {
  auto usesIt = [&](const Expr& e) { return uses(e, var); };
  return std::any_of(nest_.conditions.begin(), nest_.conditions.end(), usesIt) ||
         std::any_of(nest_.outerConditions.begin(), nest_.outerConditions.end(), usesIt);
}

void TileChooser::trySpatial(std::size_t loop) {
  const NestLoop& lane = nest_.spatial[loop];
  if (fixed_[loop] || lane.extent < 2) return;
  current_.mode = LaneMode::Spatial;
  current_.laneLoop = loop;
  current_.lanes = static_cast<int>(std::min<std::int64_t>(maxLanes_, lane.extent));
  if (!LaneExpander(simplify_, lane.var, current_.lanes).store(nest_.update)) return;
  search(0, 1);
  for (std::size_t i = 0; i < nest_.reduction.size(); ++i) {
    if (!canDot(loop, i)) continue;
    current_.dot = dotLength_;
    current_.dotLoop = i;
    search(0, 1);
  }
  current_.dot = 1;
}

/// One factor has neighbours along the reduction and is the same for all lanes; the other has
/// neighbours along the lanes, and is laid out anew so that those along the reduction lie between
/// them (handbook/ansor.md 11.9).
bool TileChooser::canDot(std::size_t lanes, std::size_t reduction) const {
  const NestLoop& along = nest_.reduction[reduction];
  if (dotLength_ == 0 || along.extent % dotLength_ != 0 || isConditional(along.var) ||
      accesses_.size() != 2)
    return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (accesses_[i].spatial[lanes] == Movement::Still &&
        accesses_[i].reduction[reduction] == Movement::Next &&
        accesses_[1 - i].spatial[lanes] == Movement::Next &&
        accesses_[1 - i].reduction[reduction] != Movement::Still)
      return !choosesBy(nest_.operand, along.var);
  return false;
}

void TileChooser::tryReduction(std::size_t loop) {
  const NestLoop& lane = nest_.reduction[loop];
  if (lane.extent < maxLanes_ || maxLanes_ < 2 || isConditional(lane.var)) return;
  bool moves = false;
  for (const LoadMovement& access : accesses_) {
    if (access.reduction[loop] == Movement::Far) return;
    moves |= access.reduction[loop] == Movement::Next;
  }
  if (!moves) return;
  current_.mode = LaneMode::Reduction;
  current_.laneLoop = loop;
  // A sum waits for the one before it unless there are several at a time, as in lanes of more than
  // one register. Those may not leave more iterations over, which are done one by one.
  for (const int vectors : {1, 2, 4}) {
    current_.lanes = vectors * maxLanes_;
    if (lane.extent % current_.lanes != lane.extent % maxLanes_) return;
    if (LaneExpander(simplify_, lane.var, current_.lanes).expand(nest_.operand)) search(0, vectors);
  }
}

/// Tries all sizes of the loops from `loop` on, as long as the accumulators fit.
void TileChooser::search(std::size_t loop, std::int64_t accumulators) {
  if (loop == nest_.spatial.size()) {
    double time = cost();
    if (time >= bestCost_) return;
    bestCost_ = time;
    best_ = current_;
    return;
  }
  const std::int64_t extent = nest_.spatial[loop].extent;
  const bool lanes = current_.mode == LaneMode::Spatial && loop == current_.laneLoop;
  const std::int64_t limit = fixed_[loop] ? 1 : registers_ - 2;
  for (std::int64_t n = 1; n * accumulators <= limit; ++n) {
    std::int64_t size = std::min(lanes ? n * current_.lanes : n, extent);
    current_.sizes[loop] = size;
    search(loop + 1, n * accumulators);
    if (size == extent) break;
  }
  current_.sizes[loop] = 1;
}

double TileChooser::cost() {
  std::vector<std::int64_t> sizes = current_.sizes;
  int pieces = 0;
  double time = costOfPieces(0, sizes, 1, pieces);
  return time * (1 + kPieceCost * (pieces - 1));
}

/// Whole tiles along each loop, and what is left at its end.
double TileChooser::costOfPieces(std::size_t loop, std::vector<std::int64_t>& sizes, double count,
                                 int& pieces) {
  if (loop == sizes.size()) {
    ++pieces;
    return count * costOfTile(sizes);
  }
  std::int64_t extent = nest_.spatial[loop].extent, size = sizes[loop];
  const std::int64_t whole = extent / size;
  double time = costOfPieces(loop + 1, sizes, count * static_cast<double>(whole), pieces);
  if (extent % size != 0) {
    sizes[loop] = extent % size;
    time += costOfPieces(loop + 1, sizes, count, pieces);
    sizes[loop] = size;
  }
  return time;
}

double TileChooser::footprint(const LoadMovement& access) const {
  double bytes = access.elementBytes;
  for (std::size_t i = 0; i < best_.sizes.size(); ++i)
    if (access.spatial[i] != Movement::Still) bytes *= static_cast<double>(best_.sizes[i]);
  for (std::size_t i = 0; i < nest_.reduction.size(); ++i)
    if (access.reduction[i] != Movement::Still)
      bytes *= static_cast<double>(nest_.reduction[i].extent);
  return bytes;
}

double TileChooser::loadsOf(const LoadMovement& access,
                            const std::vector<std::int64_t>& sizes) const {
  double loads = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (access.spatial[i] == Movement::Still) continue;
    bool lanes = current_.mode == LaneMode::Spatial && i == current_.laneLoop;
    loads *= static_cast<double>(lanes ? vectors(sizes[i]) : sizes[i]);
    if (lanes && access.spatial[i] == Movement::Far) loads *= kGatherLoads * current_.lanes;
  }
  return loads;
}

/// Registers that hold what several results of a tile read: a compiler that writes all steps out
/// loads each element once, and stores those on the stack that it has no register for.
double TileChooser::windowOf(const LoadMovement& access,
                             const std::vector<std::int64_t>& sizes) const {
  if (steps_ > kUnrolledSteps) return 0;
  double window = 1;
  bool isShared = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (access.spatial[i] == Movement::Still) continue;
    if (i == current_.laneLoop) {
      window *= static_cast<double>(vectors(sizes[i]));
    } else if (sizes[i] > 1) {
      window *= static_cast<double>(sizes[i] + access.readers[i] - 1);
      isShared |= access.readers[i] > 1;
    }
  }
  return isShared ? window : 0;
}

double TileChooser::costOfTile(const std::vector<std::int64_t>& sizes) const {
  const bool folds = current_.mode == LaneMode::Reduction;
  const double folded = folds ? double(current_.lanes) / maxLanes_ : 1; // vectors of an element
  double accumulators = folded, perVector = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    bool lanes = current_.mode == LaneMode::Spatial && i == current_.laneLoop;
    accumulators *= static_cast<double>(lanes ? vectors(sizes[i]) : sizes[i]);
    if (lanes) perVector = static_cast<double>(vectors(sizes[i]));
  }
  double loads = 0, held = 1, window = 0;
  for (const LoadMovement& access : accesses_) {
    const double own = loadsOf(access, sizes) * folded;
    loads += own;
    // Vectors that all rows of the tile use stay in registers; what is used once does not.
    bool isVector = current_.mode == LaneMode::Spatial
                        ? access.spatial[current_.laneLoop] != Movement::Still
                        : folds;
    if (isVector && !folds) window = std::max(window, windowOf(access, sizes));
    if (isVector && own < accumulators) held = std::max(held, std::min(own, perVector));
    if (isVector && folds && own < accumulators) held = std::max(held, std::sqrt(accumulators));
  }
  // Widened are two halves of what is held and of a factor of the row; products wait for their sum.
  const bool inHalves = widened_ != nullptr && current_.dot > 1;
  const double beside = inHalves ? 2 * held + 3 : std::max(held, window) + 1;
  if (accumulators + beside > registers_) return 1e200;
  double steps = folds ? steps_ / current_.lanes : steps_;
  steps /= current_.dot;
  double latency = current_.dot > 1 ? kDotLatency : kLatency;
  double arithmetic = accumulators / kPerCycle;
  if (widened_ != nullptr) {
    const WidenedStep& widened = inHalves ? widened_->several : widened_->one;
    const double all = widened.instructions * accumulators + widened.widening * loads;
    arithmetic = std::max(widened.multiplications * arithmetic, all / kVectorsPerCycle);
    latency = widened.latency;
  }
  double step = std::max({arithmetic, loads / kPerCycle, latency});
  double moves = nest_.neutral ? accumulators : 2 * accumulators;
  if (folds) moves += (kFoldCost / folded + 1 - 1 / folded) * accumulators; // and one add a vector
  return steps * (step + kLoadBias * loads) + moves + kLoopCost;
}

} // namespace

RegisterTile chooseRegisterTile(const ReductionNest& nest, IndexSimplifier& simplify,
                                const LowerOptions& options) {
  return TileChooser(nest, simplify, options).choose();
}

} // namespace nestwright
