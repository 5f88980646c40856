#include "core/session/run/memory/known_programs.h"

#include "core/record/format/record_program.h"
#include "core/record/format/target_facts.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace nestwright {

namespace {

/// Records of a task that are looked through for those to learn from, the fastest: a file may have
/// millions.
constexpr int kMostLookedAt = 4096;

bool isOfUse(const Record& record) {
  return record.result.verdict == Verdict::Ok && !record.implausible && !record.contested &&
         !isOfTemplate(record);
}

} // namespace

std::vector<RecordStore> openMemory(const std::vector<std::string>& memory,
                                    const std::string& own) {
  std::vector<RecordStore> files;
  std::set<std::string> opened;
  for (const std::string& name : memory) {
    const bool isOwn = name == kOwnMemory;
    const std::string& path = isOwn ? own : name;
    if (!std::filesystem::exists(path)) {
      if (isOwn) continue; // it begins now
      throw InputError(fmt::format("the session is to remember the programs of {}, and there is no "
                                   "such file",
                                   path));
    }
    if (!opened.insert(std::filesystem::canonical(path)).second) continue;
    files.push_back(RecordStore::open(path, OpenMode::ReadOnly));
  }
  return files;
}

MemoryTasks::MemoryTasks(const std::vector<RecordStore>& files) : files_(files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::map<RowId, TargetFacts> targets;
    for (const TargetRow& row : files[i].targets().all())
      if (std::optional<TargetFacts> facts = factsIfKnown(row))
        targets.emplace(row.id, std::move(*facts));
    for (TaskRow& row : files[i].tasks().all()) {
      const auto target = targets.find(row.target);
      std::optional<ComputeDag> dag = dagIfKnown(row);
      if (target == targets.end() || !dag) continue;
      MemoryTask task{i, std::move(row), std::move(*dag), target->second, {}, {}};
      task.definition = definitionHash(task.dag);
      task.kind = kindHash(task.dag);
      tasks_.push_back(std::move(task));
    }
  }
}

std::vector<RelatedTask> MemoryTasks::relatedTo(const ComputeDag& task,
                                                const TargetFacts& target) const {
  const std::string definition = definitionHash(task), kind = kindHash(task);
  std::vector<RelatedTask> related;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const MemoryTask& known = tasks_[i];
    const bool isSame = known.definition == definition;
    if (!isSame && known.kind != kind) continue;
    switch (kinshipOf(known.target, target)) {
    case TargetKinship::Same:
      related.push_back({isSame ? MemorySource::SameTask : MemorySource::SameKind,
                         extentDistance(task, known.dag), i});
      break;
    case TargetKinship::SameMachine:
      if (isSame) related.push_back({MemorySource::SameMachine, 0, i});
      break;
    case TargetKinship::Other:
      // Steps for blocks and threads mean nothing on a processor, nor the other way round.
      if (isSame && known.target.gpu.has_value() == target.gpu.has_value())
        related.push_back({MemorySource::OtherTarget, 0, i});
      break;
    }
  }
  std::ranges::stable_sort(related, [](const RelatedTask& a, const RelatedTask& b) {
    return std::tuple(a.source, a.distance) < std::tuple(b.source, b.distance);
  });
  return related;
}

std::vector<Record> MemoryTasks::fastest(const MemoryTask& task, std::size_t count) const {
  RecordQuery query;
  query.task = task.row.id;
  query.verdict = Verdict::Ok;
  query.order = RecordQuery::Order::Fastest;
  query.limit = int(8 * count); // some of them are measured again, or of no use
  std::vector<Record> fastest;
  std::set<std::string> taken;
  for (Record& record : fileOf(task).records().page(query)) {
    if (fastest.size() == count) break;
    if (isOfUse(record) && taken.insert(record.program).second)
      fastest.push_back(std::move(record));
  }
  return fastest;
}

std::vector<Record> MemoryTasks::sample(const MemoryTask& task, std::size_t count) const {
  RecordQuery query;
  query.task = task.row.id;
  query.order = RecordQuery::Order::Fastest;
  query.limit = kMostLookedAt;
  std::vector<Record> all;
  std::set<std::string> taken;
  for (Record& record : fileOf(task).records().page(query))
    if (!saysNothing(record.result.verdict) && !record.implausible && !isOfTemplate(record) &&
        taken.insert(record.program).second)
      all.push_back(std::move(record));
  if (all.size() <= count) return all;
  std::vector<Record> sample;
  const std::size_t fastest = count / 2, spread = count - fastest, others = all.size() - fastest;
  for (std::size_t i = 0; i < fastest; ++i)
    sample.push_back(std::move(all[i]));
  for (std::size_t i = 0; i < spread; ++i)
    sample.push_back(std::move(all[fastest + i * others / spread]));
  return sample;
}

} // namespace nestwright
