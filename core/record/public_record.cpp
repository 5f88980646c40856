#include "core/record/public_record.h"

#include "core/support/error.h"
#include "core/target/target_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

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

std::vector<std::int64_t> hardwareOf(const TargetRow& target) {
  const nlohmann::json facts = nlohmann::json::parse(target.facts, nullptr, false);
  if (!facts.is_object() || facts.empty()) return TargetFacts().recordHardware();
  return targetFactsFromJson(facts).recordHardware();
}

} // namespace

std::string publicRecord(const TaskRow& task, const TargetRow& target, const Record& record) {
  constexpr std::int64_t kMicroseconds = 1'000'000;
  const MeasureResult& result = record.result;
  const nlohmann::json workload = {task.key, target.text, hardwareOf(target),
                                   "",       0,           nlohmann::json::array()};
  const nlohmann::json state = {nlohmann::json::array(), toJson(record.steps)};
  return fmt::format(
      R"({{"i": [{}, {}], "r": [[{}], {}, {}, {}], "v": "v0.6"}})", recordText(workload),
      recordText(state), costs(result), recordErrorNumber(result.verdict),
      number(result.buildSeconds + result.runSeconds), result.startedAt / kMicroseconds);
}

} // namespace nestwright
