#include "core/session/run/session.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

json toJson(const SessionConfig& c) {
  return {{"subjects", c.subjects},
          {"trials", c.trials},
          {"max_seconds", c.maxSeconds},
          {"trials_per_round", c.trialsPerRound},
          {"seed", c.seed},
          {"policy", c.policy},
          {"rules", c.rules},
          {"model", c.model},
          {"features", c.features},
          {"warmup", c.warmup},
          {"confirm_best", c.confirmBest},
          {"check_share", c.checkShare},
          {"stop_failures", c.stopFailures},
          {"stop_window", c.stopWindow},
          {"scheduler", c.scheduler},
          {"epsilon", c.epsilon},
          {"population", c.population},
          {"generations", c.generations},
          {"task_epsilon", c.taskEpsilon},
          {"objective", toJson(c.objective)},
          {"measure", toJson(c.measure)}};
}

namespace {

/// What no command line can have asked for; a foreign or damaged file may say it all the same.
void requirePossible(const SessionConfig& c) {
  const auto require = [](bool possible, const char* name) {
    if (!possible)
      throw InputError(fmt::format("the session's stored settings are impossible: {}; the file was "
                                   "altered or is damaged",
                                   name));
  };
  constexpr std::int64_t kMostTrials = std::int64_t{1} << 48; // so that sums of them stay numbers
  require(c.trials >= 0 && c.trials <= kMostTrials, "trials");
  require(c.trialsPerRound >= 1 && c.trialsPerRound <= kMostProgramsAtOnce, "trials_per_round");
  require(c.population >= 1 && c.population <= kMostProgramsAtOnce, "population");
  require(c.generations >= 0, "generations");
  require(c.warmup >= 0, "warmup");
  const auto isShare = [](double value) { return value >= 0 && value <= 1; };
  require(isShare(c.epsilon), "epsilon");
  require(isShare(c.taskEpsilon), "task_epsilon");
  require(isShare(c.checkShare), "check_share");
  require(c.stopFailures >= 0 && c.stopFailures <= c.stopWindow, "stop_failures");
  require(c.stopWindow <= kMostProgramsAtOnce, "stop_window");
}

} // namespace

SessionConfig sessionConfigFromJson(const json& j) {
  SessionConfig c;
  try {
    j.at("subjects").get_to(c.subjects);
    j.at("trials").get_to(c.trials);
    j.at("max_seconds").get_to(c.maxSeconds);
    j.at("trials_per_round").get_to(c.trialsPerRound);
    j.at("seed").get_to(c.seed);
    j.at("policy").get_to(c.policy);
    j.at("rules").get_to(c.rules);
    j.at("model").get_to(c.model);
    j.at("features").get_to(c.features);
    j.at("warmup").get_to(c.warmup);
    j.at("confirm_best").get_to(c.confirmBest);
    j.at("check_share").get_to(c.checkShare);
    j.at("stop_failures").get_to(c.stopFailures);
    j.at("stop_window").get_to(c.stopWindow);
    j.at("scheduler").get_to(c.scheduler);
    j.at("epsilon").get_to(c.epsilon);
    j.at("population").get_to(c.population);
    j.at("generations").get_to(c.generations);
    j.at("task_epsilon").get_to(c.taskEpsilon);
    c.objective = objectiveFromJson(j.at("objective"));
    c.measure = measureOptionsFromJson(j.at("measure"));
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the session's stored settings cannot be read ({}); the file may "
                                 "come from another version of Nestwright",
                                 e.what()));
  }
  requirePossible(c);
  return c;
}

std::string recordedWorkerCommand(const json& sessionConfig) {
  const json::json_pointer place("/measure/worker_command");
  if (!sessionConfig.is_object() || !sessionConfig.contains(place)) return {};
  const json& command = sessionConfig.at(place);
  if (!command.is_array()) return command.dump();
  std::vector<std::string> words;
  for (const json& word : command)
    words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string subjectText(const SessionConfig& config) {
  return fmt::format("{}", fmt::join(config.subjects, " + "));
}

} // namespace nestwright
