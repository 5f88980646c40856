#include "core/search/search_policy.h"

#include "core/search/annealing_policy.h"
#include "core/search/beam_policy.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/genetic_policy.h"
#include "core/search/grid_policy.h"
#include "core/search/random_policy.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
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

template <class Io>
void fields(Io& io, Trace& trace) {
  io.named("operation", trace.origin, originFromName);
  io("parents", trace.parents);
  io("draw", trace.draw);
  io("sketch", trace.sketch);
  io.ifAny("predicted_score", trace.predictedScore);
  io.namedIfAny("selection", trace.selection, pickReasonFromName);
  io.ifSet("round", trace.round);
  io.ifSet("source", trace.source);
  io.ifAny("predicted_deviation", trace.predictedDeviation);
  io.ifSet("ranking", trace.ranking);
  io.nestedIfAny("config", trace.config, templateConfigFromJson);
  io.ifSet("reason", trace.reason);
  io.ifSet("decision", trace.decision);
}

nlohmann::json toJson(const Trace& trace) {
  return toFields(trace);
}

Trace traceFromJson(const nlohmann::json& json) {
  try {
    Trace trace;
    readFields(json, trace);
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
