#include "core/session/run/events.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_number.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

using nlohmann::json;

/// What finiteOrNull() wrote.
double number(const json& object, const char* key) {
  const json& value = object.at(key);
  return value.is_null() ? kInfinity : value.get<double>();
}

json fields(const StateChanged& e) {
  json j{{"status", name(e.status)}, {"reason", e.reason}};
  if (e.cause != PauseCause::None) j["cause"] = name(e.cause);
  return j;
}
json fields(const TaskChosen& e) {
  json terms = json::array();
  for (const GradientTerms& t : e.terms)
    terms.push_back({{"task", t.task},
                     {"chain", t.chain},
                     {"backward", t.backward},
                     {"optimistic", t.optimistic},
                     {"similar", finiteOrNull(t.similar)},
                     {"gradient", t.gradient},
                     {"importance", t.importance},
                     {"stagnant", t.stagnantRounds},
                     {"similar_task", t.similarTask}});
  return {{"task", e.task}, {"round", e.round}, {"reason", e.reason}, {"terms", terms}};
}
json fields(const NaiveMeasured& e) {
  return {{"task", e.task}, {"seconds", finiteOrNull(e.seconds)}};
}
json fields(const Measured& e) {
  return {{"record", e.record},
          {"task", e.task},
          {"trial", e.trial},
          {"verdict", name(e.verdict)},
          {"seconds", finiteOrNull(e.seconds)},
          {"wall", e.wallSeconds},
          {"sentence", e.sentence},
          {"on_demand", e.onDemand},
          {"original", e.original}};
}
json fields(const NewBest& e) {
  return {{"task", e.task},
          {"record", e.record},
          {"trial", e.trial},
          {"seconds", finiteOrNull(e.seconds)},
          {"previous", finiteOrNull(e.previousSeconds)},
          {"total", finiteOrNull(e.totalSeconds)},
          {"wall", e.wallSeconds}};
}
json fields(const RoundFinished& e) {
  return {{"task", e.task},
          {"round", e.round},
          {"trials", e.trials},
          {"sampling", e.samplingSeconds},
          {"measure", e.measureSeconds},
          {"kernel", e.kernelSeconds},
          {"build", e.buildSeconds},
          {"store", e.storeSeconds},
          {"wall", e.wallSeconds},
          {"train", e.trainSeconds},
          {"evolution", e.evolutionSeconds},
          {"features", e.featureSeconds},
          {"predict", e.predictSeconds},
          {"compile", e.compileSeconds}};
}
json fields(const ImportanceChanged& e) {
  return {{"task", e.task}, {"importance", e.importance}};
}
json fields(const TaskExhausted& e) {
  return {{"task", e.task}, {"reason", e.reason}};
}
json fields(const ModelUpdated& e) {
  return {{"round", e.round},   {"programs", e.programs}, {"kind", e.kind},
          {"reason", e.reason}, {"trained", e.trained},   {"rank_accuracy", e.rankAccuracy},
          {"ranked", e.ranked}, {"seconds", e.seconds},   {"rank_correlation", e.rankCorrelation}};
}
json fields(const ClaimSettled& e) {
  return {{"task", e.task},
          {"record", e.record},
          {"trial", e.trial},
          {"pairs", e.pairs},
          {"confirmed", e.confirmed},
          {"claimed", finiteOrNull(e.claimedSeconds)},
          {"seconds", finiteOrNull(e.seconds)},
          {"best", finiteOrNull(e.bestSeconds)}};
}
json fields(const TaskModeChanged& e) {
  return {{"task", e.task}, {"mode", name(e.mode)}, {"reason", e.reason}};
}
json fields(const SettingsChanged& e) {
  return {{"what", e.what}, {"config", e.config}, {"before", e.before}};
}
json fields(const SeedChanged& e) {
  return {{"task", e.task}, {"record", e.record}, {"program", e.program}, {"added", e.added}};
}
json fields(const MeasureDemanded& e) {
  return {{"task", e.task}, {"record", e.record}, {"program", e.program}};
}
json fields(const RecordsForgotten& e) {
  return {{"records", e.records}, {"forgotten", e.forgotten}};
}
json fields(const CommandObeyed& e) {
  return {{"command", toJson(e.command)}, {"sender", name(e.sender)}, {"changed", e.changed}};
}
json fields(const CommandRefused& e) {
  return {{"command", toJson(e.command)}, {"reason", e.reason}};
}
json fields(const PhaseFinished& e) {
  return {{"task", e.task},       {"round", e.round},     {"phase", name(e.phase)},
          {"skipped", e.skipped}, {"seconds", e.seconds}, {"sentence", e.sentence}};
}
json fields(const CandidatesSelected& e) {
  json candidates = json::array();
  for (const SelectedCandidate& c : e.candidates)
    candidates.push_back({{"program", c.program},
                          {"operation", name(c.origin)},
                          {"selection", name(c.selection)},
                          {"score", c.score ? finiteOrNull(*c.score) : json(nullptr)}});
  return {{"task", e.task}, {"round", e.round}, {"candidates", candidates}};
}
json fields(const SteppingChanged& e) {
  return {{"on", e.on}};
}
json fields(const EnvironmentChecked& e) {
  json findings = json::array();
  for (const EnvironmentFinding& f : e.findings)
    findings.push_back({{"what", f.what}, {"fact", f.fact}, {"advice", f.advice}});
  return {{"findings", findings}};
}
json fields(const AnswersCompared& e) {
  return {{"task", e.task},
          {"sketches", e.sketches},
          {"compared", e.compared},
          {"wrong", e.wrong},
          {"trials", e.trials}};
}
json fields(const Progress& e) {
  json networks = json::array();
  for (const NetworkProgress& n : e.networks)
    networks.push_back({{"total", finiteOrNull(n.totalSeconds)},
                        {"naive", finiteOrNull(n.naiveSeconds)},
                        {"present", n.presentSeconds}});
  return {{"trials", e.trials},
          {"errors", e.errors},
          {"budget", e.budget},
          {"wall", e.wallSeconds},
          {"kernel", e.kernelSeconds},
          {"rate", e.trialsPerSecond},
          {"left", finiteOrNull(e.secondsLeft)},
          {"total", finiteOrNull(e.totalSeconds)},
          {"naive", finiteOrNull(e.naiveTotalSeconds)},
          {"objective", e.objective},
          {"networks", networks}};
}

void read(const json& j, StateChanged& e) {
  e = {statusFromName(j.at("status").get<std::string>()), j.at("reason"),
       pauseCauseFromName(j.value("cause", std::string()))};
}
void read(const json& j, TaskChosen& e) {
  e = {j.at("task"), j.at("round"), j.at("reason"), {}};
  for (const json& t : j.at("terms"))
    e.terms.push_back({t.at("task"), t.at("chain"), t.at("backward"), t.at("optimistic"),
                       number(t, "similar"), t.at("gradient"), t.value("importance", 1.0),
                       t.value("stagnant", 0), t.value("similar_task", RowId(0))});
}
void read(const json& j, NaiveMeasured& e) {
  e = {j.at("task"), number(j, "seconds")};
}
void read(const json& j, Measured& e) {
  e = {j.at("record"),       j.at("task"),
       j.at("trial"),        verdictFromName(j.at("verdict").get<std::string>()),
       number(j, "seconds"), j.at("wall"),
       j.at("sentence")};
  e.onDemand = j.value("on_demand", false);
  e.original = j.value("original", RowId(0));
}
void read(const json& j, NewBest& e) {
  e = {j.at("task"),          j.at("record"),     j.at("trial"), number(j, "seconds"),
       number(j, "previous"), number(j, "total"), j.at("wall")};
}
void read(const json& j, RoundFinished& e) {
  e = {j.at("task"),   j.at("round"), j.at("trials"), j.at("sampling"), j.at("measure"),
       j.at("kernel"), j.at("build"), j.at("store"),  j.at("wall")};
  e.trainSeconds = j.value("train", 0.0);
  e.evolutionSeconds = j.value("evolution", 0.0);
  e.featureSeconds = j.value("features", 0.0);
  e.predictSeconds = j.value("predict", 0.0);
  e.compileSeconds = j.value("compile", 0.0);
}
void read(const json& j, ImportanceChanged& e) {
  e = {j.at("task"), j.at("importance")};
}
void read(const json& j, TaskExhausted& e) {
  e = {j.at("task"), j.at("reason")};
}
void read(const json& j, ModelUpdated& e) {
  e = {j.at("round"),   j.at("programs"),      j.at("kind"),   j.at("reason"),
       j.at("trained"), j.at("rank_accuracy"), j.at("ranked"), j.at("seconds")};
  e.rankCorrelation = j.value("rank_correlation", 0.0);
}
void read(const json& j, ClaimSettled& e) {
  e = {j.at("task"),      j.at("record"),       j.at("trial"),        j.at("pairs"),
       j.at("confirmed"), number(j, "claimed"), number(j, "seconds"), number(j, "best")};
}
void read(const json& j, TaskModeChanged& e) {
  e = {j.at("task"), taskModeFromName(j.at("mode").get<std::string>()), j.value("reason", "")};
}
void read(const json& j, SettingsChanged& e) {
  e = {j.at("what"), j.at("config"), j.value("before", "")};
}
void read(const json& j, SeedChanged& e) {
  e = {j.at("task"), j.at("record"), j.at("program"), j.at("added")};
}
void read(const json& j, MeasureDemanded& e) {
  e = {j.at("task"), j.at("record"), j.at("program")};
}
void read(const json& j, RecordsForgotten& e) {
  e = {j.at("records").get<std::vector<RowId>>(), j.at("forgotten")};
}
void read(const json& j, CommandObeyed& e) {
  e = {commandFromJson(j.at("command")), senderFromName(j.at("sender").get<std::string>()),
       j.at("changed")};
}
void read(const json& j, CommandRefused& e) {
  e = {commandFromJson(j.at("command")), j.at("reason")};
}
void read(const json& j, PhaseFinished& e) {
  e = {j.at("task"),    j.at("round"),   searchPhaseFromName(j.at("phase").get<std::string>()),
       j.at("skipped"), j.at("seconds"), j.at("sentence")};
}
void read(const json& j, CandidatesSelected& e) {
  e = {j.at("task"), j.at("round"), {}};
  for (const json& c : j.at("candidates")) {
    SelectedCandidate candidate{c.at("program"),
                                originFromName(c.at("operation").get<std::string>()),
                                pickReasonFromName(c.at("selection").get<std::string>()),
                                {}};
    if (!c.at("score").is_null()) candidate.score = c["score"].get<double>();
    e.candidates.push_back(std::move(candidate));
  }
}
void read(const json& j, SteppingChanged& e) {
  e = {j.at("on")};
}
void read(const json& j, EnvironmentChecked& e) {
  e.findings.clear();
  for (const json& f : j.at("findings"))
    e.findings.push_back({f.at("what"), f.at("fact"), f.at("advice")});
}
void read(const json& j, AnswersCompared& e) {
  e = {j.at("task"), j.at("sketches").get<std::vector<int>>(), j.at("compared"),
       j.at("wrong").get<std::vector<RowId>>(), j.at("trials").get<std::vector<std::int64_t>>()};
}
void read(const json& j, Progress& e) {
  e = {j.at("trials"),
       j.at("errors"),
       j.at("budget"),
       j.at("wall"),
       j.at("kernel"),
       j.at("rate"),
       number(j, "left"),
       number(j, "total"),
       number(j, "naive"),
       j.value("objective", 0.0),
       {}};
  if (const auto networks = j.find("networks"); networks != j.end())
    for (const json& n : *networks)
      e.networks.push_back({number(n, "total"), number(n, "naive"), n.at("present")});
}

constexpr const char* kEventKinds[] = {"state",
                                       "task chosen",
                                       "naive measured",
                                       "measured",
                                       "new best",
                                       "round finished",
                                       "importance",
                                       "task exhausted",
                                       "progress",
                                       "model updated",
                                       "claim settled",
                                       "task mode",
                                       "settings",
                                       "seed",
                                       "measurement demanded",
                                       "forgotten",
                                       "command refused",
                                       "phase finished",
                                       "candidates selected",
                                       "stepping",
                                       "environment",
                                       "answers compared",
                                       "command obeyed"};
static_assert(std::size(kEventKinds) == std::variant_size_v<Event>);

template <std::size_t index = 0>
Event readKind(const std::string& kind, const json& j) {
  if constexpr (index == std::variant_size_v<Event>) {
    throw InputError(fmt::format("unknown event kind \"{}\"; was the file written by a newer "
                                 "version?",
                                 kind));
  } else {
    if (kind != kEventKinds[index]) return readKind<index + 1>(kind, j);
    std::variant_alternative_t<index, Event> event;
    read(j, event);
    return event;
  }
}

} // namespace

const char* kind(const Event& event) {
  return kEventKinds[event.index()];
}

json toJson(const Event& event) {
  return std::visit([](const auto& e) { return fields(e); }, event);
}

bool isEventKind(std::string_view kind) {
  return std::ranges::find(kEventKinds, kind) != std::end(kEventKinds);
}

Event eventFromJson(const std::string& kind, const json& j) {
  try {
    return readKind(kind, j);
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the stored event \"{}\" is damaged: {}", kind, e.what()));
  }
}

} // namespace nestwright
