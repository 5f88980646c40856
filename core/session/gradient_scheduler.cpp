#include "core/session/task_scheduler.h"
#include "core/support/error.h"
#include "core/support/random.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace nestwright {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool canTakeTrials(const TaskProgress& task) {
  return !task.exhausted && task.importance > 0;
}
bool isWarm(const TaskProgress& task) {
  return task.rounds > 0;
}
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

/// Latency of each network, with the latency of one task replaced. Tasks without a program are left
/// out: they add the same unknown to every side of a comparison.
std::vector<double> networkLatencies(std::span<const TaskProgress> tasks, std::size_t replaced,
                                     double seconds) {
  std::vector<double> latencies;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    latencies.resize(std::max(latencies.size(), tasks[i].weights.size()), 0);
    if (!hasProgram(tasks[i])) continue;
    for (std::size_t network = 0; network < tasks[i].weights.size(); ++network)
      latencies[network] +=
          tasks[i].weights[network] * (i == replaced ? seconds : tasks[i].bestSeconds);
  }
  return latencies;
}

/// Best rate (FLOP/s) within each similarity group, without the tasks that lag behind for good.
std::map<std::string, double> groupRates(std::span<const TaskProgress> tasks, double gamma) {
  std::map<std::string, double> best;
  for (const TaskProgress& task : tasks)
    if (!task.similarityTag.empty() && hasProgram(task))
      best[task.similarityTag] = std::max(best[task.similarityTag], task.flops / task.bestSeconds);
  std::map<std::string, double> result;
  std::map<std::string, int> members;
  for (const TaskProgress& task : tasks) {
    if (task.similarityTag.empty() || !hasProgram(task)) continue;
    constexpr int kPatience = 5; // rounds that a slow task gets before it counts as different
    const bool lags =
        task.flops / task.bestSeconds < gamma * best[task.similarityTag] && task.rounds > kPatience;
    if (!lags) ++members[task.similarityTag];
  }
  for (const auto& [tag, count] : members)
    if (count > 1) result[tag] = best[tag];
  return result;
}

std::string inWords(const GradientTerms& chosen, const TaskProgress& task) {
  const char* promise = chosen.similar < chosen.optimistic ? "a similar task's rate promises more"
                                                           : "its own progress goes on";
  return fmt::format("largest expected gain: {:.3g} s of the objective in the next round (slope of "
                     "the last rounds {:.3g} s, {}: {:.3g} s; chain {:.3g})",
                     -chosen.gradient, chosen.backward, promise,
                     std::min(chosen.optimistic, chosen.similar), chosen.chain) +
         (task.importance == 1 ? "" : fmt::format("; importance {:g}", task.importance));
}

/// Indices of the tasks that may get the round.
std::vector<int> candidates(std::span<const TaskProgress> tasks) {
  std::vector<int> live, hopeless;
  for (int i = 0; i < static_cast<int>(tasks.size()); ++i)
    if (canTakeTrials(tasks[i])) (hasProgram(tasks[i]) ? live : hopeless).push_back(i);
  return live.empty() ? hopeless : live;
}

} // namespace

std::vector<GradientTerms> GradientScheduler::terms(std::span<const TaskProgress> tasks) const {
  const std::map<std::string, double> rates = groupRates(tasks, options_.gamma);
  std::vector<GradientTerms> result(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskProgress& task = tasks[i];
    GradientTerms& t = result[i];
    t.task = task.task;
    t.similar = kInfinity;
    if (!canTakeTrials(task) || !hasProgram(task)) continue;
    const double now = task.bestSeconds;
    if (objective_.kind != ObjectiveKind::EarlyStop ||
        stagnation(task) < objective_.stopAfterRounds) {
      // A small relative step: seconds would be too coarse for microsecond kernels.
      const double step = 1e-3 * now;
      t.chain = task.importance *
                (objective_.value(networkLatencies(tasks, i, now)) -
                 objective_.value(networkLatencies(tasks, i, now - step))) /
                step;
    }
    const auto window = static_cast<std::size_t>(options_.window);
    if (task.history.size() > window) {
      const double before = task.history[task.history.size() - 1 - window];
      if (std::isfinite(before)) t.backward = (now - before) / options_.window;
    }
    t.optimistic = -now / static_cast<double>(std::max<std::int64_t>(1, task.rounds));
    if (const auto rate = rates.find(task.similarityTag); rate != rates.end())
      t.similar = options_.beta * task.flops / rate->second - now;
    const double forward = std::min(t.optimistic, t.similar);
    t.gradient = t.chain * (options_.alpha * t.backward + (1 - options_.alpha) * forward);
  }
  return result;
}

TaskChoice GradientScheduler::next(std::span<const TaskProgress> tasks, int round) const {
  TaskChoice choice;
  for (int i = 0; i < static_cast<int>(tasks.size()); ++i) {
    if (!canTakeTrials(tasks[i]) || isWarm(tasks[i])) continue;
    choice.index = i;
    choice.reason = "warm-up: every task gets one round first";
    return choice;
  }
  const std::vector<int> live = candidates(tasks);
  if (live.empty()) {
    choice.reason = "no task can take trials: each is exhausted or has importance 0";
    return choice;
  }
  choice.terms = terms(tasks);
  Random random =
      Random::stream(options_.seed, "task scheduler", static_cast<std::uint64_t>(round));
  if (random.unit() < options_.epsilon) {
    choice.index = live[random.below(live.size())];
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
  choice.reason = inWords(choice.terms[choice.index], tasks[choice.index]);
  return choice;
}

std::unique_ptr<TaskScheduler> makeTaskScheduler(std::string_view name, const Objective& objective,
                                                 std::uint64_t seed) {
  if (name == "round-robin") return std::make_unique<RoundRobinScheduler>();
  if (name == "gradient") {
    GradientOptions options;
    options.seed = seed;
    return std::make_unique<GradientScheduler>(objective, options);
  }
  throw UsageError(
      fmt::format("unknown task scheduler \"{}\"; there are gradient and round-robin", name));
}

} // namespace nestwright
