#include "core/record/format/record_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

nlohmann::json toJson(const Record& record) {
  nlohmann::json seconds = nullptr;
  if (record.result.verdict == Verdict::Ok) seconds = record.result.latency();
  nlohmann::json json = {{"id", record.id},
                         {"session", record.session},
                         {"task", record.task},
                         {"trial", record.trial},
                         {"verdict", name(record.result.verdict)},
                         {"seconds", seconds},
                         {"repeats", record.result.seconds},
                         {"runs_per_repeat", record.result.runsPerRepeat},
                         {"verified", record.verified},
                         {"implausible", record.implausible},
                         {"best", record.best},
                         {"on_demand", record.onDemand},
                         {"forgotten", record.forgotten},
                         {"tags", record.tags},
                         {"wall_seconds", record.wallSeconds},
                         {"error", record.result.error},
                         {"program", record.program},
                         {"steps", toJson(record.steps)}};
  if (record.result.evaluation) json["evaluation"] = evaluationJson(record.result);
  if (!record.result.kernels.empty()) json["kernels"] = toJson(record.result.kernels);
  const MachineState& machine = record.result.machine;
  if (machine.clockHertz) json["clock_hertz"] = *machine.clockHertz;
  if (machine.celsius) json["celsius"] = *machine.celsius;
  if (machine.watts) json["watts"] = *machine.watts;
  if (!machine.slowedBy.empty()) json["slowed_by"] = machine.slowedBy;
  if (machine.anchorSeconds) json["anchor_seconds"] = *machine.anchorSeconds;
  if (machine.anchorShift) json["anchor_shift"] = *machine.anchorShift;
  return json;
}

std::string recordLine(const Record& record, const std::string& taskName) {
  nlohmann::json line = toJson(record);
  line["task_name"] = taskName;
  return line.dump();
}

} // namespace nestwright
