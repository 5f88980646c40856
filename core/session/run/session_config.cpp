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
    if (j.contains("subject")) // of a time when there was one
      c.subjects = {j.at("subject").get<std::string>()};
    else
      j.at("subjects").get_to(c.subjects);
    j.at("trials").get_to(c.trials);
    j.at("max_seconds").get_to(c.maxSeconds);
    j.at("trials_per_round").get_to(c.trialsPerRound);
    j.at("seed").get_to(c.seed);
    j.at("policy").get_to(c.policy);
    // Choices that earlier sessions did not have: what those sessions did.
    c.rules = j.value("rules", "paper");
    c.features = j.value("features", "paper");
    c.warmup = j.value("warmup", 100);
    c.confirmBest = j.value("confirm_best", false);
    c.checkShare = j.value("check_share", 0.0);
    c.stopFailures = j.value("stop_failures", 0);
    c.stopWindow = j.value("stop_window", 0);
    c.scheduler = j.value("scheduler", "round-robin");
    c.epsilon = j.value("epsilon", 0.05);
    c.population = j.value("population", 2048);
    c.generations = j.value("generations", 4);
    c.taskEpsilon = j.value("task_epsilon", 0.05);
    if (j.contains("objective")) c.objective = objectiveFromJson(j.at("objective"));
    if (j.contains("model")) j.at("model").get_to(c.model);
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
