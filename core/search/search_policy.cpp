#include "core/search/search_policy.h"

#include "core/search/annealing_policy.h"
#include "core/search/beam_policy.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/genetic_policy.h"
#include "core/search/grid_policy.h"
#include "core/search/random_policy.h"
#include "core/support/error.h"
#include "core/support/name_table.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

constexpr NameTable<PickReason, 7> kPickReasonNames = {
    {"", "best predicted", "epsilon-greedy", "random", "crossing lab", "diversity", "drafted"}};

} // namespace

const char* name(PickReason reason) {
  return kPickReasonNames.of(reason);
}

PickReason pickReasonFromName(std::string_view text) {
  return kPickReasonNames.find(text).value_or(PickReason::None);
}

nlohmann::json toJson(const Trace& trace) {
  nlohmann::json json = {{"operation", name(trace.origin)},
                         {"parents", trace.parents},
                         {"draw", trace.draw},
                         {"sketch", trace.sketch}};
  if (trace.predictedScore) json["predicted_score"] = *trace.predictedScore;
  if (trace.selection != PickReason::None) json["selection"] = name(trace.selection);
  if (trace.round > 0) json["round"] = trace.round;
  if (trace.source != 0) json["source"] = trace.source;
  if (trace.predictedDeviation) json["predicted_deviation"] = *trace.predictedDeviation;
  if (!trace.ranking.empty()) json["ranking"] = trace.ranking;
  if (trace.config) json["config"] = toJson(*trace.config);
  if (!trace.reason.empty()) json["reason"] = trace.reason;
  if (!trace.decision.empty()) json["decision"] = trace.decision;
  return json;
}

Trace traceFromJson(const nlohmann::json& json) {
  try {
    Trace trace;
    trace.origin = originFromName(json.at("operation").get<std::string>());
    trace.parents = json.at("parents").get<std::vector<std::string>>();
    trace.draw = json.at("draw").get<std::uint64_t>();
    trace.sketch = json.at("sketch").get<int>();
    if (json.contains("predicted_score"))
      trace.predictedScore = json["predicted_score"].get<double>();
    trace.selection = pickReasonFromName(json.value("selection", std::string()));
    trace.round = json.value("round", 0);
    trace.source = json.value("source", RowId(0));
    if (json.contains("predicted_deviation"))
      trace.predictedDeviation = json["predicted_deviation"].get<double>();
    trace.ranking = json.value("ranking", std::string());
    if (json.contains("config")) trace.config = templateConfigFromJson(json["config"]);
    trace.reason = json.value("reason", std::string());
    trace.decision = json.value("decision", std::string());
    return trace;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("this is no trace of a candidate: {}", error.what()));
  }
}

Proposal stoppedProposal() {
  Proposal proposal;
  proposal.stopped = true;
  return proposal;
}

namespace {

std::unique_ptr<SearchPolicy> makeRandom(const PolicyOptions&) {
  return std::make_unique<RandomPolicy>();
}

std::unique_ptr<SearchPolicy> makeEvolutionary(const PolicyOptions& options) {
  EvolutionaryPolicyOptions evolutionary;
  evolutionary.epsilon = options.epsilon;
  evolutionary.samplesPerProposal = evolutionary.evolution.population = options.population;
  evolutionary.evolution.generations = options.generations;
  return std::make_unique<EvolutionaryPolicy>(evolutionary);
}

AnnealingPolicyOptions annealingOptions(const PolicyOptions& options) {
  AnnealingPolicyOptions annealing;
  annealing.annealing.chains = options.chains;
  annealing.plan = options.plan;
  annealing.epsilon = options.epsilon;
  annealing.diversity = options.diversity;
  annealing.diversityRatio = options.diversityRatio;
  return annealing;
}

std::unique_ptr<SearchPolicy> makeAnnealing(const PolicyOptions& options) {
  return std::make_unique<AnnealingPolicy>(annealingOptions(options));
}

std::unique_ptr<SearchPolicy> makeContextual(const PolicyOptions& options) {
  AnnealingPolicyOptions contextual = annealingOptions(options);
  contextual.energy = options.energy == ImprovementScale::Raw ? PlanEnergy::RawImprovement
                                                              : PlanEnergy::Improvement;
  contextual.fixedEpsilon = options.exploration == Exploration::Fixed;
  return std::make_unique<AnnealingPolicy>(contextual);
}

std::unique_ptr<SearchPolicy> makeBeam(const PolicyOptions& options) {
  BeamPolicyOptions beam;
  beam.beam = options.beam;
  beam.epsilon = options.epsilon;
  return std::make_unique<BeamPolicy>(beam);
}

std::unique_ptr<SearchPolicy> makeGenetic(const PolicyOptions&) {
  return std::make_unique<GeneticPolicy>();
}

std::unique_ptr<SearchPolicy> makeGrid(const PolicyOptions&) {
  return std::make_unique<GridPolicy>();
}

} // namespace

bool searches(const SearchPolicyKind& kind, SearchSpace space) {
  return space == SearchSpace::Templates ? kind.onTemplates : kind.onSketches;
}

const std::vector<SearchPolicyKind>& builtInSearchPolicies() {
  static const std::vector<SearchPolicyKind> kinds = {
      {.name = "random",
       .purpose = "Programs are drawn blindly: tile sizes and annotations at random.",
       .onTemplates = true,
       .make = makeRandom},
      {.name = "evolutionary",
       .purpose = "Programs are bred under a cost model that learns on the way.",
       .learns = true,
       .make = makeEvolutionary},
      {.name = "beam",
       .purpose = "Programs are grown decision by decision under a cost model, the best incomplete "
                  "ones kept: a search without evolution, for comparison.",
       .learns = true,
       .forGpus = false,
       .make = makeBeam},
      {.name = "annealing",
       .purpose =
           "AutoTVM's: configurations of a template are planned by annealing the scores of a "
           "cost model.",
       .learns = true,
       .onSketches = false,
       .onTemplates = true,
       .makesPlans = true,
       .make = makeAnnealing},
      {.name = "contextual",
       .purpose = "AdaTune's: annealing the improvement that is expected, and more random "
                  "configurations the less sure the cost model is.",
       .learns = true,
       .onSketches = false,
       .onTemplates = true,
       .wantsDeviation = true,
       .makesPlans = true,
       .byImprovement = true,
       .ownShare = true,
       .make = makeContextual},
      {.name = "genetic",
       .purpose = "Configurations of a template are bred from the fastest, without a cost model.",
       .onSketches = false,
       .onTemplates = true,
       .make = makeGenetic},
      {.name = "grid",
       .purpose = "All configurations of a template, by their numbers.",
       .onSketches = false,
       .onTemplates = true,
       .make = makeGrid}};
  return kinds;
}

} // namespace nestwright
