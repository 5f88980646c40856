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
#include "ui/document/shared_selection.h"
#include "ui/kit/theme.h"
#include "ui/race/race_models.h"
#include "ui/race/race_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace nestwright::race_panel_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// A race of two policies on two tasks in this file, not begun.
Race made(const QString& path, int seeds = 3) {
  RaceWish wish;
  wish.config.trials = 24;
  wish.config.trialsPerRound = 4;
  wish.config.rules = "paper";
  wish.config.measure.threads = 2;
  wish.tasks = {"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"};
  wish.seeds = seeds;
  wish.racers = {racerFromText("random"), racerFromText("random,polish=12")};
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
    QVERIFY(view.note().contains("started on the command line"));
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
    QVERIFY(duelMark(duel).contains("faster"));
    std::swap(duel.leftWins, duel.rightWins);
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
