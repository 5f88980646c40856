#include "core/search/config_search.h"

#include "core/schedule/illegal_step.h"
#include "core/schedule/state.h"
#include "core/space/legality.h"
#include "core/space/survey.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace nestwright {

std::optional<std::int64_t> drawOutside(const ConfigSpace& space,
                                        const std::unordered_set<std::int64_t>& taken,
                                        Random& random) {
  if (std::cmp_greater_equal(taken.size(), space.size())) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(space.size());
  // Where very few are left, counting is quicker than hitting one; a whole space that is drawn one
  // by one then costs size * sqrt(size) looks at most.
  if (const std::uint64_t left = size - taken.size(); left < size / left) {
    std::uint64_t place = random.below(left);
    for (std::int64_t config = 0;; ++config)
      if (!taken.contains(config) && place-- == 0) return config;
  }
  for (;;)
    if (const auto config = static_cast<std::int64_t>(random.below(size)); !taken.contains(config))
      return config;
}

ConfigSearch::ConfigSearch(int count, const SearchContext& context)
    : context_(context), space_(context.taskTemplate->space), count_(count),
      state_(configSearchStateFromText(context.policyState, space_.size())) {
  for (const MeasuredConfig& measured : context.measuredConfigs)
    visited_.insert(measured.config);
  visited_.insert(state_.passedOver.begin(), state_.passedOver.end());
}

int ConfigSearch::missing() const {
  return count_ - static_cast<int>(proposal_.candidates.size());
}

bool ConfigSearch::goesOn() const {
  return !isFull() && !ended_ && std::cmp_less(visited_.size(), space_.size()) &&
         fruitless_ < context_.space.maxSampleAttempts && !context_.isStopped();
}

bool ConfigSearch::take(const ConfigChoice& choice) {
  if (!visited_.insert(choice.config).second) return false;
  ++proposal_.attempts;
  ++fruitless_;
  const TaskTemplate& of = *context_.taskTemplate;
  TemplateConfig config{of.kind->name, of.version, space_.at(choice.config)};
  try {
    TemplateProgram program = templateProgram(*context_.dag, of, config.entities);
    if (context_.space.target.gpu)
      if (const auto illegal = illegality(State::replay(program.dag, program.steps), context_.space,
                                          KernelLimits::Templates)) {
        passOver(choice.config, name(illegal->kind));
        return false;
      }
    std::string id = programId(program.dag, program.steps);
    // Values of knobs may come to the same.
    if ((context_.known && context_.known(id)) || !programs_.insert(id).second) {
      passOver(choice.config, "the program is that of another configuration");
      return false;
    }
    Candidate candidate{std::move(program.steps), std::move(id), {}, std::move(program.dag)};
    candidate.trace.origin = choice.origin;
    candidate.trace.parents = choice.parents;
    candidate.trace.draw = context_.firstDraw + proposal_.attempts - 1;
    candidate.trace.selection = choice.reason;
    candidate.trace.config = std::move(config);
    proposal_.candidates.push_back(std::move(candidate));
  } catch (const IllegalSchedule& error) {
    passOver(choice.config, generalReason(error));
    return false;
  }
  taken_.push_back(choice.config);
  fruitless_ = 0;
  return true;
}

void ConfigSearch::takeSeeds() {
  for (const std::int64_t config : context_.seedConfigs)
    if (goesOn()) take({config, Origin::Seed, PickReason::None});
}

void ConfigSearch::fillAtRandom() {
  Random random =
      Random::stream(context_.seed, context_.taskKey + "#configurations", context_.firstDraw);
  while (goesOn())
    take({*drawUnvisited(random), Origin::RandomSample, PickReason::Random});
}

void ConfigSearch::endHere() {
  NW_ASSERT(!proposal_.candidates.empty(), "an empty proposal is a shortage, which has a reason");
  ended_ = true;
}

void ConfigSearch::passOver(std::int64_t config, const std::string& why) {
  state_.passedOver.push_back(config);
  ++proposal_.failures[why];
}

void ConfigSearch::addPredictions() {
  if (!context_.configScorer || taken_.empty()) return;
  const ConfigScores scores = context_.configScorer->scoreConfigs(taken_);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    Trace& trace = proposal_.candidates[i].trace;
    if (std::isfinite(scores.scores[i])) trace.predictedScore = scores.scores[i];
    if (!scores.deviation.empty() && std::isfinite(scores.deviation[i]))
      trace.predictedDeviation = scores.deviation[i];
  }
}

std::string ConfigSearch::shortage() const {
  if (isFull() || ended_ || context_.isStopped()) return {};
  const std::size_t found = proposal_.candidates.size() + context_.measuredConfigs.size();
  if (std::cmp_less(visited_.size(), space_.size()) || found == 0)
    return shortageText(found, proposal_.attempts, proposal_.failures);
  std::string text = fmt::format("all of {} has been tried: {}", context_.taskTemplate->kind->name,
                                 quantity(space_.size(), "configuration"));
  if (!state_.passedOver.empty())
    text += fmt::format("; {} of them give no program of their own", state_.passedOver.size());
  return text;
}

Proposal ConfigSearch::finish() {
  proposal_.nextDraw = context_.firstDraw + proposal_.attempts;
  proposal_.shortage = shortage();
  addPredictions();
  proposal_.policyState = toText(state_);
  proposal_.stopped = context_.isStopped() || !context_.goesOnAfter(SearchPhase::Selection);
  return std::move(proposal_);
}

} // namespace nestwright
