#pragma once
/// \file Runs a race, heat after heat: all tasks with the first seed, then with the next one. In a
/// heat the rounds of its sessions take turns (race_turns.h), each at a time on the whole machine;
/// a session's clock stands while it waits. Whatever ends it, it goes on where it was: a session
/// decides as one that was never interrupted (C35).

#include "core/search/exec/policy_launch.h"
#include "core/session/race/race.h"
#include "core/session/run/events.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace nestwright {

/// What a person gives a race for this run of it.
struct RaceStart {
  WorkerLaunch launch;
  std::map<std::string, PolicyLaunch> policies; // by racer, of those that are programs
  std::optional<std::int64_t> trials;           // budgets that replace that of the race
  std::optional<double> maxSeconds;
  MeasureFunction measure = nullptr; // a test's: no worker is started
};

/// Where a race is when something happens in one of its sessions.
struct RaceMoment {
  const RaceSession* session = nullptr;
  std::size_t heat = 0, heats = 0; // from 1
  double share = 0;                // of all budgets that is used
};

struct RaceEnd {
  SessionStatus status = SessionStatus::Finished; // or Paused
  std::string reason;                             // of a pause
  PauseCause cause = PauseCause::None;
};

class RaceRun {
 public:
  /// Called on the thread of run(); must not block.
  using Observer = std::function<void(const RaceMoment&, const Event&)>;

  RaceRun(std::string path, Race race, RaceStart start, Observer observer);

  /// Runs what has not ended, and what ended with a smaller budget than the race has: an earlier
  /// run may have been interrupted while it enlarged them. A session that fails ends that one; one
  /// that pauses by itself pauses the race. Throws SessionInUse where another process has one of
  /// the sessions, InputError where one cannot go on on this machine.
  RaceEnd run();
  /// Has run() return soon, the race paused. From any thread.
  void stop();

 private:
  RaceEnd heat(std::size_t first, std::size_t last);

  const std::string path_;
  const Race race_;
  const RaceStart start_;
  const Observer observer_;
  RaceMoment moment_;
  double behind_ = 0; // shares of the sessions whose heat is over
  std::atomic<bool> stopped_{false}, interrupt_{false};
};

} // namespace nestwright
