/// The curves of a document: what earlier sessions left, then the trials, read a part at a time.

#include "core/record/store/trial_rows.h"
#include "core/story/inherited_bests.h"
#include "ui/document/document.h"

#include <chrono>
#include <limits>
#include <utility>

namespace nestwright::ui {

void Document::resetHistory() {
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : contents_.tasks) {
    rows.push_back(task.row);
    summaries.push_back(task.summary);
  }
  history_.reset(rows, summaries);
  historyLoading_ = true;
  arrivedWhileLoading_.clear();
}

void Document::loadInherited(std::size_t from) {
  // A few tasks at a time: other questions get their turn in between.
  static constexpr std::chrono::milliseconds kTurn{30};
  std::vector<TaskRow> tasks;
  for (const TaskEntry& task : contents_.tasks)
    tasks.push_back(task.row);
  using Answer = std::pair<InheritedBests, std::size_t>;
  reader_.ask<Answer>(
      Reader::Channel::History,
      [session = contents_.session.id, tasks, from](const RecordStore& store) {
        Answer answer{{}, from};
        answer.first = readInherited(store, session, tasks, answer.second, kTurn);
        return answer;
      },
      [this, count = tasks.size()](Answer answer) {
        for (const auto& [task, bests] : answer.first)
          history_.inherit(task, bests);
        if (answer.second < count) return loadInherited(answer.second);
        loadHistory();
      },
      [this](const QString& error) {
        historyLoaded();
        Q_EMIT warning(error);
      });
}

void Document::loadHistory() {
  // Page by page: other questions get their turn in between.
  static constexpr int kPage = 20'000;
  reader_.ask<std::vector<CurvePoint>>(
      Reader::Channel::History,
      [session = contents_.session.id, after = history_.lastTrial()](const RecordStore& store) {
        return store.trials().curve(session, after, kPage);
      },
      [this](std::vector<CurvePoint> points) {
        for (const CurvePoint& point : points)
          history_.add(point);
        if (points.size() < kPage) return historyLoaded();
        Q_EMIT historyChanged();
        loadHistory();
      },
      [this](const QString& error) {
        historyLoaded();
        Q_EMIT warning(error);
      });
}

void Document::historyLoaded() {
  historyLoading_ = false;
  for (const CurvePoint& point : std::exchange(arrivedWhileLoading_, {}))
    history_.add(point);
  // A session that has no trials yet will begin from there.
  if (history_.lastTrial() == 0) history_.takeInherited(std::numeric_limits<RowId>::max());
  Q_EMIT historyChanged();
}

} // namespace nestwright::ui
