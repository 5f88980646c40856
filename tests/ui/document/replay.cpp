/// A session's past, replayed: it ends as the live session did, whichever way one goes there.

#include "ui/document/replay/replay.h"

#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/text.h"
#include "ui/lesson/replay_bar.h"
#include "ui/log/log_model.h"
#include "ui/log/log_view.h"
#include "ui/records/record_model.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"
#include "ui/window/steering_actions.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <map>
#include <string>

namespace nestwright::replay_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

QString number(double value) {
  return QString::number(value, 'g', 12);
}

/// All that a document shows of its session, as text.
QStringList contentsOf(const Document& document) {
  QStringList lines;
  for (const TaskEntry& task : document.session().tasks())
    lines.append(
        QStringLiteral("task %1: %2 trials, %3 errors, best %4 (%5), naive %6, x%7, %8 %9 ")
            .arg(task.row.id)
            .arg(task.summary.trials)
            .arg(task.summary.errors)
            .arg(number(task.summary.bestSeconds))
            .arg(task.summary.bestRecord)
            .arg(number(task.summary.naiveSeconds))
            .arg(task.importance)
            .arg(task.active)
            .arg(QString::fromStdString(task.exhausted)) +
        QStringLiteral("mode %1, %2 seeds").arg(int(task.mode)).arg(task.seeds.size()));
  for (const TaskHistory& task : document.session().history().tasks()) {
    for (const TrialPoint& point : task.trials)
      lines.append(QStringLiteral("trial %1 of %2: %3 at %4, record %5")
                       .arg(point.trial)
                       .arg(task.task)
                       .arg(number(point.seconds), number(point.wallSeconds))
                       .arg(point.record));
    for (const BestPoint& best : task.bests)
      lines.append(QStringLiteral("best of %1: %2 by %3 at %4")
                       .arg(task.task)
                       .arg(number(best.seconds))
                       .arg(best.trial)
                       .arg(number(best.wallSeconds)));
  }
  for (const TotalPoint& point : document.session().history().total())
    lines.append(QStringLiteral("total %1 at %2 %3")
                     .arg(number(point.seconds))
                     .arg(point.trial)
                     .arg(point.complete));
  lines.append(QString::fromStdString(toJson(document.session().config()).dump()));
  lines.append(QStringLiteral("%1 trials of %2, %3 errors, %4 %5")
                   .arg(document.session().progress().trials)
                   .arg(document.session().progress().budget)
                   .arg(document.session().progress().errors)
                   .arg(int(document.session().status()))
                   .arg(qs(document.session().statusReason())));
  const RoundStory& round = document.session().round();
  lines.append(
      QStringLiteral("round %1 of task %2, %3").arg(round.round).arg(round.task).arg(round.ended));
  for (const PhaseStory& phase : round.phases)
    lines.append(QStringLiteral("phase %1: %2")
                     .arg(int(phase.state))
                     .arg(QString::fromStdString(phase.sentence)));
  return lines;
}

QStringList linesOf(const QAbstractItemModel& log) {
  QStringList lines;
  for (int row = 0; row < log.rowCount(); ++row)
    lines.append(log.index(row, LogModel::Kind).data().toString() + ' ' +
                 log.index(row, LogModel::Message).data().toString());
  return lines;
}

class ReplayTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void endsAsTheLiveSession();
  void followsWhatTheUserDid();
  void laterSessionBeginsFromTheEarlierOne();
  void anyWayToAMomentIsTheSame();
  void viewsFollow();
  void commandsAreRefused();
  void whatChangesTheSessionIsDisabled();
  void playsAtItsSpeed();
  void seeksFast();

 private:
  QTemporaryDir folder_;
};

void ReplayTest::initTestCase() {
  keepSettingsIn(folder_);
}

void ReplayTest::endsAsTheLiveSession() {
  const QString path = folder_.filePath(QStringLiteral("live.nwdb"));
  Document document(madeUpSessions());
  LogModel log(document);
  document.create(path, madeUpConfig(), false);
  QTRY_VERIFY_WITH_TIMEOUT(document.steering().canStart(), 30'000);
  QTRY_VERIFY(!document.reader().busy(Reader::Channel::Log));
  document.steering().start();
  QTRY_VERIFY_WITH_TIMEOUT(document.session().progress().trials >= 20, 60'000);
  document.steering().pause();
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
  document.steering().steer(SetImportance{document.session().tasks()[1].row.id, 2.5});
  document.steering().steer(RunPhase{});
  QTRY_VERIFY(document.session().status() == SessionStatus::Running ||
              !qs(document.session().statusReason()).startsWith(QStringLiteral("paused")));
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Paused, 30'000);
  document.steering().start();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
  QTest::qWait(100);
  const QStringList live = contentsOf(document), liveLog = linesOf(log);
  QVERIFY(live.size() > 70);
  QVERIFY(liveLog.size() > 25);
  QCOMPARE(liveLog.filter(QStringLiteral("(by the window)")).size(), 5); // all that was steered

  replayFrom(document);
  QVERIFY(document.session().history().trialCount() == 0);
  seekTo(document, document.replayMode().replay()->size());
  QCOMPARE(contentsOf(document), live);
  QTRY_COMPARE(linesOf(log), liveLog);

  // And once more event by event.
  seekTo(document, 0);
  QTRY_COMPARE(log.rowCount(), 0);
  QTRY_VERIFY(!document.reader().busy(Reader::Channel::Log));
  for (std::size_t i = 0; i < document.replayMode().replay()->size(); ++i)
    document.replayMode().replay()->stepForward();
  QCOMPARE(contentsOf(document), live);
  QCOMPARE(linesOf(log), liveLog);

  document.replayMode().end();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  QVERIFY(!document.replayMode().isOn());
  QCOMPARE(document.session().progress().trials, 64);
}

/// Modes, seeds, settings, measurements on demand, forgetting and its undoing.
void ReplayTest::followsWhatTheUserDid() {
  const QString path = folder_.filePath(QStringLiteral("steered.nwdb"));
  Document document(madeUpSessions());
  SessionConfig config = madeUpConfig("random");
  config.trials = 32;
  document.create(path, config, false);
  QTRY_VERIFY_WITH_TIMEOUT(document.steering().canStart(), 30'000);
  // Every change is told by the session before the next: then there is one live state to each.
  std::map<std::string, int> told; // by kind
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [&](const std::vector<Event>& events) {
            for (const Event& event : events)
              ++told[kind(event)];
          });
  const auto settled = [&](const char* what, int times) {
    QTRY_VERIFY_WITH_TIMEOUT(told[what] >= times, 30'000);
    QTRY_VERIFY(!document.session().historyLoading() &&
                !document.reader().busy(Reader::Channel::Contents));
  };
  std::vector<QStringList> live;
  const auto remember = [&](const char* what, int times) {
    settled(what, times);
    live.push_back(contentsOf(document));
  };
  const RowId first = document.session().tasks()[0].row.id,
              second = document.session().tasks()[1].row.id;
  document.steering().start();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
  document.steering().steer(SetTaskMode{first, TaskMode::Pinned});
  Plan plan = planOf(document.session().config());
  plan.trials = 70;
  document.steering().setPlan(plan);
  remember("settings", 1);
  const RowId best = document.session().task(first)->summary.bestRecord;
  QVERIFY(best != 0);
  document.selection().select({first, 0});
  document.steering().steer(SeedWith{first, {best, {}}});
  document.steering().steer(MeasureProgram{document.selection().current().task, {best, {}}});
  QTRY_COMPARE(document.session().progress().budget, 71);
  settled("measured", 33);
  document.steering().steer(
      Forget{{best, document.session().history().find(second)->trials.front().record}});
  remember("forgotten", 1);
  QVERIFY(document.session().task(first)->summary.bestRecord != best);
  document.undoStack().undo(); // restored
  remember("forgotten", 2);
  QCOMPARE(document.session().task(first)->summary.bestRecord, best);
  document.steering().steer(Forget{{best}});
  document.steering().steer(SetTaskMode{first, TaskMode::Paused});
  settled("forgotten", 3);
  QVERIFY2(document.steering().canStart(), qPrintable(document.steering().whyNotStart()));
  document.steering().start();
  // It was finished before it went on, too: 70 trials of its own and one on demand.
  QTRY_COMPARE_WITH_TIMEOUT(document.session().progress().trials, std::int64_t(71), 120'000);
  QTRY_COMPARE(document.session().status(), SessionStatus::Finished);
  remember("measured", 71);

  replayFrom(document);
  QCOMPARE(document.session().task(first)->mode, TaskMode::Free);
  QVERIFY(document.session().task(first)->seeds.empty());
  QCOMPARE(document.session().config().trials, 32);
  QCOMPARE(document.session().progress().budget, 32);
  seekTo(document, document.replayMode().replay()->size());
  QCOMPARE(contentsOf(document), live.back());

  // Event by event it passes through all that was seen live.
  seekTo(document, 0);
  std::vector<QStringList> seen{contentsOf(document)};
  while (!document.replayMode().replay()->atEnd()) {
    const std::size_t next = document.replayMode().replay()->position() + 1;
    document.replayMode().replay()->stepForward();
    QTRY_COMPARE(document.replayMode().replay()->position(), next);
    seen.push_back(contentsOf(document));
  }
  QCOMPARE(seen.back(), live.back());
  for (std::size_t i = 0; i < live.size(); ++i)
    QVERIFY2(std::ranges::find(seen, live[i]) != seen.end(), qPrintable(QString::number(i)));
  for (const double part : {0.9, 0.2, 0.7, 0.5}) {
    const auto position = static_cast<std::size_t>(
        part * static_cast<double>(document.replayMode().replay()->size()));
    seekTo(document, position);
    QCOMPARE(contentsOf(document), seen[position]);
  }
}

/// A second session of the file knows the bests of the first: its curves begin there.
void ReplayTest::laterSessionBeginsFromTheEarlierOne() {
  const QString path = folder_.filePath(QStringLiteral("two.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  SessionConfig config = madeUpConfig("random");
  config.seed = 4;
  Document document(madeUpSessions());
  document.create(path, config, false);
  QTRY_VERIFY_WITH_TIMEOUT(document.steering().canStart(), 30'000);
  QTRY_VERIFY(!document.session().historyLoading());
  const double inherited = bestTotal(document.session().tasks());
  QVERIFY(std::isfinite(inherited));
  QCOMPARE(document.session().history().total().size(), std::size_t(1));
  QCOMPARE(document.session().history().total().back().seconds, inherited);
  QCOMPARE(document.session().history().total().back().trial, 0);
  QVERIFY(document.session().history().total().back().complete);
  document.steering().start();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
  QTest::qWait(100);
  QCOMPARE(document.session().history().total().front().seconds, inherited);
  QCOMPARE(document.session().history().total().back().seconds,
           bestTotal(document.session().tasks()));
  const QStringList live = contentsOf(document);
  replayFrom(document);
  QCOMPARE(bestTotal(document.session().tasks()), inherited);
  QCOMPARE(document.session().tasks()[0].summary.trials +
               document.session().tasks()[1].summary.trials,
           64);
  seekTo(document, document.replayMode().replay()->size());
  QCOMPARE(contentsOf(document), live);

  // The first one's past knows nothing of the second.
  document.replayMode().end();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  const RowId first = document.session().contents().sessions.front().id;
  document.showSession(first);
  QTRY_COMPARE(document.session().row().id, first);
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  QCOMPARE(document.session().history().total().front().complete, false);
  // In the scope of the file its curve ends with what the second found, in its own without.
  QCOMPARE(document.session().history().total().back().seconds,
           bestTotal(document.session().tasks()));
  QVERIFY(bestTotal(document.session().tasks()) < inherited);
  document.follower().setScope(Scope::ThisSession);
  QTRY_COMPARE(document.session().scope(), Scope::ThisSession);
  QTRY_VERIFY(!document.session().historyLoading());
  QCOMPARE(document.session().history().total().back().seconds, inherited);
  replayFrom(document);
  QVERIFY(!std::isfinite(bestTotal(document.session().tasks())));
  seekTo(document, document.replayMode().replay()->size());
  QCOMPARE(bestTotal(document.session().tasks()), inherited);
}

void ReplayTest::anyWayToAMomentIsTheSame() {
  const QString path = folder_.filePath(QStringLiteral("ways.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  document.open(path);
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  std::vector<QStringList> seen{contentsOf(document)};
  for (std::size_t i = 0; i < document.replayMode().replay()->size(); ++i) {
    document.replayMode().replay()->stepForward();
    seen.push_back(contentsOf(document));
  }
  for (const double part : {0.9, 0.1, 0.5, 0.0, 1.0, 0.3}) {
    const auto position = static_cast<std::size_t>(
        part * static_cast<double>(document.replayMode().replay()->size()));
    seekTo(document, position);
    QCOMPARE(contentsOf(document), seen[position]);
  }
  document.replayMode().replay()->previousRound();
  const std::size_t before = document.replayMode().replay()->position();
  QTRY_VERIFY(document.replayMode().replay()->position() < before);
  const Event next = document.replayMode().replay()->timeline()->events().event(
      document.replayMode().replay()->position());
  QVERIFY(std::holds_alternative<TaskChosen>(next));
}

void ReplayTest::viewsFollow() {
  const QString path = folder_.filePath(QStringLiteral("views.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  MainWindow window(coreCatalogue(), madeUpSessions());
  window.resize(640, 800);
  window.show();
  auto* bar = window.findChild<ReplayBar*>();
  QVERIFY(bar && !bar->isVisible());
  window.openFile(path);
  QTRY_VERIFY_WITH_TIMEOUT(window.actions().replay->isEnabled(), 30'000);
  window.actions().replay->trigger();
  Document& document = window.document();
  document.selection().select({}); // the records of all tasks
  QTRY_VERIFY_WITH_TIMEOUT(
      document.replayMode().replay() && document.replayMode().replay()->isReady(), 30'000);
  QVERIFY(bar->isVisible());
  RecordModel* records = window.panels().view<RecordView>()->model();
  QTRY_COMPARE(records->rowCount(), 0);
  QTRY_VERIFY(window.statusLine()->text().contains(QStringLiteral("replay")));

  // The middle of the session's time, by the slider.
  bar->slider()->setSliderPosition(TimeSlider::kSteps / 2);
  Q_EMIT bar->slider()->sliderMoved(TimeSlider::kSteps / 2);
  QTRY_VERIFY(document.session().progress().trials > 0 &&
              document.session().progress().trials < 64);
  QTRY_COMPARE(std::int64_t(records->rowCount()), document.session().progress().trials);
  QCOMPARE(std::int64_t(document.session().history().trialCount()),
           document.session().progress().trials);
  QCOMPARE(records->index(0, RecordModel::Trial).data().toString(),
           QString::number(document.session().progress().trials));
  QTRY_VERIFY(window.panels().view<LogView>()->model()->rowCount() > 0);

  window.actions().endReplay->trigger();
  QTRY_VERIFY(!bar->isVisible());
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.selection().select({});
  QTRY_COMPARE(records->rowCount(), 64);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

void ReplayTest::commandsAreRefused() {
  const auto sample = makeSample(100);
  SessionScript script;
  Document document(scripted(script));
  Actions actions(document);
  openSample(document, *sample);
  replayFrom(document);
  QVERIFY(!document.steering().canStart() && !document.steering().canPause() &&
          !document.steering().canStop());
  for (const QAction* action : {actions.start, actions.pause, actions.stop, actions.step,
                                actions.stepping, actions.moreTrials, actions.replay}) {
    QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
    if (action != actions.replay)
      QVERIFY2(action->toolTip().contains(QStringLiteral("replay")), qPrintable(action->text()));
  }
  QSignalSpy warnings(&document.notices(), &Notices::warned);
  document.steering().steer(SetImportance{sample->tasks[0], 3});
  document.steering().steer(SetTrialBudget{5000});
  document.steering().steer(PauseAfterPhases{true});
  QCOMPARE(warnings.count(), 3);
  QVERIFY(warnings.first().first().toString().contains(QStringLiteral("replay")));
  QCOMPARE(document.session().task(sample->tasks[0])->importance, 1.0);
  QVERIFY(script.commands.empty());
}

/// What would change the session cannot be chosen, and running again does not begin by a slip.
void ReplayTest::whatChangesTheSessionIsDisabled() {
  const QString path = folder_.filePath(QStringLiteral("disabled.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  MainWindow window(coreCatalogue(), madeUpSessions());
  window.show();
  window.openFile(path);
  Document& document = window.document();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.selection().selectTask(document.session().tasks()[0].row.id);
  const auto enabled = [&] {
    QStringList names;
    SteeringActions& steering = window.steering();
    QList<QAction*> all = steering.taskActions() + steering.recordActions();
    all += {window.actions().runAgain, window.actions().runChanged};
    for (const QAction* action : all)
      if (action->isEnabled()) names.append(action->text());
    return names;
  };
  QTRY_COMPARE(enabled().size(), 10);
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  document.replayMode().replay()->stepForward();
  document.selection().selectTask(document.session().tasks()[0].row.id);
  QVERIFY2(enabled().isEmpty(), qPrintable(enabled().join(QStringLiteral(", "))));
  document.replayMode().end();
  QTRY_VERIFY(enabled().size() >= 5);
}

void ReplayTest::playsAtItsSpeed() {
  const auto sample = makeSample(400); // 20 s of session
  Document document;
  openSample(document, *sample);
  replayFrom(document);
  Replay& replay = *document.replayMode().replay();
  replay.setSpeed(10'000);
  QCOMPARE(replay.speed(), Replay::kFastest);
  QSignalSpy jumps(&document.follower(), &SessionFollower::jumped);
  replay.play();
  QVERIFY(replay.isPlaying());
  QTRY_VERIFY(replay.atEnd());
  QTRY_VERIFY(!replay.isPlaying());
  QCOMPARE(document.session().history().trialCount(), std::size_t(400));
  replay.setSpeed(1);
  replay.play(); // from the beginning again
  QTRY_VERIFY(document.session().progress().trials < 100);
  QTest::qWait(200);
  replay.pause();
  QVERIFY(replay.time() < 15);
}

/// Prints how long a seek takes; NESTWRIGHT_REPLAY_TRIALS asks for a longer session.
void ReplayTest::seeksFast() {
  const int trials = std::max(20'000, qEnvironmentVariableIntValue("NESTWRIGHT_REPLAY_TRIALS"));
  const auto sample = makeSample(trials);
  const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
  QElapsedTimer clock;
  clock.start();
  const ReplayTimeline past(store, readContents(store, sample->session));
  const qint64 reading = clock.elapsed();
  qint64 longest = 0;
  for (int i = 0; i < 40; ++i) {
    const auto position = static_cast<std::size_t>(trials) * ((i * 17) % 40) / 40;
    clock.start();
    const Moment moment = past.at(position);
    longest = std::max(longest, clock.elapsed());
    QCOMPARE(moment.state.history.trialCount(),
             static_cast<std::size_t>(moment.state.progress.trials));
  }
  qInfo("%d trials: read in %lld ms, longest of 40 seeks %lld ms", trials, reading, longest);
}

NW_TEST_GUI(ReplayTest)

} // namespace nestwright::replay_test

#include "replay.moc"
