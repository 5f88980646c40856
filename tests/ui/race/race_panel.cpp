/// The view of races as a person uses it: a document without one, a race that goes on elsewhere,
/// one that is over, its curves and tables, and what it gives away.

#include "core/session/race/race_run.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/charts/series_plot.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/timing_apart.h"
#include "ui/race/race_control.h"
#include "ui/race/race_models.h"
#include "ui/race/race_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/race/new_race_dialog.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QScopeGuard>
#include <QTest>
#include <QThread>
#include <QToolButton>

#include <atomic>
#include <tuple>

namespace nestwright::race_panel_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// A race of two policies on two tasks.
RaceWish smallRace(int seeds) {
  RaceWish wish;
  wish.config.trials = 24;
  wish.config.trialsPerRound = 4;
  wish.config.rules = "paper";
  wish.config.measure.threads = 2;
  wish.tasks = {"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"};
  wish.seeds = seeds;
  wish.racers = {racerFromText("random"), racerFromText("random,polish=12")};
  return wish;
}

/// It in this file, not begun.
Race made(const QString& path, int seeds = 3) {
  const RaceWish wish = smallRace(seeds);
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  const std::string name = createRace(store, wish, hostTarget(2));
  return raceNamed(store, name);
}

/// Runs it, or so many of its rounds.
void run(const QString& path, const Race& race, int rounds = 10'000) {
  RaceStart start;
  start.measure = made_up::measureTiles;
  RaceRun* current = nullptr;
  RaceRun race_(path.toStdString(), race, start, [&](const RaceMoment&, const Event& event) {
    if (std::holds_alternative<RoundFinished>(event) && --rounds == 0) current->stop();
  });
  current = &race_;
  race_.run();
}

void open(Document& document, const QString& path) {
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
}

/// Races in this window measure made-up tiles, and nothing while they are held.
void measureOnceLetGo(RaceView& view, const std::atomic<bool>& isHeld) {
  view.control()->setMeasure([&isHeld](const auto&... arguments) {
    while (isHeld)
      QThread::msleep(1);
    return made_up::measureTiles(arguments...);
  });
}

class RacePanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    QVERIFY(folder_.isValid());
  }

  void withoutARaceItIsSaidHowOneIsMade() {
    const auto sample = makeSample(30);
    Document document;
    RaceView view(document);
    QVERIFY(view.isEmpty());
    QVERIFY(view.note().contains("Open a document"));
    QVERIFY(view.copyButton()->isHidden());
    view.setVisible(true);
    openSample(document, *sample);
    QTRY_VERIFY2(view.note().contains("There is no race in this document"),
                 qPrintable(view.note()));
    const QString file = QStringLiteral("--db \"%1\"").arg(sample->path);
    QVERIFY(view.note().contains(file));
    QVERIFY(view.note().contains("made here, or on the command line"));
    QVERIFY(view.newButton()->isVisible() && view.newButton()->isEnabled());
    QSignalSpy wanted(&view, &RaceView::newRaceWanted);
    QTest::mouseClick(view.newButton(), Qt::LeftButton);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(view.copyButton()->isVisible());
    QTest::mouseClick(view.copyButton(), Qt::LeftButton);
    const QString command = QApplication::clipboard()->text();
    QVERIFY(command.startsWith("nestwright race "));
    QVERIFY(command.endsWith(file));
  }

  void aRaceIsFollowedWhileItGoesOn() {
    const QString path = folder_.filePath("under way.nwdb");
    const Race race = made(path);
    Document document;
    RaceView view(document);
    view.resize(1000, 500);
    view.show();
    open(document, path);
    QTRY_VERIFY2(!view.isEmpty(), qPrintable(view.note()));
    QVERIFY2(view.note().contains("0 of 12 sessions have ended, 0.0 %"), qPrintable(view.note()));
    QVERIFY(view.note().contains(QStringLiteral("nestwright race --db \"%1\" --resume").arg(path)));
    QVERIFY(view.plot()->message().contains("No racer has a program"));
    QCOMPARE(view.runButton()->text(), QStringLiteral("Resume"));
    QVERIFY(view.runButton()->isEnabled());
    // Another program runs it, for a while.
    run(path, race, 7);
    QTRY_VERIFY2_WITH_TIMEOUT(view.note().contains("of 12 sessions have ended") &&
                                  !view.note().contains("0.0 %"),
                              qPrintable(view.note()), 20'000);
    QVERIFY(view.plot()->message().isEmpty());
    for (const PlotSeries& series : view.plot()->scene().series)
      QVERIFY(series.shape != PlotSeries::Shape::Band); // one seed has no interval
    run(path, raceNamed(RecordStore::open(path.toStdString(), OpenMode::ReadOnly), race.name));
    QTRY_VERIFY2_WITH_TIMEOUT(view.note().contains("is over:"), qPrintable(view.note()), 20'000);
  }

  /// Made, paused, gone on with and ended in this window; what is measured is that of a race which
  /// was never interrupted.
  void aRaceRunsHere() {
    const auto sample = makeSample(30);
    Document document;
    RaceView view(document);
    view.resize(1000, 500);
    view.show();
    openSample(document, *sample);
    QTRY_VERIFY(view.newButton()->isEnabled());
    std::atomic<bool> isHeld = true;
    measureOnceLetGo(view, isHeld);
    RaceWish wish = smallRace(2);
    view.control()->start(wish);
    QVERIFY(view.control()->isRunning());
    QTRY_VERIFY(!view.isEmpty());
    QVERIFY2(view.note().contains("runs in this window"), qPrintable(view.note()));
    QVERIFY(!view.newButton()->isEnabled());
    QCOMPARE(view.runButton()->text(), QStringLiteral("Pause"));
    view.control()->start(wish); // one at a time
    // Paused before it has measured anything.
    QTest::mouseClick(view.runButton(), Qt::LeftButton);
    QVERIFY(view.control()->isPausing());
    QVERIFY2(view.note().contains("is being paused"), qPrintable(view.note()));
    QVERIFY(!view.runButton()->isEnabled());
    isHeld = false;
    QTRY_VERIFY_WITH_TIMEOUT(!view.control()->isRunning(), 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(view.runButton()->text(), QStringLiteral("Resume"), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(view.runButton()->isEnabled(), 20'000);
    QVERIFY2(view.note().contains("is paused: "), qPrintable(view.note()));
    // And on to its end.
    QTest::mouseClick(view.runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(view.note().contains("is over:"), 60'000);
    QTRY_VERIFY(!view.control()->isRunning());
    QVERIFY(view.runButton()->isHidden());
    QCOMPARE(view.races()->count(), 1);

    const QString other = folder_.filePath("uninterrupted.nwdb");
    const Race there = made(other, 2);
    run(other, there);
    const auto bests = [](const QString& path) {
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      const RaceResult result = raceResult(store, racesOf(store).front());
      std::vector<double> seconds;
      for (const RaceCourse& course : result.courses)
        seconds.push_back(course.bests.back().seconds);
      return seconds;
    };
    QCOMPARE(bests(sample->path), bests(other));
  }

  /// Whatever takes the machine or the document away pauses it.
  void leavingTheDocumentPausesIt() {
    const auto sample = makeSample(30);
    Document document;
    RaceView view(document);
    view.show();
    openSample(document, *sample);
    std::atomic<bool> isHeld = true;
    measureOnceLetGo(view, isHeld);
    view.control()->start(smallRace(1));
    QTRY_VERIFY(!view.isEmpty());
    document.close();
    QVERIFY(view.control()->isPausing());
    isHeld = false;
    QTRY_VERIFY_WITH_TIMEOUT(!view.control()->isRunning(), 20'000);
    const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(!racesOf(store).front().isOver());
  }

  /// Closed in the middle of it, the window ends, and the race is paused in the file.
  void theWindowMayBeClosedMeanwhile() {
    const auto sample = makeSample(30);
    {
      MainWindow window(coreCatalogue());
      window.show();
      window.openFile(sample->path);
      QTRY_COMPARE(window.document().state(), DocumentState::Ready);
      window.showView(QStringLiteral("races"));
      auto* view = window.findChild<RaceView*>();
      view->control()->setMeasure([](const auto&... arguments) {
        QThread::msleep(20);
        return made_up::measureTiles(arguments...);
      });
      view->control()->start(smallRace(3));
      QTRY_VERIFY_WITH_TIMEOUT(!view->control()->moment().isEmpty(), 20'000);
      QVERIFY2(view->control()->moment().startsWith("heat 1 of 6: random"),
               qPrintable(view->control()->moment()));
    }
    const RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly);
    const Race race = racesOf(store).front();
    QVERIFY(!race.isOver());
    for (const RaceSession& session : race.sessions)
      QVERIFY(session.status != SessionStatus::Running);
  }

  /// One at a time may time programs: of a race and a recombination, too.
  void nothingElseTimesProgramsMeanwhile() {
    const auto sample = makeSample(30);
    Document document;
    RaceView view(document);
    openSample(document, *sample);
    QTRY_VERIFY(view.control()->whyNotStart().isEmpty());
    const QObject other;
    document.timingApart().set(&other, QStringLiteral("A recombination is under way."));
    QCOMPARE(view.control()->whyNotStart(), QStringLiteral("A recombination is under way."));
    QVERIFY(!view.newButton()->isEnabled());
    view.control()->start(smallRace(1));
    QVERIFY(!view.control()->isRunning());
    document.timingApart().set(&other, {});
    QVERIFY(view.newButton()->isEnabled());

    std::atomic<bool> isHeld = true;
    measureOnceLetGo(view, isHeld);
    view.control()->start(smallRace(1));
    QCOMPARE(document.timingApart().whyNot(&other), QStringLiteral("A race is under way."));
    view.control()->pause();
    isHeld = false;
    QTRY_VERIFY_WITH_TIMEOUT(document.timingApart().whyNot(&other).isEmpty(), 20'000);
  }

  void whatCannotBeMadeIsSaid() {
    const auto sample = makeSample(30);
    Document document;
    QStringList warned;
    connect(&document.notices(), &Notices::warned, this,
            [&](const QString& text) { warned << text; });
    RaceView view(document);
    QVERIFY(!view.control()->whyNotStart().isEmpty());
    openSample(document, *sample);
    RaceWish wish = smallRace(1);
    wish.racers.pop_back();
    view.control()->start(wish);
    QTRY_VERIFY(!view.control()->isRunning());
    QCOMPARE(warned.size(), 1);
    QVERIFY2(warned[0].startsWith("The race has ended early. "), qPrintable(warned[0]));
    Race race;
    race.racers = {"random", "exec:policy.py"};
    race.sessions.resize(1); // of more
    QVERIFY2(view.control()->whyNotGoOn(race).contains("exec:policy.py races in it"),
             qPrintable(view.control()->whyNotGoOn(race)));
    // Whoever says what is run, as their own policy, can go on with it.
    Settings::setPolicyProgram("/somewhere/policy.py");
    const auto forget = qScopeGuard([] { Settings::setPolicyProgram({}); });
    QCOMPARE(view.control()->whyNotGoOn(race), QString());
    race.racers.push_back("exec:another.py");
    QVERIFY(view.control()->whyNotGoOn(race).contains("exec:another.py races in it"));
  }

  /// The dialog says what a race will be, and what keeps it from being one.
  void theDialogTellsWhatItWillBe() {
    const auto sample = makeSample(30);
    Document document;
    openSample(document, *sample);
    NewRaceDialog dialog(document);
    dialog.show();
    QTRY_VERIFY2(dialog.tasks()->toPlainText().startsWith("matmul:"),
                 qPrintable(dialog.tasks()->toPlainText()));
    QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
    QVERIFY2(dialog.note()->text().startsWith("2 policies, 1 task, 5 seeds: 10 sessions, "),
             qPrintable(dialog.note()->text()));
    QVERIFY(dialog.acceptButton()->isEnabled());
    const RaceWish wish = dialog.wish();
    QCOMPARE(wish.racers[1].label, std::string("evolutionary"));
    QCOMPARE(wish.config.trials, std::int64_t(200));

    dialog.racers()->setPlainText("random\n\n  evolutionary,draft=first \nansor");
    dialog.tasks()->setPlainText("matmul:m=64,n=64,k=64\nmatmul:m=128,n=64,k=64");
    dialog.seeds()->setValue(1);
    dialog.budget()->setCurrentIndex(1);
    dialog.amount()->setValue(30);
    QTRY_COMPARE(dialog.note()->text(),
                 QStringLiteral("3 policies, 2 tasks, 1 seed: 6 sessions, together 3 min."));
    QCOMPARE(dialog.wish().config.trials, kNoTrialLimit);
    QCOMPARE(dialog.wish().config.maxSeconds, 30.0);

    for (const auto& [racers, tasks, why] :
         std::initializer_list<std::tuple<QString, QString, QString>>{
             {"random", "matmul:m=64,n=64,k=64", "two"},
             {"random\nrandom", "matmul:m=64,n=64,k=64", "twice"},
             {"random\nnonsense", "matmul:m=64,n=64,k=64", "nonsense"},
             {"random\n=4", "matmul:m=64,n=64,k=64", "begins with the name"},
             {"random\nevolutionary,colour=red", "matmul:m=64,n=64,k=64", "colour"},
             {"random\nexec:/nowhere/policy", "matmul:m=64,n=64,k=64", "/nowhere/policy"},
             {"random\nevolutionary", "", "task"},
             {"random\nevolutionary", "matmul:m=64\nmatmul:m=64", ""}}) {
      dialog.racers()->setPlainText(racers);
      dialog.tasks()->setPlainText(tasks);
      QTRY_VERIFY2(!dialog.problem().startsWith("Looking") && !dialog.problem().isEmpty() &&
                       dialog.problem().contains(why),
                   qPrintable(dialog.problem()));
      QVERIFY(!dialog.acceptButton()->isEnabled());
      QVERIFY(dialog.note()->text().isEmpty());
    }
  }

  void curvesAndWinsAreShown() {
    const QString path = folder_.filePath("over.nwdb");
    const Race race = made(path);
    run(path, race);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const RaceResult result = raceResult(store, raceNamed(store, race.name));
    Document document;
    RaceView view(document);
    for (QTableView* table : {view.tasks(), view.duels(), view.sessions()}) {
      QVERIFY(!table->accessibleName().isEmpty());
      new QAbstractItemModelTester(table->model(), table);
    }
    view.resize(1000, 500);
    view.show();
    open(document, path);
    QTRY_VERIFY2(!view.isEmpty(), qPrintable(view.note()));
    QCOMPARE(view.races()->count(), 1);
    QVERIFY(view.races()->currentText().contains("random against random, polish=12"));
    QVERIFY(view.races()->isHidden()); // a single one needs no choice
    QVERIFY2(view.note().contains("2 tasks, 3 seeds, 24 trials"), qPrintable(view.note()));

    // Two lines with their bands, named at their ends.
    const SeriesScene& scene = view.plot()->scene();
    QCOMPARE(scene.series.size(), std::size_t(4));
    QStringList names;
    for (const PlotSeries& series : scene.series)
      if (!series.name.isEmpty()) names << series.name;
    QCOMPARE(names, (QStringList{"random", "random, polish=12"}));
    const RaceCurve curve = result.curve(0, 0);
    QCOMPARE(scene.series[2].y.back(), curve.mean.back() / 1e9);
    QVERIFY(scene.series[2].style != scene.series[3].style); // not by colour alone
    // A band is a step line too: between two steps both its edges stay.
    for (std::size_t i = 0; i + 1 < scene.series[0].x.size(); i += 2)
      QCOMPARE(scene.series[0].y[i], scene.series[0].y[i + 1]);
    const QString told = scene.describe(24);
    QVERIFY2(told.contains("trial 24\nrandom: ") && told.contains("3 seeds"), qPrintable(told));

    // The tables say the same in numbers.
    const QAbstractItemModel& tasks = *view.tasks()->model();
    QCOMPARE(tasks.rowCount(), 2);
    QCOMPARE(tasks.columnCount(), 3);
    QCOMPARE(tasks.index(0, 1).data(ExportRole).toDouble(), curve.mean.back() / 1e9);
    int stars = 0;
    for (int racer = 1; racer <= 2; ++racer)
      stars += tasks.index(0, racer).data().toString().startsWith("★") ? 1 : 0;
    QVERIFY(stars >= 1);
    const QAbstractItemModel& duels = *view.duels()->model();
    QCOMPARE(duels.rowCount(), 1);
    const RaceDuel& duel = result.duels.front();
    QCOMPARE(duels.index(0, RaceDuelModel::Wins).data().toString(),
             QStringLiteral("%1 : %2").arg(duel.leftWins).arg(duel.rightWins));
    QCOMPARE(duels.index(0, RaceDuelModel::Ratio).data(ExportRole).toDouble(), duel.ratio);
    QCOMPARE(duels.index(0, RaceDuelModel::Verdict).data().toString(), duelMark(duel));
    QVERIFY(view.verdict().contains("as fast as"));

    // Another task by the keyboard: its curves, and the other views follow.
    view.tables()->setCurrentWidget(view.tasks());
    view.tasks()->setFocus();
    QTest::keyClick(view.tasks(), Qt::Key_Down);
    QCOMPARE(view.task(), std::size_t(1));
    QCOMPARE(view.taskBox()->currentIndex(), 1);
    QCOMPARE(view.plot()->scene().series[2].y.back(), result.curve(0, 1).mean.back() / 1e9);
    // Walking along the curve tells of its places.
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_Left);
    QVERIFY(view.plot()->scene().marked > 0);

    const Exports exports = view.exports();
    QCOMPARE(rowsOf(exports), 1);
    QCOMPARE(exports.more.size(), std::size_t(3));
    int sessions = 0;
    exports.more[2].table.rows([&](const QStringList&) { return ++sessions > 0; });
    QCOMPARE(sessions, 12);
    QVERIFY(!pictureOf(exports).isNull());
  }

  void verdictsAreNeverByColourAlone() {
    RaceDuel duel;
    QVERIFY(duelMark(duel).contains("no pair"));
    duel.pairs = 5, duel.leftWins = 5;
    QVERIFY(duelMark(duel).contains("too few"));
    duel.pairs = duel.leftWins = 12;
    QVERIFY(duelMark(duel).contains("may be chance"));
    duel.adjusted = 0.01;
    duel.leansLeft = true;
    QVERIFY(duelMark(duel).contains("faster"));
    duel.leansLeft = false;
    QVERIFY(duelMark(duel).contains("slower"));
  }

  void theViewLiesInThePanelOfComparisons() {
    const QString path = folder_.filePath("window.nwdb");
    run(path, made(path, 1));
    MainWindow window(coreCatalogue());
    window.resize(1280, 800);
    window.show();
    window.document().open(path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.showView(QStringLiteral("races"));
    auto* view = window.findChild<RaceView*>();
    QVERIFY(view);
    QTRY_VERIFY2(!view->isEmpty(), qPrintable(view->note()));
    QTRY_VERIFY(view->isVisible());
  }

 private:
  QTemporaryDir settings_, folder_;
};

NW_TEST_GUI(RacePanel)

} // namespace nestwright::race_panel_test

#include "race_panel.moc"
