#include "core/record/format/public_record.h"

#include "core/record/format/imported_log.h"
#include "core/record/format/record_program.h"
#include "core/record/format/stored_json.h"
#include "core/schedule/step_text.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

using Json = nlohmann::ordered_json;

const std::string kNoTrace;

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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// As Python writes a number, so that none changes: of its shortest texts the nearest, and never as
/// an integer. (The library's own text of a number is not always the nearest.)
std::string exact(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

/// `taskKey` is JSON: [template, arguments, named arguments].
std::string autoTvmRecord(const std::string& taskKey, const TargetRow& target, const Record& record,
                          double allSeconds, const Json& log) {
  constexpr double kAutoTvmFailed = 1e9;
  const MeasureResult& result = record.result;
  Json input = Json::array({target.text});
  for (const Json& part : Json::parse(taskKey))
    input.push_back(part);
  std::vector<std::string> seconds;
  for (const double repeat : result.seconds)
    seconds.push_back(exact(repeat));
  if (result.verdict != Verdict::Ok) seconds = {exact(kAutoTvmFailed)};
  std::string tail;
  const double startedAt =
      log.value("started_at", double(result.startedAt) / kMicrosecondsPerSecond);
  const std::string measuring =
      log.value("whole_seconds", false) ? fmt::format("{:.0f}", allSeconds) : exact(allSeconds);
  for (const char* key : {"version", "tvm_version"})
    if (log.contains(key)) tail += fmt::format(R"(, "{}": {})", key, spaced(log.at(key)));
  return fmt::format(R"({{"input": {}, "config": {}, "result": [[{}], {}, {}, {}]{}}})",
                     spaced(input), spaced(log.at("config")), fmt::join(seconds, ", "),
                     recordErrorNumber(result.verdict), measuring, exact(startedAt), tail);
}

/// The version of the public implementation that has the space.
const char* tvmVersion(TemplateVersion version) {
  switch (version) {
  case TemplateVersion::TopHub:
    return "0.4.0";
  case TemplateVersion::V0_8:
    return "0.8.dev0";
  case TemplateVersion::V0_11:
    break;
  }
  return "0.11.1";
}

} // namespace

PublicTarget publicTarget(const TargetRow& target) {
  const nlohmann::json facts = nlohmann::json::parse(target.facts, nullptr, false);
  if (!facts.is_object() || facts.empty()) return {target.text, TargetFacts().recordHardware(), ""};
  return readStored(fmt::format("the facts of target {}", target.id), [&]() -> PublicTarget {
    if (facts.contains(kLogHardware))
      return {target.text, facts[kLogHardware].get<std::vector<std::int64_t>>(),
              facts.value(kLogHost, "")};
    return {target.text, targetFactsFromJson(facts).recordHardware(), ""};
  });
}

PublicRecords::PublicRecords(TaskRow task, TargetRow target)
    : task_(std::move(task)), target_(std::move(target)), where_(publicTarget(target_)) {}

std::string PublicRecords::ownTemplateLine(const Record& record, const TemplateConfig& config) {
  if (!templates_) templates_.emplace(parseDag(task_.dag));
  const TaskTemplate& of = templates_->named(config.kind, config.version);
  Json entities = Json::array();
  for (const NamedEntity& entity : config.entities)
    entities.push_back(Json::parse(toJson(entity).dump()));
  Json key = Json::array({config.kind});
  key.push_back(Json::parse(of.arguments.list().dump()));
  key.push_back(Json::object());
  const Json log = {{"config",
                     {{"index", of.space.indexOf(config.entities)},
                      {"code_hash", nullptr},
                      {"entity", std::move(entities)}}},
                    {"version", 0.2},
                    {"tvm_version", tvmVersion(config.version)}};
  const MeasureResult& result = record.result;
  return autoTvmRecord(key.dump(), target_, record, result.buildSeconds + result.runSeconds, log);
}

std::string PublicRecords::line(const Record& record) {
  if (const std::optional<TemplateConfig> config = ownTemplateConfigOf(record))
    return ownTemplateLine(record, *config);
  // The records of a log say the same around their programs, most of those measured here nothing.
  const bool told = record.trace.find("\"log\"") != std::string::npos;
  const std::string& trace = told ? record.trace : kNoTrace;
  if (head_.empty() || trace != traceOfHead_) {
    traceOfHead_ = trace;
    const Json log = logOf(record);
    isConfig_ = log.contains("config");
    Json workload = Json::array({task_.key, where_.text});
    // The oldest form of the format has no more than these.
    if (!where_.hardware.empty()) {
      workload.push_back(where_.hardware);
      workload.push_back(where_.host);
      readStored(fmt::format("what a log said of record {}", record.id), [&] {
        workload.push_back(log.value("layout_rewrite", 0));
        workload.push_back(log.value("task_inputs", Json::array()));
      });
    }
    head_ = spaced(workload);
  }
  if (isConfig_)
    return readStored(fmt::format("what a log said of record {}", record.id), [&] {
      return autoTvmRecord(task_.key, target_, record, record.result.runSeconds, logOf(record));
    });
  const MeasureResult& result = record.result;
  return fmt::format(
      R"({{"i": [{}, [[], {}]], "r": [[{}], {}, {}, {}], "v": "v0.6"}})", head_,
      spacedText(compactText(record.steps)), costs(result), recordErrorNumber(result.verdict),
      number(result.buildSeconds + result.runSeconds), result.startedAt / kMicrosecondsPerSecond);
}

std::string publicRecord(const TaskRow& task, const TargetRow& target, const Record& record) {
  return PublicRecords(task, target).line(record);
}

} // namespace nestwright
