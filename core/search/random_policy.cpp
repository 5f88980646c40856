#include "core/search/random_policy.h"

#include "core/search/config_search.h"
#include "core/search/draft/gpu_draft.h"
#include "core/search/seed_candidates.h"
#include "core/space/survey.h"
#include "core/support/error.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

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

/// One of how many of a batch stays random: the draft may be wrong about all of them alike.
constexpr int kRandomOf = 8;

struct Draft {
  std::uint64_t draw = 0;
  int sketch = 0;
  Steps steps;
  std::string programId;
  double score = 0;
};

/// Those of the next draws that the draft score likes best, new ones, best first; adds to what the
/// proposal tells of its draws.
std::vector<Draft> drafted(int count, const SearchContext& context,
                           const std::set<std::string>& taken, Proposal& proposal) {
  const std::uint64_t first = proposal.nextDraw;
  std::vector<std::optional<Draft>> draws(std::size_t(count) * context.draft.drawsForEach);
  std::vector<std::string> failures(draws.size());
  parallelFor(draws.size(), context.threads, [&](std::size_t i) {
    if (context.isStopped()) return;
    Random random = Random::stream(context.seed, context.taskKey, first + i);
    const SampledProgram sample = sampleProgram(*context.sketches, context.space, random);
    if (!sample.state) {
      failures[i] = kindOf(sample);
      return;
    }
    draws[i] = Draft{first + i, sample.sketch, sample.state->steps(),
                     programId(*context.dag, sample.state->steps()), context.draft(*sample.state)};
  });
  proposal.nextDraw += draws.size();
  proposal.attempts += draws.size();
  std::vector<Draft> found;
  std::set<std::string> seen = taken;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    if (!draws[i]) {
      if (!failures[i].empty()) ++proposal.failures[failures[i]];
    } else if ((context.known && context.known(draws[i]->programId)) ||
               !seen.insert(draws[i]->programId).second) {
      ++proposal.failures["the program was proposed before"];
    } else {
      found.push_back(std::move(*draws[i]));
    }
  }
  std::ranges::stable_sort(found, [](const Draft& a, const Draft& b) { return a.score > b.score; });
  if (context.draft.isCoarse)
    putVarietyFirst(found, [](const Draft& draft) { return draft.score; });
  if (std::cmp_greater(found.size(), count)) found.resize(std::size_t(count));
  return found;
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
  const int left = count - static_cast<int>(proposal.candidates.size());
  if (context.draft && context.draftUse != DraftUse::Off && !context.scorer && left > 0) {
    for (Draft& draft : drafted(left - left / kRandomOf, context, inBatch, proposal)) {
      inBatch.insert(draft.programId);
      Trace trace{Origin::RandomSample, {},           draft.draw,
                  draft.sketch,         std::nullopt, PickReason::Drafted};
      proposal.candidates.push_back(
          {std::move(draft.steps), std::move(draft.programId), std::move(trace)});
    }
  }
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
