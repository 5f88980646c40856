#include "core/session/insight/timeline.h"

#include "core/measure/measure.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

constexpr int kPage = 20'000;

std::vector<CurvePoint> readTrials(const RecordStore& store, RowId session,
                                   const std::function<bool(double)>& goOn) {
  std::vector<CurvePoint> trials;
  const double expected =
      static_cast<double>(std::max<std::int64_t>(1, store.sessions().summary(session).trials));
  for (;;) {
    const std::vector<CurvePoint> page =
        store.trials().curve(session, trials.empty() ? 0 : trials.back().trial, kPage);
    trials.insert(trials.end(), page.begin(), page.end());
    if (static_cast<int>(page.size()) < kPage) return trials;
    if (!goOn(0.7 * std::min(1.0, static_cast<double>(trials.size()) / expected))) return {};
  }
}

/// What was forgotten and not restored is not among what counts today.
void addForgotten(const RecordStore& store, RowId session, std::vector<CurvePoint>& trials) {
  std::set<RowId> mentioned;
  for (const ForgottenRecords& change : forgottenRecords(store))
    mentioned.insert(change.what.records.begin(), change.what.records.end());
  const std::size_t known = trials.size();
  for (const RowId id : mentioned)
    if (const std::optional<Record> record = store.records().one(id);
        record && record->session == session && record->forgotten)
      trials.push_back({record->trial, record->wallSeconds, record->result.latency(), record->task,
                        record->id, false, record->result.verdict, record->onDemand});
  if (trials.size() > known) std::ranges::sort(trials, {}, &CurvePoint::trial);
}

} // namespace

/// Puts the records in their places between the events.
class Timeline::Builder {
 public:
  Builder(Timeline& timeline, const RecordStore& store) : timeline_(timeline), store_(store) {}

  void add(const EventRow& row) {
    std::optional<Event> known = eventOf(row);
    if (!known) return; // of a newer version
    Event event = std::move(*known);
    const std::int64_t trials = row.trials >= 0 ? row.trials : lastTrial(); // else told in between
    while (next_ < timeline_.trials_.size() && timeline_.trials_[next_].trial <= trials)
      addTrial();
    wall_ = std::max(wall_, row.wallSeconds);
    if (const auto* claim = std::get_if<ClaimSettled>(&event))
      timeline_.claimed_[claim->record] = claim->claimedSeconds;
    if (const auto* compared = std::get_if<AnswersCompared>(&event))
      for (const RowId record : compared->wrong)
        addFoundWrong(record);
    timeline_.entries_.push_back(
        {wall_, static_cast<std::uint32_t>(timeline_.others_.size()), false, made()});
    timeline_.others_.push_back({row.at, std::move(event)});
  }

  void finish() {
    while (next_ < timeline_.trials_.size())
      addTrial();
  }

 private:
  std::uint32_t made() const { return static_cast<std::uint32_t>(next_); }
  std::int64_t lastTrial() const { return next_ == 0 ? 0 : timeline_.trials_[next_ - 1].trial; }

  /// Until its answer was compared it counted with the time that it had.
  void addFoundWrong(RowId id) {
    std::optional<Record> record = store_.records().one(id);
    if (!record || record->result.verdict != Verdict::WrongAnswer) return;
    record->result.verdict = Verdict::Ok;
    timeline_.foundWrong_[id] = record->result.latency();
  }

  void addTrial() {
    const CurvePoint& trial = timeline_.trials_[next_];
    wall_ = std::max(wall_, trial.wallSeconds);
    timeline_.entries_.push_back({wall_, made(), true, made()});
    if (trial.verdict != Verdict::Ok)
      if (const std::optional<Record> record = store_.records().one(trial.record))
        timeline_.sentences_[trial.record] = oneSentence(record->result);
    ++next_;
  }

  Timeline& timeline_;
  const RecordStore& store_;
  std::size_t next_ = 0; // trial
  double wall_ = 0;
};

std::vector<ForgottenRecords> forgottenRecords(const RecordStore& store) {
  std::vector<ForgottenRecords> changes;
  for (const SessionRow& session : store.sessions().all())
    for (const RowId id : store.events().ids(session.id, kind(RecordsForgotten{})))
      if (const std::optional<EventRow> row = store.events().one(id)) {
        changes.push_back({session.id, row->at, std::get<RecordsForgotten>(eventOf(*row).value())});
      }
  std::ranges::stable_sort(changes, {}, &ForgottenRecords::at);
  return changes;
}

Timeline Timeline::read(const RecordStore& store, RowId session,
                        const std::function<bool(double)>& progress) {
  bool wanted = true;
  const auto goOn = [&](double share) {
    wanted = wanted && (!progress || progress(share));
    return wanted;
  };
  Timeline timeline;
  timeline.trials_ = readTrials(store, session, goOn);
  if (wanted) addForgotten(store, session, timeline.trials_);
  Builder builder(timeline, store);
  RowId after = 0;
  while (wanted) {
    const std::vector<EventRow> page = store.events().of(session, after, kPage);
    for (const EventRow& row : page)
      builder.add(row);
    if (static_cast<int>(page.size()) < kPage) break;
    after = page.back().id;
    // How many there are is not known; trials come at about the same rate.
    const double trials = static_cast<double>(std::max<std::size_t>(1, timeline.trials_.size()));
    goOn(0.7 + 0.3 * static_cast<double>(timeline.trials(timeline.size())) / trials);
  }
  if (!wanted) return {};
  builder.finish();
  return timeline;
}

Event Timeline::event(std::size_t index) const {
  const Entry& entry = entries_[index];
  if (!entry.isTrial) return others_[entry.index].event;
  const CurvePoint& trial = trials_[entry.index];
  Measured measured{trial.record,  trial.task,        trial.trial, trial.verdict,
                    trial.seconds, trial.wallSeconds, {},          trial.onDemand};
  const auto wrong = foundWrong_.find(trial.record);
  if (wrong != foundWrong_.end()) {
    measured.verdict = Verdict::Ok;
    measured.seconds = wrong->second;
  }
  if (const auto found = claimed_.find(trial.record); found != claimed_.end())
    measured.seconds = found->second;
  const auto sentence = sentences_.find(trial.record);
  if (sentence != sentences_.end() && wrong == foundWrong_.end())
    measured.sentence = sentence->second;
  return measured;
}

std::int64_t Timeline::at(std::size_t index) const {
  if (!entries_[index].isTrial) return others_[entries_[index].index].at;
  // From the nearest event before it, by the session's clock; or else from the first after it.
  for (std::size_t i = index; i-- > 0;)
    if (!entries_[i].isTrial)
      return others_[entries_[i].index].at +
             static_cast<std::int64_t>((entries_[index].wallSeconds - entries_[i].wallSeconds) *
                                       1e6);
  return others_.empty() ? 0 : others_.front().at;
}

std::size_t Timeline::toldBefore(std::int64_t at) const {
  std::size_t low = 0, high = entries_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (this->at(middle) < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::int64_t Timeline::trials(std::size_t position) const {
  if (position == 0) return 0;
  const Entry& last = entries_[position - 1];
  return last.trialsBefore + (last.isTrial ? 1 : 0);
}

RowId Timeline::lastRecord(std::size_t position) const {
  const std::int64_t made = trials(position);
  return made == 0 ? 0 : trials_[static_cast<std::size_t>(made) - 1].record;
}

bool Timeline::isGoodTrial(std::size_t index) const {
  if (!entries_[index].isTrial) return false;
  const CurvePoint& trial = trials_[entries_[index].index];
  return trial.verdict == Verdict::Ok || foundWrong_.contains(trial.record);
}

std::size_t Timeline::positionAt(double wallSeconds) const {
  const auto after = std::ranges::upper_bound(entries_, wallSeconds, {}, &Entry::wallSeconds);
  return static_cast<std::size_t>(after - entries_.begin());
}

} // namespace nestwright
