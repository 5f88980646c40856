#include "core/space/winograd_stages.h"

#include "core/tensor/access_analysis.h"

#include <algorithm>

namespace nestwright {

namespace {

bool isTransform(const OpNode& op) {
  return op.isCompute() && !op.reducer && op.axes.size() == 4 &&
         op.attributes.simplifyConstIndices.size() == 2;
}

class Finder {
 public:
  explicit Finder(const ComputeDag& dag) : dag_(dag), access_(dag) {}

  std::optional<WinogradStages> find() const {
    const auto last = static_cast<int>(dag_.size()) - 1;
    if (last < 0 || !access_.isOutput(last)) return std::nullopt;
    WinogradStages found;
    found.result = last;
    const std::optional<int> gather = gatherBehind(found);
    if (!gather) return std::nullopt;
    found.inverse = onlyComputed(*gather).value_or(-1);
    found.inverseColumns = before(found.inverse);
    if (!isTransformAt(found.inverse) || !isTransformAt(found.inverseColumns)) return std::nullopt;
    found.side = dag_[static_cast<std::size_t>(found.inverse)]->axes[0].extent;
    found.product = before(found.inverseColumns);
    if (found.product < 0 || !access_.needsMultiLevelTiling(found.product)) return std::nullopt;
    const int pack = before(found.product);
    if (!isTransformAt(pack) || !isTransformAt(before(pack))) return std::nullopt;
    return found;
  }

  std::optional<int> firstHalf(int op) const {
    const int first = before(op);
    return isTransformAt(first) ? std::optional(first) : std::nullopt;
  }

 private:
  bool isTransformAt(int op) const {
    return op >= 0 && isTransform(*dag_[static_cast<std::size_t>(op)]);
  }

  /// The only computed operator that it reads, if no other reads that one.
  std::optional<int> onlyComputed(int op) const {
    std::optional<int> only;
    for (const int producer : access_.directProducers(op)) {
      if (dag_[static_cast<std::size_t>(producer)]->isPlaceholder()) continue;
      if (only || access_.directConsumers(producer).size() != 1) return std::nullopt;
      only = producer;
    }
    return only;
  }
  int before(int op) const { return op < 0 ? -1 : onlyComputed(op).value_or(-1); }

  /// The stage that takes the results from their tiles; those on the way to it are cheap.
  std::optional<int> gatherBehind(WinogradStages& found) const {
    for (int op = found.result;;) {
      const std::optional<int> next = onlyComputed(op);
      if (!next) return std::nullopt;
      if (isTransformAt(*next)) return op;
      const Op& node = dag_[static_cast<std::size_t>(*next)];
      const bool gathers = node->body->kind == ExprKind::Load;
      if (node->reducer || (!gathers && !access_.isStrictlyInlineable(*next))) return std::nullopt;
      found.inlined.push_back(*next);
      op = *next;
    }
  }

  const ComputeDag& dag_;
  AccessAnalysis access_;
};

} // namespace

std::optional<int> firstHalfOf(const State& state, int stage) {
  return isTransform(*state.dag()[static_cast<std::size_t>(stage)])
             ? Finder(state.dag()).firstHalf(stage)
             : std::nullopt;
}

std::optional<WinogradStages> winogradStages(const State& state) {
  if (state.dag().size() != state.originalDag().size()) return std::nullopt;
  const auto transforms =
      std::ranges::count_if(state.dag().ops(), [](const Op& op) { return isTransform(*op); });
  return transforms == 4 ? Finder(state.dag()).find() : std::nullopt;
}

} // namespace nestwright
