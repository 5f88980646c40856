#include "core/story/forgetting.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/story/replay_timeline.h"

#include <algorithm>

namespace nestwright {

Forgetting::Forgetting(const RecordStore& store, const SessionContents& contents,
                       const Timeline& timeline)
    : session_(contents.session.id) {
  const std::vector<Change> changes = changesOf(store, timeline);
  readMentioned(store, contents, changes);
  countEarlier(store, contents);
  if (mentioned_.empty()) return;
  if (concerned_) {
    readEligible(store, contents);
    bestsNow_ = bestRecords(contents, [this](RowId id) {
      const auto record = mentioned_.find(id);
      return record != mentioned_.end() && record->second.forgotten;
    });
    bestsAtFirst_ = bestsAt({0, forgottenAtFirst_, {}, {}, {}}, contents, timeline);
  }
  std::unordered_set<RowId> forgotten = forgottenAtFirst_;
  addMarks(0, forgotten, contents);
  for (const Change& change : changes)
    if (change.position > 0 && change.position != kAfterwards)
      addEpoch(change, forgotten, contents, timeline);
}

/// In the order in which they were made.
std::vector<Forgetting::Change> Forgetting::changesOf(const RecordStore& store,
                                                      const Timeline& timeline) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (timeline.isGoodTrial(i)) continue;
    const Event event = timeline.event(i);
    if (const auto* claim = std::get_if<ClaimSettled>(&event); claim && claim->confirmed)
      confirmedAt_[claim->record] = i + 1;
    if (const auto* change = std::get_if<RecordsForgotten>(&event))
      changes.push_back({i + 1, *change});
  }
  for (ForgottenRecords& change : forgottenRecords(store)) {
    if (change.session == session_) continue;
    const std::size_t told = timeline.toldBefore(change.at);
    changes.push_back({told == timeline.size() ? kAfterwards : told, std::move(change.what)});
  }
  std::ranges::stable_sort(changes, {}, &Change::position);
  return changes;
}

void Forgetting::readMentioned(const RecordStore& store, const SessionContents& contents,
                               const std::vector<Change>& changes) {
  for (const Change& change : changes)
    for (const RowId id : change.what.records) {
      if (!mentioned_.contains(id)) {
        std::optional<Record> record = store.records().one(id);
        if (!record) continue;
        record->steps.clear();
        concerned_ |= std::ranges::any_of(
            contents.tasks, [&](const TaskEntry& task) { return task.row.id == record->task; });
        mentioned_[id] = std::move(*record);
        // What is restored first had been forgotten before.
        if (!change.what.forgotten) forgottenAtFirst_.insert(id);
      }
      if (change.position > 0) continue;
      if (change.what.forgotten)
        forgottenAtFirst_.insert(id);
      else
        forgottenAtFirst_.erase(id);
    }
  RecordQuery forgotten;
  forgotten.session = session_;
  forgotten.forgotten = RecordQuery::Forgotten::Only;
  untold_ = store.records().count(forgotten) -
            std::ranges::count_if(mentioned_, [this](const auto& known) {
              return known.second.session == session_ && known.second.forgotten;
            });
}

void Forgetting::addEpoch(Change change, std::unordered_set<RowId>& forgotten,
                          const SessionContents& contents, const Timeline& timeline) {
  Epoch epoch;
  epoch.position = change.position;
  for (const RowId id : change.what.records) {
    if (change.what.forgotten)
      forgotten.insert(id);
    else
      forgotten.erase(id);
    if (const auto record = mentioned_.find(id); record != mentioned_.end())
      epoch.changed.push_back(record->second.task);
  }
  addMarks(change.position, forgotten, contents);
  if (!concerned_) return;
  epoch.forgotten = forgotten;
  for (const auto& [id, record] : mentioned_) {
    if (record.session >= session_) continue;
    const int less = int(forgotten.contains(id)) - int(forgottenAtFirst_.contains(id));
    epoch.fewer[record.task].trials += less;
    if (record.result.verdict != Verdict::Ok) epoch.fewer[record.task].errors += less;
  }
  epoch.bests = bestsAt(epoch, contents, timeline);
  epochs_.push_back(std::move(epoch));
}

void Forgetting::addMarks(std::size_t position, const std::unordered_set<RowId>& forgotten,
                          const SessionContents& contents) {
  OtherMarks marks;
  for (const auto& [id, record] : mentioned_)
    if (forgotten.contains(id) != record.forgotten) marks.forgotten.push_back(id);
  std::ranges::sort(marks.forgotten);
  if (concerned_ && !marks.forgotten.empty())
    std::ranges::set_symmetric_difference(
        bestRecords(contents, [&](RowId id) { return forgotten.contains(id); }), bestsNow_,
        std::back_inserter(marks.best));
  marks_.emplace_back(position, marks.forgotten.empty()
                                    ? nullptr
                                    : std::make_shared<const OtherMarks>(std::move(marks)));
}

std::shared_ptr<const OtherMarks> Forgetting::marksAt(std::size_t position) const {
  const auto after =
      std::ranges::upper_bound(marks_, position, {}, [](const auto& marks) { return marks.first; });
  return after == marks_.begin() ? nullptr : std::prev(after)->second;
}

void Forgetting::countEarlier(const RecordStore& store, const SessionContents& contents) {
  for (const TaskEntry& task : contents.tasks) {
    TrialCount& count = earlier_[task.row.id];
    for (const SessionRow& session : contents.sessions) {
      if (session.id >= session_) continue;
      for (const VerdictCount& of : store.records().verdictCounts(session.id, task.row.id)) {
        count.trials += of.records;
        if (of.verdict != Verdict::Ok) count.errors += of.records;
      }
    }
  }
  for (const auto& [id, record] : mentioned_) {
    if (record.session >= session_) continue;
    const int more = int(record.forgotten) - int(forgottenAtFirst_.contains(id));
    earlier_[record.task].trials += more;
    if (record.result.verdict != Verdict::Ok) earlier_[record.task].errors += more;
  }
}

TrialCount Forgetting::earlier(RowId task) const {
  const auto found = earlier_.find(task);
  return found == earlier_.end() ? TrialCount() : found->second;
}

void Forgetting::readEligible(const RecordStore& store, const SessionContents& contents) {
  static constexpr int kPage = 2000;
  for (const TaskEntry& task : contents.tasks) {
    RecordQuery query;
    query.task = task.row.id;
    query.forgotten = RecordQuery::Forgotten::With;
    query.filter = parseRecordFilter("is:verified -is:implausible -is:contested");
    query.order = RecordQuery::Order::Oldest;
    query.limit = kPage;
    std::vector<Eligible>& all = eligible_[task.row.id];
    for (;;) {
      const std::vector<Record> page = store.records().page(query);
      for (const Record& record : page) {
        if (record.result.verdict != Verdict::Ok) continue;
        if (record.forgotten && !mentioned_.contains(record.id)) never_.insert(record.id);
        all.push_back({record.session,
                       {record.trial, record.wallSeconds, record.result.latency(), record.id}});
      }
      if (static_cast<int>(page.size()) < kPage) break;
      query.after = page.back().id;
    }
  }
}

/// As the store chooses them: each record that is faster than all before it, of those that count.
InheritedBests
Forgetting::choose(const SessionContents& contents,
                   const std::function<bool(RowId session, const BestPoint&)>& counts) const {
  InheritedBests bests;
  for (const TaskEntry& task : contents.tasks) {
    bests.emplace_back(task.row.id, std::vector<BestPoint>());
    double best = kUnknown;
    for (const auto& [session, point] : eligible_.at(task.row.id)) {
      if (!(point.seconds < best) || never_.contains(point.record) || !counts(session, point))
        continue;
      best = point.seconds;
      bests.back().second.push_back(point);
    }
  }
  return bests;
}

InheritedBests Forgetting::bestsAt(const Epoch& epoch, const SessionContents& contents,
                                   const Timeline& timeline) const {
  const RowId last = timeline.lastRecord(epoch.position);
  return choose(contents, [&](RowId session, const BestPoint& point) {
    const bool later = point.record > last && session >= session_;
    const auto confirmed = confirmedAt_.find(point.record);
    return !later && !epoch.forgotten.contains(point.record) &&
           (confirmed == confirmedAt_.end() || confirmed->second <= epoch.position);
  });
}

/// Those that were each their task's best in their time, later ones than the moment included.
std::set<RowId> Forgetting::bestRecords(const SessionContents& contents,
                                        const std::function<bool(RowId record)>& forgotten) const {
  std::set<RowId> records;
  for (const auto& [task, bests] :
       choose(contents, [&](RowId, const BestPoint& point) { return !forgotten(point.record); }))
    for (const BestPoint& best : bests)
      records.insert(best.record);
  return records;
}

std::size_t Forgetting::at(std::size_t position) const {
  return static_cast<std::size_t>(
      std::ranges::upper_bound(epochs_, position, {}, &Epoch::position) - epochs_.begin());
}

TuningHistory Forgetting::historyOf(std::size_t times, const Timeline& timeline,
                                    const std::vector<TaskEntry>& tasks) const {
  const Epoch& epoch = epochs_[times - 1];
  TuningHistory history;
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : tasks) {
    rows.push_back(task.row);
    summaries.push_back(task.summary);
  }
  history.reset(rows, summaries);
  std::unordered_set<RowId> best;
  for (const auto& [task, bests] : epoch.bests) {
    history.inherit(task, bests);
    for (const BestPoint& point : bests)
      best.insert(point.record);
  }
  const auto made = static_cast<std::size_t>(timeline.trials(epoch.position));
  for (std::size_t i = 0; i < made; ++i) {
    CurvePoint point = timeline.records()[i];
    if (epoch.forgotten.contains(point.record)) continue;
    point.verifiedBest = best.contains(point.record);
    history.add(point);
  }
  if (history.lastTrial() == 0) history.takeInherited(std::numeric_limits<RowId>::max());
  return history;
}

void Forgetting::recount(std::size_t times, const Timeline& timeline, LiveState& state) const {
  const Epoch& epoch = epochs_[times - 1];
  state.history = historyOf(times, timeline, state.tasks);
  state.progress.errors = 0;
  for (TaskEntry& task : state.tasks) {
    const RowId id = task.row.id;
    task.summary.bestRecord = 0;
    task.summary.bestSeconds = kUnknown;
    for (const auto& [of, bests] : epoch.bests)
      if (of == id && !bests.empty()) {
        task.summary.bestRecord = bests.back().record;
        task.summary.bestSeconds = bests.back().seconds;
      }
    const TrialCount before = earlier(id);
    const auto found = epoch.fewer.find(id);
    const TrialCount fewer = found == epoch.fewer.end() ? TrialCount() : found->second;
    task.summary.trials = before.trials - fewer.trials;
    task.summary.errors = before.errors - fewer.errors;
    if (std::ranges::find(epoch.changed, id) != epoch.changed.end())
      task.exhausted.clear(); // what was forgotten can be proposed again
    for (const TrialPoint& trial : state.history.find(id)->trials) {
      ++task.summary.trials;
      if (trial.verdict == Verdict::Ok) continue;
      ++task.summary.errors;
      ++state.progress.errors;
    }
  }
}

} // namespace nestwright
