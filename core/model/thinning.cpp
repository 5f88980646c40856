#include "core/model/thinning.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestwright {
namespace {

using Indices = std::vector<std::size_t>;

std::vector<Indices> byTask(const DataSet& set) {
  std::vector<Indices> programs(set.tasks.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    programs[set.outcomes[i].task].push_back(i);
  return programs;
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
