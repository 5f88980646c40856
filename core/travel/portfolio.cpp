#include "core/travel/portfolio.h"

#include "core/support/infinity.h"
#include "core/travel/program_travel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace nestwright {

namespace {

/// What the greedy choice looks at; the smaller, the better.
using Merit = std::tuple<std::ptrdiff_t, double, std::ptrdiff_t, std::size_t>;

/// Nothing for a program that covers nothing new.
std::optional<Merit> meritOf(const TaskTimes& task, std::size_t program,
                             const std::vector<bool>& covered, double within) {
  std::ptrdiff_t fresh = 0, good = 0;
  double logs = 0;
  for (std::size_t target = 0; target < task.targets.size(); ++target) {
    const double seconds = task.of(program)[target];
    if (!isGood(seconds, task.best[target], within)) continue;
    ++good;
    if (covered[target]) continue;
    ++fresh;
    logs += std::log(seconds / task.best[target]);
  }
  if (fresh == 0) return std::nullopt;
  return Merit{-fresh, logs / static_cast<double>(fresh), -good, program};
}

std::vector<PortfolioTarget> targetsOf(const TaskTimes& task,
                                       const std::vector<PortfolioProgram>& programs,
                                       const std::vector<bool>& covered) {
  std::vector<PortfolioTarget> targets;
  for (std::size_t target = 0; target < task.targets.size(); ++target) {
    if (!std::isfinite(task.best[target])) continue;
    double fastest = kInfinity;
    for (const PortfolioProgram& chosen : programs)
      if (const double seconds = task.of(chosen.program)[target]; std::isfinite(seconds))
        fastest = std::min(fastest, seconds);
    targets.push_back({target, covered[target], fastest / task.best[target]});
  }
  return targets;
}

} // namespace

bool Portfolio::coversAll() const {
  return std::ranges::all_of(targets, &PortfolioTarget::covered);
}

Portfolio portfolioOf(const TaskTimes& task, double within, std::size_t most) {
  Portfolio portfolio;
  std::vector<bool> covered(task.targets.size(), false);
  while (most == 0 || portfolio.programs.size() < most) {
    std::optional<Merit> best;
    for (std::size_t program = 0; program < task.programs.size(); ++program)
      if (const std::optional<Merit> merit = meritOf(task, program, covered, within);
          merit && (!best || *merit < *best))
        best = merit;
    if (!best) break;
    PortfolioProgram& chosen = portfolio.programs.emplace_back();
    chosen.program = std::get<std::size_t>(*best);
    chosen.good = goodTargets(task, chosen.program, within);
    for (const std::size_t target : chosen.good)
      if (!covered[target]) {
        chosen.covers.push_back(target);
        covered[target] = true;
      }
  }
  portfolio.targets = targetsOf(task, portfolio.programs, covered);
  return portfolio;
}

std::string reasonText(const PortfolioProgram& chosen, const TaskTimes& task,
                       const std::vector<DataTarget>& targets, double within) {
  const std::string close =
      within > 0 ? fmt::format("within {:g} % of the best", within * 100) : std::string("the best");
  if (chosen.covers.size() == task.targets.size())
    return fmt::format("{} on all {} targets", close, task.targets.size());
  std::vector<std::string> covered;
  for (const std::size_t target : chosen.covers)
    covered.push_back(targets[task.targets[target]].id);
  const bool allNew = chosen.covers.size() == chosen.good.size();
  return fmt::format("{} on {}{}", close, fmt::join(covered, " and "),
                     allNew ? "" : ", where none of those before is");
}

} // namespace nestwright
