#include "core/story/plan.h"

#include "core/plugin/plugin.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

Plan planOf(const SessionConfig& config) {
  return {config.trials, config.maxSeconds, searchOptions(config), config.objective};
}

std::optional<Plan> planWith(const SessionConfig& config, const Command& command) {
  Plan plan = planOf(config);
  const bool isPlan = std::visit(Overloaded{[&](const SetTimeBudget& c) {
                                              plan.maxSeconds = c.seconds;
                                              return true;
                                            },
                                            [&](const SetObjective& c) {
                                              plan.objective = c.objective;
                                              return true;
                                            },
                                            [&](const SetSearchOptions& c) {
                                              plan.search = c.options;
                                              return true;
                                            },
                                            [](const auto&) { return false; }},
                                 command);
  return isPlan ? std::optional(plan) : std::nullopt;
}

Plan planUntil(const LiveSession& session, double wallSeconds) {
  constexpr double kLeastRate = 10, kReserve = 2;
  const Progress& progress = session.progress();
  const double rate = std::max(progress.trialsPerSecond, kLeastRate);
  const double seconds = std::max(0.0, wallSeconds - progress.wallSeconds);
  Plan plan = planOf(session.config());
  plan.maxSeconds = std::ceil(wallSeconds);
  plan.trials =
      std::max(plan.trials, progress.trials + static_cast<std::int64_t>(kReserve * rate * seconds));
  return plan;
}

std::vector<Command> commandsBetween(const Plan& before, const Plan& after) {
  std::vector<Command> commands;
  // A scheduler that takes every objective comes first and goes last.
  const bool any = followsObjective(after.search.scheduler);
  const bool search = after.search != before.search;
  if (any && search) commands.push_back(SetSearchOptions{after.search});
  if (after.objective != before.objective) commands.push_back(SetObjective{after.objective});
  if (!any && search) commands.push_back(SetSearchOptions{after.search});
  if (after.trials != before.trials) commands.push_back(SetTrialBudget{after.trials});
  if (after.maxSeconds != before.maxSeconds) commands.push_back(SetTimeBudget{after.maxSeconds});
  return commands;
}

bool isSeed(const LiveSession& session, RowId task, RowId record) {
  const TaskEntry* entry = session.task(task);
  return entry && std::ranges::find(entry->seeds, record) != entry->seeds.end();
}

bool changesSomething(const LiveSession& session, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const PauseAfterPhases& c) { return c.on != session.round().stepping; },
          [&](const SetImportance& c) {
            const TaskEntry* task = session.task(c.task);
            return task && std::isfinite(c.importance) && c.importance >= 0 &&
                   c.importance != task->importance;
          },
          [&](const SetTaskMode& c) {
            const TaskEntry* task = session.task(c.task);
            return task && task->mode != c.mode;
          },
          [&](const SetTrialBudget& c) {
            return c.trials != session.config().trials && possible(session, c) == Command(c);
          },
          [&](const MeasureProgram& c) { return session.task(c.task) != nullptr; },
          [&](const SeedWith& c) {
            return session.task(c.task) &&
                   (c.program.record == 0 || isSeed(session, c.task, c.program.record) != c.added);
          },
          [](const Forget& c) { return !c.records.empty(); }, [](const auto&) { return true; }},
      command);
}

std::optional<Command> opposite(const LiveSession& session, const Command& command) {
  using Back = std::optional<Command>;
  return std::visit(Overloaded{[&](const SetImportance& c) -> Back {
                                 return SetImportance{c.task, session.task(c.task)->importance};
                               },
                               [&](const SetTaskMode& c) -> Back {
                                 return SetTaskMode{c.task, session.task(c.task)->mode};
                               },
                               [&](const SetTrialBudget&) -> Back {
                                 return SetTrialBudget{session.config().trials};
                               },
                               [](SeedWith c) -> Back {
                                 c.added = !c.added;
                                 return c;
                               },
                               [](Forget c) -> Back {
                                 c.forgotten = !c.forgotten;
                                 return c;
                               },
                               [](const auto&) -> Back { return std::nullopt; }},
                    command);
}

Command possible(const LiveSession& session, const Command& command) {
  const auto* budget = std::get_if<SetTrialBudget>(&command);
  if (!budget) return command;
  const Progress& progress = session.progress();
  const std::int64_t onDemand = progress.budget - session.config().trials; // on top of the budget
  return SetTrialBudget{std::max(budget->trials, progress.trials - onDemand)};
}

} // namespace nestwright
