#pragma once
/// \file What a session can be told: plain values, posted from any thread (Session::post) and
/// obeyed on the session's thread. A command that was obeyed is in the session's log as it was
/// given, with its sender (CommandObeyed); one that cannot be followed changes nothing
/// (CommandRefused).
///
/// Start, Pause and Stop are obeyed while the session is in any state; a pause or a stop ends the
/// measurement under way and takes effect within a second. All others wait for the end of the
/// round, last over pauses and restarts, and can be given whether the session runs or not.

#include "core/search/search_phase.h"
#include "core/session/run/steering.h"
#include "core/session/schedule/objective.h"
#include "core/session/schedule/task_mode.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace nestwright {

/// What is to be known of a kind of command beside its members: its name in files, what it does in
/// words ("that could not be done (change the objective)"), and the keys of its members in JSON, in
/// their order. A member without a key does not compile.
template <std::size_t members>
struct CommandForm {
  const char* name;
  const char* words;
  std::array<const char*, members> keys;
};
template <class... Keys>
consteval CommandForm<sizeof...(Keys)> commandForm(const char* name, const char* words,
                                                   Keys... keys) {
  return {name, words, {keys...}};
}

/// Tunes: for the first time, after a pause or a failure, or after the budget of a finished session
/// was raised.
struct Start {
  static constexpr auto kForm = commandForm("start", "start the session");
  friend bool operator==(const Start&, const Start&) = default;
};

/// Waits, with everything stored, until it is started again.
struct Pause {
  static constexpr auto kForm = commandForm("pause", "pause the session");
  friend bool operator==(const Pause&, const Pause&) = default;
};

/// Finishes now, with what was measured.
struct Stop {
  static constexpr auto kForm = commandForm("stop", "stop the session");
  friend bool operator==(const Stop&, const Stop&) = default;
};

/// Goes on until the next phase that is not left out has ended, or the next of this kind, and
/// pauses. A paused phase goes on exactly where it was.
struct RunPhase {
  static constexpr auto kForm = commandForm("run phase", "run a phase", "until");
  std::optional<SearchPhase> until = std::nullopt;
  friend bool operator==(const RunPhase&, const RunPhase&) = default;
};

/// Pauses after every phase of a round from now on, that under way included, or no longer. For this
/// run of the program only.
struct PauseAfterPhases {
  static constexpr auto kForm = commandForm("pause after phases", "pause after phases", "on");
  bool on = true;
  friend bool operator==(const PauseAfterPhases&, const PauseAfterPhases&) = default;
};

/// The user's multiplier of a task's weight: 1 at first, 2 gives it twice the rounds, 0 none. A
/// negative one counts as 0. Refused unless it is finite.
struct SetImportance {
  static constexpr auto kForm = commandForm("importance", "change a weight", "task", "importance");
  RowId task = 0;
  double importance = 1;
  friend bool operator==(const SetImportance&, const SetImportance&) = default;
};

/// Pins a task, pauses it, or sets it free.
struct SetTaskMode {
  static constexpr auto kForm = commandForm("task mode", "pause or pin a task", "task", "mode");
  RowId task = 0;
  TaskMode mode = TaskMode::Free;
  friend bool operator==(const SetTaskMode&, const SetTaskMode&) = default;
};

/// Trials of the session in all, at least 1; those on demand come on top.
struct SetTrialBudget {
  static constexpr auto kForm = commandForm("trial budget", "change the trial budget", "trials");
  std::int64_t trials = 1;
  friend bool operator==(const SetTrialBudget&, const SetTrialBudget&) = default;
};

/// Seconds of running time, pauses excluded; 0: none.
struct SetTimeBudget {
  static constexpr auto kForm = commandForm("time budget", "change the time budget", "seconds");
  double seconds = 0;
  friend bool operator==(const SetTimeBudget&, const SetTimeBudget&) = default;
};

/// What the gradient scheduler minimises; refused where another scheduler takes no notice of it.
struct SetObjective {
  static constexpr auto kForm = commandForm("objective", "change the objective", "objective");
  Objective objective;
  friend bool operator==(const SetObjective&, const SetObjective&) = default;
};

struct SetSearchOptions {
  static constexpr auto kForm = commandForm("search options", "change search options", "options");
  SearchOptions options;
  friend bool operator==(const SetSearchOptions&, const SetSearchOptions&) = default;
};

/// Measures a program of the task once, before the next round, also while the session is not
/// running. The record is marked as on demand: it takes nothing of the budget and the model does
/// not learn from it, but it may become the task's best.
struct MeasureProgram {
  static constexpr auto kForm = commandForm("measure", "measure a program", "task", "program");
  RowId task = 0;
  NamedProgram program;
  friend bool operator==(const MeasureProgram&, const MeasureProgram&) = default;
};

/// Gives the search of the task a program to start from: in the evolutionary policy's initial
/// population from the next proposal on; while candidates are random, measured with the next
/// round. `added` false takes it back.
struct SeedWith {
  static constexpr auto kForm = commandForm("seed", "seed the search", "task", "program", "added");
  RowId task = 0;
  NamedProgram program;
  bool added = true;
  friend bool operator==(const SeedWith&, const SeedWith&) = default;
};

/// Forgets records of any session that no other process runs, or takes that back: see
/// RecordRows::setForgotten. The search may propose a forgotten program again, and the model
/// learns without it.
struct Forget {
  static constexpr auto kForm = commandForm("forget", "forget records", "records", "forgotten");
  std::vector<RowId> records;
  bool forgotten = true;
  friend bool operator==(const Forget&, const Forget&) = default;
};

using Command = std::variant<Start, Pause, Stop, RunPhase, PauseAfterPhases, SetImportance,
                             SetTaskMode, SetTrialBudget, SetTimeBudget, SetObjective,
                             SetSearchOptions, MeasureProgram, SeedWith, Forget>;

/// "start", "importance", ...: its name in files.
const char* name(const Command& command);
/// "change a weight": what it does.
const char* words(const Command& command);

/// {"command": "importance", "task": 3, "importance": 2}.
nlohmann::json toJson(const Command& command);
/// Whether it is the name of a command that this version knows.
bool isCommandName(std::string_view name);
/// The inverse of toJson(). Throws InputError for an unknown command and for what is none.
Command commandFromJson(const nlohmann::json& json);

} // namespace nestwright
