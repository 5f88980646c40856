#include "core/session/run/memory/taught_model.h"

#include "core/dataset/model_file.h"
#include "core/plugin/plugin.h"
#include "core/session/run/cost_learner.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/pretrained/model_threads.h"
#include "core/support/version.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace nestwright {

namespace {

constexpr std::array kTaughtBy = {kTaughtBySameTask, kTaughtBySameMachine, kTaughtByKind};

/// Which of the known tasks teach, and with how many records: of several that want one, the most.
std::map<std::size_t, std::size_t> shares(const std::vector<TaughtBy>& teachers) {
  std::map<std::size_t, std::size_t> most; // by index of the known task
  for (const TaughtBy& task : teachers) {
    std::size_t kinds = 0;
    for (const RelatedTask& of : task.related) {
      if (!teaches(of.source)) continue;
      if (of.source == MemorySource::SameKind && kinds++ == kNearestOfKind) break;
      std::size_t& share = most[of.task];
      share = std::max(share, kTaughtBy[std::size_t(of.source)]);
    }
  }
  return most;
}

} // namespace

std::string taughtModel(const SessionConfig& config, const TargetFacts& target,
                        const MemoryTasks& known, const std::vector<TaughtBy>& teachers,
                        std::size_t& taught) {
  taught = 0;
  if (costModelKind(config.model).ofConfigurations) return {};
  const std::map<std::size_t, std::size_t> wanted = shares(teachers);
  std::size_t all = 0;
  for (const auto& [task, share] : wanted)
    all += share;
  // Where there are too many, every task gives less.
  const double part = all > kTaughtInAll ? double(kTaughtInAll) / double(all) : 1;
  CostLearner learner(costModel(config.model, withThreads(config.model, {{"warmup", 0}})), target,
                      featureChoice(config.features, target));
  ModelFile file;
  for (const auto& [task, share] : wanted) {
    const MemoryTask& from = known.tasks()[task];
    // Times of different targets are not compared: each is a task of its own.
    const std::string key = from.row.key + "@" + from.target.id();
    std::vector<MeasuredProgram> programs;
    for (Record& record :
         known.sample(from, std::max<std::size_t>(1, std::size_t(part * double(share)))))
      programs.push_back(
          {key, &from.dag, std::move(record.steps), record.program, record.result.latency()});
    if (programs.empty()) continue;
    learner.add(programs);
    taught += programs.size();
    file.tasks.insert(from.definition);
    file.kinds.insert(from.kind);
    if (const std::string& path = known.fileOf(from).path();
        std::ranges::find(file.choice.files, path) == file.choice.files.end())
      file.choice.files.push_back(path);
  }
  if (taught < kLeastTaught) {
    taught = 0;
    return {};
  }
  learner.update();
  if (!learner.trained()) {
    taught = 0;
    return {};
  }
  file.choice.acrossTargets = true;
  file.model = config.model;
  file.features = config.features;
  file.target = target.id();
  file.targetText = target.text();
  file.product = versionText();
  file.programs = taught;
  file.bytes = learner.save();
  return modelFileBytes(file);
}

} // namespace nestwright
