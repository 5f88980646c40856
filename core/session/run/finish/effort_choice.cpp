#include "core/session/run/finish/effort_choice.h"

#include "core/session/run/search_method.h"

namespace nestwright {

SessionConfig withChosenEffort(SessionConfig config, Effort effort, std::size_t tasks) {
  const std::string method = methodOf(config);
  if (config.space == SearchSpace::Templates || !method.empty())
    config = withMethod(config, "nestwright");
  return withEffort(std::move(config), effort, tasks);
}

std::optional<Effort> effortOf(const SessionConfig& config, std::size_t tasks) {
  if (config.space == SearchSpace::Templates) return std::nullopt;
  for (const Effort effort : {Effort::Quick, Effort::Normal, Effort::Thorough})
    if (withEffort(config, effort, tasks) == config) return effort;
  return std::nullopt;
}

EffortPromise promiseOf(const SessionConfig& config, Effort effort, std::size_t tasks,
                        double secondsPerTrial) {
  const SessionConfig chosen = withChosenEffort(config, effort, tasks);
  EffortPromise promise;
  promise.trials = chosen.trials;
  promise.mayEndEarly = chosen.stopGain > 0;
  promise.isAssumed = secondsPerTrial <= 0;
  promise.seconds =
      double(chosen.trials) * (promise.isAssumed ? kAssumedSecondsPerTrial : secondsPerTrial);
  return promise;
}

} // namespace nestwright
