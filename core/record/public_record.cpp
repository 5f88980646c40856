#include "core/record/public_record.h"

#include "core/support/error.h"
#include "core/target/target_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMicroseconds = 1'000'000;

/// What the public format writes where nothing was measured, seconds.
constexpr double kFailed = 1e10;

/// Six significant digits, as the public implementation writes them.
std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string costs(const MeasureResult& result) {
  if (result.verdict != Verdict::Ok) return number(kFailed);
  std::vector<std::string> texts;
  for (const double seconds : result.seconds)
    texts.push_back(number(seconds));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the log of an imported record said beside the program; empty for one measured here.
Json logOf(const Record& record) {
  const Json trace = Json::parse(record.trace, nullptr, false);
  return trace.is_object() && trace.contains("log") ? trace["log"] : Json::object();
}

/// JSON with the separators of public records, keys in their own order.
std::string spaced(const Json& json) {
  if (json.is_array() || json.is_object()) {
    std::string text = json.is_array() ? "[" : "{";
    for (const auto& item : json.items()) {
      if (text.size() > 1) text += ", ";
      if (json.is_object()) text += Json(item.key()).dump() + ": ";
      text += spaced(item.value());
    }
    return text + (json.is_array() ? "]" : "}");
  }
  return json.dump();
}

/// As Python writes a number, so that none changes.
std::string exact(double value) {
  return Json(value).dump();
}

std::string autoTvmRecord(const TaskRow& task, const TargetRow& target, const Record& record,
                          const Json& log) {
  constexpr double kAutoTvmFailed = 1e9;
  const MeasureResult& result = record.result;
  Json input = Json::array({target.text});
  for (const Json& part : Json::parse(task.key))
    input.push_back(part);
  std::vector<std::string> seconds;
  for (const double repeat : result.seconds)
    seconds.push_back(exact(repeat));
  if (result.verdict != Verdict::Ok) seconds = {exact(kAutoTvmFailed)};
  std::string tail;
  for (const char* key : {"version", "tvm_version"})
    if (log.contains(key)) tail += fmt::format(R"(, "{}": {})", key, spaced(log.at(key)));
  return fmt::format(R"({{"input": {}, "config": {}, "result": [[{}], {}, {}, {}]{}}})",
                     spaced(input), spaced(log.at("config")), fmt::join(seconds, ", "),
                     recordErrorNumber(result.verdict), exact(result.runSeconds),
                     exact(double(result.startedAt) / kMicroseconds), tail);
}

} // namespace

PublicTarget publicTarget(const TargetRow& target) {
  const nlohmann::json facts = nlohmann::json::parse(target.facts, nullptr, false);
  if (!facts.is_object() || facts.empty()) return {target.text, TargetFacts().recordHardware(), ""};
  if (facts.contains(kLogHardware))
    return {target.text, facts[kLogHardware].get<std::vector<std::int64_t>>(),
            facts.value(kLogHost, "")};
  return {target.text, targetFactsFromJson(facts).recordHardware(), ""};
}

std::string publicRecord(const TaskRow& task, const TargetRow& target, const Record& record) {
  const Json log = logOf(record);
  if (log.contains("config")) return autoTvmRecord(task, target, record, log);
  const MeasureResult& result = record.result;
  const PublicTarget where = publicTarget(target);
  Json workload = Json::array({task.key, where.text});
  // The oldest form of the format has no more than these.
  if (!where.hardware.empty()) {
    workload.push_back(where.hardware);
    workload.push_back(where.host);
    workload.push_back(log.value("layout_rewrite", 0));
    workload.push_back(log.value("task_inputs", Json::array()));
  }
  const nlohmann::json state = {nlohmann::json::array(), toJson(record.steps)};
  return fmt::format(R"({{"i": [{}, {}], "r": [[{}], {}, {}, {}], "v": "v0.6"}})", spaced(workload),
                     recordText(state), costs(result), recordErrorNumber(result.verdict),
                     number(result.buildSeconds + result.runSeconds),
                     result.startedAt / kMicroseconds);
}

} // namespace nestwright
