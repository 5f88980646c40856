#include "core/session/run/tuning_state.h"

#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

using nlohmann::json;

namespace {

/// Where a foreign or damaged file says what no session can have stored.
[[noreturn]] void throwImpossible(const char* what) {
  throw InputError(fmt::format("the session's stored state is impossible: {}; the file was altered "
                               "or is damaged",
                               what));
}

} // namespace

template <class Io>
void fields(Io& io, OpenClaim& claim) {
  io("record", claim.record);
  io("claimant", claim.pairs.claimant);
  io("best", claim.pairs.best);
  io("repeats", claim.repeats);
}
template <class Io>
void fields(Io& io, MadeAhead& made) {
  io("sampling", made.sampling);
  io("evolution", made.evolution);
  io("evolved", made.evolved);
  io("seconds", made.seconds);
}
template <class Io>
void fields(Io& io, AheadRound& round) {
  io("task", round.task);
  io("count", round.count);
  io("chosen", round.chosen);
  io("proposal", round.proposal);
  io.object("made", round.made);
}
template <class Io>
void fields(Io& io, OpenRound& round) {
  io("task", round.task);
  io("first_draw", round.firstDraw);
  io("count", round.count);
  io("first_trial", round.firstTrial);
  io("phases", round.phases);
  io.orElse("polish", round.polish, false);
  io.orElse("successor", round.successor, RowId(0));
  io.orElse("no_faster", round.noFaster, std::vector<RowId>());
  io.orElse("best_now", round.bestNow, 0.0);
  io.orElse("proposal", round.proposal, std::string());
  io("best_seconds", round.bestSeconds);
}
template <class Io>
void fields(Io& io, PolishMemory& polish) {
  io("incumbent", polish.incumbent);
  io("trials", polish.trials);
  io("finished", polish.finished);
}
template <class Io>
void fields(Io& io, TaskMemory& memory) {
  io("next_draw", memory.nextDraw);
  io("rounds", memory.rounds);
  io("importance", memory.importance);
  io.numbers("history", memory.history); // infinity for a task without a program
  io("exhausted", memory.exhausted);
  io("round_ends", memory.roundEnds);
  io("failed", memory.failed);
  io.named("mode", memory.mode, taskModeFromName);
  io("pause_reason", memory.pauseReason);
  io("judged_after", memory.judgedAfter);
  io("right_sketches", memory.answers.right);
  io("wrong_sketches", memory.answers.wrong);
  io.orElse("lacks_template", memory.lacksTemplate, false);
  io.orElse("policy_state", memory.policyState, std::string());
  io.orElse("state_policy", memory.statePolicy, std::string());
}
template <class Io>
void fields(Io& io, Demand& demand) {
  io("task", demand.task);
  io.nested("program", demand.program, namedProgramFromJson);
}

namespace {

/// The lists of programs that a task's memory has, under their keys.
constexpr std::pair<const char*, std::vector<NamedProgram> TaskMemory::*> kProgramLists[] = {
    {"seeds", &TaskMemory::seeds},
    {"first", &TaskMemory::first},
    {"remembered", &TaskMemory::remembered},
    {"remembered_parents", &TaskMemory::rememberedParents}};

void requirePossibleCount(int programs) {
  if (programs < 0 || programs > kMostProgramsAtOnce)
    throwImpossible("a round's number of programs");
}

/// The claim as it is stored: its times were measured in turns.
OpenClaim claimFrom(const json& stored) {
  OpenClaim claim;
  readFields(stored, claim);
  if (claim.pairs.claimant.size() != claim.pairs.best.size())
    throwImpossible("the measurements of a claim");
  return claim;
}

} // namespace

std::string toText(const TuningState& state) {
  json tasks = json::array();
  for (const auto& [id, memory] : state.tasks) {
    json& task = tasks.emplace_back(toFields(memory));
    task["task"] = id;
    for (const auto& [key, programs] : kProgramLists)
      for (const NamedProgram& program : memory.*programs)
        task[key].push_back(toJson(program));
    if (memory.polish.incumbent != 0) task["polish"] = toFields(memory.polish);
  }
  json open = nullptr;
  if (state.open) open = toFields(*state.open);
  if (state.open && state.open->claim.record != 0) open["claim"] = toFields(state.open->claim);
  if (state.open && state.open->made) open["made"] = toFields(*state.open->made);
  json demands = json::array();
  for (const Demand& demand : state.demands)
    demands.push_back(toFields(demand));
  json text{{"round", state.round},
            {"tasks", tasks},
            {"open", open},
            {"demands", demands},
            {"demanded_trials", state.demandedTrials}};
  if (!state.searchEnded.empty()) text["search_ended"] = state.searchEnded;
  if (state.ahead) text["ahead"] = toFields(*state.ahead);
  if (state.policyFailures > 0) text["policy_failures"] = state.policyFailures;
  if (state.demandClaim.record != 0) text["demand_claim"] = toFields(state.demandClaim);
  return text.dump();
}

TuningState tuningStateFromText(const std::string& text) {
  TuningState state;
  if (text.empty()) return state;
  try {
    const json j = json::parse(text);
    j.at("round").get_to(state.round);
    state.searchEnded = j.value("search_ended", std::string());
    state.policyFailures = j.value("policy_failures", 0);
    for (const json& task : j.at("tasks")) {
      TaskMemory& memory = state.tasks[task.at("task").get<RowId>()];
      readFields(task, memory);
      if (memory.roundEnds.size() != memory.history.size())
        throwImpossible("the ends of a task's rounds");
      for (const auto& [key, programs] : kProgramLists)
        for (const json& program : task.value(key, json::array()))
          (memory.*programs).push_back(namedProgramFromJson(program));
      if (task.contains("polish")) readFields(task["polish"], memory.polish);
    }
    for (const json& demand : j.at("demands"))
      readFields(demand, state.demands.emplace_back());
    j.at("demanded_trials").get_to(state.demandedTrials);
    if (j.contains("demand_claim")) state.demandClaim = claimFrom(j["demand_claim"]);
    if (const json& open = j.at("open"); !open.is_null()) {
      OpenRound& round = state.open.emplace();
      readFields(open, round);
      requirePossibleCount(round.count);
      if (round.firstTrial < 1) throwImpossible("the open round's first trial");
      if (open.contains("claim")) round.claim = claimFrom(open["claim"]);
      if (open.contains("made")) readFields(open["made"], round.made.emplace());
    }
    if (j.contains("ahead")) {
      readFields(j["ahead"], state.ahead.emplace());
      requirePossibleCount(state.ahead->count);
    }
  } catch (const json::exception& e) {
    throw InputError(
        fmt::format("the session's stored state cannot be read ({}); the file may come "
                    "from another version of Nestwright",
                    e.what()));
  }
  return state;
}

} // namespace nestwright
