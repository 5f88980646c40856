#include "core/session/run/tuning_state.h"

#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/json_number.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

namespace {

/// Null stands for the infinity of a task without a program.
json numbersJson(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values)
    list.push_back(finiteOrNull(value));
  return list;
}

std::vector<double> numbersFromJson(const json& list) {
  std::vector<double> values;
  for (const json& value : list)
    values.push_back(value.is_null() ? kInfinity : value.get<double>());
  return values;
}

json claimJson(const OpenClaim& claim) {
  return {{"record", claim.record},
          {"claimant", claim.pairs.claimant},
          {"best", claim.pairs.best},
          {"repeats", claim.repeats}};
}

OpenClaim claimFromJson(const json& claim) {
  return {claim.at("record"), {claim.at("claimant"), claim.at("best")}, claim.at("repeats")};
}

} // namespace

std::string toText(const TuningState& state) {
  json tasks = json::array();
  for (const auto& [id, memory] : state.tasks) {
    tasks.push_back({{"task", id},
                     {"next_draw", memory.nextDraw},
                     {"rounds", memory.rounds},
                     {"importance", memory.importance},
                     {"history", numbersJson(memory.history)},
                     {"round_ends", memory.roundEnds},
                     {"exhausted", memory.exhausted},
                     {"failed", memory.failed},
                     {"mode", name(memory.mode)},
                     {"pause_reason", memory.pauseReason},
                     {"judged_after", memory.judgedAfter},
                     {"right_sketches", memory.answers.right},
                     {"wrong_sketches", memory.answers.wrong}});
    for (const NamedProgram& seed : memory.seeds)
      tasks.back()["seeds"].push_back(toJson(seed));
  }
  json open = nullptr;
  if (state.open)
    open = {{"task", state.open->task},     {"first_draw", state.open->firstDraw},
            {"count", state.open->count},   {"first_trial", state.open->firstTrial},
            {"phases", state.open->phases}, {"best_seconds", state.open->bestSeconds}};
  if (state.open && state.open->claim.record != 0) open["claim"] = claimJson(state.open->claim);
  json demands = json::array();
  for (const Demand& demand : state.demands)
    demands.push_back({{"task", demand.task}, {"program", toJson(demand.program)}});
  json text{{"round", state.round},
            {"tasks", tasks},
            {"open", open},
            {"demands", demands},
            {"demanded_trials", state.demandedTrials}};
  if (state.demandClaim.record != 0) text["demand_claim"] = claimJson(state.demandClaim);
  return text.dump();
}

TuningState tuningStateFromText(const std::string& text) {
  TuningState state;
  if (text.empty()) return state;
  try {
    const json j = json::parse(text);
    j.at("round").get_to(state.round);
    for (const json& task : j.at("tasks")) {
      TaskMemory& memory = state.tasks[task.at("task").get<RowId>()];
      task.at("next_draw").get_to(memory.nextDraw);
      task.at("rounds").get_to(memory.rounds);
      task.at("importance").get_to(memory.importance);
      memory.history = numbersFromJson(task.at("history"));
      task.at("exhausted").get_to(memory.exhausted);
      task.at("round_ends").get_to(memory.roundEnds);
      if (memory.roundEnds.size() != memory.history.size())
        throw InputError("the session's stored state is impossible: the ends of a task's rounds; "
                         "the file was altered or is damaged");
      task.at("failed").get_to(memory.failed);
      memory.mode = taskModeFromName(task.at("mode").get<std::string>());
      task.at("pause_reason").get_to(memory.pauseReason);
      task.at("judged_after").get_to(memory.judgedAfter);
      task.at("right_sketches").get_to(memory.answers.right);
      task.at("wrong_sketches").get_to(memory.answers.wrong);
      for (const json& seed : task.value("seeds", json::array()))
        memory.seeds.push_back(namedProgramFromJson(seed));
    }
    for (const json& demand : j.at("demands"))
      state.demands.push_back(
          {demand.at("task").get<RowId>(), namedProgramFromJson(demand.at("program"))});
    j.at("demanded_trials").get_to(state.demandedTrials);
    if (j.contains("demand_claim")) state.demandClaim = claimFromJson(j["demand_claim"]);
    if (const json& open = j.at("open"); !open.is_null()) {
      state.open = OpenRound{open.at("task"), open.at("first_draw"), open.at("count")};
      if (state.open->count < 0 || state.open->count > kMostProgramsAtOnce)
        throw InputError("the session's stored state is impossible: the open round's number of "
                         "programs; the file was altered or is damaged");
      open.at("first_trial").get_to(state.open->firstTrial);
      open.at("phases").get_to(state.open->phases);
      open.at("best_seconds").get_to(state.open->bestSeconds);
      if (open.contains("claim")) state.open->claim = claimFromJson(open["claim"]);
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
