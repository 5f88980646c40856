#include "core/record/format/record_program.h"

#include "core/record/format/stored_json.h"
#include "core/schedule/tensor_instruction.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

namespace {

/// The part of this name in what is kept of how the record came to be; null where there is none.
nlohmann::json partOf(const Record& record, const char* part) {
  // Most records have none, and reading every trace takes time.
  if (record.trace.find("\"entity\"") == std::string::npos) return nullptr;
  const nlohmann::json trace =
      storedJson(record.trace, fmt::format("the trace of record {}", record.id));
  return trace.is_object() ? trace.value(part, nlohmann::json()) : nullptr;
}

nlohmann::json ownConfig(const Record& record) {
  return partOf(record, "config");
}

nlohmann::json loggedConfigOf(const Record& record) {
  const nlohmann::json log = partOf(record, "log");
  return log.is_object() ? log.value("config", nlohmann::json()) : nullptr;
}

TemplateConfig foundInSpaces(TemplatePrograms& templates, const nlohmann::json& logged,
                             RowId record) {
  try {
    return templates.configOf(loggedConfig(logged));
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("the program of record {} cannot be made: {}", record, error.what()));
  }
}

} // namespace

bool isOfTemplate(const Record& record) {
  return ownConfig(record).is_object() || loggedConfigOf(record).is_object();
}

bool isTf32(const Record& record) {
  const TensorInstruction* used = tensorInstructionOf(record.steps);
  return used != nullptr && used->input == kFloat32;
}

std::optional<TemplateConfig> ownTemplateConfigOf(const Record& record) {
  const nlohmann::json config = ownConfig(record);
  return config.is_object() ? std::optional(templateConfigFromJson(config)) : std::nullopt;
}

std::optional<TemplateConfig> RecordPrograms::config(const Record& record) {
  if (std::optional<TemplateConfig> own = ownTemplateConfigOf(record)) return own;
  if (const nlohmann::json logged = loggedConfigOf(record); logged.is_object())
    return foundInSpaces(templates_, logged, record.id);
  return std::nullopt;
}

RecordProgram RecordPrograms::program(const Record& record) {
  std::optional<TemplateConfig> config = this->config(record);
  if (!config) return {templates_.task(), record.steps};
  TemplateProgram program = templates_.program(*config);
  if (!record.imported && !record.program.empty() &&
      programId(program.dag, program.steps) != record.program)
    throw InputError(
        fmt::format("record {} is of another program than the template {} makes of its "
                    "configuration today; a later version may have changed it",
                    record.id, config->kind));
  return {std::move(program.dag), std::move(program.steps), std::move(config)};
}

RecordProgram recordProgram(const ComputeDag& task, const Record& record) {
  return RecordPrograms(task).program(record);
}

State recordState(const ComputeDag& task, const Record& record) {
  const RecordProgram program = recordProgram(task, record);
  return State::replay(program.dag, program.steps);
}

} // namespace nestwright
