#include "core/session/recombination/recombination_plan.h"

#include "core/record/query/network_best.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/json_fields.h"
#include "core/support/random.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

using nlohmann::json;

namespace {

/// Draws in a row that may give a known choice. With one choice in a hundred left, all of them miss
/// it once in 20,000 times.
constexpr int kMaxKnownDraws = 1000;

std::vector<int> allowedRanks(const std::vector<TaskCandidates>& candidates,
                              const std::set<CandidateId>& excluded, std::size_t task) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < candidates[task].programs.size(); ++rank)
    if (!excluded.contains({static_cast<int>(task), static_cast<int>(rank)}))
      ranks.push_back(static_cast<int>(rank));
  return ranks;
}

RankedProgram ranked(const Record& record) {
  return {record.id, record.program, record.result.latency()};
}

} // namespace

std::vector<RankedProgram> fastestPrograms(const RecordStore& store, RowId task, int k,
                                           RowId session, bool tf32) {
  std::vector<RankedProgram> programs;
  if (session == 0) {
    const NetworkBest best = networkBest(store, task, tf32);
    if (!best.record) return {};
    programs.push_back(ranked(*best.record));
  }
  RecordQuery query;
  query.task = task;
  query.session = session;
  query.verdict = Verdict::Ok;
  query.order = RecordQuery::Order::Fastest;
  // The same program may have been measured by several sessions.
  while (static_cast<int>(programs.size()) < k) {
    const std::vector<Record> page = store.records().page(query);
    if (page.empty()) break;
    for (const Record& record : page) {
      const bool known = std::ranges::any_of(programs, [&](const RankedProgram& program) {
        return program.program == record.program;
      });
      if (static_cast<int>(programs.size()) < k && !known && !record.implausible &&
          networkRefusal(record, tf32) == NetworkRefusal::None)
        programs.push_back(ranked(record));
    }
    query.after = page.back().id;
  }
  return programs;
}

template <class Io>
void fields(Io& io, RankedProgram& program) {
  io("record", program.record);
  io("program", program.program);
  io("seconds", program.seconds);
}
template <class Io>
void fields(Io& io, TaskCandidates& task) {
  io("position", task.position);
  io("task", task.task);
  io("name", task.name);
  io("weight", task.weight);
  io.each("programs", task.programs);
}

json toJson(const std::vector<TaskCandidates>& candidates) {
  json list = json::array();
  for (const TaskCandidates& task : candidates)
    list.push_back(toFields(task));
  return list;
}

std::vector<TaskCandidates> candidatesFromJson(const json& list) {
  std::vector<TaskCandidates> candidates;
  for (const json& item : list)
    readFields(item, candidates.emplace_back());
  return candidates;
}

std::vector<TaskCandidates> topCandidates(const Partition& partition, const RecordStore& store,
                                          RowId target, int k, bool tf32) {
  std::vector<TaskCandidates> candidates;
  for (std::size_t i = 0; i < partition.tasks.size(); ++i) {
    const Task& task = partition.tasks[i];
    const std::optional<TaskRow> row = target ? store.tasks().find(task.key, target) : std::nullopt;
    if (!row) continue;
    TaskCandidates found{static_cast<int>(i), row->id, task.description,
                         static_cast<double>(task.weight),
                         fastestPrograms(store, row->id, k, 0, tf32)};
    if (!found.programs.empty()) candidates.push_back(std::move(found));
  }
  return candidates;
}

std::int64_t countChoices(const std::vector<TaskCandidates>& candidates,
                          const std::set<CandidateId>& excluded, std::int64_t limit) {
  std::int64_t count = 1;
  for (std::size_t task = 0; task < candidates.size() && count < limit; ++task)
    count *= static_cast<std::int64_t>(allowedRanks(candidates, excluded, task).size());
  return std::min(count, limit);
}

std::optional<DrawnChoice> drawChoice(const std::vector<TaskCandidates>& candidates,
                                      const std::set<CandidateId>& excluded,
                                      const std::set<Choice>& known, std::uint64_t seed,
                                      std::int64_t firstDraw) {
  for (std::int64_t draw = firstDraw; draw < firstDraw + kMaxKnownDraws; ++draw) {
    Random random = Random::stream(seed, "recombination", static_cast<std::uint64_t>(draw));
    Choice choice;
    for (std::size_t task = 0; task < candidates.size(); ++task)
      choice.push_back(random.pick(allowedRanks(candidates, excluded, task)));
    if (!known.contains(choice)) return DrawnChoice{std::move(choice), draw};
  }
  return std::nullopt;
}

std::set<CandidateId> culprits(const std::vector<SampleRow>& samples) {
  std::set<CandidateId> proven;
  const auto eachCandidate = [](const SampleRow& sample, const auto& visit) {
    for (std::size_t task = 0; task < sample.choice.size(); ++task)
      visit(CandidateId(static_cast<int>(task), sample.choice[task]));
  };
  for (const SampleRow& sample : samples)
    if (sample.verdict == Verdict::Ok)
      eachCandidate(sample, [&](CandidateId id) { proven.insert(id); });
  std::set<CandidateId> found;
  for (const SampleRow& sample : samples) {
    // A process that was killed from outside says nothing about its programs.
    if (sample.verdict == Verdict::Ok || sample.verdict == Verdict::WorkerLost) continue;
    std::vector<CandidateId> suspects;
    eachCandidate(sample, [&](CandidateId id) {
      if (id.second > 0 && !proven.contains(id)) suspects.push_back(id);
    });
    if (suspects.size() == 1) found.insert(suspects.front());
  }
  return found;
}

} // namespace nestwright
