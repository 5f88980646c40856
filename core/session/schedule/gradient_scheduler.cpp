#include "core/session/schedule/network_totals.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/random.h"
#include "core/support/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {

namespace {

bool hasProgram(const TaskProgress& task) {
  return std::isfinite(task.bestSeconds);
}

/// Rounds since the last improvement; 0 while nothing was found.
int stagnation(const TaskProgress& task) {
  int rounds = 0;
  for (std::size_t i = task.history.size(); i > 1 && task.history[i - 1] >= task.history[i - 2];
       --i)
    ++rounds;
  return rounds;
}

/// How the objective follows a task's latency, by a small step. Without importance.
double chainTerm(const TaskProgress& task, const Objective& objective,
                 const std::vector<double>& latencies) {
  // Relative: a step in seconds would be too coarse for kernels of microseconds.
  const double step = 1e-3 * task.bestSeconds;
  std::vector<double> faster = latencies;
  for (std::size_t network = 0; network < task.weights.size(); ++network)
    faster[network] -= task.weights[network] * step;
  return (objective.value(latencies) - objective.value(faster)) / step;
}

/// A similarity group's best rate (FLOP/s), and the rounds of its two longest-tuned members.
struct Group {
  double rate = 0;
  RowId fastest = 0; // has this rate
  std::int64_t mostRounds = 0, nextRounds = 0;
  int members = 0;

  void add(const TaskProgress& task) {
    if (const double own = task.flops / task.bestSeconds; own > rate) {
      rate = own;
      fastest = task.task;
    }
    nextRounds = std::min(mostRounds, std::max(nextRounds, task.rounds));
    mostRounds = std::max(mostRounds, task.rounds);
  }
  /// A task that is slow although it got clearly more rounds than every other member is different
  /// after all, and leaves (handbook/ansor.md 8.4).
  bool leaves(const TaskProgress& task, const GradientOptions& options) const {
    return task.flops / task.bestSeconds < rate / options.beta && task.rounds == mostRounds &&
           task.rounds > options.patience + nextRounds;
  }
};

/// The best rate (FLOP/s) of a task's similarity group, and the task that has it.
struct GroupRate {
  double rate = 0; // 0: it has no group of more than itself
  RowId task = 0;
};

std::vector<GroupRate> groupRates(std::span<const TaskProgress> tasks,
                                  const GradientOptions& options) {
  std::map<std::string, Group> groups;
  const auto counts = [](const TaskProgress& task) {
    return !task.similarityTag.empty() && hasProgram(task);
  };
  for (const TaskProgress& task : tasks)
    if (counts(task)) groups[task.similarityTag].add(task);
  for (const TaskProgress& task : tasks)
    if (counts(task))
      groups[task.similarityTag].members += !groups[task.similarityTag].leaves(task, options);
  std::vector<GroupRate> rates;
  for (const TaskProgress& task : tasks) {
    const Group& group = groups[task.similarityTag];
    const bool belongs = counts(task) && !group.leaves(task, options) && group.members > 1;
    rates.push_back(belongs ? GroupRate{group.rate, group.fastest} : GroupRate{});
  }
  return rates;
}

std::string inWords(const GradientTerms& chosen, const TaskProgress& task, ObjectiveKind kind) {
  const char* promise = chosen.similar < chosen.optimistic ? "a similar task's rate promises more"
                                                           : "its own progress goes on";
  // f3 is a factor, not a time; the terms within the brackets are the task's own latencies.
  const std::string gain = kind == ObjectiveKind::SpeedUp ? fmt::format("{:.3g}×", -chosen.gradient)
                                                          : formatDifference(-chosen.gradient);
  return fmt::format("largest expected gain: {} of the objective in the next round (slope of the "
                     "last rounds {}, {}: {}; chain {:.3g})",
                     gain, formatDifference(chosen.backward), promise,
                     formatDifference(std::min(chosen.optimistic, chosen.similar)), chosen.chain) +
         (chosen.behind > 0 ? fmt::format("; {} behind the fastest definition of its operator",
                                          formatSeconds(chosen.behind))
                            : "") +
         (task.importance == 1 ? "" : fmt::format("; importance {:g}", task.importance));
}

/// Why nothing more can be gained, when that is so: no task moves the objective.
std::string endOf(const Objective& objective, std::span<const TaskProgress> tasks,
                  const std::vector<int>& live, const std::vector<GradientTerms>& terms) {
  const bool ends = std::all_of(live.begin(), live.end(),
                                [&](int i) { return hasProgram(tasks[i]) && terms[i].chain == 0; });
  if (!ends) return {};
  if (objective.kind == ObjectiveKind::LatencyRequirement)
    return "every network meets its latency requirement";
  if (objective.kind == ObjectiveKind::EarlyStop)
    return fmt::format("no task became faster in its last {}",
                       quantity(objective.stopAfterRounds, "round"));
  return {};
}

} // namespace

std::vector<GradientTerms> GradientScheduler::terms(std::span<const TaskProgress> tasks) const {
  const std::vector<GroupRate> rates = groupRates(tasks, options_);
  const std::vector<double> fastest = operatorSeconds(tasks);
  const std::vector<NetworkTotals> totals = networkTotals(tasks);
  const Objective objective = completeObjective(objective_, totals);
  std::vector<double> latencies;
  for (const NetworkTotals& network : totals)
    latencies.push_back(network.present);
  std::vector<GradientTerms> result(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskProgress& task = tasks[i];
    GradientTerms& t = result[i];
    t.task = task.task;
    t.similar = kInfinity;
    t.importance = task.importance;
    t.stagnantRounds = stagnation(task);
    if (!takesTrials(task) || !hasProgram(task)) continue;
    const double now = task.bestSeconds;
    if (objective_.kind != ObjectiveKind::EarlyStop ||
        t.stagnantRounds < objective_.stopAfterRounds)
      t.chain = std::max(0.0, task.importance) * chainTerm(task, objective, latencies);
    const auto window = static_cast<std::size_t>(options_.window);
    if (task.history.size() > window) {
      const double before = task.history[task.history.size() - 1 - window];
      if (std::isfinite(before)) t.backward = (now - before) / options_.window;
    }
    t.optimistic = -now / static_cast<double>(std::max<std::int64_t>(1, task.rounds));
    if (rates[i].rate > 0) {
      t.similar = options_.beta * task.flops / rates[i].rate - now;
      t.similarTask = rates[i].task;
    }
    const double forward = std::min(t.optimistic, t.similar);
    const double slope = options_.alpha * t.backward + (1 - options_.alpha) * forward;
    // Of the definitions of one operator the fastest counts: another one is worth what its next
    // round promises below that, and nothing where it promises none (handbook/ansor.md 8.5).
    t.behind = now - fastest[i];
    if (t.behind > 0 && t.behind + slope >= 0) t.chain = 0;
    t.gradient = t.chain * std::min(0.0, t.behind + slope);
  }
  return result;
}

TaskChoice GradientScheduler::next(std::span<const TaskProgress> tasks, int round) const {
  TaskChoice choice;
  choice.terms = terms(tasks);
  const std::vector<int> live = eligibleTasks(tasks);
  if (live.empty()) {
    choice.reason = kNoTask;
    return choice;
  }
  const bool pinned = tasks[live.front()].mode == TaskMode::Pinned;
  if (pinned && live.size() == 1) {
    choice.index = live.front();
    choice.reason = "pinned by the user: it gets every round until it is free again";
    return choice;
  }
  // Those with the fewest rounds first: a task without a valid program waits for the others.
  const auto coldest = std::min_element(live.begin(), live.end(), [&](int a, int b) {
    return std::pair(!needsWarmup(tasks[a]), tasks[a].rounds) <
           std::pair(!needsWarmup(tasks[b]), tasks[b].rounds);
  });
  if (needsWarmup(tasks[*coldest])) {
    choice.index = *coldest;
    choice.reason = tasks[*coldest].rounds == 0 ? "warm-up: every task gets one round first"
                                                : "warm-up: no valid program was found yet";
    return choice;
  }
  // Pinned tasks go on whether that helps the objective or not.
  if (!pinned) choice.reason = endOf(objective_, tasks, live, choice.terms);
  if (!choice.reason.empty()) return choice;
  choice = choose(tasks, live, round, std::move(choice));
  choice.amongPinned = pinned;
  if (pinned) choice.reason = "of the pinned tasks: " + choice.reason;
  return choice;
}

TaskChoice GradientScheduler::choose(std::span<const TaskProgress> tasks,
                                     const std::vector<int>& live, int round,
                                     TaskChoice choice) const {
  Random random =
      Random::stream(options_.seed, "task scheduler", static_cast<std::uint64_t>(round));
  if (random.unit() < options_.epsilon) {
    std::vector<int> hopeful; // a definition that promises nothing is left alone
    std::ranges::copy_if(live, std::back_inserter(hopeful), [&](int i) {
      return choice.terms[i].behind == 0 || choice.terms[i].chain != 0;
    });
    if (hopeful.empty()) hopeful = live; // the faster definition takes no trials: it is paused
    choice.index = hopeful[random.below(hopeful.size())];
    choice.reason =
        fmt::format("drawn at random ({:g} % of the rounds are)", 100 * options_.epsilon);
    return choice;
  }
  double lowest = kInfinity, highest = -kInfinity;
  for (const int i : live) {
    if (choice.terms[i].gradient < lowest) choice.index = i;
    lowest = std::min(lowest, choice.terms[i].gradient);
    highest = std::max(highest, choice.terms[i].gradient);
  }
  if (lowest == highest && live.size() > 1) {
    choice.index = live[random.below(live.size())];
    choice.reason = "all tasks promise the same gain; drawn at random";
    return choice;
  }
  choice.byGradient = true;
  choice.reason = inWords(choice.terms[choice.index], tasks[choice.index], objective_.kind);
  return choice;
}

} // namespace nestwright
