#include "core/session/run/steering.h"

#include "core/plugin/plugin.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/session/run/session_lock.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <list>
#include <map>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr NameTable<Sender, 4> kSenders = {{"program", "window", "command line", "signal"}};

void requireShare(double share, const char* what) {
  if (!(share >= 0 && share <= 1))
    throw UsageError(fmt::format("{} is a share between 0 and 1, not {}", what, share));
}

std::string objectiveText(const Objective& objective) {
  std::vector<std::string> seconds;
  for (const double s : objective.networkSeconds)
    seconds.push_back(s > 0 ? formatSeconds(s) : "none");
  std::string text = name(objective.kind);
  if (!seconds.empty()) text += fmt::format(" ({})", fmt::join(seconds, ", "));
  if (objective.kind == ObjectiveKind::EarlyStop)
    text += fmt::format(" (after {})", quantity(objective.stopAfterRounds, "round"));
  return text;
}

} // namespace

const char* name(Sender sender) {
  return kSenders.of(sender);
}

Sender senderFromName(std::string_view text) {
  if (const auto sender = kSenders.find(text)) return *sender;
  throw InputError(fmt::format("\"{}\" is no sender of commands", text));
}

json toJson(const NamedProgram& program) {
  if (program.record != 0) return {{"record", program.record}};
  json j = {{"steps", toJson(program.steps)}};
  if (program.trace) j["trace"] = toJson(*program.trace);
  return j;
}

NamedProgram namedProgramFromJson(const json& j) {
  if (j.contains("record")) return {j.at("record").get<RowId>(), {}};
  NamedProgram program{0, stepsFromJson(j.at("steps"))};
  if (j.contains("trace")) program.trace = traceFromJson(j.at("trace"));
  return program;
}

RecordProgram meantProgram(const NamedProgram& named, const TaskRow& task, const ComputeDag& dag,
                           const RecordStore& store) {
  if (named.record == 0) {
    if (!named.trace || !named.trace->config) return {dag, named.steps};
    TemplateProgram program = templateProgram(dag, *named.trace->config);
    return {std::move(program.dag), std::move(program.steps), named.trace->config};
  }
  const std::optional<Record> record = store.records().one(named.record);
  if (!record)
    throw InputError(fmt::format("there is no record {} in {}", named.record, store.path()));
  if (record->task != task.id) {
    // The same computation on another target is as good.
    const std::optional<TaskRow> other = store.tasks().one(record->task);
    if (!other || other->key != task.key)
      throw InputError(fmt::format("record {} is a program of \"{}\", which computes something "
                                   "else than \"{}\"",
                                   named.record, other ? other->name : "an unknown task",
                                   task.name));
  }
  return recordProgram(dag, *record);
}

SearchOptions searchOptions(const SessionConfig& c) {
  return {c.policy,     c.scheduler,   c.trialsPerRound, c.epsilon,
          c.population, c.generations, c.taskEpsilon};
}

SessionConfig withSearchOptions(SessionConfig config, const SearchOptions& options) {
  searchPolicy(options.policy);
  taskScheduler(options.scheduler);
  requireShare(options.epsilon, "the share of random programs");
  requireShare(options.taskEpsilon, "the share of random tasks");
  if (options.trialsPerRound < 1) throw UsageError("a round needs at least one trial");
  config.policy = options.policy;
  config.scheduler = options.scheduler;
  config.trialsPerRound = options.trialsPerRound;
  config.epsilon = options.epsilon;
  config.population = options.population;
  config.generations = options.generations;
  config.taskEpsilon = options.taskEpsilon;
  checkObjective(config);
  checkSpace(config);
  return config;
}

std::string differenceText(const SessionConfig& before, const SessionConfig& after) {
  std::vector<std::string> changes;
  // By value: two that differ may read the same.
  const auto tellAs = [&](const auto& from, const auto& to, const char* what, const auto& text) {
    if (from != to) changes.push_back(fmt::format("{} {} (was {})", what, text(to), text(from)));
  };
  const auto tell = [&](const auto& from, const auto& to, const char* what) {
    tellAs(from, to, what, std::identity());
  };
  const auto duration = [](double seconds) {
    return seconds > 0 ? formatBudget(seconds) : std::string("none");
  };
  tell(before.trials, after.trials, "trial budget");
  tellAs(before.maxSeconds, after.maxSeconds, "time budget", duration);
  tellAs(before.objective, after.objective, "objective", objectiveText);
  tell(before.policy, after.policy, "policy");
  tell(before.scheduler, after.scheduler, "scheduler");
  tell(before.trialsPerRound, after.trialsPerRound, "trials per round");
  tell(before.epsilon, after.epsilon, "share of random programs");
  tell(before.population, after.population, "population");
  tell(before.generations, after.generations, "generations");
  tell(before.taskEpsilon, after.taskEpsilon, "share of random tasks");
  return fmt::format("{}", fmt::join(changes, ", "));
}

std::vector<RowId> forgetRecords(const std::string& databasePath, const std::vector<RowId>& records,
                                 bool forgotten, Sender sender) {
  RecordStore store = RecordStore::open(databasePath, OpenMode::ReadWrite);
  std::map<RowId, std::vector<RowId>> bySession;
  for (const RowId id : records) {
    const std::optional<Record> record = store.records().one(id);
    if (!record)
      throw InputError(fmt::format("{}: there is no record {} in the file", databasePath, id));
    if (record->forgotten != forgotten) bySession[record->session].push_back(id);
  }
  std::list<SessionLock> locks;
  for (const auto& [session, ids] : bySession)
    locks.emplace_back(databasePath, session);
  std::vector<RowId> changed;
  store.transaction([&] {
    changed = store.records().setForgotten(records, forgotten);
    const auto now = nowMicroseconds();
    for (const auto& [session, ids] : bySession)
      for (const Event& event : {Event(CommandObeyed{Forget{ids, forgotten}, sender, true}),
                                 Event(RecordsForgotten{ids, forgotten})})
        store.events().add({0, session, now, kind(event), toJson(event).dump()});
  });
  return changed;
}

} // namespace nestwright
