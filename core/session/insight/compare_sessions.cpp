#include "core/session/insight/compare_sessions.h"

#include "core/record/rows/task_groups.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <algorithm>
#include <map>

namespace nestwright {

namespace {

std::string targetText(const RecordStore& store, const std::vector<TaskRow>& tasks,
                       std::string& key) {
  if (tasks.empty()) return {};
  for (const TargetRow& row : store.targets().all())
    if (row.id == tasks.front().target) {
      key = row.key;
      return row.text;
    }
  return {};
}

std::vector<TaskRow> tasksOf(const SessionRef& ref) {
  return ref.store->sessions().tasks(sessionRow(*ref.store, ref.session).id);
}

std::string programOf(const SessionRef& ref, const SessionBest& best) {
  if (!best.record) return {};
  const std::optional<Record> record = ref.store->records().one(best.record);
  return record ? record->program : std::string();
}

/// Of operators that have several definitions on either side.
void groupAlternatives(SessionComparison& comparison, const std::vector<TaskRow>& left,
                       const std::vector<TaskRow>& right) {
  for (const std::vector<TaskRow>* side : {&left, &right}) {
    const std::vector<std::size_t> definitions = definitionsAmong(*side);
    const std::vector<std::string> names = alternativeNames(*side);
    for (TaskComparison& task : comparison.tasks)
      for (std::size_t i = 0; i < side->size(); ++i)
        if ((*side)[i].key == task.key && !names[i].empty())
          task.group = (*side)[definitions[i]].key;
  }
}

bool isFaster(const SessionBest& a, const SessionBest& b) {
  return a.record != 0 && (b.record == 0 || a.latency.median() < b.latency.median());
}

/// What each side runs of an operator: of several definitions its fastest.
std::vector<TaskComparison> operatorsOf(const std::vector<TaskComparison>& tasks) {
  std::vector<TaskComparison> operators;
  for (const TaskComparison& task : tasks) {
    const auto same = std::ranges::find_if(operators, [&](const TaskComparison& known) {
      return !task.group.empty() && known.group == task.group;
    });
    if (same == operators.end()) {
      operators.push_back(task);
      continue;
    }
    if (isFaster(task.left, same->left)) same->left = task.left;
    if (isFaster(task.right, same->right)) same->right = task.right;
    same->leftWeight = std::max(same->leftWeight, task.leftWeight);
    same->rightWeight = std::max(same->rightWeight, task.rightWeight);
  }
  return operators;
}

void finish(TaskComparison& task, const SessionRef& left, const SessionRef& right) {
  task.latency = compareLatencies(task.left.latency, task.right.latency);
  const std::string program = programOf(left, task.left);
  task.sameProgram = !program.empty() && program == programOf(right, task.right);
}

} // namespace

SessionBest bestOf(const SessionRef& ref, RowId task) {
  SessionBest best;
  best.task = task;
  best.naiveSeconds = ref.store->tasks().summary(task).naiveSeconds;
  for (const VerdictCount& count : ref.store->records().verdictCounts(ref.session, task))
    best.trials += count.records;
  RecordQuery query;
  query.task = task, query.session = ref.session, query.verdict = Verdict::Ok;
  query.filter = parseRecordFilter("-is:implausible -is:contested");
  query.order = RecordQuery::Order::Fastest;
  query.limit = 1;
  for (const Record& record : ref.store->records().page(query)) {
    best.record = record.id, best.trial = record.trial;
    best.seconds = record.result.latency();
    best.latency.repeats = record.result.seconds;
    best.verified = record.verified;
  }
  return best;
}

SessionComparison compareSessions(const SessionRef& left, const SessionRef& right) {
  const std::vector<TaskRow> leftTasks = tasksOf(left), rightTasks = tasksOf(right);
  SessionComparison result;
  std::string leftKey, rightKey;
  result.leftTarget = targetText(*left.store, leftTasks, leftKey);
  result.rightTarget = targetText(*right.store, rightTasks, rightKey);
  result.sameMachine = leftKey == rightKey;
  std::map<std::string, const TaskRow*> onRight;
  for (const TaskRow& row : rightTasks)
    onRight[row.key] = &row;
  for (const TaskRow& row : leftTasks) {
    TaskComparison task;
    task.key = row.key, task.name = row.name, task.flops = row.flops;
    task.leftWeight = row.weight;
    task.left = bestOf(left, row.id);
    if (const auto found = onRight.find(row.key); found != onRight.end()) {
      task.rightWeight = found->second->weight;
      task.right = bestOf(right, found->second->id);
      onRight.erase(found);
    }
    finish(task, left, right);
    result.tasks.push_back(std::move(task));
  }
  for (const TaskRow& row : rightTasks) {
    if (!onRight.contains(row.key)) continue;
    TaskComparison task;
    task.key = row.key, task.name = row.name, task.flops = row.flops;
    task.rightWeight = row.weight;
    task.right = bestOf(right, row.id);
    finish(task, left, right);
    result.tasks.push_back(std::move(task));
  }
  groupAlternatives(result, leftTasks, rightTasks);
  std::vector<WeightedPair> pairs;
  for (const TaskComparison& task : operatorsOf(result.tasks))
    if (task.left.record && task.right.record)
      pairs.push_back({task.leftWeight > 0 ? task.leftWeight : task.rightWeight, task.left.latency,
                       task.right.latency});
  result.compared = static_cast<int>(pairs.size());
  result.total = compareTotals(pairs);
  return result;
}

} // namespace nestwright
