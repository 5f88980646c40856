#include "core/session/run/tuning/run_log.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/clock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace nestwright {

RunLog::RunLog(RecordStore store, RowId session, Observer observer)
    : store_(std::move(store)), observer_(std::move(observer)), row_(sessionRow(store_, session)),
      state_(tuningStateFromText(row_.schedulerState)) {
  RecordQuery newest;
  newest.forgotten = RecordQuery::Forgotten::With;
  newest.limit = 1;
  for (const Record& record : store_.records().page(newest))
    counts_.newestRecord = record.id;
  // A killed session stored its last trial, but not the time until then in its own row.
  row_.wallSeconds = std::max(row_.wallSeconds, store_.trials().last(row_.id).second);
  if (row_.status == SessionStatus::Running) row_.status = SessionStatus::Paused;
}

std::int64_t RunLog::countTrial(const MeasureResult& result) {
  count(result);
  counts_.errors += result.verdict == Verdict::Ok ? 0 : 1;
  return ++counts_.trials;
}

void RunLog::recount(std::int64_t trials, std::int64_t errors, double kernelSeconds) {
  counts_.trials = trials;
  counts_.errors = errors;
  counts_.kernelSeconds = kernelSeconds;
}

void RunLog::obey(const CommandObeyed& command, const std::function<void()>& how) {
  obeying_ = command;
  try {
    how();
  } catch (...) {
    obeying_.reset(); // or the end of the session would be stored as what the command changed
    throw;
  }
  if (!obeying_) return;
  obeying_->changed = false;
  storeAndTell({}, [] {});
}

void RunLog::refuse(const Command& command, const std::string& reason) {
  obeying_.reset();
  tell(CommandRefused{command, reason});
}

void RunLog::storeAndTell(const std::vector<Event>& events,
                          const std::function<void()>& alsoStore) {
  storeAndTell([&] {
    alsoStore();
    return events;
  });
}

void RunLog::storeAndTell(const std::function<std::vector<Event>()>& store) {
  const InPart storing(parts_, RoundPart::Storing);
  std::vector<Event> events;
  store_.transaction([&] {
    events = store();
    if (obeying_) events.insert(events.begin(), *obeying_);
    for (const Event& event : events)
      store_.events().add({0, row_.id, nowMicroseconds(), kind(event), toJson(event).dump(),
                           counts_.trials, wallSeconds()});
  });
  obeying_.reset();
  for (const Event& event : events)
    tell(event);
}

void RunLog::saveAndTell(const std::vector<Event>& events) {
  storeAndTell(events, [&] { save(); });
}

void RunLog::save() {
  const InPart storing(parts_, RoundPart::Storing);
  row_.updatedAt = nowMicroseconds();
  row_.schedulerState = toText(state_);
  SessionRow row = row_;
  row.wallSeconds = wallSeconds();
  store_.sessions().update(row);
}

void RunLog::enter(SessionStatus status) {
  if (status == SessionStatus::Running && !runningSince_) {
    runningSince_ = std::chrono::steady_clock::now();
    parts_.restart();
  } else if (status != SessionStatus::Running && runningSince_) {
    row_.wallSeconds = wallSeconds();
    runningSince_.reset();
  }
  row_.status = status;
}

void RunLog::advance(double seconds) {
  row_.wallSeconds += seconds;
  parts_.add(seconds);
}

void RunLog::hold() {
  if (!runningSince_) return;
  row_.wallSeconds = wallSeconds();
  runningSince_.reset();
}

void RunLog::goOn() {
  if (runningSince_ || row_.status != SessionStatus::Running) return;
  runningSince_ = std::chrono::steady_clock::now();
  parts_.restart();
}

void RunLog::setBack(double wallSeconds) {
  row_.wallSeconds -= this->wallSeconds() - wallSeconds;
}

double RunLog::wallSeconds() const {
  return row_.wallSeconds + (runningSince_ ? secondsSince(*runningSince_) : 0);
}

} // namespace nestwright
