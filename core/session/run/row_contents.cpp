#include "core/session/run/row_contents.h"

#include "core/record/format/stored_json.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

/// Whether a command was obeyed that a newer version brought.
bool isNewCommand(const nlohmann::json& obeyed) {
  const nlohmann::json::json_pointer place("/command/command");
  return obeyed.is_object() && obeyed.contains(place) && obeyed.at(place).is_string() &&
         !isCommandName(obeyed.at(place).get<std::string>());
}

} // namespace

SessionRow sessionRow(const RecordStore& store, RowId session) {
  std::optional<SessionRow> row = store.sessions().one(session);
  if (!row) throw InputError(fmt::format("{} has no session {}", store.path(), session));
  return std::move(*row);
}

nlohmann::json configJson(const SessionRow& session) {
  const std::string what = fmt::format("the settings of session {}", session.id);
  nlohmann::json config = storedJson(session.config, what);
  if (!config.is_object())
    throw InputError(fmt::format("{} are no settings: the file was altered or is damaged", what));
  return config;
}

RecordedSettings recordedSettings(const SessionRow& session) {
  const nlohmann::json config = nlohmann::json::parse(session.config, nullptr, false);
  RecordedSettings recorded{{}, recordedWorkerCommand(config), {}};
  if (config.is_object() && config.contains("seed")) recorded.seed = config["seed"].dump();
  if (config.is_object() && config.contains("machine") && config["machine"].is_string())
    recorded.machine = config["machine"];
  return recorded;
}

bool isImport(const SessionRow& session) {
  const nlohmann::json config = nlohmann::json::parse(session.config, nullptr, false);
  return config.is_object() && config.contains("import");
}

ImportedFiles importedFiles(const SessionRow& session) {
  const nlohmann::json config = nlohmann::json::parse(session.config, nullptr, false);
  const auto list = [&](const char* key) {
    std::vector<std::string> files;
    if (!config.is_object() || !config.contains(key) || !config[key].is_array()) return files;
    for (const nlohmann::json& file : config[key])
      files.push_back(file.is_string() ? file.get<std::string>() : std::string());
    return files;
  };
  return {list("import"), list("import_dags")};
}

SessionConfig configOf(const SessionRow& session) {
  return sessionConfigFromJson(configJson(session));
}

std::optional<Event> eventOf(const EventRow& row) {
  if (!isEventKind(row.kind)) return std::nullopt;
  const std::string what = fmt::format("the event {} of session {}", row.id, row.session);
  const nlohmann::json json = storedJson(row.json, what);
  if (row.kind == kind(CommandObeyed{}) && isNewCommand(json)) return std::nullopt;
  Event event = eventFromJson(row.kind, json);
  // Whoever follows the events takes these settings as they are.
  if (const auto* settings = std::get_if<SettingsChanged>(&event))
    for (const std::string& config : {settings->config, settings->before})
      if (!config.empty()) sessionConfigFromJson(storedJson(config, what));
  return event;
}

TargetFacts targetOf(const RecordStore& store, const TaskRow& task) {
  for (const TargetRow& row : store.targets().all())
    if (row.id == task.target) return factsOf(row);
  throw InputError(fmt::format("{} does not know the target of task {}", store.path(), task.id));
}

std::optional<Trace> traceOf(const Record& record) {
  if (record.trace.empty()) return std::nullopt;
  const std::string what = fmt::format("the origin of record {}", record.id);
  const nlohmann::json json = storedJson(record.trace, what);
  if (!json.is_object() || !json.contains("operation")) return std::nullopt;
  return traceFromJson(json);
}

} // namespace nestwright
