#include "ui/log/log_model.h"

#include "core/record/rows/session_status.h"
#include "core/record/store/event_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/clock.h"
#include "core/support/overloaded.h"
#include "ui/document/document.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"

#include <cmath>
#include <optional>

namespace nestwright::ui {
namespace {

/// What the user changed, as a line of the log.
struct SteeringText {
  QString kind, message;
  RowId task = 0;
  bool bad = false;
};
using TaskName = std::function<QString(RowId)>;

QString senderText(Sender sender) {
  switch (sender) {
  case Sender::Window:
    return LogModel::tr("the window");
  case Sender::CommandLine:
    return LogModel::tr("the command line");
  case Sender::Signal:
    return LogModel::tr("Ctrl+C");
  case Sender::Program:
    break;
  }
  return LogModel::tr("a program");
}

QString programText(RowId record) {
  return record != 0 ? LogModel::tr("the program of record %1").arg(record)
                     : LogModel::tr("a program given as steps");
}

SteeringText steeringText(const TaskModeChanged& e, const TaskName& task) {
  const QString text = e.mode == TaskMode::Pinned ? LogModel::tr("%1 gets every round from now on")
                       : e.mode == TaskMode::Paused ? LogModel::tr("%1 gets no rounds from now on")
                                                    : LogModel::tr("%1 is free again");
  const QString why = e.reason.empty() ? QString() : QStringLiteral(": ") + qs(e.reason);
  return {qs(name(e.mode)), text.arg(task(e.task)) + why, e.task};
}

SteeringText steeringText(const SettingsChanged& e, const TaskName&) {
  return {LogModel::tr("settings"), qs(e.what)};
}

SteeringText steeringText(const SeedChanged& e, const TaskName& task) {
  return {LogModel::tr("seed"),
          (e.added ? LogModel::tr("%1: the search starts from %2 too")
                   : LogModel::tr("%1: the search no longer starts from %2"))
              .arg(task(e.task), programText(e.record)),
          e.task};
}

SteeringText steeringText(const MeasureDemanded& e, const TaskName& task) {
  return {LogModel::tr("on demand"),
          LogModel::tr("%1: %2 is measured next").arg(task(e.task), programText(e.record)), e.task};
}

SteeringText steeringText(const PolicyTalked& e, const TaskName& task) {
  return {LogModel::tr("policy"), QStringLiteral("%1: %2").arg(task(e.task), qs(sentence(e.talk))),
          e.task, e.talk.given < e.talk.asked};
}

SteeringText steeringText(const ProposalDropped& e, const TaskName& task) {
  return {LogModel::tr("round %1").arg(e.round),
          LogModel::tr("%1: what was proposed ahead is dropped, and the round chosen anew: %2")
              .arg(task(e.task), qs(e.reason)),
          e.task};
}

SteeringText steeringText(const RecordsForgotten& e, const TaskName&) {
  const QString what = e.records.size() == 1 ? LogModel::tr("record %1").arg(e.records.front())
                                             : LogModel::tr("%1 records").arg(e.records.size());
  return {e.forgotten ? LogModel::tr("forgotten") : LogModel::tr("restored"), what};
}

SteeringText steeringText(const EnvironmentChecked& e, const TaskName&) {
  QStringList texts;
  for (const std::string& advice : environmentAdvice(e.findings))
    texts.append(qs(advice));
  if (texts.isEmpty())
    return {LogModel::tr("machine"), LogModel::tr("nothing disturbs the measurements")};
  return {LogModel::tr("machine"), texts.join(QStringLiteral("  ")), 0, true};
}

} // namespace

LogModel::LogModel(Document& document, QObject* parent) : ColumnModel(parent), document_(document) {
  setColumns(columns());
  connect(&document, &Document::stateChanged, this, &LogModel::reload);
  connect(&document.notices(), &Notices::warned, this, &LogModel::note);
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [this](const std::vector<Event>& events) {
            std::vector<Line> lines;
            const Names names = this->names();
            const std::vector<std::int64_t>& times = document_.follower().eventTimes();
            for (std::size_t i = 0; i < events.size(); ++i) {
              if (auto line =
                      lineOf(events[i], times.empty() ? nowMicroseconds() : times[i], names, last_))
                lines.push_back(std::move(*line));
              last_ = events[i];
            }
            append(std::move(lines));
          });
  connect(&document.follower(), &SessionFollower::jumped, this, &LogModel::reloadPast);
}

LogModel::Names LogModel::names() const {
  return {taskNames(document_), document_.session().config().objective.kind};
}

/// Trials that went well are not told one by one: the records table does that.
std::optional<LogModel::Line> LogModel::lineOf(const Event& event, std::int64_t at,
                                               const Names& names) {
  using Result = std::optional<Line>;
  const auto taskName = [&](RowId task) { return names.tasks.title(task); };
  return std::visit(
      Overloaded{
          [&](const StateChanged& e) -> Result {
            const QString status = qs(name(e.status));
            return Line{at, tr("session"),
                        e.reason.empty() ? status
                                         : QStringLiteral("%1: %2").arg(status, qs(e.reason)),
                        e.status == SessionStatus::Failed, 0};
          },
          [&](const TaskChosen& e) -> Result {
            return Line{at, tr("round %1").arg(e.round),
                        QStringLiteral("%1: %2").arg(taskName(e.task),
                                                     choiceText(e, names.tasks, names.objective)),
                        false, e.task};
          },
          [&](const NaiveMeasured& e) -> Result {
            return Line{at, tr("naive"),
                        tr("%1 takes %2").arg(taskName(e.task), timeText(e.seconds)), false,
                        e.task};
          },
          [&](const Measured& e) -> Result {
            if (e.verdict == Verdict::Ok) return std::nullopt;
            return Line{
                at, qs(name(e.verdict)),
                tr("%1, trial %2: %3").arg(taskName(e.task)).arg(e.trial).arg(qs(e.sentence)), true,
                e.task};
          },
          [&](const NewBest& e) -> Result {
            QString text = tr("%1: %2").arg(taskName(e.task), timeText(e.seconds));
            if (std::isfinite(e.previousSeconds) && e.previousSeconds > 0)
              text += tr(", %1 faster").arg(percentText(1 - e.seconds / e.previousSeconds));
            if (std::isfinite(e.totalSeconds))
              text += tr("; total %1").arg(timeText(e.totalSeconds));
            return Line{at, tr("new best"), text, false, e.task};
          },
          [&](const ImportanceChanged& e) -> Result {
            return Line{at, tr("importance"),
                        tr("%1 is now at %2×").arg(taskName(e.task)).arg(e.importance), false,
                        e.task};
          },
          [&](const TaskExhausted& e) -> Result {
            return Line{at, tr("exhausted"),
                        QStringLiteral("%1: %2").arg(taskName(e.task), qs(e.reason)), true, e.task};
          },
          [&](const AnswersCompared& e) -> Result {
            return Line{at, tr("wrong answers"),
                        tr("%1: a program of a sketch gave a wrong answer; %2 others of it were "
                           "compared with the naive program, %3 of them are wrong")
                            .arg(taskName(e.task))
                            .arg(e.compared)
                            .arg(e.wrong.size()),
                        true, e.task};
          },
          [&](const ModelUpdated& e) -> Result {
            QString text = tr("learned from %1 programs (%2: %3)")
                               .arg(e.programs)
                               .arg(qs(e.kind), qs(e.reason));
            if (e.ranked > 0)
              text += tr("; ranked %1 of the pairs of this round right")
                          .arg(percentText(e.rankAccuracy));
            if (!e.ranking.empty()) text += tr(" (by %1)").arg(qs(e.ranking));
            if (!e.unseen.empty()) text += QStringLiteral("; ") + qs(e.unseen);
            return Line{at, tr("cost model"), text, false, 0};
          },
          [&](const ClaimSettled& e) -> Result {
            const QString text =
                e.confirmed
                    ? tr("%1: measured again, trial %2 is faster than the best in %3 of %3 turns")
                    : tr("%1: measured again, trial %2 is not surely faster than the best (%3 "
                         "turns): the best stays");
            return Line{at, tr("confirmation"),
                        text.arg(taskName(e.task)).arg(e.trial).arg(e.pairs), false, e.task};
          },
          [&](const PhaseFinished& e) -> Result {
            return Line{at, tr("round %1").arg(e.round),
                        QStringLiteral("%1: %2").arg(qs(name(e.phase)), qs(e.sentence)), false,
                        e.task};
          },
          [&](const SteppingChanged& e) -> Result {
            return Line{at, tr("session"),
                        e.on ? tr("pauses after each phase") : tr("no longer pauses after phases"),
                        false, 0};
          },
          [&](const CandidatesSelected&) -> Result { return std::nullopt; },
          [&](const ConfigsPlanned&) -> Result { return std::nullopt; }, // its phase tells it
          [&](const RoundFinished&) -> Result { return std::nullopt; },
          [&](const Progress&) -> Result { return std::nullopt; },
          [&](const CommandRefused&) -> Result { return std::nullopt; }, // a warning tells it
          [&](const CommandObeyed& e) -> Result {
            if (e.changed) return std::nullopt; // the next event tells what
            return Line{
                at, tr("command"),
                tr("%1: nothing changed (by %2)").arg(qs(words(e.command)), senderText(e.sender)),
                false, 0};
          },
          [&](const auto& steering) -> Result {
            const SteeringText said = steeringText(steering, taskName);
            return Line{at, said.kind, said.message, said.bad, said.task};
          },
      },
      event);
}

std::optional<LogModel::Line> LogModel::lineOf(const Event& event, std::int64_t at,
                                               const Names& names,
                                               const std::optional<Event>& before) {
  std::optional<Line> line = lineOf(event, at, names);
  const auto* command = before ? std::get_if<CommandObeyed>(&*before) : nullptr;
  if (line && command && command->changed)
    line->message = tr("%1 (by %2)").arg(line->message, senderText(command->sender));
  return line;
}

void LogModel::append(std::vector<Line> lines) {
  if (lines.empty()) return;
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(lines.size()) - 1);
  for (Line& line : lines)
    lines_.push_back(std::move(line));
  endInsertRows();
  const int surplus = rowCount() - kMaxLines;
  if (surplus <= 0) return;
  beginRemoveRows({}, 0, surplus - 1);
  lines_.erase(lines_.begin(), lines_.begin() + surplus);
  endRemoveRows();
}

void LogModel::note(const QString& message) {
  append({Line{nowMicroseconds(), tr("window"), message, true, 0}});
}

/// The last lines of a session's events; runs on the reader's thread.
std::vector<LogModel::Line> LogModel::readLines(const RecordStore& store, RowId session,
                                                const Names& names) {
  std::deque<Line> lines;
  RowId after = 0;
  std::optional<Event> before;
  for (;;) {
    const std::vector<EventRow> rows = store.events().of(session, after, kMaxLines);
    for (const EventRow& row : rows) {
      try {
        std::optional<Event> event = eventOf(row);
        if (!event)
          lines.push_back({row.at, qs(row.kind), tr("of a newer version of Nestwright"), true, 0});
        else if (auto line = lineOf(*event, row.at, names, before))
          lines.push_back(std::move(*line));
        before = std::move(event);
      } catch (const InputError& damage) {
        lines.push_back({row.at, qs(row.kind), qs(damage.what()), true, 0});
        before.reset();
      }
    }
    while (lines.size() > kMaxLines)
      lines.pop_front();
    if (rows.size() < kMaxLines) break;
    after = rows.back().id;
  }
  return {std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end())};
}

std::vector<LogModel::Line> LogModel::linesOf(const ReplayTimeline& past, std::size_t position,
                                              const Names& names) {
  const Timeline& timeline = past.events();
  std::deque<Line> lines;
  for (std::size_t i = position; i-- > 0 && lines.size() < kMaxLines;) {
    if (timeline.isGoodTrial(i)) continue;
    std::optional<Event> before;
    if (i > 0) before = timeline.event(i - 1);
    if (auto line = lineOf(timeline.event(i), timeline.at(i), names, before))
      lines.push_front(std::move(*line));
  }
  return {std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end())};
}

void LogModel::reloadPast() {
  if (!document_.replayMode().isOn()) return;
  const std::size_t told = document_.replayMode().replay()->position();
  last_.reset();
  if (told > 0) last_ = document_.replayMode().replay()->timeline()->events().event(told - 1);
  document_.reader().ask<std::vector<Line>>(
      this, Reader::Channel::Log,
      [past = document_.replayMode().replay()->timeline(),
       position = document_.replayMode().replay()->position(),
       names = names()](const RecordStore&) { return linesOf(*past, position, names); },
      [this, position = document_.replayMode().replay()->position()](std::vector<Line> lines) {
        if (!document_.replayMode().isOn() ||
            document_.replayMode().replay()->position() < position)
          return;
        beginResetModel();
        lines_.assign(std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
        endResetModel();
        // What was told while the past was looked up.
        if (document_.replayMode().replay()->position() > position) reloadPast();
      });
}

void LogModel::reload() {
  last_.reset();
  beginResetModel();
  lines_.clear();
  endResetModel();
  if (document_.state() != DocumentState::Ready) return;
  document_.reader().ask<std::vector<Line>>(
      this, Reader::Channel::Log,
      [session = document_.session().row().id, names = names()](const RecordStore& store) {
        return readLines(store, session, names);
      },
      [this](std::vector<Line> lines) {
        // What arrived live meanwhile is in the file too.
        beginResetModel();
        lines_.assign(std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
        endResetModel();
      });
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

const LogLine* LogModel::rowAt(const QModelIndex& index) const {
  return index.row() < rowCount() ? &lines_[index.row()] : nullptr;
}

LogModel::Columns LogModel::columns() {
  const auto message = [](const Line& line) { return line.message; };
  return {{.title = tr("Time"),
           .tip = tr("When it happened, local time."),
           .text = [](const Line& line) { return momentText(line.at); },
           .colour = kDimmed},
          {.title = tr("Event"),
           .tip = tr("What kind of event it was."),
           .text = [](const Line& line) { return line.kind; },
           .toolTip = message,
           .colour = [](const Line& line) { return line.bad ? colours().failed : colours().dim; }},
          {.title = tr("What happened"),
           .tip = tr("The event in a sentence; newest below."),
           .text = message,
           .toolTip = message}};
}

} // namespace nestwright::ui

#include "moc_log_model.cpp"
