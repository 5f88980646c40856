#include "core/search/seed_candidates.h"

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
        {seed, std::move(id), {Origin::Seed, {}, context.firstDraw, 0, std::nullopt}});
  }
  return candidates;
}

} // namespace nestwright
