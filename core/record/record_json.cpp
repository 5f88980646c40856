#include "core/record/record_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

nlohmann::json toJson(const Record& record) {
  nlohmann::json seconds = nullptr;
  if (record.result.verdict == Verdict::Ok) seconds = record.result.median();
  return {{"id", record.id},
          {"session", record.session},
          {"task", record.task},
          {"trial", record.trial},
          {"verdict", name(record.result.verdict)},
          {"seconds", seconds},
          {"repeats", record.result.seconds},
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
}

} // namespace nestwright
