#include "core/model/splits.h"

#include "core/support/error.h"
#include "core/support/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright {
namespace {

using Indices = std::vector<std::size_t>;

std::vector<Indices> byTask(const DataSet& set) {
  std::vector<Indices> programs(set.tasks.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    programs[set.outcomes[i].task].push_back(i);
  return programs;
}

/// Fisher-Yates with our own generator: std::shuffle may differ between libraries.
void shuffle(Indices& list, Random& random) {
  for (std::size_t left = list.size(); left > 1; --left)
    std::swap(list[left - 1], list[random.below(left)]);
}

void requireShare(double share) {
  if (!(share > 0 && share < 1))
    throw InputError(
        fmt::format("a share of {} cannot be held out; give one between 0 and 1", share));
}

Split sorted(Split split) {
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

Split splitAt(const DataSet& set, const std::vector<bool>& isTest) {
  Split split;
  for (std::size_t i = 0; i < set.size(); ++i)
    (isTest[set.outcomes[i].task] ? split.test : split.train).push_back(i);
  return split;
}

/// Room for each task, in rows: all the same, what a task does not need goes to the others.
std::vector<std::size_t> shareRoom(const std::vector<std::size_t>& needed, std::size_t room) {
  Indices order(needed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return needed[a] < needed[b]; });
  std::vector<std::size_t> given(needed.size());
  std::size_t waiting = needed.size();
  for (const std::size_t task : order) {
    given[task] = std::min(needed[task], room / waiting--);
    room -= given[task];
  }
  return given;
}

/// Takes programs while their rows fit.
class Picker {
 public:
  Picker(const DataSet& set, std::vector<bool>& chosen) : set_(set), chosen_(chosen) {}
  bool take(std::size_t program, std::size_t& room) {
    const std::size_t rows = set_.features.rowCount(program);
    if (rows > room) return false;
    room -= rows;
    chosen_[program] = true;
    return true;
  }

 private:
  const DataSet& set_;
  std::vector<bool>& chosen_;
};

/// The fastest of a task into half of the room, the others spread over their ranks.
void thinTask(const DataSet& set, Indices programs, std::size_t room, std::vector<bool>& chosen) {
  std::ranges::stable_sort(
      programs, [&](auto a, auto b) { return set.outcomes[a].seconds < set.outcomes[b].seconds; });
  Picker picker(set, chosen);
  std::size_t fast = room / 2, next = 0;
  while (next < programs.size() && picker.take(programs[next], fast))
    ++next;
  std::size_t rest = room - (room / 2 - fast), restRows = 0;
  for (std::size_t i = next; i < programs.size(); ++i)
    restRows += set.features.rowCount(programs[i]);
  if (restRows == 0) return;
  const double share = static_cast<double>(rest) / static_cast<double>(restRows);
  double due = 0;
  for (std::size_t i = next; i < programs.size(); ++i) {
    due += share;
    if (due < 1) continue;
    due -= 1;
    picker.take(programs[i], rest);
  }
}

} // namespace

Split splitWithinTasks(const DataSet& set, double testShare, std::uint64_t seed) {
  requireShare(testShare);
  Split split;
  std::vector<Indices> tasks = byTask(set);
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    Indices& programs = tasks[task];
    Random random = Random::stream(seed, "split within tasks", task);
    shuffle(programs, random);
    auto tests =
        static_cast<std::size_t>(std::lround(testShare * static_cast<double>(programs.size())));
    if (programs.size() > 1) tests = std::clamp<std::size_t>(tests, 1, programs.size() - 1);
    for (std::size_t i = 0; i < programs.size(); ++i)
      (i < tests ? split.test : split.train).push_back(programs[i]);
  }
  return sorted(std::move(split));
}

Split splitByTask(const DataSet& set, double testShare, std::uint64_t seed) {
  requireShare(testShare);
  const std::vector<Indices> tasks = byTask(set);
  Indices order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random = Random::stream(seed, "split by task", 0);
  shuffle(order, random);
  std::vector<bool> isTest(tasks.size(), false);
  const auto wanted = static_cast<std::size_t>(testShare * static_cast<double>(set.size()));
  std::size_t held = 0;
  for (std::size_t i = 0; i + 1 < order.size() && held < wanted; ++i) {
    isTest[order[i]] = true;
    held += tasks[order[i]].size();
  }
  return splitAt(set, isTest);
}

Split splitByTask(const DataSet& set, const std::function<bool(const std::string& task)>& isTest) {
  std::vector<bool> tests;
  for (const std::string& task : set.tasks)
    tests.push_back(isTest(task));
  return splitAt(set, tests);
}

std::vector<std::size_t> thin(const DataSet& set, const ThinOptions& options) {
  std::vector<bool> chosen(set.size(), false);
  Picker picker(set, chosen);
  std::size_t room = options.maxRows, newest = 0;
  for (std::size_t i = set.size(); i-- > 0 && newest < options.newest;)
    if (!set.outcomes[i].failed() && picker.take(i, room)) ++newest;
  std::vector<Indices> tasks = byTask(set);
  std::vector<std::size_t> needed;
  for (Indices& programs : tasks) {
    std::erase_if(programs, [&](auto i) { return chosen[i] || set.outcomes[i].failed(); });
    std::size_t rows = 0;
    for (const std::size_t program : programs)
      rows += set.features.rowCount(program);
    needed.push_back(rows);
  }
  const std::vector<std::size_t> given = shareRoom(needed, room);
  for (std::size_t task = 0; task < tasks.size(); ++task)
    thinTask(set, std::move(tasks[task]), given[task], chosen);
  Indices kept;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (chosen[i]) kept.push_back(i);
  return kept;
}

} // namespace nestwright
