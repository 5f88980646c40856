#include "core/search/random_policy.h"

#include "core/search/config_search.h"
#include "core/search/seed_candidates.h"
#include "core/space/survey.h"
#include "core/support/error.h"

#include <set>

namespace nestwright {

namespace {

/// A failure in general words, so that failures of one kind are counted together.
std::string kindOf(const SampledProgram& sample) {
  // What a GPU's kernel needs differs with every draw.
  if (sample.refusal >= Refusal::Race) return name(sample.refusal);
  return sample.reason;
}

Proposal randomConfigs(int count, const SearchContext& context) {
  ConfigSearch search(count, context);
  search.takeSeeds();
  search.fillAtRandom();
  if (context.log) {
    context.log->drawn = search.attempts();
    context.log->legal = static_cast<std::uint64_t>(count - search.missing());
  }
  return context.goesOnAfter(SearchPhase::Sampling) ? search.finish() : stoppedProposal();
}

} // namespace

Proposal RandomPolicy::propose(int count, const SearchContext& context) const {
  if (context.taskTemplate) return randomConfigs(count, context);
  NW_ASSERT(context.dag && context.sketches, "a proposal needs a compute DAG and its sketches");
  Proposal proposal;
  proposal.nextDraw = context.firstDraw;
  proposal.candidates = seedCandidates(count, context); // they come first
  std::set<std::string> inBatch;
  for (const Candidate& seed : proposal.candidates)
    inBatch.insert(seed.programId);
  int fruitless = 0;
  while (static_cast<int>(proposal.candidates.size()) < count &&
         fruitless < context.space.maxSampleAttempts && !context.isStopped()) {
    const std::uint64_t draw = proposal.nextDraw++;
    ++proposal.attempts;
    ++fruitless;
    Random random = Random::stream(context.seed, context.taskKey, draw);
    const SampledProgram sample = sampleProgram(*context.sketches, context.space, random);
    if (!sample.state) {
      ++proposal.failures[kindOf(sample)];
      continue;
    }
    std::string id = programId(*context.dag, sample.state->steps());
    if ((context.known && context.known(id)) || !inBatch.insert(id).second) {
      ++proposal.failures["the program was proposed before"];
      continue;
    }
    Trace trace{Origin::RandomSample, {}, draw, sample.sketch, std::nullopt, PickReason::Random};
    proposal.candidates.push_back({sample.state->steps(), std::move(id), std::move(trace)});
    fruitless = 0;
  }
  if (static_cast<int>(proposal.candidates.size()) < count)
    proposal.shortage =
        shortageText(proposal.candidates.size(), proposal.attempts, proposal.failures);
  if (context.log) {
    context.log->drawn = proposal.attempts;
    context.log->legal = proposal.candidates.size();
  }
  proposal.stopped =
      !context.goesOnAfter(SearchPhase::Sampling) || !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

} // namespace nestwright
