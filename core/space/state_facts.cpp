#include "core/space/state_facts.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace nestwright {

std::int64_t length(const std::vector<Axis>& axes) {
  return std::accumulate(
      axes.begin(), axes.end(), std::int64_t{1},
      [](std::int64_t product, const Axis& axis) { return product * axis.extent; });
}

bool addsStage(const Step& step) {
  return std::holds_alternative<CacheWriteStep>(step) ||
         std::holds_alternative<CacheReadStep>(step) || std::holds_alternative<RfactorStep>(step);
}

bool hasReduceIterator(const Stage& stage) {
  return std::any_of(stage.iterators.begin(), stage.iterators.end(),
                     [](const Iterator& iterator) { return iterator.isReduction(); });
}

bool roundsEachStep(const OpNode& op) {
  const bool accumulates = op.reducer == Reducer::Sum || op.reducer == Reducer::Product;
  return accumulates && op.output->type.isHalf();
}

bool isTiled(const Stage& stage) {
  return stage.iterators.size() != stage.op->axes.size() + stage.op->reduceAxes.size();
}

bool hasLoops(const Stage& stage) {
  return !stage.isPlaceholder() && stage.location != ComputeLocation::Inlined;
}

bool isCacheWriteProduct(const State& state, int stage) {
  // Backwards, with the id that the stage had when each step was applied.
  const Steps& steps = state.steps();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (std::holds_alternative<CacheWriteStep>(*step) && stageOf(*step) == stage) return true;
    if (std::holds_alternative<CacheReadStep>(*step) && stageOf(*step) + 1 == stage) return false;
    if (addsStage(*step) && stageOf(*step) < stage) --stage;
  }
  return false;
}

bool isCacheReadProduct(const State& state, int stage) {
  const Steps& steps = state.steps();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const bool isCacheRead = std::holds_alternative<CacheReadStep>(*step);
    if (isCacheRead && stageOf(*step) + 1 == stage) return true;
    if (std::holds_alternative<CacheWriteStep>(*step) && stageOf(*step) == stage) return false;
    if (addsStage(*step) && stageOf(*step) < stage) --stage;
  }
  return false;
}

std::vector<int> consumersOf(const State& state, const AccessAnalysis& analysis, int stage) {
  std::set<int> found;
  const std::function<void(int)> collect = [&](int producer) {
    for (const int reader : analysis.directConsumers(producer)) {
      if (state.stage(reader).location == ComputeLocation::Inlined)
        collect(reader);
      else
        found.insert(reader);
    }
  };
  collect(stage);
  return {found.begin(), found.end()};
}

std::optional<int> singleConsumer(const State& state, const AccessAnalysis& analysis, int stage) {
  const std::vector<int> consumers = consumersOf(state, analysis, stage);
  if (consumers.empty()) return std::nullopt;
  if (consumers.size() == 1) return consumers[0];
  std::optional<int> common;
  for (const int consumer : consumers) {
    const std::optional<AttachPoint> point = state.attachPoint(consumer);
    const int root = point ? point->stage : consumer;
    if (common && *common != root) return std::nullopt;
    common = root;
  }
  return common;
}

std::optional<int> fusibleConsumer(const State& state, const AccessAnalysis& analysis, int stage) {
  const std::vector<int> consumers = consumersOf(state, analysis, stage);
  if (consumers.size() != 1 || !analysis.elementwiseMatch(stage, consumers[0])) return std::nullopt;
  const Stage& consumer = state.stage(consumers[0]);
  if (hasReduceIterator(state.stage(stage)) && hasReduceIterator(consumer)) return std::nullopt;
  // What a block's threads fetch together is no place to compute in.
  if (consumer.scope == StorageScope::Shared) return std::nullopt;
  return consumers[0];
}

namespace {

bool reducesAcrossThreads(const Stage& stage) {
  return std::any_of(stage.iterators.begin(), stage.iterators.end(), [](const Iterator& iterator) {
    return iterator.annotation == Annotation::ThreadX && iterator.kind == IteratorKind::Reduction;
  });
}

/// Reduction axes whose loops are split.
std::size_t splitReductions(const OpNode& op) {
  return static_cast<std::size_t>(
      std::count_if(op.reduceAxes.begin(), op.reduceAxes.end(), [&](const Axis& axis) {
        return !isListed(op.attributes.noSplitAtInner, axis.name());
      }));
}

} // namespace

bool hasCrossThreadReduction(const State& state, int stage) {
  if (reducesAcrossThreads(state.stage(stage))) return true;
  for (int other = 0; other < state.stageCount(); ++other)
    if (const std::optional<AttachPoint> point = state.attachPoint(other))
      if (point->stage == stage && reducesAcrossThreads(state.stage(other))) return true;
  return false;
}

std::optional<int> tensorStageIn(const State& state, int stage) {
  for (int other = 0; other < state.stageCount(); ++other)
    if (const std::optional<AttachPoint> point = state.attachPoint(other);
        point && point->stage == stage && state.stage(other).tensorInstruction)
      return other;
  return std::nullopt;
}

std::vector<int> spatialSplitSteps(const State& state, int stage) {
  const Steps& steps = state.steps();
  std::size_t reductions = splitReductions(*state.stage(stage).op);
  std::vector<int> splits;
  for (auto i = static_cast<int>(steps.size()) - 1; i >= 0; --i) {
    const Step& step = steps[static_cast<std::size_t>(i)];
    if (addsStage(step)) {
      // The parts of a reduction began with this step.
      if (std::holds_alternative<RfactorStep>(step) && stageOf(step) == stage) break;
      if (stageOf(step) < stage) --stage;
    } else if (std::holds_alternative<SplitStep>(step) && stageOf(step) == stage) {
      if (reductions > 0)
        --reductions;
      else
        splits.push_back(i);
    }
  }
  return splits;
}

int finalStageOf(const Steps& steps, std::size_t index) {
  int stage = stageOf(steps[index]);
  for (std::size_t i = index + 1; i < steps.size(); ++i)
    if (addsStage(steps[i]) && stageOf(steps[i]) < stage) ++stage;
  return stage;
}

std::vector<Annotation> partAnnotations(const State& state, std::size_t index) {
  const Steps& steps = state.steps();
  const int id = finalStageOf(steps, index);
  // The splits of a stage are its relations, in the same order; the parts of a reduction began with
  // the step that made them.
  std::size_t first = 0, earlier = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::holds_alternative<RfactorStep>(steps[i]) && finalStageOf(steps, i) == id)
      first = i + 1;
  if (index < first) return {};
  for (std::size_t i = first; i < index; ++i) {
    const bool splits = std::holds_alternative<SplitStep>(steps[i]) ||
                        std::holds_alternative<FollowSplitStep>(steps[i]) ||
                        std::holds_alternative<FollowFusedSplitStep>(steps[i]);
    if (splits && finalStageOf(steps, i) == id) ++earlier;
  }
  const Stage& stage = state.stage(id);
  for (const LoopRelation& relation : stage.relations) {
    const auto* split = std::get_if<SplitRelation>(&relation);
    if (split == nullptr || earlier-- > 0) continue;
    std::vector<Annotation> annotations;
    for (const int part : split->parts) {
      const auto loop = std::find_if(stage.iterators.begin(), stage.iterators.end(),
                                     [&](const Iterator& i) { return i.loop == part; });
      annotations.push_back(loop == stage.iterators.end() ? Annotation::None : loop->annotation);
    }
    return annotations;
  }
  return {};
}

std::vector<std::string> originalNames(const std::string& iteratorName) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin < iteratorName.size()) {
    const std::size_t end = std::min(iteratorName.find('@', begin), iteratorName.size());
    const std::string part = iteratorName.substr(begin, end - begin);
    if (const std::string name = part.substr(0, part.find('.')); !name.empty())
      names.push_back(name);
    begin = end + 1;
  }
  return names;
}

bool isListed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace nestwright
