#include "core/exec_policy/policy_messages.h"

#include "core/support/json_number.h"
#include "core/support/printable.h"
#include "core/support/text_limit.h"
#include "core/support/version.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr std::size_t kLongestLabel = 200, kLongestReason = 400, kLongestQuote = 120;
constexpr std::size_t kMostSteps = 1000; // of a program; ours have some dozens

std::string lineOf(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string cut(const std::string& text, std::size_t bytes) {
  std::string valid = printableLine(text);
  if (valid.size() <= bytes) return valid;
  return std::string(beginning(valid, bytes)) + " ...";
}

json partsJson(const std::vector<TileSize>& parts) {
  json list = json::array();
  for (const TileSize& part : parts)
    list.push_back(part ? json(*part) : json(nullptr));
  return list;
}

json toJson(const SketchDecision& decision) {
  json j{{"name", decision.name}, {"kind", name(decision.kind)}};
  if (decision.kind == DecisionKind::TileSize) {
    j["extent"] = decision.extent;
    j["parts"] = partsJson(decision.parts);
    if (decision.mostInnermost > 0) j["innermost_at_most"] = decision.mostInnermost;
  } else if (decision.kind == DecisionKind::ComputeLocation) {
    j["values"] = decision.places;
  } else {
    j["values"] = decision.values;
  }
  return j;
}

json toJson(const DecisionValues& values) {
  json j = json::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& of) { j[key] = of; }, value);
  return j;
}

json sketchesJson(const SearchContext& context) {
  json sketches = json::array();
  for (std::size_t i = 0; i < context.sketches->size(); ++i) {
    const Sketch& sketch = (*context.sketches)[i];
    json decisions = json::array();
    for (const SketchDecision& decision : sketchDecisions(sketch, context.space))
      decisions.push_back(toJson(decision));
    sketches.push_back({{"sketch", i},
                        {"steps", toJson(sketch.state.steps())},
                        {"loops", printLoopNest(sketch.state)},
                        {"decisions", std::move(decisions)}});
  }
  return sketches;
}

json toJson(const ToldProgram& program, const SearchContext& context) {
  json j{{"round", program.round},
         {"trial", program.trial},
         {"program", program.programId},
         {"origin", name(program.origin)},
         {"steps", toJson(program.steps)},
         {"verdict", program.verdict},
         {"seconds", finiteOrNull(program.seconds)},
         {"repeats", program.repeats}};
  if (!program.label.empty()) j["label"] = program.label;
  if (!program.error.empty()) j["error"] = cut(program.error, kLongestReason);
  if (program.sketch >= 0 && std::cmp_less(program.sketch, context.sketches->size())) {
    j["sketch"] = program.sketch;
    try {
      j["decisions"] =
          toJson(decisionValues((*context.sketches)[static_cast<std::size_t>(program.sketch)],
                                context.space, program.steps));
    } catch (const IllegalSchedule&) {
      // Of another file, perhaps: then the steps have to do.
    }
  }
  return j;
}

/// The message in the line, which has to be of this type.
json messageIn(const std::string& line, std::string_view type) {
  json message = json::parse(line, nullptr, false);
  if (!message.is_object())
    throw PolicyFailure(fmt::format(
        "the policy's program said {} where a JSON object on one line was expected; what it prints "
        "for people belongs on standard error",
        quotation(line)));
  const auto found = message.find("type");
  if (found == message.end() || !found->is_string() || found->get<std::string>() != type)
    throw PolicyFailure(
        fmt::format("the policy's program said {} where a message of the type \"{}\" was expected",
                    quotation(line), type));
  return message;
}

DecisionValue valueFrom(const std::string& name, const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::vector<std::int64_t> parts;
    for (const json& part : value) {
      if (!part.is_number_integer())
        throw InputError(fmt::format("{} are a list of whole numbers", quotation(name)));
      parts.push_back(part.get<std::int64_t>());
    }
    return parts;
  }
  throw InputError(fmt::format("{} is a whole number, a list of them or a text", quotation(name)));
}

ProposedProgram proposedFrom(const json& candidate) {
  ProposedProgram program;
  try {
    if (!candidate.is_object()) throw InputError("a candidate is an object");
    if (const auto label = candidate.find("label"); label != candidate.end()) {
      if (!label->is_string()) throw InputError("a candidate's \"label\" is a text");
      program.label = cut(label->get<std::string>(), kLongestLabel);
    }
    if (const auto steps = candidate.find("steps"); steps != candidate.end()) {
      if (!steps->is_array() || steps->size() > kMostSteps)
        throw InputError(
            fmt::format("a candidate's \"steps\" are a list of {} steps at most", kMostSteps));
      program.steps = stepsFromJson(*steps);
      return program;
    }
    const auto sketch = candidate.find("sketch");
    if (sketch == candidate.end() || !sketch->is_number_integer())
      throw InputError("a candidate has the number of its \"sketch\", or \"steps\"");
    program.sketch = sketch->get<std::int64_t>();
    const auto decisions = candidate.find("decisions");
    if (decisions == candidate.end()) return program;
    if (!decisions->is_object()) throw InputError("a candidate's \"decisions\" are an object");
    for (const auto& [name, value] : decisions->items())
      program.decisions.emplace(name, valueFrom(name, value));
  } catch (const InputError& error) {
    program.problem = cut(error.what(), kLongestReason);
  }
  return program;
}

} // namespace

std::string quotation(const std::string& text) {
  return fmt::format("\"{}\"", cut(text, kLongestQuote));
}

std::string toText(const std::vector<PolicyProblem>& problems) {
  json list = json::array();
  for (const PolicyProblem& problem : problems)
    list.push_back(
        {{"candidate", problem.candidate}, {"reason", cut(problem.reason, kLongestReason)}});
  return problems.empty() ? std::string() : lineOf(list);
}

std::string helloLine(const SearchContext& context, double answerSeconds) {
  return lineOf({{"type", "hello"},
                 {"protocol", kPolicyProtocol},
                 {"product", versionText()},
                 {"seed", context.seed},
                 {"answer_seconds", answerSeconds},
                 {"task", {{"key", context.taskKey}, {"dag", print(*context.dag)}}},
                 {"target", toJson(context.space.target)},
                 {"sketches", sketchesJson(context)}});
}

std::string askLine(int round, int count, const std::string& problems) {
  return lineOf({{"type", "ask"},
                 {"round", round},
                 {"count", count},
                 {"problems", problems.empty() ? json::array() : json::parse(problems)}});
}

std::string tellLine(const std::vector<ToldProgram>& programs, const SearchContext& context) {
  json results = json::array();
  for (const ToldProgram& program : programs)
    results.push_back(toJson(program, context));
  return lineOf({{"type", "tell"}, {"results", std::move(results)}});
}

std::string byeLine() {
  return lineOf({{"type", "bye"}});
}

std::string nameInHello(const std::string& line) {
  const json hello = messageIn(line, "hello");
  const auto protocol = hello.find("protocol");
  if (protocol == hello.end() || !protocol->is_number_integer() ||
      protocol->get<std::int64_t>() != kPolicyProtocol)
    throw PolicyFailure(fmt::format("the policy's program speaks {}, and this version of "
                                    "Nestwright protocol {}",
                                    protocol == hello.end()
                                        ? "no protocol that it names"
                                        : "protocol " + quotation(protocol->dump()),
                                    kPolicyProtocol));
  const auto name = hello.find("name");
  if (name == hello.end() || !name->is_string())
    throw PolicyFailure("the policy's program did not say its \"name\" in its hello");
  return cut(name->get<std::string>(), kLongestLabel);
}

std::vector<ProposedProgram> candidatesIn(const std::string& line) {
  const json message = messageIn(line, "candidates");
  const auto list = message.find("candidates");
  if (list == message.end() || !list->is_array())
    throw PolicyFailure(fmt::format("the policy's program said {}, which has no list of "
                                    "\"candidates\"",
                                    quotation(line)));
  std::vector<ProposedProgram> programs;
  for (const json& candidate : *list)
    programs.push_back(proposedFrom(candidate));
  return programs;
}

} // namespace nestwright
