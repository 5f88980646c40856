#include "core/session/run/search_method.h"

#include "core/feature/template_features.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

/// Whatever a method sets begins here, so that none keeps what the one before it set.
SessionConfig asOurs(SessionConfig config) {
  static const SessionConfig kOurs;
  for (const auto field : {&SessionConfig::policy, &SessionConfig::model, &SessionConfig::features,
                           &SessionConfig::rules, &SessionConfig::scheduler,
                           &SessionConfig::templateFeatures, &SessionConfig::draft})
    config.*field = kOurs.*field;
  config.space = kOurs.space;
  config.energy = kOurs.energy;
  config.ahead = kOurs.ahead;
  for (const auto field : {&SessionConfig::trialsPerRound, &SessionConfig::warmup,
                           &SessionConfig::population, &SessionConfig::generations,
                           &SessionConfig::plan, &SessionConfig::chains, &SessionConfig::polish})
    config.*field = kOurs.*field;
  for (const auto field :
       {&SessionConfig::epsilon, &SessionConfig::taskEpsilon, &SessionConfig::diversity,
        &SessionConfig::diversityRatio, &SessionConfig::stopGain})
    config.*field = kOurs.*field;
  config.measure.evaluator = kOurs.measure.evaluator;
  config.measure.minRepeatSeconds = kOurs.measure.minRepeatSeconds;
  return config;
}

SessionConfig asAnsor(SessionConfig config) {
  config = asOurs(std::move(config));
  config.space = SearchSpace::Sketches;
  config.policy = "evolutionary";
  config.model = "xgboost";
  config.scheduler = "gradient";
  config.features = "paper";
  config.rules = "paper";
  config.trialsPerRound = 64;
  config.epsilon = 0.05;
  config.population = 2048;
  config.generations = 4;
  return config;
}

/// AutoTVM has no scheduler: it tunes task after task.
SessionConfig asAutoTvm(SessionConfig config) {
  config = asOurs(std::move(config));
  config.space = SearchSpace::Templates;
  config.policy = "annealing";
  config.model = "autotvm";
  config.templateFeatures = "itervar";
  config.scheduler = "round-robin";
  config.warmup = 0; // a round of random ones is enough
  config.plan = config.trialsPerRound = 64;
  config.chains = 128;
  config.epsilon = 0.05;
  config.diversity = 0;
  return config;
}

SessionConfig asAdaTune(SessionConfig config) {
  config = asAutoTvm(std::move(config));
  config.policy = "contextual";
  config.model = "forest";
  config.plan = config.trialsPerRound = 32;
  config.chains = 64;
  config.exploration = Exploration::Contextual;
  config.measure.evaluator = evaluatorFromText("adaptive");
  return config;
}

} // namespace

const std::vector<SearchMethod>& searchMethods() {
  static const std::vector<SearchMethod> methods = {
      {"nestwright", "Our defaults: sketches of our rules and of Ansor's, drawn at random until "
                     "another policy is chosen."},
      {"ansor", "Sketches made by rules, bred under a cost model that learns on the way."},
      {"autotvm", "Templates with knobs, planned by annealing under a cost model that ranks."},
      {"adatune", "The same under a cost model that knows how sure it is, measured only until the "
                  "times are steady."}};
  return methods;
}

SessionConfig withMethod(SessionConfig config, const std::string& method) {
  if (method == "nestwright") return asOurs(std::move(config));
  if (method == "ansor") return asAnsor(std::move(config));
  if (method == "autotvm") return asAutoTvm(std::move(config));
  if (method == "adatune") return asAdaTune(std::move(config));
  std::vector<std::string> names;
  for (const SearchMethod& known : searchMethods())
    names.emplace_back(known.name);
  throw UsageError(
      fmt::format("there is no method \"{}\"; there are {}", method, fmt::join(names, ", ")));
}

std::string methodOf(const SessionConfig& config) {
  const nlohmann::json settings = toJson(config);
  for (const SearchMethod& method : searchMethods())
    if (toJson(withMethod(config, method.name)) == settings) return method.name;
  return {};
}

std::string usualModel(const SessionConfig& config) {
  if (config.space != SearchSpace::Templates) return "xgboost";
  return searchPolicy(config.policy).wantsDeviation ? "forest" : "autotvm";
}

std::string usualTemplateFeatures(const SessionConfig& config) {
  std::string tree = name(TemplateFeatureKind::Tree);
  if (costModelKind(config.model).ofTrees) return tree;
  return config.templateFeatures == tree ? SessionConfig().templateFeatures
                                         : config.templateFeatures;
}

} // namespace nestwright
