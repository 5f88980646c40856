#pragma once
/// \file What a user may change in a session under way, beside starting and pausing it.

#include "core/record/format/record_program.h"
#include "core/record/rows/task_row.h"
#include "core/search/search_policy.h"
#include "core/session/schedule/task_mode.h"
#include "core/support/row_id.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

class RecordStore;
struct SessionConfig;

/// Who sent a command.
enum class Sender : std::uint8_t {
  Program, // one that uses this library
  Window,
  CommandLine,
  Signal // Ctrl+C or a request to end, on the command line
};
/// "program", "window", "command line", "signal".
const char* name(Sender sender);
/// Throws InputError for any other text.
Sender senderFromName(std::string_view text);

/// A program that the user names: that of a record in the file (of any session and target), or
/// steps.
struct NamedProgram {
  RowId record = 0; // 0: `steps` count
  Steps steps;
  /// How steps came to be, where more is known than that the user gave them: kept with the record
  /// of their measurement, so that its family tree shows the parents.
  std::optional<Trace> trace = {};
  friend bool operator==(const NamedProgram&, const NamedProgram&) = default;
};
nlohmann::json toJson(const NamedProgram& program);
NamedProgram namedProgramFromJson(const nlohmann::json& json);
/// The program that is meant for this task, whose definition is `dag`. Throws InputError when it is
/// no program of it.
RecordProgram meantProgram(const NamedProgram& named, const TaskRow& task, const ComputeDag& dag,
                           const RecordStore& store);

/// The choices of a session that can be changed while it runs, beside budgets and objective.
struct SearchOptions {
  std::string policy, scheduler;
  int trialsPerRound = 16;
  double epsilon = 0.05; // share of a round's programs that the evolutionary policy draws at random
  int population = 2048; // of a generation, at most
  int generations = 4;   // of a proposal
  double taskEpsilon = 0.05; // share of rounds that the gradient scheduler gives to a random task
  friend bool operator==(const SearchOptions&, const SearchOptions&) = default;
};
SearchOptions searchOptions(const SessionConfig& config);
/// The config with these options. Throws UsageError when one cannot be, as checkConfig does.
SessionConfig withSearchOptions(SessionConfig config, const SearchOptions& options);

/// What differs between two settings of a session, in words for a log: "time budget 60 s, objective
/// f2". Empty when nothing does.
std::string differenceText(const SessionConfig& before, const SessionConfig& after);

/// Marks records as forgotten, or takes the mark away, for all sessions they belong to, none of
/// which may be running in any process (SystemError otherwise, naming it); a running session does
/// it itself, see Forget (command.h). Their logs tell of it. Returns the records that changed.
/// Throws InputError, and changes nothing, when one is not in the file.
std::vector<RowId> forgetRecords(const std::string& databasePath, const std::vector<RowId>& records,
                                 bool forgotten, Sender sender = Sender::Program);

} // namespace nestwright
