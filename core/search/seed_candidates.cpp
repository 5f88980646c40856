#include "core/search/seed_candidates.h"

#include <iterator>
#include <set>
#include <utility>

namespace nestwright {

std::vector<Candidate> seedCandidates(int count, const SearchContext& context) {
  std::vector<Candidate> candidates;
  std::set<std::string> taken;
  for (const Steps& seed : context.seeds) {
    if (std::cmp_greater_equal(candidates.size(), count)) break;
    std::string id = programId(*context.dag, seed);
    if ((context.known && context.known(id)) || !taken.insert(id).second) continue;
    candidates.push_back(
        {seed, std::move(id), {Origin::Seed, {}, context.firstDraw, -1, std::nullopt}});
  }
  return candidates;
}

Proposal proposeBehind(const std::vector<Steps>& first, const SearchPolicy& policy, int count,
                       const SearchContext& context) {
  SearchContext begin = context;
  begin.seeds = first;
  std::vector<Candidate> candidates = seedCandidates(count, begin);
  if (candidates.empty()) return policy.propose(count, context);
  Proposal proposal;
  proposal.nextDraw = context.firstDraw;
  proposal.policyState = context.policyState;
  if (const int rest = count - static_cast<int>(candidates.size()); rest > 0) {
    std::set<std::string> taken;
    for (const Candidate& candidate : candidates)
      taken.insert(candidate.programId);
    SearchContext behind = context;
    behind.known = [&](const std::string& program) {
      return taken.contains(program) || (context.known && context.known(program));
    };
    proposal = policy.propose(rest, behind);
  } else {
    proposal.stopped =
        !context.goesOnAfter(SearchPhase::Sampling) || !context.goesOnAfter(SearchPhase::Selection);
  }
  proposal.candidates.insert(proposal.candidates.begin(),
                             std::make_move_iterator(candidates.begin()),
                             std::make_move_iterator(candidates.end()));
  return proposal;
}

} // namespace nestwright
