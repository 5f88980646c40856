#include "core/logs/line_parts.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

using Json = nlohmann::ordered_json;

/// What AutoTVM writes where nothing was measured, seconds.
constexpr double kAutoTvmFailed = 1e9;

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw BrokenLine(fmt::format("it has no \"{}\"", key));
  return *found;
}

double number(const Json& json, const char* what) {
  if (!json.is_number()) throw BrokenLine(fmt::format("{} is no number", what));
  return json.get<double>();
}

void takeInput(const Json& input, ImportedTask& task) {
  if (!input.is_array() || input.size() != 4 || !input[0].is_string() || !input[1].is_string() ||
      !input[2].is_array() || !input[3].is_object())
    throw BrokenLine("its input is not [target, template, arguments, named arguments]");
  task.target = input[0].get<std::string>();
  if (task.target.empty()) throw BrokenLine("its target is empty");
  task.key = Json{input[1], input[2], input[3]}.dump();
}

LineResult resultOf(const Json& json) {
  if (!json.is_array() || json.size() != 4 || !json[0].is_array() || !json[1].is_number_integer())
    throw BrokenLine("its result is not [times, error number, seconds in all, time of day]");
  LineResult result;
  for (const Json& seconds : json[0])
    result.seconds.push_back(number(seconds, "a time"));
  result.error = json[1].get<std::int64_t>();
  result.allSeconds = number(json[2], "the seconds in all");
  result.isWhole = json[2].is_number_integer();
  result.startedAt = number(json[3], "the time of day");
  return result;
}

} // namespace

void parseAutoTvm(std::string_view line, ImportedTask& task, ImportedRecord& record) {
  const Json json = Json::parse(line);
  Json origin{{"format", "autotvm"}};
  for (const auto& item : json.items()) {
    const std::string& key = item.key();
    if (key == "version" || key == "tvm_version")
      origin[key] = item.value();
    else if (key != "input" && key != "config" && key != "result")
      throw BrokenLine(fmt::format("\"{}\" is unknown in a record of AutoTVM", key));
  }
  takeInput(member(json, "input"), task);
  const Json& config = member(json, "config");
  if (!config.is_object()) throw BrokenLine("its config is no object");
  record.item.isConfig = true;
  record.item.values = config.dump();
  const LineResult result = resultOf(member(json, "result"));
  takeResult(result, kAutoTvmFailed, record);
  // The public code writes what it has, to the last digit.
  record.item.spelling = {result.isWhole, startUlps(result.startedAt, record.item.startedAt)};
  task.origin = origin.dump();
}

} // namespace nestwright
