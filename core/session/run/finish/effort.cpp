#include "core/session/run/finish/effort.h"

#include "core/search/draft/draft_use.h"
#include "core/session/run/subject.h"
#include "core/session/run/tuning/polish_phase.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

constexpr NameTable<Effort, 3> kEffortNames = {{"quick", "normal", "thorough"}};
constexpr NameTable<Effort, 3> kEffortPurposes = {
    {"programs that are remembered or drafted, and a polish of the best of them: seconds a task",
     "evolution, a tenth of the trials for a polish, and a stop when nothing is left to gain",
     "evolution over at least 128 trials a task, and a long polish"}};

/// Trials of a task, and how many of them polish.
constexpr std::int64_t kQuickTrials = 24, kThoroughTrials = 128;
constexpr int kQuickPolish = 16, kThoroughPolish = 50;
constexpr int kQuickRound = 8;
constexpr double kQuickRepeatSeconds = 0.01; // half the usual
constexpr std::int64_t kPolishOf = 10;       // of so many trials one polishes
constexpr double kStopGain = 0.005;

/// Trials of a polish for each of so many tasks that are a tenth of all together, or a few more; 0
/// where that is not one round, or one a task is more than a quarter of all.
std::int64_t tenthFor(std::int64_t trials, std::int64_t tasks) {
  constexpr std::int64_t kAtMostOf = 4;
  const std::int64_t tenth = trials / kPolishOf, each = (tenth + tasks - 1) / tasks;
  return tenth < kPolishBatch || each * tasks > trials / kAtMostOf ? 0 : each;
}

} // namespace

const char* name(Effort effort) {
  return kEffortNames.of(effort);
}

const char* purpose(Effort effort) {
  return kEffortPurposes.of(effort);
}

std::vector<std::string> effortNames() {
  return {kEffortNames.names.begin(), kEffortNames.names.end()};
}

Effort effortNamed(std::string_view text) {
  if (const std::optional<Effort> effort = kEffortNames.find(text)) return *effort;
  throw UsageError(fmt::format("there is no effort \"{}\"; it is one of {}", text,
                               fmt::join(effortNames(), ", ")));
}

SessionConfig withEffort(SessionConfig config, Effort effort, std::size_t tasks) {
  const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(tasks));
  config.policy = "evolutionary";
  config.draft = name(DraftUse::First);
  config.stopGain = 0;
  config.trialsPerRound = SessionConfig().trialsPerRound;
  config.measure.minRepeatSeconds = MeasureOptions().minRepeatSeconds;
  switch (effort) {
  case Effort::Quick:
    config.trials = kQuickTrials * count;
    config.trialsPerRound = kQuickRound;
    config.measure.minRepeatSeconds = kQuickRepeatSeconds;
    config.polish = kQuickPolish;
    break;
  case Effort::Normal:
    config.polish = static_cast<int>(tenthFor(config.trials, count));
    config.stopGain = kStopGain;
    break;
  case Effort::Thorough:
    config.trials = std::max(config.trials, kThoroughTrials * count);
    config.polish = kThoroughPolish;
    break;
  }
  return config;
}

std::size_t countSessionTasks(const SessionConfig& config) {
  std::set<std::string> tasks;
  for (const Subject& subject : resolveSubjects(config.subjects))
    for (const SubjectTask& task : subject.tasks)
      tasks.insert(workloadKey(task.dag));
  return tasks.size();
}

void checkPolish(const SessionConfig& config) {
  checkPolish(config, config.polish > 0 && config.space != SearchSpace::Templates
                          ? countSessionTasks(config)
                          : 0);
}

void checkPolish(const SessionConfig& config, std::size_t count) {
  if (!draftUseFromName(config.draft))
    throw UsageError(fmt::format("there is no draft \"{}\"; it is one of {}", config.draft,
                                 fmt::join(draftUseNames(), ", ")));
  if (!(config.stopGain >= 0 && config.stopGain < 1))
    throw UsageError("what is left to gain is a share from 0 to below 1");
  if (config.polish == 0) return;
  if (config.polish < 0) throw UsageError("a polish takes 0 or more trials of each task");
  if (config.space == SearchSpace::Templates)
    throw UsageError("a polish changes programs of sketches: leave it out, or search sketches");
  const auto tasks = static_cast<std::int64_t>(count);
  if (config.polish * tasks > config.trials)
    throw UsageError(fmt::format("a polish of {} for each of {} takes more than the budget of {}",
                                 quantity(config.polish, "trial"), quantity(tasks, "task"),
                                 quantity(config.trials, "trial")));
}

} // namespace nestwright
