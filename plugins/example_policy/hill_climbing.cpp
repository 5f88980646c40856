#include "plugins/example_policy/hill_climbing.h"

#include "core/search/mutation.h"
#include "core/search/random_policy.h"
#include "core/space/annotation.h"

#include <set>

namespace nestwright::example_policy {

namespace {

constexpr int kAttemptsPerNeighbour = 20;

class HillClimbing final : public SearchPolicy {
 public:
  std::string name() const override { return "example_policy"; }

  Proposal propose(int count, const SearchContext& context) const override {
    Proposal proposal;
    proposal.nextDraw = context.firstDraw;
    std::set<std::string> inBatch;
    climb(count / 2, context, proposal, inBatch);

    // The rest is random, and whatever the hills did not give. It begins at the next unused draw,
    // and must not propose again what was just proposed.
    SearchContext rest = context;
    rest.firstDraw = proposal.nextDraw;
    rest.known = [&](const std::string& id) {
      return inBatch.contains(id) || (context.known && context.known(id));
    };
    Proposal random =
        RandomPolicy().propose(count - static_cast<int>(proposal.candidates.size()), rest);
    random.candidates.insert(random.candidates.begin(), proposal.candidates.begin(),
                             proposal.candidates.end());
    random.attempts += proposal.attempts;
    return random;
  }

 private:
  /// Up to `count` programs that differ from one of the fastest in a tile size. Every attempt has a
  /// random stream of its own, named by the number of its draw.
  static void climb(int count, const SearchContext& context, Proposal& proposal,
                    std::set<std::string>& inBatch) {
    if (context.measuredBest.empty()) return;
    for (int attempt = 0; attempt < count * kAttemptsPerNeighbour && !context.isStopped() &&
                          static_cast<int>(proposal.candidates.size()) < count;
         ++attempt) {
      const std::uint64_t draw = proposal.nextDraw++;
      ++proposal.attempts;
      Random random = Random::stream(context.seed, context.taskKey, draw);
      const Steps& parent =
          context.measuredBest[draw % std::min<std::size_t>(context.measuredBest.size(), 8)];
      const std::optional<State> state = legalProgram(*context.dag, parent, context.space);
      const std::optional<State> neighbour =
          state ? mutateTileSize(*state, context.space, random) : std::nullopt;
      if (!neighbour) continue;
      std::string id = programId(*context.dag, neighbour->steps());
      if ((context.known && context.known(id)) || !inBatch.insert(id).second) continue;
      // Where a program came from is stored with its record, and shown beside it.
      Trace trace{Origin::TileSize, {programId(*context.dag, parent)}, draw, 0, std::nullopt};
      proposal.candidates.push_back({neighbour->steps(), std::move(id), std::move(trace)});
    }
  }
};

} // namespace

std::unique_ptr<SearchPolicy> makeHillClimbing(const PolicyOptions&) {
  return std::make_unique<HillClimbing>();
}

} // namespace nestwright::example_policy
