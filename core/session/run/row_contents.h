#pragma once
/// \file What the rows of a session say: its settings, events and target, and how its programs came
/// to be.
/// All of it is text that may be damaged or altered, so all of it is read here.

#include "core/record/format/target_facts.h"
#include "core/record/rows/event_row.h"
#include "core/record/rows/record.h"
#include "core/record/rows/session_row.h"
#include "core/search/search_policy.h"
#include "core/session/run/events.h"
#include "core/session/run/session.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace nestwright {

class RecordStore;

/// Throws InputError when the file has no such session.
SessionRow sessionRow(const RecordStore& store, RowId session);

/// All that the row keeps with the settings, an object: what collected or imported it, too. Throws
/// InputError.
nlohmann::json configJson(const SessionRow& session);

/// What a row tells of how its records came to be, for people; empty where it does not say or
/// cannot be read.
struct RecordedSettings {
  std::string seed;
  std::string workerCommand; // see recordedWorkerCommand()
  std::string machine;       // SessionConfig::machine
};
RecordedSettings recordedSettings(const SessionRow& session);

/// The session's records were imported from logs: there is no budget, and nothing to go on with.
bool isImport(const SessionRow& session);

/// What an import reads, by whole names.
struct ImportedFiles {
  std::vector<std::string> logs; // files and folders
  std::vector<std::string> dags; // files that define tasks
};
/// Of a session that isImport(); a name that cannot be read is empty.
ImportedFiles importedFiles(const SessionRow& session);

/// The session's settings. Throws InputError.
SessionConfig configOf(const SessionRow& session);

/// Nothing for a kind of event, or of command in it, that only a newer version knows. Throws
/// InputError when it is one that we know and cannot read.
std::optional<Event> eventOf(const EventRow& row);

/// The target that the task is tuned for. Throws InputError, also where the file has none for it.
TargetFacts targetOf(const RecordStore& store, const TaskRow& task);

/// Nothing for a program that no search of ours proposed, as an imported one. Throws InputError.
std::optional<Trace> traceOf(const Record& record);

} // namespace nestwright
