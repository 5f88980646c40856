#include "core/result/evaluator.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>

namespace nestwright {

namespace {

constexpr NameTable<EvaluatorKind, 3> kKinds = {{"repeats", "fixed", "adaptive"}};
constexpr NameTable<SpeedEstimate, 2> kSpeeds = {{"batch", "cumulative"}};
constexpr const char* kFixed = "fixed";
constexpr const char* kAdaptive = "adaptive";
constexpr int kMostRuns = 1'000'000;

constexpr EvaluatorInfo kInfos[] = {
    {kFixed, "fixed",
     "a few repeats of at least 20 ms each, whatever they say: the time is their median"},
    {kFixed, "fixed:runs=500,batch=50,seconds=2",
     "the same number of runs for every program, in micro-batches, and no more of them than fit "
     "into the seconds"},
    {kAdaptive, "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch",
     "micro-batches until the speeds vary by less than cv: AdaTune's code, or with "
     "speed=cumulative its paper"},
};

/// One "name=value" of an evaluator.
struct Option {
  std::string_view name, value;
};

[[noreturn]] void refuse(const Option& option, const char* wanted) {
  throw UsageError(
      fmt::format("{} of an evaluator is {}, not \"{}\"", option.name, wanted, option.value));
}

template <class Number>
bool readAll(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

int wholeNumber(const Option& option) {
  int number = 0;
  if (!readAll(option.value, number) || number < 1 || number > kMostRuns)
    refuse(option, "a whole number from 1 to 1000000");
  return number;
}

double numberAbove(const Option& option, double bound, const char* wanted) {
  double number = 0;
  if (!readAll(option.value, number) || !std::isfinite(number) || !(number > bound))
    refuse(option, wanted);
  return number;
}

void setOption(Evaluator& evaluator, const Option& option) {
  const bool adapts = evaluator.kind == EvaluatorKind::Adaptive;
  if (option.name == "runs") {
    evaluator.runs = wholeNumber(option);
  } else if (option.name == "batch") {
    evaluator.batch = wholeNumber(option);
  } else if (option.name == "seconds") {
    evaluator.seconds = numberAbove(option, 0, "a number above 0");
  } else if (option.name == "hopeless") {
    evaluator.hopeless = numberAbove(option, 1, "a number above 1");
  } else if (adapts && option.name == "cv") {
    evaluator.cv = numberAbove(option, 0, "a number above 0");
  } else if (adapts && option.name == "least") {
    evaluator.least = wholeNumber(option);
  } else if (adapts && option.name == "speed") {
    const auto speed = kSpeeds.find(option.value);
    if (!speed) refuse(option, "batch or cumulative");
    evaluator.speed = *speed;
  } else {
    throw UsageError(fmt::format("the evaluator {} has no option \"{}\"; its options are runs, "
                                 "batch, {}seconds and hopeless",
                                 adapts ? kAdaptive : kFixed, option.name,
                                 adapts ? "cv, least, speed, " : ""));
  }
}

void requireSensible(const Evaluator& evaluator) {
  if (evaluator.batch > evaluator.runs)
    throw UsageError(fmt::format("a micro-batch of {} runs is more than the {} of the whole "
                                 "evaluator",
                                 evaluator.batch, quantity(evaluator.runs, "run")));
  if (evaluator.kind == EvaluatorKind::Adaptive && evaluator.least > evaluator.mostBatches())
    throw UsageError(fmt::format("least={}: all runs make only {} micro-batches of {}",
                                 evaluator.least, evaluator.mostBatches(), evaluator.batch));
}

} // namespace

const char* name(EvaluatorKind kind) {
  return kKinds.of(kind);
}

const char* name(SpeedEstimate speed) {
  return kSpeeds.of(speed);
}

std::string toText(const Evaluator& e) {
  if (!e.hasBatches()) return kFixed;
  const bool adapts = e.kind == EvaluatorKind::Adaptive;
  std::string text =
      fmt::format("{}:runs={},batch={}", adapts ? kAdaptive : kFixed, e.runs, e.batch);
  if (adapts) text += fmt::format(",cv={},least={},speed={}", e.cv, e.least, name(e.speed));
  if (e.seconds > 0) text += fmt::format(",seconds={}", e.seconds);
  if (e.hopeless > 0) text += fmt::format(",hopeless={}", e.hopeless);
  return text;
}

Evaluator evaluatorFromText(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  Evaluator evaluator;
  if (kind == kAdaptive)
    evaluator.kind = EvaluatorKind::Adaptive;
  else if (kind != kFixed)
    throw UsageError(
        fmt::format("there is no evaluator \"{}\"; known are: {}, {}", kind, kFixed, kAdaptive));
  else if (colon != std::string_view::npos)
    evaluator.kind = EvaluatorKind::Fixed;
  for (std::size_t at = colon; at != std::string_view::npos;) {
    const std::size_t end = text.find(',', at + 1);
    const std::string_view item = text.substr(at + 1, end - at - 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw UsageError(fmt::format("\"{}\" is no option of an evaluator; write for example {}",
                                   item, kInfos[2].example));
    setOption(evaluator, {item.substr(0, equals), item.substr(equals + 1)});
    at = end;
  }
  requireSensible(evaluator);
  return evaluator;
}

nlohmann::json toJson(const Evaluator& evaluator) {
  return toText(evaluator);
}

Evaluator evaluatorFromJson(const nlohmann::json& json) {
  if (!json.is_string()) throw InputError("an evaluator is a text such as \"adaptive\"");
  return evaluatorFromText(json.get_ref<const std::string&>());
}

std::span<const EvaluatorInfo> evaluatorInfos() {
  return kInfos;
}

} // namespace nestwright
