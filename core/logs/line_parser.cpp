#include "core/logs/line_parser.h"

#include "core/logs/fast_steps.h"
#include "core/logs/line_parts.h"
#include "core/record/format/step_codec.h"
#include "core/target/target_text.h"

#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace nestwright {

static_assert(kLinePadding >= simdjson::SIMDJSON_PADDING);

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// What the auto-scheduler writes where nothing was measured, seconds.
constexpr double kAutoSchedulerFailed = 1e10;
constexpr std::string_view kBlanks = " \t\r\v\f";

template <class T>
T as(element item, const char* what) {
  T value{};
  if (item.get(value) != simdjson::SUCCESS) throw BrokenLine(what);
  return value;
}

/// The items of a list of `least` to `most`.
std::vector<element> items(element list, std::size_t least, std::size_t most, const char* what) {
  const auto values = as<array>(list, what);
  std::vector<element> result;
  for (const element item : values)
    result.push_back(item);
  if (result.size() < least || result.size() > most) throw BrokenLine(what);
  return result;
}

std::vector<std::int64_t> hardwareOf(element list) {
  constexpr const char* kWhat = "the hardware is not a list of eight integers";
  std::vector<std::int64_t> hardware;
  for (const element number : items(list, 8, 8, kWhat))
    hardware.push_back(as<std::int64_t>(number, kWhat));
  return hardware;
}

/// What the canonical form of the line needs beside the other fields.
std::string originOf(std::string_view version, std::int64_t layoutRewrite,
                     const nlohmann::json& inputs) {
  nlohmann::ordered_json origin{{"format", version}};
  if (layoutRewrite != 0) origin["layout_rewrite"] = layoutRewrite;
  if (!inputs.empty()) origin["task_inputs"] = inputs;
  return origin.dump();
}

ImportedTask taskOf(element list, std::string_view version) {
  const auto parts = items(list, 2, 6, "the task is not a list of 2 to 6 items");
  ImportedTask task;
  task.key = as<std::string_view>(parts[0], "the workload key is no text");
  task.target = as<std::string_view>(parts[1], "the target is no text");
  if (task.key.empty()) throw BrokenLine("the workload key is empty");
  if (task.target.empty()) throw BrokenLine("the target is empty");
  if (parts.size() > 2) task.hardware = hardwareOf(parts[2]);
  if (parts.size() > 3) task.host = as<std::string_view>(parts[3], "the target's host is no text");
  std::int64_t layoutRewrite = 0;
  if (parts.size() > 4)
    layoutRewrite = as<std::int64_t>(parts[4], "the layout option is no number");
  auto inputs = nlohmann::json::array();
  if (parts.size() > 5)
    for (const element name : as<array>(parts[5], "the task's inputs are no list"))
      inputs.push_back(as<std::string_view>(name, "a task's input is no text"));
  task.origin = originOf(version, layoutRewrite, inputs);
  return task;
}

LineResult resultOf(element list) {
  const auto parts =
      items(list, 4, 4, "the result is not [times, error number, seconds in all, time of day]");
  LineResult result;
  for (const element seconds : as<array>(parts[0], "the times are no list"))
    result.seconds.push_back(as<double>(seconds, "a time is no number"));
  result.error = as<std::int64_t>(parts[1], "the error number is no integer");
  result.allSeconds = as<double>(parts[2], "the seconds in all are no number");
  result.startedAt = as<double>(parts[3], "the time of day is no number");
  return result;
}

void requireKnownVersion(std::string_view version) {
  if (version.size() != 4 || !version.starts_with("v0.") || version[3] < '1' || version[3] > '6')
    throw BrokenLine(fmt::format("its version is '{}'; known are v0.1 to v0.6", version));
}

/// The line is good JSON whose steps are not as they should be.
Steps stepsSlowly(std::string_view line) {
  return stepsFromJson(nlohmann::json::parse(line).at("i").at(1).at(1));
}

} // namespace

struct LineParser::Impl {
  simdjson::dom::parser json;
  Steps steps;
  /// The task of the line before, which most lines share, and its place in which batch.
  const LogBatch* batch = nullptr;
  std::size_t lastTask = 0;

  int place(LogBatch& into, ImportedTask task) {
    const bool same = batch == &into && lastTask < into.tasks.size();
    if (same && into.tasks[lastTask] == task) return int(lastTask);
    batch = &into;
    for (lastTask = 0; lastTask < into.tasks.size(); ++lastTask)
      if (into.tasks[lastTask] == task) return int(lastTask);
    (void)targetFromText(task.target, task.hardware); // throws for one of no target here
    into.tasks.push_back(std::move(task));
    return int(lastTask);
  }

  void takeScheduler(object line, std::string_view text, LogBatch& into, ImportedRecord& record) {
    element input, result;
    std::string_view version = "v0.1"; // which did not always say so
    bool hasInput = false, hasResult = false;
    for (const auto& [key, value] : line) {
      if (key == "i")
        input = value, hasInput = true;
      else if (key == "r")
        result = value, hasResult = true;
      else if (key == "v")
        version = as<std::string_view>(value, "its version is no text");
      else
        throw BrokenLine(fmt::format("\"{}\" is unknown in a record", key));
    }
    if (!hasInput || !hasResult)
      throw BrokenLine(fmt::format("it has no \"{}\"", hasInput ? "r" : "i"));
    requireKnownVersion(version);
    const auto parts = items(input, 2, 2, "its input is not [task, program]");
    const auto state = items(parts[1], 2, 2, "the program is not [stages, steps]");
    ImportedTask task = taskOf(parts[0], version);
    if (!readSteps(as<array>(state[1], "the steps are no list"), steps)) steps = stepsSlowly(text);
    EncodedSteps encoded = encodeSteps(steps);
    record.shape = std::move(encoded.shape);
    record.item.values = std::move(encoded.values);
    takeResult(resultOf(result), kAutoSchedulerFailed, record);
    record.task = place(into, std::move(task));
  }

  void take(std::string_view line, LogBatch& into) {
    element document;
    // Not copied: the caller promises readable bytes behind the line.
    const auto error = json.parse(line.data(), line.size(), false).get(document);
    if (error != simdjson::SUCCESS)
      throw BrokenLine(fmt::format("it is no JSON: {}", simdjson::error_message(error)));
    object members;
    if (document.get(members) != simdjson::SUCCESS) throw BrokenLine("it is no JSON object");
    ImportedRecord record;
    element input;
    if (members["input"].get(input) == simdjson::SUCCESS) {
      ImportedTask task;
      parseAutoTvm(line, task, record);
      record.task = place(into, std::move(task));
    } else {
      takeScheduler(members, line, into, record);
    }
    record.identity = importIdentity(record.verdict, record.shape, record.item);
    into.records.push_back(std::move(record));
  }
};

LineParser::LineParser() : impl_(std::make_unique<Impl>()) {}
LineParser::~LineParser() = default;

LineKind LineParser::parse(std::string_view line, LogBatch& batch, std::string& reason) {
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos || line[begin] == '#') return LineKind::Comment;
  line = line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
  try {
    impl_->take(line, batch);
    return LineKind::Record;
  } catch (const InputError& error) {
    reason = error.what();
  } catch (const nlohmann::json::exception& error) {
    reason = fmt::format("it is no JSON: {}", error.what());
  }
  return LineKind::Broken;
}

} // namespace nestwright
