#include "core/search/given_policy.h"

#include "core/support/error.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

namespace nestwright {

Proposal GivenPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.given, "no programs are given");
  Proposal proposal;
  proposal.nextDraw = context.firstDraw;
  std::unordered_set<std::string> proposed;
  while (std::ssize(proposal.candidates) < count && !context.isStopped()) {
    const auto wanted = static_cast<int>(count - std::ssize(proposal.candidates));
    std::vector<GivenProgram> next = context.given(proposal.nextDraw, wanted);
    if (next.empty()) {
      proposal.shortage = "no further program of its records is to be measured again";
      if (!proposal.failures.empty())
        proposal.shortage += fmt::format("; {} cannot be: {}", proposal.failures.begin()->second,
                                         proposal.failures.begin()->first);
      break;
    }
    for (GivenProgram& given : next) {
      Candidate candidate;
      candidate.trace.origin = Origin::MeasuredAgain;
      candidate.trace.source = given.record;
      candidate.trace.draw = proposal.nextDraw++;
      ++proposal.attempts;
      if (!given.problem.empty()) {
        ++proposal.failures[given.problem];
        continue;
      }
      candidate.trace.config = std::move(given.config);
      candidate.variant = std::move(given.variant);
      candidate.programId =
          programId(candidate.variant ? *candidate.variant : *context.dag, given.steps);
      if (context.known(candidate.programId) || !proposed.insert(candidate.programId).second)
        continue;
      candidate.steps = std::move(given.steps);
      proposal.candidates.push_back(std::move(candidate));
    }
  }
  proposal.stopped = context.isStopped() || !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

} // namespace nestwright
