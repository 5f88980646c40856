#include "core/search/beam_policy.h"

#include "core/schedule/bounds.h"
#include "core/search/random_policy.h"
#include "core/search/seed_candidates.h"
#include "core/space/stepwise.h"
#include "core/support/clock.h"
#include "core/support/infinity.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// A program of which some decisions are taken, and the one that its defaults make of it.
struct Grown {
  std::size_t sketch = 0;
  Steps steps;             // those of the sketch, as far as they are decided
  std::int64_t unroll = 0; // the limit that completed it
  std::optional<State> complete;
  double score = -kInfinity;
};

void completeAll(std::vector<Grown>& programs, const SearchContext& context) {
  parallelFor(programs.size(), context.threads, [&](std::size_t i) {
    if (context.isStopped()) return;
    Grown& program = programs[i];
    program.complete = completeByDefaults((*context.sketches)[program.sketch], program.steps,
                                          context.space, program.unroll);
  });
  std::erase_if(programs, [](const Grown& program) { return !program.complete; });
  std::vector<State> states;
  for (const Grown& program : programs)
    states.push_back(*program.complete);
  const std::vector<double> scores = context.scorer->score(states);
  for (std::size_t i = 0; i < programs.size(); ++i)
    programs[i].score = std::isfinite(scores[i]) ? scores[i] : -kInfinity;
}

void keepBest(std::vector<Grown>& programs, std::size_t count) {
  std::ranges::stable_sort(programs, std::ranges::greater{}, &Grown::score);
  if (programs.size() > count) programs.resize(count);
}

/// The next generation: of each program with something to decide all ways to decide it, or some.
/// Those of which all is decided stay. False when all are.
bool grow(std::vector<Grown>& programs, const SearchContext& context, std::size_t ways,
          Random& random) {
  std::vector<Grown> next;
  bool grew = false;
  for (Grown& program : programs) {
    if (!hasOpenSplit(program.steps)) {
      next.push_back(std::move(program));
      continue;
    }
    grew = true;
    for (Steps& steps : decideFirstSplit(program.steps, context.space, ways, random))
      next.push_back({program.sketch, std::move(steps), program.unroll, std::nullopt});
  }
  programs = std::move(next);
  return grew;
}

/// Each with all limits of unrolling.
std::vector<Grown> unrolled(const std::vector<Grown>& programs, const SpaceOptions& options) {
  std::vector<Grown> all;
  for (const Grown& program : programs)
    for (const std::int64_t limit : options.unrollSteps)
      all.push_back({program.sketch, program.steps, limit, std::nullopt});
  return all;
}

std::vector<Grown> searchBeam(const SearchContext& context, const BeamPolicyOptions& options) {
  Random random = Random::stream(context.seed, context.taskKey + "#beam", context.firstDraw);
  const auto beam = static_cast<std::size_t>(options.beam);
  std::vector<Grown> programs;
  for (std::size_t sketch = 0; sketch < context.sketches->size(); ++sketch)
    programs.push_back({sketch, (*context.sketches)[sketch].state.steps(),
                        context.space.unrollSteps.front(), std::nullopt});
  while (!context.isStopped() &&
         grow(programs, context, static_cast<std::size_t>(options.waysPerStep), random)) {
    completeAll(programs, context);
    keepBest(programs, beam);
  }
  programs = unrolled(programs, context.space);
  completeAll(programs, context);
  keepBest(programs, programs.size());
  return programs;
}

Candidate candidateOf(const Grown& program, std::string id, std::uint64_t draw) {
  Candidate candidate{program.complete->steps(), std::move(id), {}};
  candidate.trace.origin = Origin::Beam;
  candidate.trace.draw = draw;
  candidate.trace.sketch = static_cast<int>(program.sketch);
  candidate.trace.predictedScore = program.score;
  candidate.trace.selection = PickReason::BestPredicted;
  return candidate;
}

} // namespace

Proposal BeamPolicy::propose(int count, const SearchContext& context) const {
  if (!context.scorer) return RandomPolicy().propose(count, context);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Grown> grown = searchBeam(context, options_);
  if (!context.goesOnAfter(SearchPhase::Sampling)) return stoppedProposal();
  const auto atRandom = static_cast<int>(options_.epsilon * count);
  Proposal proposal;
  proposal.evolutionSeconds = secondsSince(start);
  proposal.candidates = seedCandidates(count, context);
  std::set<std::string> chosen;
  for (const Candidate& seed : proposal.candidates)
    chosen.insert(seed.programId);
  std::uint64_t draw = context.firstDraw;
  for (const Grown& program : grown) {
    if (std::ssize(proposal.candidates) >= count - atRandom) break;
    if (program.score == -kInfinity) break;
    std::string id = programId(*context.dag, program.complete->steps());
    if ((context.known && context.known(id)) || !chosen.insert(id).second) continue;
    proposal.candidates.push_back(candidateOf(program, std::move(id), draw++));
  }
  // The rest is random; so is whatever the beam did not give.
  SearchContext rest = context;
  rest.log = nullptr;
  rest.afterPhase = nullptr;
  rest.seeds.clear();
  rest.firstDraw = draw;
  rest.known = [&](const std::string& id) {
    return chosen.contains(id) || (context.known && context.known(id));
  };
  Proposal random =
      RandomPolicy().propose(count - static_cast<int>(proposal.candidates.size()), rest);
  if (random.stopped) return stoppedProposal();
  for (Candidate& candidate : random.candidates) {
    const bool meant = std::ssize(proposal.candidates) >= count - atRandom;
    candidate.trace.selection = meant ? PickReason::EpsilonGreedy : PickReason::Random;
    proposal.candidates.push_back(std::move(candidate));
  }
  proposal.nextDraw = random.nextDraw;
  proposal.attempts = grown.size() + random.attempts;
  proposal.failures = std::move(random.failures);
  proposal.shortage = std::move(random.shortage);
  proposal.stopped = !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

} // namespace nestwright
