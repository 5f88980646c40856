#include "ui/document/demand_watch.h"

#include "core/record/store/record_rows.h"
#include "core/session/crossing/crossing.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double bestOf(const LiveSession& session, RowId task) {
  const TaskEntry* entry = session.task(task);
  return entry && entry->summary.bestRecord != 0 ? entry->summary.bestSeconds : kUnknown;
}

} // namespace

DemandWatch::DemandWatch(Document& document, Reader::Channel channel, QObject* parent)
    : QObject(parent), document_(document), channel_(channel) {
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          qOverload<const std::vector<Event>&>(&DemandWatch::take));
  connect(&document, &Document::leaving, this, &DemandWatch::forget);
}

void DemandWatch::measure(const MeasureProgram& command, const std::string& programId) {
  task_ = command.task;
  program_ = programId;
  bestBefore_ = bestOf(document_.session(), task_);
  record_.reset();
  told_.clear();
  setState(State::Waiting);
  document_.steering().steer(command);
}

void DemandWatch::forget() {
  if (state_ == State::None) return;
  program_.clear();
  record_.reset();
  setState(State::None);
}

void DemandWatch::setState(State state, const QString& reason) {
  state_ = state;
  reason_ = reason;
  Q_EMIT changed();
}

void DemandWatch::take(const std::vector<Event>& events) {
  for (const Event& event : events) {
    const auto* settled = std::get_if<ClaimSettled>(&event);
    if (settled && record_ && settled->record == record_->id) read(record_->id);
    if (!isUnderWay()) continue;
    if (const auto* demanded = std::get_if<MeasureDemanded>(&event);
        demanded && demanded->task == task_)
      setState(State::Measuring);
    else if (const auto* measured = std::get_if<Measured>(&event);
             measured && measured->task == task_ && measured->onDemand)
      read(measured->record);
    else if (const auto* refused = std::get_if<CommandRefused>(&event);
             refused && std::holds_alternative<MeasureProgram>(refused->command))
      setState(State::Refused, qs(refused->reason));
    else if (const auto* state = std::get_if<StateChanged>(&event))
      take(*state);
  }
}

void DemandWatch::take(const StateChanged& change) {
  const bool hindered = needsHelp(change.status, change.cause);
  // A session that pauses or ends keeps what was asked for, and begins with it the next time.
  if (hindered)
    setState(State::Refused, qs(change.reason));
  else if (change.status == SessionStatus::Paused || change.status == SessionStatus::Finished)
    setState(State::Waiting, DemandWatch::tr("It is measured when the session goes on."));
}

/// Which program was measured is known to the file alone.
void DemandWatch::read(RowId record) {
  told_.push_back(record); // a newer question replaces the one that waits
  document_.reader().ask<std::optional<Record>>(
      this, channel_,
      [told = told_, program = program_](const RecordStore& store) {
        std::optional<Record> found;
        for (const RowId id : told)
          if (const std::optional<Record> one = store.records().one(id);
              one && one->program == program)
            found = one;
        return found;
      },
      [this](std::optional<Record> found) {
        if (!found || found->program != program_) return;
        record_ = std::move(found);
        setState(State::Ended);
      });
}

QString DemandWatch::text() const {
  switch (state_) {
  case State::None:
    return {};
  case State::Waiting:
    if (!reason_.isEmpty()) return reason_;
    return document_.session().isRunning() ? tr("Waiting for the measurements under way …")
                                           : tr("Waiting for the session to begin …");
  case State::Measuring:
    return tr("Measuring …");
  case State::Ended:
    return resultText();
  case State::Refused:
    return tr("Not measured: %1").arg(reason_);
  }
  return {};
}

QString DemandWatch::resultText() const {
  const double seconds = record_->result.latency();
  if (!std::isfinite(seconds))
    return tr("It failed: %1 (record %2)")
        .arg(qs(oneSentence(record_->result)), QString::number(record_->id));
  const QString time = timeText(seconds);
  if (!std::isfinite(bestBefore_)) return tr("%1, the first time of this task").arg(time);
  switch (standingOf(*record_, document_.session().config().measure.repeats)) {
  case CrossStanding::Best:
    return tr("%1, the new best: %2 faster").arg(time, percentText(1 - seconds / bestBefore_));
  case CrossStanding::Contested:
    return tr("%1, faster than the best within noise: it is measured again in turns with it")
        .arg(time);
  case CrossStanding::Tie:
    return tr("%1, cannot be told from the best (%2)").arg(time, timeText(bestBefore_));
  case CrossStanding::Slower:
    break;
  }
  return seconds < bestBefore_ * 1.005
             ? tr("%1, as fast as the best").arg(time)
             : tr("%1, %2 slower than the best (%3)")
                   .arg(time, factorText(seconds / bestBefore_), timeText(bestBefore_));
}

} // namespace nestwright::ui

#include "moc_demand_watch.cpp"
