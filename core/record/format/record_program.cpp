#include "core/record/format/record_program.h"

#include "core/record/format/stored_json.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

std::optional<TemplateConfig> templateConfigOf(const Record& record) {
  // Most records have none, and reading every trace takes time.
  if (record.trace.find("\"template\"") == std::string::npos) return std::nullopt;
  return readStored(fmt::format("the trace of record {}", record.id),
                    [&]() -> std::optional<TemplateConfig> {
                      const nlohmann::json trace = nlohmann::json::parse(record.trace);
                      if (!trace.is_object() || !trace.contains("config")) return std::nullopt;
                      return templateConfigFromJson(trace["config"]);
                    });
}

RecordProgram recordProgram(const ComputeDag& task, const Record& record) {
  const std::optional<TemplateConfig> config = templateConfigOf(record);
  if (!config) return {task, record.steps};
  TemplateProgram program = templateProgram(task, *config);
  if (!record.program.empty() && programId(program.dag, program.steps) != record.program)
    throw InputError(
        fmt::format("record {} is of another program than the template {} makes of its "
                    "configuration today; a later version may have changed it",
                    record.id, config->kind));
  return {std::move(program.dag), std::move(program.steps)};
}

State recordState(const ComputeDag& task, const Record& record) {
  const RecordProgram program = recordProgram(task, record);
  return State::replay(program.dag, program.steps);
}

} // namespace nestwright
