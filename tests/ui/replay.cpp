/// A session's past, replayed: it ends as the live session did, whichever way one goes there.

#include "ui/replay.h"

#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "ui/actions.h"
#include "ui/lesson_commands.h"
#include "ui/lesson_recorder.h"
#include "ui/log_model.h"
#include "ui/log_view.h"
#include "ui/main_window.h"
#include "ui/marks.h"
#include "ui/message_page.h"
#include "ui/record_model.h"
#include "ui/record_view.h"
#include "ui/replay_bar.h"
#include "ui/status_line.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

QString number(double value) {
  return QString::number(value, 'g', 12);
}

/// All that a document shows of its session, as text.
QStringList contentsOf(const Document& document) {
  QStringList lines;
  for (const TaskEntry& task : document.tasks())
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
            .arg(task.exhausted) +
        QStringLiteral("mode %1, %2 seeds").arg(int(task.mode)).arg(task.seeds.size()));
  for (const TaskHistory& task : document.history().tasks()) {
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
  for (const TotalPoint& point : document.history().total())
    lines.append(QStringLiteral("total %1 at %2 %3")
                     .arg(number(point.seconds))
                     .arg(point.trial)
                     .arg(point.complete));
  lines.append(QString::fromStdString(toJson(document.config()).dump()));
  lines.append(QStringLiteral("%1 trials of %2, %3 errors, %4 %5")
                   .arg(document.progress().trials)
                   .arg(document.progress().budget)
                   .arg(document.progress().errors)
                   .arg(int(document.status()))
                   .arg(document.statusReason()));
  const RoundStory& round = document.round();
  lines.append(
      QStringLiteral("round %1 of task %2, %3").arg(round.round).arg(round.task).arg(round.ended));
  for (const PhaseStory& phase : round.phases)
    lines.append(QStringLiteral("phase %1: %2").arg(int(phase.state)).arg(phase.sentence));
  return lines;
}

QStringList linesOf(const QAbstractItemModel& log) {
  QStringList lines;
  for (int row = 0; row < log.rowCount(); ++row)
    lines.append(log.index(row, LogModel::Kind).data().toString() + ' ' +
                 log.index(row, LogModel::Message).data().toString());
  return lines;
}

void replayFrom(Document& document) {
  document.startReplay();
  QVERIFY(document.isReplaying());
  QTRY_VERIFY_WITH_TIMEOUT(document.replay()->isReady(), 60'000);
  QTRY_COMPARE(document.progress().trials, 0);
}

void seekTo(Document& document, std::size_t position) {
  document.replay()->seek(position);
  QTRY_COMPARE_WITH_TIMEOUT(document.replay()->position(), position, 30'000);
}

} // namespace

class ReplayTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void endsAsTheLiveSession();
  void followsWhatTheUserDid();
  void laterSessionBeginsFromTheEarlierOne();
  void anyWayToAMomentIsTheSame();
  void oldFilesAreReplayedToo();
  void viewsFollow();
  void commandsAreRefused();
  void playsAtItsSpeed();
  void marksMakeALesson();
  void marksAreWalkedThrough();
  void lessonsAreExported();
  void seeksFast();

 private:
  QTemporaryDir folder_;
};

void ReplayTest::initTestCase() {
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
}

void ReplayTest::endsAsTheLiveSession() {
  const QString path = folder_.filePath(QStringLiteral("live.nwdb"));
  Document document(madeUpSessions());
  LogModel log(document);
  document.create(path, madeUpConfig(), false);
  QTRY_VERIFY_WITH_TIMEOUT(document.canStart(), 30'000);
  QTRY_VERIFY(!document.reader().busy(Reader::Channel::Log));
  document.start();
  QTRY_VERIFY_WITH_TIMEOUT(document.progress().trials >= 20, 60'000);
  document.pause();
  QTRY_COMPARE(document.status(), SessionStatus::Paused);
  document.setImportance(document.tasks()[1].row.id, 2.5);
  document.step();
  QTRY_VERIFY(document.status() == SessionStatus::Running ||
              !document.statusReason().startsWith(QStringLiteral("paused")));
  QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Paused, 30'000);
  document.start();
  QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Finished, 120'000);
  QTest::qWait(100);
  const QStringList live = contentsOf(document), liveLog = linesOf(log);
  QVERIFY(live.size() > 70);
  QVERIFY(liveLog.size() > 25);

  replayFrom(document);
  QVERIFY(document.history().trialCount() == 0);
  seekTo(document, document.replay()->size());
  QCOMPARE(contentsOf(document), live);
  QTRY_COMPARE(linesOf(log), liveLog);

  // And once more event by event.
  seekTo(document, 0);
  QTRY_COMPARE(log.rowCount(), 0);
  QTRY_VERIFY(!document.reader().busy(Reader::Channel::Log));
  for (std::size_t i = 0; i < document.replay()->size(); ++i)
    document.replay()->stepForward();
  QCOMPARE(contentsOf(document), live);
  QCOMPARE(linesOf(log), liveLog);

  document.endReplay();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.historyLoading());
  QVERIFY(!document.isReplaying());
  QCOMPARE(document.progress().trials, 64);
}

/// Modes, seeds, settings, measurements on demand, forgetting and its undoing.
void ReplayTest::followsWhatTheUserDid() {
  const QString path = folder_.filePath(QStringLiteral("steered.nwdb"));
  Document document(madeUpSessions());
  SessionConfig config = madeUpConfig("random");
  config.trials = 32;
  document.create(path, config, false);
  QTRY_VERIFY_WITH_TIMEOUT(document.canStart(), 30'000);
  // Every change is told by the session before the next: then there is one live state to each.
  std::map<std::string, int> told; // by kind
  connect(&document, &Document::eventsArrived, this, [&](const std::vector<Event>& events) {
    for (const Event& event : events)
      ++told[kind(event)];
  });
  const auto settled = [&](const char* what, int times) {
    QTRY_VERIFY_WITH_TIMEOUT(told[what] >= times, 30'000);
    QTRY_VERIFY(!document.historyLoading() && !document.reader().busy(Reader::Channel::Contents));
  };
  std::vector<QStringList> live;
  const auto remember = [&](const char* what, int times) {
    settled(what, times);
    live.push_back(contentsOf(document));
  };
  const RowId first = document.tasks()[0].row.id, second = document.tasks()[1].row.id;
  document.start();
  QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Finished, 120'000);
  document.setTaskMode(first, TaskMode::Pinned);
  Plan plan = planOf(document.config());
  plan.trials = 70;
  document.setPlan(plan);
  remember("settings", 1);
  const RowId best = document.task(first)->summary.bestRecord;
  QVERIFY(best != 0);
  document.select({first, 0});
  document.setSeed(first, best, true);
  document.measureNow(best);
  QTRY_COMPARE(document.progress().budget, 71);
  document.forget({best, document.history().find(second)->trials.front().record});
  remember("forgotten", 1);
  QVERIFY(document.task(first)->summary.bestRecord != best);
  document.undoStack().undo(); // restored
  remember("forgotten", 2);
  QCOMPARE(document.task(first)->summary.bestRecord, best);
  document.forget({best});
  document.setTaskMode(first, TaskMode::Paused);
  settled("forgotten", 3);
  document.start();
  // It was finished before it went on, too: 70 trials of its own and one on demand.
  QTRY_COMPARE_WITH_TIMEOUT(document.progress().trials, std::int64_t(71), 120'000);
  QTRY_COMPARE(document.status(), SessionStatus::Finished);
  remember("measured", 71);

  replayFrom(document);
  QCOMPARE(document.task(first)->mode, TaskMode::Free);
  QVERIFY(document.task(first)->seeds.empty());
  QCOMPARE(document.config().trials, 32);
  QCOMPARE(document.progress().budget, 32);
  seekTo(document, document.replay()->size());
  QCOMPARE(contentsOf(document), live.back());

  // Event by event it passes through all that was seen live.
  seekTo(document, 0);
  std::vector<QStringList> seen{contentsOf(document)};
  while (!document.replay()->atEnd()) {
    const std::size_t next = document.replay()->position() + 1;
    document.replay()->stepForward();
    QTRY_COMPARE(document.replay()->position(), next);
    seen.push_back(contentsOf(document));
  }
  QCOMPARE(seen.back(), live.back());
  for (std::size_t i = 0; i < live.size(); ++i)
    QVERIFY2(std::ranges::find(seen, live[i]) != seen.end(), qPrintable(QString::number(i)));
  for (const double part : {0.9, 0.2, 0.7, 0.5}) {
    const auto position =
        static_cast<std::size_t>(part * static_cast<double>(document.replay()->size()));
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
  QTRY_VERIFY_WITH_TIMEOUT(document.canStart(), 30'000);
  QTRY_VERIFY(!document.historyLoading());
  const double inherited = document.bestTotal();
  QVERIFY(std::isfinite(inherited));
  QCOMPARE(document.history().total().size(), std::size_t(1));
  QCOMPARE(document.history().total().back().seconds, inherited);
  QCOMPARE(document.history().total().back().trial, 0);
  QVERIFY(document.history().total().back().complete);
  document.start();
  QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Finished, 120'000);
  QTest::qWait(100);
  QCOMPARE(document.history().total().front().seconds, inherited);
  QCOMPARE(document.history().total().back().seconds, document.bestTotal());
  const QStringList live = contentsOf(document);
  replayFrom(document);
  QCOMPARE(document.bestTotal(), inherited);
  QCOMPARE(document.tasks()[0].summary.trials + document.tasks()[1].summary.trials, 64);
  seekTo(document, document.replay()->size());
  QCOMPARE(contentsOf(document), live);

  // The first one's past knows nothing of the second.
  document.endReplay();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  const RowId first = document.sessions().front().id;
  document.showSession(first);
  QTRY_COMPARE(document.session().id, first);
  QTRY_VERIFY_WITH_TIMEOUT(document.canReplay(), 30'000);
  QCOMPARE(document.history().total().front().complete, false);
  QCOMPARE(document.history().total().back().seconds, inherited);
  replayFrom(document);
  QVERIFY(!std::isfinite(document.bestTotal()));
  seekTo(document, document.replay()->size());
  QCOMPARE(document.bestTotal(), inherited);
}

void ReplayTest::anyWayToAMomentIsTheSame() {
  const QString path = folder_.filePath(QStringLiteral("ways.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  document.open(path);
  QTRY_VERIFY_WITH_TIMEOUT(document.canReplay(), 30'000);
  replayFrom(document);
  std::vector<QStringList> seen{contentsOf(document)};
  for (std::size_t i = 0; i < document.replay()->size(); ++i) {
    document.replay()->stepForward();
    seen.push_back(contentsOf(document));
  }
  for (const double part : {0.9, 0.1, 0.5, 0.0, 1.0, 0.3}) {
    const auto position =
        static_cast<std::size_t>(part * static_cast<double>(document.replay()->size()));
    seekTo(document, position);
    QCOMPARE(contentsOf(document), seen[position]);
  }
  document.replay()->previousRound();
  const std::size_t before = document.replay()->position();
  QTRY_VERIFY(document.replay()->position() < before);
  const Event next = document.replay()->past()->timeline().event(document.replay()->position());
  QVERIFY(std::holds_alternative<TaskChosen>(next));
}

/// Before version 5 of the file, events did not tell after how many trials they came.
void ReplayTest::oldFilesAreReplayedToo() {
  QFile::copy(QStringLiteral(NESTWRIGHT_TEST_DATA "/session_version1.nwdb"),
              folder_.filePath(QStringLiteral("old.nwdb")));
  const QString path = folder_.filePath(QStringLiteral("old.nwdb"));
  QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  Document document(madeUpSessions());
  document.open(path);
  QTRY_VERIFY_WITH_TIMEOUT(document.canReplay(), 30'000);
  const std::int64_t trials = document.progress().trials;
  const double best = document.bestTotal();
  replayFrom(document);
  QVERIFY(!std::isfinite(document.bestTotal()));
  const Timeline& timeline = document.replay()->past()->timeline();
  std::int64_t made = 0;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Event event = timeline.event(i);
    if (std::holds_alternative<Measured>(event)) ++made;
    if (const auto* of = std::get_if<NewBest>(&event)) QCOMPARE(made, of->trial);
  }
  QCOMPARE(made, trials);
  seekTo(document, document.replay()->size());
  QCOMPARE(document.progress().trials, trials);
  QCOMPARE(document.bestTotal(), best);
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
  document.select({}); // the records of all tasks
  QTRY_VERIFY_WITH_TIMEOUT(document.replay() && document.replay()->isReady(), 30'000);
  QVERIFY(bar->isVisible());
  RecordModel* records = window.recordView()->model();
  QTRY_COMPARE(records->rowCount(), 0);
  QTRY_VERIFY(window.statusLine()->text().contains(QStringLiteral("replay")));

  // The middle of the session's time, by the slider.
  bar->slider()->setSliderPosition(TimeSlider::kSteps / 2);
  Q_EMIT bar->slider()->sliderMoved(TimeSlider::kSteps / 2);
  QTRY_VERIFY(document.progress().trials > 0 && document.progress().trials < 64);
  QTRY_COMPARE(std::int64_t(records->rowCount()), document.progress().trials);
  QCOMPARE(std::int64_t(document.history().trialCount()), document.progress().trials);
  QCOMPARE(records->index(0, RecordModel::Trial).data().toString(),
           QString::number(document.progress().trials));
  QTRY_VERIFY(window.logView()->model()->rowCount() > 0);

  window.actions().endReplay->trigger();
  QTRY_VERIFY(!bar->isVisible());
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.select({});
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
  QVERIFY(!document.canStart() && !document.canPause() && !document.canStop());
  for (const QAction* action : {actions.start, actions.pause, actions.stop, actions.step,
                                actions.stepping, actions.moreTrials, actions.replay}) {
    QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
    if (action != actions.replay)
      QVERIFY2(action->toolTip().contains(QStringLiteral("replay")), qPrintable(action->text()));
  }
  QSignalSpy warnings(&document, &Document::warning);
  document.setImportance(sample->tasks[0], 3);
  document.setTrialBudget(5000);
  document.setStepping(true);
  QCOMPARE(warnings.count(), 3);
  QVERIFY(warnings.first().first().toString().contains(QStringLiteral("replay")));
  QCOMPARE(document.task(sample->tasks[0])->importance, 1.0);
  QVERIFY(script.commands.empty());
}

void ReplayTest::playsAtItsSpeed() {
  const auto sample = makeSample(400); // 20 s of session
  Document document;
  openSample(document, *sample);
  replayFrom(document);
  Replay& replay = *document.replay();
  replay.setSpeed(10'000);
  QCOMPARE(replay.speed(), Replay::kFastest);
  QSignalSpy jumps(&document, &Document::jumped);
  replay.play();
  QVERIFY(replay.isPlaying());
  QTRY_VERIFY(replay.atEnd());
  QTRY_VERIFY(!replay.isPlaying());
  QCOMPARE(document.history().trialCount(), std::size_t(400));
  replay.setSpeed(1);
  replay.play(); // from the beginning again
  QTRY_VERIFY(document.progress().trials < 100);
  QTest::qWait(200);
  replay.pause();
  QVERIFY(replay.time() < 15);
}

void ReplayTest::marksMakeALesson() {
  const auto sample = makeSample(400);
  {
    Document document;
    ReplayBar bar(document);
    openSample(document, *sample);
    replayFrom(document);
    document.replay()->seekTime(5);
    QTRY_VERIFY(std::abs(document.replay()->time() - 5) < 0.1);
    bar.marks().add(QStringLiteral("Here the first good program appears."));
    QTRY_COMPARE(bar.marks().all().size(), std::size_t(1));
    QTRY_COMPARE(bar.caption(), QStringLiteral("Here the first good program appears."));
    document.replay()->seekTime(12);
    QTRY_VERIFY(std::abs(document.replay()->time() - 12) < 0.1);
    bar.marks().add(QStringLiteral("Now it gets slow."));
    QTRY_COMPARE(bar.marks().all().size(), std::size_t(2));
  }
  Document document;
  ReplayBar bar(document);
  openSample(document, *sample);
  replayFrom(document);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(2));
  QVERIFY(bar.caption().isEmpty());
  bar.goToMark(1);
  QTRY_COMPARE(bar.caption(), QStringLiteral("Here the first good program appears."));
  bar.goToMark(1);
  QTRY_COMPARE(bar.caption(), QStringLiteral("Now it gets slow."));
  bar.goToMark(-1);
  QTRY_VERIFY(document.replay()->time() < 6);
  bar.marks().remove(bar.marks().all().front().id);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(1));
}

/// Forward and back, from a mark and from between two; also to one that was made while the replay
/// was held between two events.
void ReplayTest::marksAreWalkedThrough() {
  const auto sample = makeSample(400);
  double between = 0;
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    const Past past(store, readContents(store, sample->session));
    between = past.timeline().wallSeconds(120) + 1e-9;
    store.saveMark({0, sample->session, past.timeline().wallSeconds(40), 40, "First <one>."});
    store.saveMark({0, sample->session, between, 120, "Second."});
    store.saveMark({0, sample->session, past.timeline().wallSeconds(300), 300, "Third."});
  }
  Document document;
  ReplayBar bar(document);
  openSample(document, *sample);
  replayFrom(document);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(3));
  QVERIFY(!bar.previousMarkButton()->isEnabled());
  for (const char* sentence : {"First <one>.", "Second.", "Third."}) {
    QVERIFY(bar.nextMarkButton()->isEnabled());
    bar.nextMarkButton()->click();
    QTRY_COMPARE(bar.caption(), QLatin1String(sentence));
  }
  QVERIFY(!bar.nextMarkButton()->isEnabled());
  bar.previousMarkButton()->click();
  QTRY_COMPARE(bar.caption(), QStringLiteral("Second."));
  const auto* shown = bar.findChild<QLabel*>(QStringLiteral("caption"));
  QVERIFY2(shown->text().contains("2 of 3"), qPrintable(shown->text()));
  // A little later, back is to the mark whose sentence is still shown.
  const std::size_t at = document.replay()->position();
  seekTo(document, at + 20);
  QCOMPARE(bar.caption(), QStringLiteral("Second."));
  bar.previousMarkButton()->click();
  QTRY_COMPARE(document.replay()->position(), at);
  bar.previousMarkButton()->click();
  QTRY_COMPARE(bar.caption(), QStringLiteral("First <one>."));
  QVERIFY(shown->text().contains("First &lt;one&gt;."));
  QVERIFY(!bar.previousMarkButton()->isEnabled());
}

void ReplayTest::lessonsAreExported() {
  const auto sample = makeSample(400);
  MainWindow window(coreCatalogue());
  window.resize(900, 600);
  window.show();
  window.openFile(sample->path);
  auto& commands = *window.findChild<LessonCommands*>();
  const QList<QAction*> actions = commands.actions();
  const auto named = [&](const char* text) {
    return *std::ranges::find_if(actions, [&](const QAction* action) {
      return action->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text));
    });
  };
  QTRY_VERIFY_WITH_TIMEOUT(window.actions().replay->isEnabled(), 30'000);
  for (const QAction* action : actions)
    QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
  replayFrom(window.document());
  Replay& replay = *window.document().replay();
  auto& bar = *window.findChild<ReplayBar*>();
  QVERIFY(named("Mark This")->isEnabled() && !named("Export")->isEnabled());
  for (const auto& [place, sentence] :
       {std::pair(0.2, "Programs of <all> kinds"), std::pair(0.8, "It is getting slow")}) {
    const std::size_t before = bar.marks().all().size();
    seekTo(window.document(), std::size_t(place * double(replay.size())));
    bar.marks().add(QLatin1String(sentence));
    QTRY_COMPARE(bar.marks().all().size(), before + 1);
  }
  seekTo(window.document(), replay.size() / 2);
  QVERIFY(named("Previous")->isEnabled() && named("Next")->isEnabled());

  const QString file = folder_.filePath(QStringLiteral("lesson.html"));
  commands.exportLesson(file);
  QVERIFY(commands.recorder() && !named("Export")->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!commands.recorder(), 30'000);
  QTRY_COMPARE(replay.position(), replay.size() / 2); // where it stood
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  const QString html = QString::fromUtf8(written.readAll());
  QVERIFY(html.contains("Programs of &lt;all&gt; kinds") && html.contains("It is getting slow"));
  QCOMPARE(html.count("<section"), 2);
  QVERIFY2(!html.contains("http"), "a lesson asks no network");
  // The pictures are the window's, at two moments.
  QList<QImage> pictures;
  const QStringList parts = html.split(QStringLiteral("data:image/png;base64,"));
  for (const QString& part : parts.sliced(1))
    pictures.append(QImage::fromData(
        QByteArray::fromBase64(part.section(QLatin1Char('"'), 0, 0).toLatin1()), "PNG"));
  QCOMPARE(pictures.size(), 2);
  QCOMPARE(pictures[0].size(), window.grab().toImage().size());
  QVERIFY(pictures[0] != pictures[1]);

  // What cannot be written is told, and so is a replay that ends on the way.
  commands.exportLesson(QStringLiteral("/nowhere/lesson.html"));
  QTRY_VERIFY_WITH_TIMEOUT(!commands.recorder(), 30'000);
  QVERIFY2(window.banner()->text().contains("/nowhere/lesson.html"),
           qPrintable(window.banner()->text()));
  commands.exportLesson(file);
  window.document().endReplay();
  QVERIFY(!commands.recorder());
  QVERIFY2(window.statusLine()->currentMessage().contains("replay ended"),
           qPrintable(window.statusLine()->currentMessage()));
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

/// Prints how long a seek takes; NESTWRIGHT_REPLAY_TRIALS asks for a longer session.
void ReplayTest::seeksFast() {
  const int trials = std::max(20'000, qEnvironmentVariableIntValue("NESTWRIGHT_REPLAY_TRIALS"));
  const auto sample = makeSample(trials);
  const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
  QElapsedTimer clock;
  clock.start();
  const Past past(store, readContents(store, sample->session));
  const qint64 reading = clock.elapsed();
  qint64 longest = 0;
  for (int i = 0; i < 40; ++i) {
    const auto position = static_cast<std::size_t>(trials) * ((i * 17) % 40) / 40;
    clock.start();
    const Moment moment = past.at(position);
    longest = std::max(longest, clock.elapsed());
    QCOMPARE(moment.history.trialCount(), static_cast<std::size_t>(moment.progress.trials));
  }
  qInfo("%d trials: read in %lld ms, longest of 40 seeks %lld ms", trials, reading, longest);
}

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  ReplayTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "replay.moc"
