#include "core/story/footprints.h"

#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

/// A difference of less than this is no reason for anything: the estimate is not that good.
constexpr double kTelling = 1.25;

const LoopTraffic* trafficOf(const LoopMemory& program, const LoopNode& node) {
  if (node.kind != LoopNode::Kind::Loop) return nullptr;
  for (const LoopTraffic& loop : program.traffic)
    if (loop.stage == node.stage && loop.iterator == node.iterator) return &loop;
  return nullptr;
}

LoopFootprint footprintOf(const LoopMemory& program, int at, const TargetFacts& target) {
  LoopFootprint result;
  if (at < 0) return result;
  const LoopNode& node = program.tree.nodes[static_cast<std::size_t>(at)];
  result.node = at;
  result.line = std::string(2 * static_cast<std::size_t>(node.depth), ' ') + node.line();
  const LoopTraffic* traffic = trafficOf(program, node);
  if (!traffic) return result;
  result.bytes = traffic->footprintBytes;
  result.runs = traffic->runs;
  result.level = levelOf(result.bytes, target);
  result.buffers = traffic->buffers;
  return result;
}

/// The outermost loops that fit are loaded once for each of their runs; where none fits, the
/// innermost loop is loaded each time.
CacheUse useOf(const LoopMemory& program, double size) {
  CacheUse use;
  const std::vector<LoopNode>& nodes = program.tree.nodes;
  std::vector<bool> kept(nodes.size(), false); // it, or a loop around it, is counted
  std::vector<bool> hasLoops(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].parent >= 0 && trafficOf(program, nodes[i]))
      hasLoops[static_cast<std::size_t>(nodes[i].parent)] = true;
  // From inside out, so that a loop of which nothing is known says what is in it.
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (nodes[i].parent >= 0 && hasLoops[i])
      hasLoops[static_cast<std::size_t>(nodes[i].parent)] = true;
  double most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent >= 0 && kept[static_cast<std::size_t>(nodes[i].parent)]) {
      kept[i] = true;
      continue;
    }
    const LoopTraffic* traffic = trafficOf(program, nodes[i]);
    if (!traffic) continue;
    const bool fits = traffic->footprintBytes <= size;
    if (!fits && hasLoops[i]) continue;
    kept[i] = true;
    use.movedBytes += traffic->trafficBytes();
    if (traffic->trafficBytes() <= most) continue;
    most = traffic->trafficBytes();
    use.loop = fmt::format("{}.{}", nodes[i].owner, nodes[i].name);
    use.bytes = traffic->footprintBytes;
    use.runs = traffic->runs;
    use.fits = fits;
  }
  return use;
}

} // namespace

TargetFacts targetOrHost(const RecordStore& store, RowId taskId) {
  if (const std::optional<TaskRow> task = store.tasks().one(taskId))
    for (const TargetRow& row : store.targets().all())
      if (row.id == task->target)
        if (std::optional<TargetFacts> facts = factsIfKnown(row)) {
          if (isOfLog(row)) facts->l1Bytes = facts->l2Bytes = facts->l3Bytes = 0;
          return std::move(*facts);
        }
  return hostTarget();
}

CacheLevel levelOf(double bytes, const TargetFacts& target) {
  if (target.l1Bytes <= 0) return CacheLevel::Unknown;
  return bytes <= static_cast<double>(target.l1Bytes)   ? CacheLevel::L1
         : bytes <= static_cast<double>(target.l2Bytes) ? CacheLevel::L2
         : bytes <= static_cast<double>(target.l3Bytes) ? CacheLevel::L3
                                                        : CacheLevel::Memory;
}

FootprintComparison compareFootprints(const LoopMemory& a, const LoopMemory& b,
                                      const TargetFacts& target) {
  FootprintComparison result;
  result.machine = target.modelName.empty() ? target.cpuName : target.modelName;
  result.sizes = {static_cast<double>(target.l1Bytes), static_cast<double>(target.l2Bytes),
                  static_cast<double>(target.l3Bytes)};
  for (std::size_t i = 0; i < result.caches.size() && result.hasCaches(); ++i)
    result.caches[i] = {static_cast<CacheLevel>(i), result.sizes[i], useOf(a, result.sizes[i]),
                        useOf(b, result.sizes[i])};
  for (const LoopDiffRow& row : diffLoopTrees(a.tree, b.tree))
    result.rows.push_back({footprintOf(a, row.row.left, target),
                           footprintOf(b, row.row.right, target), row.row.mark});
  return result;
}

std::optional<TellingCache> tellingCache(const FootprintComparison& comparison) {
  const CacheRow* telling = nullptr;
  double most = kTelling;
  for (const CacheRow& row : comparison.caches) {
    if (row.a.movedBytes <= 0 || row.b.movedBytes <= 0) continue;
    const double ratio =
        std::max(row.a.movedBytes / row.b.movedBytes, row.b.movedBytes / row.a.movedBytes);
    if (ratio < most) continue;
    most = ratio;
    telling = &row;
  }
  return telling ? std::optional(TellingCache{*telling, most}) : std::nullopt;
}

} // namespace nestwright
