#include "core/session/race/race.h"

#include "core/measure/worker_target.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/recorded_machine.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace nestwright {

namespace {

/// Of the racer on the task with the seed.
SessionConfig sessionConfig(const RaceWish& wish, const Racer& racer, const std::string& task,
                            int seed) {
  SessionConfig config = wish.config;
  config.subjects = {task};
  config.seed += static_cast<std::uint64_t>(seed);
  return configOf(racer, config);
}

void checkRacers(const RaceWish& wish) {
  if (wish.racers.size() < 2)
    throw UsageError(fmt::format("{}: name at least two with --policy",
                                 wish.racers.empty() ? "a race needs policies"
                                                     : "one policy alone does not race"));
  std::set<std::string> labels;
  for (const Racer& racer : wish.racers)
    if (!labels.insert(racer.label).second)
      throw UsageError(fmt::format("{} is given twice: every racer has another policy or other "
                                   "settings",
                                   racer.label));
}

/// Makes one of the race's sessions.
RowId addSession(RecordStore& store, const SessionConfig& config, const RaceEntry& entry,
                 const TargetFacts& facts) {
  const RowId session = createSession(store, config, facts);
  SessionRow row = sessionRow(store, session);
  nlohmann::json json = configJson(row);
  keepRaceEntry(json, entry);
  row.config = json.dump();
  row.title = fmt::format("Race {}: {} on {}, seed {}", entry.race, entry.racer,
                          store.sessions().tasks(session).front().name, config.seed);
  store.sessions().update(row);
  return session;
}

std::string newName(const RaceWish& wish) {
  std::string text = fmt::format("{} {}", nowMicroseconds(), fmt::join(wish.tasks, " "));
  for (const Racer& racer : wish.racers)
    text += "\n" + racer.label;
  return fmt::format("{:08x}", hash64(text) & 0xffffffffu);
}

template <class T>
T& at(std::vector<T>& list, int index) {
  const auto i = static_cast<std::size_t>(index);
  if (list.size() <= i) list.resize(i + 1);
  return list[i];
}

/// Adds what a session of it tells of the race.
void addTo(Race& race, const RecordStore& store, const SessionRow& row, const RaceEntry& entry) {
  const SessionConfig config = configOf(row);
  const std::vector<TaskRow> tasks = store.sessions().tasks(row.id);
  if (tasks.empty() || config.subjects.empty()) return;
  if (race.sessions.empty()) {
    race.name = entry.race;
    race.createdAt = row.createdAt;
  }
  // Budgets may be enlarged, one session after the other.
  race.budget.trials = std::max(race.budget.trials, config.trials);
  race.budget.maxSeconds = std::max(race.budget.maxSeconds, config.maxSeconds);
  race.createdAt = std::min(race.createdAt, row.createdAt);
  at(race.racers, entry.racerNumber) = entry.racer;
  at(race.specs, entry.taskNumber) = config.subjects.front();
  at(race.tasks, entry.taskNumber) = {tasks.front().id, tasks.front().name, tasks.front().flops};
  at(race.seeds, entry.seedNumber) = config.seed;
  race.sessions.push_back({row.id, entry, row.status, {config.trials, config.maxSeconds}});
}

/// A damaged file may number them as it likes.
bool isPossible(const RaceEntry& entry) {
  constexpr int kMost = 100'000;
  return entry.racerNumber < kMost && entry.taskNumber < kMost && entry.seedNumber < kMost;
}

} // namespace

const RaceSession* Race::find(std::size_t racer, std::size_t task, std::size_t seed) const {
  const auto found = std::ranges::find_if(sessions, [&](const RaceSession& session) {
    return std::cmp_equal(session.entry.racerNumber, racer) &&
           std::cmp_equal(session.entry.taskNumber, task) &&
           std::cmp_equal(session.entry.seedNumber, seed);
  });
  return found == sessions.end() ? nullptr : &*found;
}

bool Race::hasEnded(const RaceSession& session) const {
  return session.budget == budget &&
         (session.status == SessionStatus::Finished || session.status == SessionStatus::Failed);
}

bool Race::isOver() const {
  return std::cmp_greater_equal(sessions.size(), sessions.front().entry.sessions) &&
         std::ranges::all_of(sessions,
                             [this](const RaceSession& session) { return hasEnded(session); });
}

std::vector<std::string> raceTasks(const std::vector<std::string>& texts) {
  if (texts.empty()) throw UsageError("a race needs at least one task");
  std::vector<std::string> specs;
  std::map<std::string, std::string> known; // key and text
  for (const std::string& text : texts) {
    const Subject subject = resolveSubject(text);
    for (std::size_t i = 0; i < subject.tasks.size(); ++i) {
      const std::string spec =
          subject.isNetwork ? fmt::format("{}#{}", subject.spec, i) : subject.spec;
      const auto [before, isNew] = known.try_emplace(workloadKey(subject.tasks[i].dag), spec);
      if (!isNew)
        throw UsageError(before->second == spec
                             ? fmt::format("{} is given twice; a race has each task once", spec)
                             : fmt::format("{} computes the same as {}; a race has each task once",
                                           spec, before->second));
      specs.push_back(spec);
    }
  }
  return specs;
}

void checkRace(const RaceWish& wish) {
  checkRacers(wish);
  if (wish.seeds < 1) throw UsageError("a race has at least one seed");
  const std::vector<std::string> tasks = raceTasks(wish.tasks);
  for (const Racer& racer : wish.racers) {
    const SessionConfig config = sessionConfig(wish, racer, tasks.front(), 0);
    if (config.maxSeconds > 0 && config.polish > 0)
      throw UsageError(
          fmt::format("{}: a polish is a part of the trials, and this race has seconds "
                      "as its budget",
                      racer.label));
    for (const std::string& task : tasks) {
      SessionConfig one = config;
      one.subjects = {task};
      checkConfig(one);
    }
  }
}

std::string createRace(RecordStore& store, const RaceWish& wish, const WorkerLaunch& launch) {
  checkRace(wish);
  const SessionConfig& config = wish.config;
  const std::optional<std::string> recording = recordedFile(config.machine);
  return createRace(store, wish,
                    recording ? recordedTarget(*recording, resolveSubjects(raceTasks(wish.tasks)),
                                               config.target, config.measure.threads)
                              : measuredTarget(config.target, config.measure, launch));
}

std::string createRace(RecordStore& store, const RaceWish& wish, const TargetFacts& facts) {
  checkRace(wish);
  const std::vector<std::string> tasks = raceTasks(wish.tasks);
  RaceEntry entry;
  entry.race = newName(wish);
  entry.sessions = static_cast<int>(wish.racers.size() * tasks.size()) * wish.seeds;
  store.transaction([&] {
    for (entry.seedNumber = 0; entry.seedNumber < wish.seeds; ++entry.seedNumber)
      for (entry.taskNumber = 0; std::cmp_less(entry.taskNumber, tasks.size()); ++entry.taskNumber)
        for (entry.racerNumber = 0; std::cmp_less(entry.racerNumber, wish.racers.size());
             ++entry.racerNumber) {
          const Racer& racer = wish.racers[static_cast<std::size_t>(entry.racerNumber)];
          entry.racer = racer.label;
          addSession(store,
                     sessionConfig(wish, racer, tasks[static_cast<std::size_t>(entry.taskNumber)],
                                   entry.seedNumber),
                     entry, facts);
        }
  });
  return entry.race;
}

std::vector<Race> racesOf(const RecordStore& store) {
  std::map<std::string, Race> races;
  for (const SessionRow& row : store.sessions().all()) {
    try {
      const std::optional<RaceEntry> entry = raceEntryFromJson(configJson(row));
      if (entry && isPossible(*entry)) addTo(races[entry->race], store, row, *entry);
    } catch (const InputError&) { // said where the session itself is looked at
    }
  }
  std::vector<Race> list;
  for (auto& [name, race] : races) {
    if (race.sessions.empty()) continue;
    std::ranges::sort(race.sessions, {}, [](const RaceSession& session) {
      const RaceEntry& of = session.entry;
      return std::tuple(of.seedNumber, of.taskNumber, of.racerNumber);
    });
    list.push_back(std::move(race));
  }
  std::ranges::sort(list, std::ranges::greater(),
                    [](const Race& race) { return std::tuple(race.createdAt, race.name); });
  return list;
}

Race raceNamed(const RecordStore& store, const std::string& name) {
  for (Race& race : racesOf(store))
    if (race.name == name) return std::move(race);
  throw InputError(fmt::format("there is no race {} in {}", name, store.path()));
}

} // namespace nestwright
