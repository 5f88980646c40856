#include "core/feature/template_features.h"
#include "core/plugin/plugin.h"
#include "core/session/run/pretrained/model_update.h"
#include "core/session/run/session.h"
#include "core/session/run/session_template.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <cmath>

namespace nestwright {

namespace {

std::vector<std::string> policiesOn(SearchSpace space) {
  std::vector<std::string> names;
  for (const SearchPolicyKind& kind : searchPolicies())
    if (searches(kind, space)) names.push_back(kind.name);
  return names;
}

void checkPolicy(const SessionConfig& config) {
  const SearchPolicyKind kind = searchPolicy(config.policy);
  if (searches(kind, config.space)) return;
  throw UsageError(fmt::format(
      "the policy {} searches {}, and this session {}: there it may be {}", kind.name,
      config.space == SearchSpace::Templates ? "sketches" : "the configurations of templates",
      name(config.space), fmt::join(policiesOn(config.space), ", ")));
}

/// A cost model of statements has nothing to say of configurations.
void checkModel(const SessionConfig& config) {
  templateFeatureKind(config.templateFeatures); // its check
  const SearchPolicyKind policy = searchPolicy(config.policy);
  if (config.space != SearchSpace::Templates || !policy.learns) return;
  const CostModelKind model = costModelKind(config.model);
  if (!model.ofConfigurations)
    throw UsageError(fmt::format("the cost model {} reads statements, and the policy {} asks for "
                                 "one of a template's configurations: autotvm, forest or treegru",
                                 config.model, config.policy));
  const bool trees = templateFeatureKind(config.templateFeatures) == TemplateFeatureKind::Tree;
  if (trees && !model.ofTrees)
    throw UsageError(fmt::format("the cost model {} cannot read the template features tree: choose "
                                 "treegru, which does, or itervar, knob or curve",
                                 config.model));
  if (model.ofTrees && !trees)
    throw UsageError(fmt::format("the cost model {} reads the template features tree, and not {}",
                                 config.model, config.templateFeatures));
  if (policy.wantsDeviation && !model.knowsDeviation)
    throw UsageError(fmt::format("the policy {} asks for a cost model that knows how sure it is, "
                                 "as forest does, and {} does not",
                                 config.policy, config.model));
}

/// Who would learn from records of other tasks.
void checkHistory(const SessionConfig& config) {
  if (config.history.empty()) return;
  if (config.space != SearchSpace::Templates)
    throw UsageError("a history is records of configurations of templates, and this session "
                     "searches sketches: leave it out, or search templates");
  if (!searchPolicy(config.policy).learns)
    throw UsageError(fmt::format("a history teaches a cost model, and the policy {} asks none: "
                                 "leave it out, or choose annealing",
                                 config.policy));
  if (!costModelKind(config.model).takesHistory)
    throw UsageError(fmt::format("the cost model {} learns nothing from other tasks: leave the "
                                 "history out, or choose the policy annealing with autotvm",
                                 config.model));
}

/// Whether somebody asks a trained model.
void checkTrained(const SessionConfig& config) {
  if (config.space == SearchSpace::Templates)
    throw UsageError("a trained model scores programs of sketches, and this session searches the "
                     "configurations of templates: leave it out, or search sketches");
  if (!searchPolicy(config.policy).learns)
    throw UsageError(fmt::format("a trained model is asked for scores, and the policy {} asks for "
                                 "none: leave it out, or choose evolutionary",
                                 config.policy));
}

/// `whole` has from `least` to `most` of what is counted: "a population has", "programs".
void requireCount(std::string_view whole, std::string_view counted, int count, int least,
                  int most) {
  if (count < least || count > most)
    throw UsageError(
        fmt::format("{} from {} to {} {}, not {}", whole, least, most, counted, count));
}

void checkPlan(const SessionConfig& config) {
  requireCount("a population has", "programs", config.population, 2, kMostProgramsAtOnce);
  requireCount("evolution breeds", "generations", config.generations, 1, kMostGenerations);
  requireCount("a plan has", "configurations", config.plan, 1, kMostProgramsAtOnce);
  requireCount("an annealing has", "chains", config.chains, 1, kMostProgramsAtOnce);
  requireCount("a beam has", "programs", config.beam, 1, kMostProgramsAtOnce);
  if (!(config.diversity >= 0) || !std::isfinite(config.diversity))
    throw UsageError(
        fmt::format("the weight of diversity is a number of at least 0, not {}", config.diversity));
  if (!(config.diversityRatio >= 1 && config.diversityRatio <= kMostDiversityRatio))
    throw UsageError(fmt::format("the diverse ones are chosen from 1 to {} times as many, not {}",
                                 kMostDiversityRatio, config.diversityRatio));
}

} // namespace

void checkPretrained(const SessionConfig& config) {
  const std::optional<ModelUpdate> update = modelUpdateFromName(config.update);
  if (!update)
    throw UsageError(fmt::format("there is no update \"{}\" of a trained model; it is one of {}",
                                 config.update, fmt::join(modelUpdateNames(), ", ")));
  if (config.local != kLocalTrees && config.local != kLocalMlp)
    throw UsageError(
        fmt::format("a local model is {} or {}, not \"{}\"", kLocalTrees, kLocalMlp, config.local));
  const bool isLocal = *update == ModelUpdate::Local;
  if (config.localPerTask && (config.pretrained.empty() || !isLocal))
    throw UsageError("a local model for each task belongs to a trained model with the update "
                     "local");
  if (!config.pretrained.empty()) checkTrained(config);
}

void checkSpace(const SessionConfig& config) {
  checkPolicy(config);
  checkModel(config);
  checkHistory(config);
  checkPretrained(config);
  checkPlan(config);
  templateNames(config.templates); // its check
}

} // namespace nestwright
