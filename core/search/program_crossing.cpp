#include "core/search/program_crossing.h"

#include "core/schedule/bounds.h"
#include "core/search/evolution.h"
#include "core/search/step_crossover.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/name_table.h"
#include "core/support/random.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nestwright {

namespace {

std::vector<State> rebuilt(const CrossingRequest& request) {
  std::vector<State> states;
  for (const CrossParent& parent : request.parents) {
    try {
      states.push_back(withBounds(State::replay(*request.dag, parent.steps)));
    } catch (const IllegalSchedule& e) {
      throw InputError(fmt::format("a parent is no program of this task: {}", e.what()));
    }
  }
  return states;
}

StageOwners drawOwners(const State& parent, Random& random) {
  StageOwners owners;
  for (const std::string& node : nodesOf(parent))
    owners[node] = static_cast<int>(random.below(2));
  return owners;
}

/// By steps where the parents have a structure in common that leaves decisions, else by nodes.
CrossoverResult crossed(const CrossingRequest& request, const State& a, const State& b,
                        CrossChild& child, Random& random) {
  if (request.grain == CrossGrain::Step) {
    const SharedSteps shared = sharedSteps(a.steps(), b.steps());
    if (!shared.differing.empty()) {
      std::vector<int> owners(shared.differing.size());
      for (int& owner : owners)
        owner = static_cast<int>(random.below(2));
      const auto rest = static_cast<int>(random.below(2));
      return crossSteps(a, b, shared, owners, rest, request.space);
    }
  }
  child.owners = drawOwners(a, random);
  return tryCrossover(a, b, child.owners, request.space);
}

/// By each judge the children of the parents that it judges, beside these parents.
void predict(std::vector<CrossChild>& children, const std::vector<State>& parents,
             const std::map<int, State>& legal, const std::vector<const CostScorer*>& judges) {
  for (auto& [i, state] : legal) {
    children[static_cast<std::size_t>(i)].score = 0;
    children[static_cast<std::size_t>(i)].predictedBetter = true;
  }
  for (const CostScorer* judge : std::set(judges.begin(), judges.end())) {
    const auto judged = [&](int parent) {
      return judges.at(static_cast<std::size_t>(parent)) == judge;
    };
    std::vector<State> states = parents; // few
    std::vector<int> asked;
    for (const auto& [i, state] : legal)
      if (std::ranges::any_of(children[static_cast<std::size_t>(i)].parents, judged)) {
        asked.push_back(i);
        states.push_back(state);
      }
    if (asked.empty()) continue;
    const std::vector<double> scores = judge->score(states);
    for (std::size_t place = 0; place < asked.size(); ++place) {
      CrossChild& child = children[static_cast<std::size_t>(asked[place])];
      const double score = scores[parents.size() + place];
      for (const int parent : child.parents) {
        if (!judged(parent)) continue;
        *child.score += score / 2;
        child.predictedBetter &= score > scores[static_cast<std::size_t>(parent)];
      }
    }
  }
}

} // namespace

const char* name(CrossOutcome outcome) {
  constexpr NameTable<CrossOutcome, 3> kNames = {{"legal", "illegal", "duplicate"}};
  return kNames.of(outcome);
}

std::vector<CrossChild> crossPrograms(const CrossingRequest& request) {
  if (request.parents.size() < 2) throw InputError("crossing takes two programs at least");
  const std::vector<State> parents = rebuilt(request);
  std::set<std::string> seen;
  for (const CrossParent& parent : request.parents)
    seen.insert(parent.programId);
  const std::set<std::string> parentIds = seen;
  std::vector<CrossChild> children;
  std::map<int, State> legal;
  for (int i = 0; i < request.count; ++i) {
    Random random = Random::stream(request.seed, "crossing", static_cast<std::uint64_t>(i));
    CrossChild child;
    const auto first = static_cast<int>(random.below(parents.size()));
    const auto step = 1 + static_cast<int>(random.below(parents.size() - 1));
    child.parents = {first, (first + step) % static_cast<int>(parents.size())};
    const State &a = parents[static_cast<std::size_t>(child.parents[0])],
                &b = parents[static_cast<std::size_t>(child.parents[1])];
    CrossoverResult result = crossed(request, a, b, child, random);
    child.reason = std::move(result.refusal);
    if (result.child) {
      child.steps = result.child->steps();
      child.origins = std::move(result.origins);
      child.programId = programId(*request.dag, child.steps);
      const bool fresh = seen.insert(child.programId).second;
      const bool known = request.known && request.known(child.programId);
      child.outcome = fresh && !known ? CrossOutcome::Legal : CrossOutcome::Duplicate;
      if (parentIds.contains(child.programId))
        child.reason = "the same as a parent";
      else if (known)
        child.reason = "measured before";
      else if (!fresh)
        child.reason = "the same as an earlier child";
      if (child.outcome == CrossOutcome::Legal) legal.emplace(i, std::move(*result.child));
    }
    children.push_back(std::move(child));
  }
  if (!request.judges.empty()) predict(children, parents, legal, request.judges);
  return children;
}

CrossTally tally(const std::vector<CrossChild>& children) {
  CrossTally tally;
  for (const CrossChild& child : children) {
    tally.legal += child.outcome == CrossOutcome::Legal;
    tally.duplicate += child.outcome == CrossOutcome::Duplicate;
    tally.predictedBetter += child.predictedBetter;
    if (child.outcome != CrossOutcome::Illegal) continue;
    ++tally.illegal;
    ++tally.reasons[child.reason];
  }
  return tally;
}

std::vector<int> mostPromising(const std::vector<CrossChild>& children, int count) {
  std::vector<int> promising;
  for (int i = 0; i < static_cast<int>(children.size()); ++i)
    if (children[static_cast<std::size_t>(i)].outcome == CrossOutcome::Legal)
      promising.push_back(i);
  std::ranges::stable_sort(promising, std::ranges::greater{}, [&](int i) {
    const CrossChild& child = children[static_cast<std::size_t>(i)];
    return std::pair(child.predictedBetter, child.score.value_or(-kInfinity));
  });
  promising.resize(std::min(promising.size(), static_cast<std::size_t>(std::max(0, count))));
  return promising;
}

Trace traceOf(const CrossChild& child, const std::vector<CrossParent>& parents) {
  Trace trace;
  trace.origin = Origin::Crossover;
  for (const int parent : child.parents)
    trace.parents.push_back(parents.at(static_cast<std::size_t>(parent)).programId);
  trace.predictedScore = child.score;
  return trace;
}

} // namespace nestwright
