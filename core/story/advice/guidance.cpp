#include "core/story/advice/guidance.h"

#include "core/session/run/row_contents.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace nestwright {
namespace {

/// Of a task that counts in the total.
double shareOf(const TaskEntry& task, double seconds, double total) {
  return total > 0 && std::isfinite(total) ? task.row.weight * seconds / total : 0;
}

void findFailing(const LiveSession& session, std::vector<Guidance>& found) {
  // Fewer may be bad luck: some sketches have few legal programs.
  static constexpr std::int64_t kEnough = 16;
  for (const TaskEntry& task : session.tasks())
    if (const TaskSummary& s = task.summary;
        s.bestRecord == 0 && s.trials >= kEnough && s.errors == s.trials)
      found.push_back({GuidanceKind::NoProgram, task.row.id, 0, 0, 0, s.trials});
}

void findNoise(const MeasuringHealth& health, bool running, std::vector<Guidance>& found) {
  if (running && health.grade() == HealthGrade::Noisy)
    found.push_back({GuidanceKind::Noise, 0, 0, 0, 0, health.measurements});
}

void findContested(const MeasuringHealth& health, std::vector<Guidance>& found) {
  static constexpr std::int64_t kMany = 5;
  if (health.contested >= kMany)
    found.push_back({GuidanceKind::Contested, 0, 0, 0, 0, health.contested});
}

void findSpentBudget(const LiveSession& session, const std::optional<BudgetAdvice>& rest,
                     std::vector<Guidance>& found) {
  static constexpr double kNothing = 0.002; // of the total: no measurement could tell
  if (!rest || !session.isRunning() || rest->forecast.gain.high >= kNothing) return;
  found.push_back(
      {GuidanceKind::BudgetSpent, 0, 0, rest->forecast.gain.value, 0, rest->forecast.trials});
}

/// A task runs at `rate` operations per second once it has a best.
double rateOf(const TaskEntry& task) {
  return task.summary.bestRecord != 0 ? task.row.flops / task.summary.bestSeconds : 0;
}

/// "Conv 3x3" of "Conv 3x3 64->64 on 56x56 + Bias": what tasks of one operator and kernel have in
/// common in their names.
std::string_view operatorOf(const TaskEntry& task) {
  const std::string_view name = task.row.name;
  return name.substr(0, name.find(' ', std::min(name.find(' '), name.size() - 1) + 1));
}

void findSiblings(const LiveSession& session, double total, std::vector<Guidance>& found) {
  static constexpr double kMuchLower = 0.6, kSimilarWork = 8, kWorthIt = 0.02;
  std::optional<Guidance> worst;
  for (const TaskEntry& task : session.tasks()) {
    if (!countsInTotal(session.tasks(), task)) continue;
    for (const TaskEntry& other : session.tasks()) {
      const double rate = rateOf(task), there = rateOf(other);
      if (rate <= 0 || rate >= kMuchLower * there || operatorOf(task) != operatorOf(other) ||
          std::max(task.row.flops, other.row.flops) >
              kSimilarWork * std::min(task.row.flops, other.row.flops))
        continue;
      const double gain = shareOf(task, task.summary.bestSeconds, total) * (1 - rate / there);
      if (gain >= kWorthIt && (!worst || gain > worst->gain))
        worst = Guidance{GuidanceKind::BehindSibling, task.row.id, other.row.id, gain, rate / there,
                         task.summary.trials};
    }
  }
  if (worst) found.push_back(*worst);
}

/// By the rate of operations alone: what memory allows is told by the roofline.
void findRoof(const LiveSession& session, double total, std::vector<Guidance>& found) {
  static constexpr double kWorthIt = 0.01;
  const double peak = session.contents().peakFlops;
  std::optional<Guidance> farthest;
  for (const TaskEntry& task : session.tasks()) {
    const double rate = rateOf(task);
    if (!countsInTotal(session.tasks(), task)) continue;
    if (rate <= 0 || peak <= 0 || rate >= peak) continue;
    const double gain = shareOf(task, task.summary.bestSeconds, total) * (1 - rate / peak);
    if (gain >= kWorthIt && (!farthest || gain > farthest->gain))
      farthest =
          Guidance{GuidanceKind::BelowRoof, task.row.id, 0, gain, rate / peak, task.summary.trials};
  }
  if (farthest) found.push_back(*farthest);
}

} // namespace

std::vector<Guidance> guidance(const LiveSession& session, const GuidanceFacts& facts) {
  std::vector<Guidance> found;
  if (!session.isLoaded() || isImport(session.row())) return found;
  findFailing(session, found);
  findNoise(facts.health, session.isRunning(), found);
  findSpentBudget(session, facts.rest, found);
  const std::size_t urgent = found.size();
  const double total = presentTotal(session.tasks());
  findSiblings(session, total, found);
  findRoof(session, total, found);
  std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(urgent), found.end(),
                   [](const Guidance& a, const Guidance& b) { return a.gain > b.gain; });
  findContested(facts.health, found); // what it is worth, nobody can tell
  return found;
}

} // namespace nestwright
