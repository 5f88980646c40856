#include "core/network/partition/partition.h"
#include "core/search/draft/draft_use.h"
#include "core/session/run/pretrained/model_update.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright {

using nlohmann::json;

namespace {

[[noreturn]] void refuse(const char* setting) {
  throw InputError(fmt::format("the session's stored settings are impossible: {}; the file was "
                               "altered or is damaged",
                               setting));
}

/// Reads a stored name.
template <class Enum, std::size_t count>
auto valueOf(const NameTable<Enum, count>& names, const char* setting) {
  return [&names, setting](std::string_view text) {
    const std::optional<Enum> value = names.find(text);
    if (!value) refuse(setting);
    return *value;
  };
}

} // namespace

/// All of them, in both directions.
template <class Io>
void fields(Io& io, SessionConfig& c) {
  io("subjects", c.subjects);
  io.orElse("target", c.target, std::string("llvm"));
  io("trials", c.trials);
  io("max_seconds", c.maxSeconds);
  io("trials_per_round", c.trialsPerRound);
  io("seed", c.seed);
  io.namedOrElse("space", c.space, valueOf(kSearchSpaceNames, "space"), SearchSpace::Sketches);
  io("policy", c.policy);
  io("rules", c.rules);
  io.orElse("alternatives", c.alternatives, std::string("off"));
  io.orElse("tf32", c.tf32, false);
  io("model", c.model);
  io("features", c.features);
  io("warmup", c.warmup);
  io("confirm_best", c.confirmBest);
  io("check_share", c.checkShare);
  io("stop_failures", c.stopFailures);
  io("stop_window", c.stopWindow);
  io("scheduler", c.scheduler);
  io("epsilon", c.epsilon);
  io("population", c.population);
  io("generations", c.generations);
  io.orElse("templates", c.templates, std::string());
  io.orElse("template_features", c.templateFeatures, std::string("itervar"));
  io.orElse("history", c.history, std::vector<std::string>());
  io.orElse("pretrained", c.pretrained, std::string());
  io.orElse("update", c.update, std::string("local"));
  io.orElse("local_per_task", c.localPerTask, false);
  io.orElse("local", c.local, std::string("trees"));
  io.orElse("seeds", c.seeds, std::string());
  io.orElse("memory", c.memory, std::vector<std::string>());
  io.orElse("memory_model", c.memoryModel, false);
  io.orElse("polish", c.polish, 0);
  io.orElse("draft", c.draft, std::string("off"));
  io.orElse("stop_gain", c.stopGain, 0.0);
  io.namedOrElse("ahead", c.ahead, valueOf(kAheadNames, "ahead"), Ahead::Off);
  io.orElse("plan", c.plan, 64);
  io.orElse("chains", c.chains, 128);
  io.orElse("beam", c.beam, 32);
  io.orElse("diversity", c.diversity, 0.0);
  io.orElse("diversity_ratio", c.diversityRatio, 2.0);
  io.namedOrElse("energy", c.energy, valueOf(kImprovementScaleNames, "energy"),
                 ImprovementScale::Relative);
  io.namedOrElse("exploration", c.exploration, valueOf(kExplorationNames, "exploration"),
                 Exploration::Contextual);
  io("task_epsilon", c.taskEpsilon);
  io.orElse("machine", c.machine, std::string());
  io.nested("objective", c.objective, objectiveFromJson);
  io.nested("measure", c.measure, measureOptionsFromJson);
}

json toJson(const SessionConfig& config) {
  return toFields(config);
}

namespace {

/// What no command line can have asked for; a foreign or damaged file may say it all the same.
void requirePossible(const SessionConfig& c) {
  const auto require = [](bool possible, const char* name) {
    if (!possible) refuse(name);
  };
  constexpr std::int64_t kMostTrials = std::int64_t{1} << 48; // so that sums of them stay numbers
  require(c.trials >= 0 && c.trials <= kMostTrials, "trials");
  require(c.trialsPerRound >= 1 && c.trialsPerRound <= kMostProgramsAtOnce, "trials_per_round");
  require(c.population >= 1 && c.population <= kMostProgramsAtOnce, "population");
  require(c.generations >= 0, "generations");
  require(alternativesFromName(c.alternatives).has_value(), "alternatives");
  require(modelUpdateFromName(c.update).has_value(), "update");
  require(c.local == kLocalTrees || c.local == kLocalMlp, "local");
  require(c.polish >= 0 && c.polish <= kMostProgramsAtOnce, "polish");
  require(draftUseFromName(c.draft).has_value(), "draft");
  require(c.stopGain >= 0 && c.stopGain < 1, "stop_gain");
  require(c.plan >= 1 && c.plan <= kMostProgramsAtOnce, "plan");
  require(c.beam >= 1 && c.beam <= kMostProgramsAtOnce, "beam");
  require(c.chains >= 1 && c.chains <= kMostProgramsAtOnce, "chains");
  require(c.diversity >= 0 && std::isfinite(c.diversity), "diversity");
  require(c.diversityRatio >= 1 && c.diversityRatio <= kMostDiversityRatio, "diversity_ratio");
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
    readFields(j, c);
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
