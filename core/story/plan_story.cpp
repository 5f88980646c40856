#include "core/story/plan_story.h"

#include <fmt/format.h>

#include <cmath>

namespace nestwright {
namespace {

double orNothing(double energy) {
  return std::isfinite(energy) ? energy : std::nan("");
}

std::string configInWords(const ConfigSpace& space, std::int64_t config) {
  if (config < 0 || config >= space.size()) return fmt::format("configuration {}", config);
  std::string words;
  for (const NamedEntity& one : space.at(config))
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", one.knob, text(one.entity));
  return words;
}

} // namespace

std::vector<PlannedLine> planned(const PlanLog& plan, const TaskTemplate& of,
                                 const KnobLines& measured) {
  std::vector<PlannedLine> lines;
  for (const PlanPick& pick : plan.picks) {
    PlannedLine& line = lines.emplace_back();
    line.pick = pick;
    line.words = configInWords(of.space, pick.config);
    if (const KnobLine* found = measured.ofConfig(pick.config)) line.trial = found->trial;
  }
  return lines;
}

AnnealingCurves annealingCurves(const PlanLog& plan) {
  AnnealingCurves curves;
  for (const AnnealingMoment& moment : plan.moments) {
    curves.steps.push_back(moment.step);
    curves.low.push_back(orNothing(moment.low));
    curves.middle.push_back(orNothing(moment.middle));
    curves.high.push_back(orNothing(moment.high));
    curves.threshold.push_back(orNothing(moment.threshold));
    curves.temperature.push_back(moment.temperature);
    curves.accepted.push_back(moment.accepted);
  }
  return curves;
}

std::optional<double> thresholdOf(const PlanLog& plan) {
  if (plan.byScore + plan.byDiversity == 0 || !std::isfinite(plan.leastEnergy)) return std::nullopt;
  return plan.leastEnergy;
}

} // namespace nestwright
