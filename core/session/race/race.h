#pragma once
/// \file A race: search policies on the same tasks with equal budgets and the same seeds. Each
/// policy on each task with each seed is a session of the file, alone in it
/// (core/session/run/race_entry.h), so that it can be looked at as any other. A heat is a task with
/// a seed: in it the policies' rounds take turns (race_turns.h). The name of the race is kept with
/// its sessions, and all that is known of it is read from them.

#include "core/session/race/racer.h"
#include "core/session/run/race_entry.h"
#include "core/session/run/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// Trials of a race that time alone limits.
inline constexpr std::int64_t kNoTrialLimit = 1'000'000'000;

struct RaceWish {
  /// What all have in common: the budget (`trials`, or `maxSeconds` with kNoTrialLimit), the first
  /// seed, and how programs are measured. Its subjects and policy do not count.
  SessionConfig config;
  std::vector<std::string> tasks; // as tune takes them; a network stands for all of its tasks
  std::vector<Racer> racers;
  int seeds = 5; // the first one and those that follow it
};

/// Of each session of a race.
struct RaceBudget {
  std::int64_t trials = 0;
  double maxSeconds = 0; // 0: trials are the budget
  friend bool operator==(const RaceBudget&, const RaceBudget&) = default;
};

struct RaceSession {
  RowId session = 0;
  RaceEntry entry;
  SessionStatus status = SessionStatus::Ready;
  RaceBudget budget;
  friend bool operator==(const RaceSession&, const RaceSession&) = default;
};

struct RaceTask {
  RowId task = 0;
  std::string name;
  double flops = 0;
  friend bool operator==(const RaceTask&, const RaceTask&) = default;
};

struct Race {
  std::string name;
  std::vector<std::string> racers; // their labels
  std::vector<std::string> specs;  // of the tasks
  std::vector<RaceTask> tasks;
  std::vector<std::uint64_t> seeds;
  RaceBudget budget; // the largest, where not all sessions were enlarged to it yet
  std::int64_t createdAt = 0;
  std::vector<RaceSession> sessions; // in the order of the race: seed by seed, task by task

  bool isByTime() const { return budget.maxSeconds > 0; }
  /// Null where the file does not have it.
  const RaceSession* find(std::size_t racer, std::size_t task, std::size_t seed) const;
  /// Whether the session has ended with the race's budget.
  bool hasEnded(const RaceSession& session) const;
  /// All of its sessions are in the file, and have ended.
  bool isOver() const;
  friend bool operator==(const Race&, const Race&) = default;
};

/// The tasks one by one, each with its complete text. Throws InputError for what is none, and
/// UsageError for one that is there twice, whatever it is called.
std::vector<std::string> raceTasks(const std::vector<std::string>& texts);

/// Throws UsageError or InputError, before anything is written, where it is no race: fewer than two
/// racers, one of them twice, a setting that cannot be, no task.
void checkRace(const RaceWish& wish);

/// Makes the sessions of a new race and gives its name. Throws as checkRace() and createSession()
/// do; then nothing is made. `launch` as there.
std::string createRace(RecordStore& store, const RaceWish& wish, const WorkerLaunch& launch = {});
/// Of a target that is known.
std::string createRace(RecordStore& store, const RaceWish& wish, const TargetFacts& facts);

/// All races of the file, the newest first. A session whose settings cannot be read is in none.
std::vector<Race> racesOf(const RecordStore& store);
/// Throws InputError where the file has no race of this name.
Race raceNamed(const RecordStore& store, const std::string& name);

} // namespace nestwright
