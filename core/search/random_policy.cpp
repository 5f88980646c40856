#include "core/search/random_policy.h"

#include "core/space/annotation.h"
#include "core/support/error.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

/// Why a proposal came out short: how much was tried, and what spoke against it most often.
std::string shortageText(const Proposal& proposal) {
  std::vector<std::pair<std::string, std::uint64_t>> reasons(proposal.failures.begin(),
                                                             proposal.failures.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 3;
  if (reasons.size() > kShown) reasons.resize(kShown);
  std::string text = fmt::format("no {}valid program: {} tried, top reasons: ",
                                 proposal.candidates.empty() ? "" : "further ", proposal.attempts);
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text += fmt::format("{}{} ({} times)", i > 0 ? "; " : "", reasons[i].first, reasons[i].second);
  return text;
}

/// Seeds that were not measured yet come first.
void takeSeeds(int count, const SearchContext& context, Proposal& proposal,
               std::set<std::string>& inBatch) {
  for (const Steps& seed : context.seeds) {
    if (static_cast<int>(proposal.candidates.size()) == count) return;
    std::string id = programId(*context.dag, seed);
    if ((context.known && context.known(id)) || !inBatch.insert(id).second) continue;
    proposal.candidates.push_back(
        {seed, std::move(id), {Origin::Seed, {}, context.firstDraw, 0, std::nullopt}});
  }
}

/// A failure in general words, so that failures of one kind are counted together.
std::string kindOf(const std::string& failure) {
  // "step 7 (compute pad at ...) is illegal: why" differs with every draw before the colon.
  static constexpr std::string_view kMark = "is illegal: ";
  const std::size_t at = failure.find(kMark);
  return at == std::string::npos ? failure : failure.substr(at + kMark.size());
}

} // namespace

Proposal RandomPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.dag && context.sketches, "a proposal needs a compute DAG and its sketches");
  Proposal proposal;
  proposal.nextDraw = context.firstDraw;
  std::set<std::string> inBatch;
  takeSeeds(count, context, proposal, inBatch);
  int fruitless = 0;
  while (static_cast<int>(proposal.candidates.size()) < count &&
         fruitless < context.space.maxSampleAttempts && !context.isStopped()) {
    const std::uint64_t draw = proposal.nextDraw++;
    ++proposal.attempts;
    ++fruitless;
    Random random = Random::stream(context.seed, context.taskKey, draw);
    const SampledProgram sample = sampleProgram(*context.sketches, context.space, random);
    if (!sample.state) {
      ++proposal.failures[kindOf(sample.failure)];
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
    proposal.shortage = shortageText(proposal);
  if (context.log) {
    context.log->drawn = proposal.attempts;
    context.log->legal = proposal.candidates.size();
  }
  proposal.stopped =
      !context.goesOnAfter(SearchPhase::Sampling) || !context.goesOnAfter(SearchPhase::Selection);
  return proposal;
}

} // namespace nestwright
