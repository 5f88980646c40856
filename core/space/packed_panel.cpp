#include "core/space/packed_panel.h"

#include "core/space/state_facts.h"
#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

/// A panel is packed once and read this often at least, or else packing costs too much.
constexpr std::int64_t kLeastReuse = 16;
/// Vectors side by side in a panel of the usual width.
constexpr std::int64_t kPanelVectors = 4;

/// Position of the axis with this variable; -1 when it is none of them.
int axisOf(const std::vector<Axis>& axes, const Expr& index) {
  if (index->kind != ExprKind::Var) return -1;
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const Axis& axis) { return axis.var == index->var; });
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

bool isRead(const AccessAnalysis& analysis, int reader, int operand, const Axis& axis) {
  const auto& tuples = analysis.reads(reader, operand);
  return std::any_of(tuples.begin(), tuples.end(), [&](const std::vector<Expr>& tuple) {
    return std::any_of(tuple.begin(), tuple.end(),
                       [&](const Expr& index) { return uses(index, axis.var); });
  });
}

/// How an operand is read when each of its indices is an axis of the reader.
struct Reading {
  std::int64_t reduction = 1; // elements along the reduction
  int row = -1;               // spatial axis along which its rows run; -1: a reduction axis
  int rowIndex = 0;           // the index that is this axis
  std::vector<int> spatial;   // for each index: the spatial axis; -1: a reduction axis
};

std::optional<Reading> readingOf(const AccessAnalysis& analysis, const OpNode& op, int reader,
                                 int operand) {
  const auto& tuples = analysis.reads(reader, operand);
  if (tuples.size() != 1) return std::nullopt;
  Reading reading;
  for (const Expr& index : tuples[0]) {
    const int spatial = axisOf(op.axes, index), reduction = axisOf(op.reduceAxes, index);
    if (spatial < 0 && reduction < 0) return std::nullopt;
    const std::int64_t extent =
        spatial < 0 ? op.reduceAxes[reduction].extent : op.axes[spatial].extent;
    if (spatial < 0) reading.reduction *= extent;
    if (extent > 1) {
      reading.row = spatial;
      reading.rowIndex = static_cast<int>(reading.spatial.size());
    }
    reading.spatial.push_back(spatial);
  }
  return reading;
}

/// The part that each axis of the reader has; the reason is still to be found.
PackedPanel panelWithParts(const AccessAnalysis& analysis, const OpNode& op, int reader,
                           int operand) {
  PackedPanel result;
  result.operand = operand;
  for (int i = 0; i < static_cast<int>(op.axes.size()); ++i) {
    const std::vector<int>& producers = analysis.directProducers(reader);
    const auto reads = [&](int producer) { return isRead(analysis, reader, producer, op.axes[i]); };
    if (!reads(operand))
      result.reused.push_back(i);
    else if (producers.size() > 1 && std::all_of(producers.begin(), producers.end(), reads))
      result.batch.push_back(i);
    else
      result.panel.push_back(i);
  }
  return result;
}

std::string namesOf(const OpNode& op, const std::vector<int>& axes) {
  std::vector<std::string> names;
  for (const int axis : axes)
    if (op.axes[axis].extent > 1) names.push_back(op.axes[axis].name());
  return fmt::format("{}", fmt::join(names, " and "));
}

/// The axis that becomes lanes of vectors: the last one of the result that is a loop.
int laneAxis(const OpNode& op) {
  int lanes = static_cast<int>(op.axes.size()) - 1;
  while (lanes >= 0 && op.axes[lanes].extent == 1)
    --lanes;
  return lanes;
}

/// How many elements along the last reduction axis are one step of what instructions add (11.9),
/// where there are such for the product and the axis is a number of steps; else 1.
int dotLengthOf(const OpNode& op, const TargetFacts& target) {
  const std::optional<DotFactors> factors = dotFactors(op.body);
  if (!factors || *op.reducer != Reducer::Sum) return 1;
  const bool has = dotProductsOf(target).atOnce(op.output->type.isFloat()) > 0;
  return has && op.reduceAxes.back().extent % factors->length == 0 ? factors->length : 1;
}

std::optional<PackedPanel> panelOf(const AccessAnalysis& analysis, int reader, int operand,
                                   const TargetFacts& target) {
  const OpNode& op = *analysis.dag()[reader];
  const std::optional<Reading> reading = readingOf(analysis, op, reader, operand);
  if (!reading || reading->reduction < 2) return std::nullopt;
  PackedPanel panel = panelWithParts(analysis, op, reader, operand);
  const int lanes = laneAxis(op);
  if (std::count(panel.panel.begin(), panel.panel.end(), lanes) == 0) return std::nullopt;
  std::int64_t reuse = 1;
  std::int64_t bytes = analysis.dag()[operand]->output->type.elementBytes() * reading->reduction;
  for (const int axis : panel.reused)
    reuse *= op.axes[axis].extent;
  const std::int64_t rowBytes = bytes;
  for (const int axis : panel.panel)
    bytes *= op.axes[axis].extent;
  panel.laneIndex =
      static_cast<int>(std::find(reading->spatial.begin(), reading->spatial.end(), lanes) -
                       reading->spatial.begin());
  panel.rowIndex = reading->rowIndex;
  panel.transposed = reading->row != lanes;
  const std::vector<Expr>& read = analysis.reads(reader, operand)[0];
  const auto summed = std::ranges::find_if(
      read, [&](const Expr& index) { return uses(index, op.reduceAxes.back().var); });
  panel.dotIndex = static_cast<int>(summed - read.begin());
  if (summed != read.end()) panel.dotLength = dotLengthOf(op, target);
  const bool near = !panel.transposed && bytes <= target.l2Bytes;
  if (reuse < kLeastReuse || (near && panel.dotLength == 1)) return std::nullopt;
  const std::int64_t widest = kPanelVectors * target.vectorBytes / op.output->type.elementBytes();
  panel.cutReduction = rowBytes * std::min(widest, bytes / rowBytes) > target.l2Bytes / 2;
  const std::string cost =
      panel.transposed ? "its vectors would gather from rows that run along the reduction"
      : near ? fmt::format("an instruction wants {} of it along {} side by side", panel.dotLength,
                           op.reduceAxes.back().name())
             : fmt::format("{} KB of it in rows that lie far apart", bytes >> 10);
  panel.reason = fmt::format("it reads {} again along {}, and {}, so pieces along {} are packed "
                             "into panels that stay in the L2 cache",
                             analysis.dag()[operand]->name(), namesOf(op, panel.reused), cost,
                             namesOf(op, panel.panel));
  return panel;
}

} // namespace

std::optional<PackedPanel> packedPanel(const State& state, int stage, const SpaceOptions& options) {
  const Stage& reader = state.stage(stage);
  if (!hasLoops(reader) || !reader.op->reducer || isTiled(reader)) return std::nullopt;
  const AccessAnalysis analysis(state.dag());
  if (!analysis.needsMultiLevelTiling(stage)) return std::nullopt;
  const std::vector<std::string>& constant = reader.op->attributes.layoutFreeInputs;
  for (const int operand : analysis.directProducers(stage))
    if (state.stage(operand).location != ComputeLocation::Inlined &&
        std::count(constant.begin(), constant.end(), state.stage(operand).name()) == 0)
      if (std::optional<PackedPanel> panel = panelOf(analysis, stage, operand, options.target))
        return panel;
  return std::nullopt;
}

} // namespace nestwright
