#include "core/space/state_facts.h"

#include <algorithm>
#include <set>

namespace nestwright {

bool hasReduceIterator(const Stage& stage) {
  return std::any_of(stage.iterators.begin(), stage.iterators.end(),
                     [](const Iterator& iterator) { return iterator.isReduction(); });
}

bool isTiled(const Stage& stage) {
  return stage.iterators.size() != stage.op->axes.size() + stage.op->reduceAxes.size();
}

bool hasLoops(const Stage& stage) {
  return !stage.isPlaceholder() && stage.location != ComputeLocation::Inlined;
}

namespace {

bool addsStage(const Step& step) {
  return std::holds_alternative<CacheWriteStep>(step) ||
         std::holds_alternative<CacheReadStep>(step) || std::holds_alternative<RfactorStep>(step);
}

} // namespace

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
  if (consumer.name().ends_with(".shared")) return std::nullopt;
  return consumers[0];
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
