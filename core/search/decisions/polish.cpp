#include "core/search/decisions/polish.h"

#include "core/schedule/bounds.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace nestwright {

namespace {

/// Neighbours that are gone on from, and how many of those behind them a cost model scores.
constexpr std::size_t kSpringboards = 8, kMostScored = 128;

/// The draft of each; nothing where there is none.
std::vector<double> drafted(const std::vector<Neighbour>& neighbours,
                            const SearchContext& context) {
  std::vector<double> scores;
  if (context.draft)
    for (const Neighbour& neighbour : neighbours)
      scores.push_back(context.draft(neighbour.program));
  return scores;
}

/// What is expected of each; nothing where nobody can tell.
std::vector<double> expected(const std::vector<Neighbour>& neighbours,
                             const SearchContext& context) {
  if (!context.scorer) return drafted(neighbours, context);
  std::vector<State> programs;
  for (const Neighbour& neighbour : neighbours)
    programs.push_back(neighbour.program);
  return context.scorer->score(programs);
}

/// Up to `most` of `count`, those with the highest scores first; without scores as they come.
std::vector<std::size_t> bestFirst(std::size_t count, const std::vector<double>& scores,
                                   std::size_t most) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  if (!scores.empty())
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min(count, most));
  return order;
}

std::vector<Neighbour> around(const State& program, const SearchContext& context) {
  return context.sketches ? neighboursOf(program, context.space, *context.sketches)
                          : neighboursOf(program, context.space);
}

void removeKnown(std::vector<Neighbour>& neighbours, const SearchContext& context) {
  std::erase_if(neighbours, [&](const Neighbour& neighbour) {
    return context.known && context.known(neighbour.programId);
  });
}

/// `second` as a neighbour of the program that `first` is one of.
Neighbour behind(const Neighbour& first, Neighbour second) {
  const auto told = [](const Neighbour& one) {
    return fmt::format("{}: {}", one.decision, one.change);
  };
  second.change = fmt::format("{}; {}", told(first), told(second));
  second.decision = kTwoDecisions;
  return second;
}

/// What two decisions make that may both be worse alone: neighbours of the neighbours that the cost
/// model expects most of. It is asked about those among them that the draft thinks most of.
std::vector<Neighbour> twoDecisionsAway(const std::string& from,
                                        const std::vector<Neighbour>& neighbours,
                                        const SearchContext& context) {
  std::vector<Neighbour> found;
  std::set<std::string> seen{from};
  for (const std::size_t i :
       bestFirst(neighbours.size(), expected(neighbours, context), kSpringboards))
    for (Neighbour& second : around(neighbours[i].program, context))
      if (seen.insert(second.programId).second)
        found.push_back(behind(neighbours[i], std::move(second)));
  removeKnown(found, context);
  std::vector<Neighbour> best;
  for (const std::size_t i : bestFirst(found.size(), drafted(found, context), kMostScored))
    best.push_back(std::move(found[i]));
  return best;
}

} // namespace

Proposal PolishPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.dag && !context.measuredBest.empty(), "a polish begins with a program");
  Proposal proposal;
  proposal.nextDraw = context.firstDraw;
  const Steps& incumbent = context.measuredBest.front();
  const std::string parent = programId(*context.dag, incumbent);
  const std::vector<Neighbour> neighbours =
      around(withBounds(State::replay(*context.dag, incumbent)), context);
  proposal.attempts = neighbours.size();
  std::vector<Neighbour> next = neighbours;
  removeKnown(next, context);
  if (next.empty() && context.scorer) {
    next = twoDecisionsAway(parent, neighbours, context);
    proposal.attempts += next.size();
  }
  const std::vector<double> scores = expected(next, context);
  for (const std::size_t i :
       bestFirst(next.size(), scores, static_cast<std::size_t>(std::max(count, 0)))) {
    Neighbour& neighbour = next[i];
    Candidate candidate{neighbour.program.steps(), std::move(neighbour.programId), {}};
    candidate.trace.origin = Origin::Polish;
    candidate.trace.parents = {parent};
    candidate.trace.decision = std::move(neighbour.decision);
    candidate.trace.reason = std::move(neighbour.change);
    if (context.scorer) {
      candidate.trace.predictedScore = scores[i];
      candidate.trace.selection = PickReason::BestPredicted;
    } else if (!scores.empty()) {
      candidate.trace.selection = PickReason::Drafted;
    }
    proposal.candidates.push_back(std::move(candidate));
  }
  if (proposal.candidates.empty()) proposal.shortage = "no neighbour of the best is left to try";
  if (context.log) {
    context.log->drawn = proposal.attempts;
    context.log->legal = next.size();
  }
  proposal.stopped =
      !context.goesOnAfter(SearchPhase::Sampling) || !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

} // namespace nestwright
