#include "core/session/run/tuning/run_settings.h"

#include "core/measure/worker_target.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/search/given_policy.h"
#include "core/session/run/again/measure_again.h"
#include "core/session/run/collection.h"
#include "core/session/run/race_entry.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

RunSettings::RunSettings(const SessionRow& session) {
  const nlohmann::json json = configJson(session);
  config = sessionConfigFromJson(json);
  programsPerTask = collectionPartFromJson(json).value_or(CollectionPart{}).programsPerTask;
  again = recordsToMeasureAgain(json);
  alone = raceEntryFromJson(json).has_value();
}

void RunSettings::makePolicies() {
  const SearchPolicyKind kind = searchPolicy(config.policy);
  policy = kind.make({.name = config.policy,
                      .launch = launch,
                      .epsilon = config.epsilon,
                      .population = config.population,
                      .generations = config.generations,
                      .plan = config.plan,
                      .chains = config.chains,
                      .diversity = config.diversity,
                      .diversityRatio = config.diversityRatio,
                      .beam = config.beam,
                      .energy = config.energy,
                      .exploration = config.exploration});
  learns = kind.learns;
  climbs = kind.climbs;
  if (!again.empty()) policy = std::make_unique<GivenPolicy>();
  scheduler =
      taskScheduler(config.scheduler).make({config.objective, config.seed, config.taskEpsilon});
}

void RunSettings::setTarget(const RecordStore& store, const TaskRow& task,
                            const WorkerLaunch* launch) {
  target = targetOf(store, task);
  // Records of two machines must not mix in one task (C28).
  if (launch) {
    if (target.gpu && target.gpu->name.empty())
      throw InputError(
          fmt::format("this session is for any {}, and a program is measured on one; start a new "
                      "session for the target {}",
                      target.gpu->architecture.name(), target.backend));
    const TargetFacts here = measuredTarget(nameHere(target), config.measure, *launch);
    if (here.id() != target.id())
      throw InputError(fmt::format(
          "this session tunes for {} and cannot go on on {}, {}; "
          "start a new session here",
          target.text(), launch->command.empty() ? "this machine" : "its workers' machine",
          here.text()));
  }
  space = spaceOptionsFor(target, drawsOf(config.rules));
  space.tf32 = config.tf32;
}

} // namespace nestwright
