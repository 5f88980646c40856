#include "core/session/run/events.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

// One description per event, and per struct in one, serves both directions.
template <class Io>
void fields(Io& io, StateChanged& e) {
  io.named("status", e.status, statusFromName);
  io("reason", e.reason);
  io.namedIfAny("cause", e.cause, pauseCauseFromName);
}
template <class Io>
void fields(Io& io, GradientTerms& e) {
  io("task", e.task);
  io("chain", e.chain);
  io("backward", e.backward);
  io("optimistic", e.optimistic);
  io.number("similar", e.similar);
  io("gradient", e.gradient);
  io("importance", e.importance);
  io("stagnant", e.stagnantRounds);
  io("similar_task", e.similarTask);
  io.orElse("behind", e.behind, 0.0);
}
template <class Io>
void fields(Io& io, TaskChosen& e) {
  io("task", e.task);
  io("round", e.round);
  io("reason", e.reason);
  io.each("terms", e.terms);
  io.orElse("by_gradient", e.byGradient, false);
  io.orElse("among_pinned", e.amongPinned, false);
  io.orElse("trials", e.trials, 0);
  io.orElse("why_fewer", e.whyFewer, std::string());
}
template <class Io>
void fields(Io& io, NaiveMeasured& e) {
  io("task", e.task);
  io.number("seconds", e.seconds);
}
template <class Io>
void fields(Io& io, Measured& e) {
  io("record", e.record);
  io("task", e.task);
  io("trial", e.trial);
  io.named("verdict", e.verdict, verdictFromName);
  io.number("seconds", e.seconds);
  io("wall", e.wallSeconds);
  io("sentence", e.sentence);
  io("on_demand", e.onDemand);
  io("original", e.original);
}
template <class Io>
void fields(Io& io, NewBest& e) {
  io("task", e.task);
  io("record", e.record);
  io("trial", e.trial);
  io.number("seconds", e.seconds);
  io.number("previous", e.previousSeconds);
  io.number("total", e.totalSeconds);
  io("wall", e.wallSeconds);
}
template <class Io>
void fields(Io& io, RoundFinished& e) {
  io("task", e.task);
  io("round", e.round);
  io("trials", e.trials);
  io("sampling", e.samplingSeconds);
  io("measure", e.measureSeconds);
  io("kernel", e.kernelSeconds);
  io("build", e.buildSeconds);
  io("store", e.storeSeconds);
  io("wall", e.wallSeconds);
  io("train", e.trainSeconds);
  io("evolution", e.evolutionSeconds);
  io("features", e.featureSeconds);
  io("predict", e.predictSeconds);
  io("compile", e.compileSeconds);
  io.orElse("beside", e.besideSeconds, 0.0);
}
template <class Io>
void fields(Io& io, ImportanceChanged& e) {
  io("task", e.task);
  io("importance", e.importance);
}
template <class Io>
void fields(Io& io, TaskExhausted& e) {
  io("task", e.task);
  io("reason", e.reason);
}
template <class Io>
void fields(Io& io, NetworkProgress& e) {
  io.number("total", e.totalSeconds);
  io.number("naive", e.naiveSeconds);
  io("present", e.presentSeconds);
}
template <class Io>
void fields(Io& io, Progress& e) {
  io("trials", e.trials);
  io("errors", e.errors);
  io("budget", e.budget);
  io("wall", e.wallSeconds);
  io("kernel", e.kernelSeconds);
  io("rate", e.trialsPerSecond);
  io.number("left", e.secondsLeft);
  io.number("total", e.totalSeconds);
  io.number("naive", e.naiveTotalSeconds);
  io("objective", e.objective);
  io.each("networks", e.networks);
}
template <class Io>
void fields(Io& io, ModelUpdated& e) {
  io("round", e.round);
  io("programs", e.programs);
  io("kind", e.kind);
  io("reason", e.reason);
  io("trained", e.trained);
  io("rank_accuracy", e.rankAccuracy);
  io("ranked", e.ranked);
  io("seconds", e.seconds);
  io("rank_correlation", e.rankCorrelation);
  io.orElse("task", e.task, RowId(0));
  io.orElse("average_recall", e.averageRecall, 0.0);
  io.orElse("ranking", e.ranking, std::string());
  io.orElse("unseen", e.unseen, std::string());
}
template <class Io>
void fields(Io& io, AnnealingMoment& moment) {
  io("step", moment.step);
  io("temperature", moment.temperature);
  io("accepted", moment.accepted);
  // What is not wanted at all has the energy minus infinity.
  const auto energy = [&](const char* key, double& value) {
    io.number(key, value);
    if (value == kInfinity) value = -kInfinity;
  };
  energy("threshold", moment.threshold);
  energy("low", moment.low);
  energy("middle", moment.middle);
  energy("high", moment.high);
}
template <class Io>
void fields(Io& io, PlanPick& pick) {
  io("config", pick.config);
  io.named("reason", pick.reason, pickReasonFromName);
  io.orNull("energy", pick.energy);
}
void to_json(json& to, const PlanPick& pick) {
  to = toFields(pick);
}
void from_json(const json& from, PlanPick& pick) {
  readFields(from, pick);
}
template <class Io>
void fields(Io& io, ConfigsPlanned& e) {
  io("task", e.task);
  io("round", e.round);
  io("chains", e.plan.chains);
  io("steps", e.plan.steps);
  io("epsilon", e.plan.epsilon);
  io("by_score", e.plan.byScore);
  io("by_diversity", e.plan.byDiversity);
  io("at_random", e.plan.atRandom);
  io.number("best_energy", e.plan.bestEnergy);
  io.number("least_energy", e.plan.leastEnergy);
  io.each("moments", e.plan.moments);
  io.orElse("picks", e.plan.picks, std::vector<PlanPick>());
}
template <class Io>
void fields(Io& io, ClaimSettled& e) {
  io("task", e.task);
  io("record", e.record);
  io("trial", e.trial);
  io("pairs", e.pairs);
  io("confirmed", e.confirmed);
  io.number("claimed", e.claimedSeconds);
  io.number("seconds", e.seconds);
  io.number("best", e.bestSeconds);
}
template <class Io>
void fields(Io& io, TaskModeChanged& e) {
  io("task", e.task);
  io.named("mode", e.mode, taskModeFromName);
  io("reason", e.reason);
}
template <class Io>
void fields(Io& io, SettingsChanged& e) {
  io("what", e.what);
  io("config", e.config);
  io("before", e.before);
}
template <class Io>
void fields(Io& io, SeedChanged& e) {
  io("task", e.task);
  io("record", e.record);
  io("program", e.program);
  io("added", e.added);
}
template <class Io>
void fields(Io& io, MeasureDemanded& e) {
  io("task", e.task);
  io("record", e.record);
  io("program", e.program);
}
template <class Io>
void fields(Io& io, RecordsForgotten& e) {
  io("records", e.records);
  io("forgotten", e.forgotten);
}
template <class Io>
void fields(Io& io, CommandRefused& e) {
  io.nested("command", e.command, commandFromJson);
  io("reason", e.reason);
}
template <class Io>
void fields(Io& io, PhaseFinished& e) {
  io("task", e.task);
  io("round", e.round);
  io.named("phase", e.phase, searchPhaseFromName);
  io("skipped", e.skipped);
  io("seconds", e.seconds);
  io("sentence", e.sentence);
}
template <class Io>
void fields(Io& io, SelectedCandidate& e) {
  io("program", e.program);
  io.named("operation", e.origin, originFromName);
  io.named("selection", e.selection, pickReasonFromName);
  io.orNull("score", e.score);
}
template <class Io>
void fields(Io& io, CandidatesSelected& e) {
  io("task", e.task);
  io("round", e.round);
  io.each("candidates", e.candidates);
}
template <class Io>
void fields(Io& io, SteppingChanged& e) {
  io("on", e.on);
}
template <class Io>
void fields(Io& io, EnvironmentFinding& e) {
  io.named("what", e.what, environmentKindFromName);
  io("fact", e.fact);
  io("advice", e.advice);
}
template <class Io>
void fields(Io& io, EnvironmentChecked& e) {
  io.each("findings", e.findings);
}
template <class Io>
void fields(Io& io, AnswersCompared& e) {
  io("task", e.task);
  io("sketches", e.sketches);
  io("compared", e.compared);
  io("wrong", e.wrong);
  io("trials", e.trials);
}
template <class Io>
void fields(Io& io, TalkLine& line) {
  io("from_it", line.isFromIt);
  io("text", line.text);
}
template <class Io>
void fields(Io& io, PolicyTalked& e) {
  io("task", e.task);
  io("round", e.talk.round);
  io("name", e.talk.name);
  io.each("lines", e.talk.lines);
  io("told_trial", e.talk.toldTrial);
  io("problems", e.talk.problems);
  io("asked", e.talk.asked);
  io("given", e.talk.given);
  io("failure", e.talk.failure);
  io("remarks", e.talk.remarks);
  io("printed", e.talk.printed);
}
template <class Io>
void fields(Io& io, ProposalDropped& e) {
  io("task", e.task);
  io("round", e.round);
  io("reason", e.reason);
}
template <class Io>
void fields(Io& io, CommandObeyed& e) {
  io.nested("command", e.command, commandFromJson);
  io.named("sender", e.sender, senderFromName);
  io("changed", e.changed);
}

namespace {

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
                                       "command obeyed",
                                       "configurations planned",
                                       "policy",
                                       "proposal dropped"};
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
    readFields(j, event);
    return event;
  }
}

} // namespace

const char* kind(const Event& event) {
  return kEventKinds[event.index()];
}

json toJson(const Event& event) {
  return std::visit([](const auto& e) { return toFields(e); }, event);
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
