/// The page that shows a polish as a star: what is said without one, which ray a decision has, a
/// neighbour that is clicked and walked to, and the same as a table.

#include "core/record/store/store.h"
#include "core/search/decisions/polish.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/polish_view.h"
#include "ui/inspector/star_model.h"
#include "ui/inspector/star_plot.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include <cmath>

namespace nestwright::polish_page_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// A session on a made-up machine in a new file, the last `polish` of its 60 trials a polish.
RowId tuned(const QString& path, int polish) {
  SessionConfig config;
  config.subjects = {"matmul:m=64,n=64,k=64"};
  config.trials = 60;
  config.trialsPerRound = 8;
  config.polish = polish;
  config.rules = "paper";
  config.measure.threads = 2;
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  const RowId id = createSession(store, config, hostTarget(2));
  Session session(
      path.toStdString(), id, [](const Event&) {}, made_up::measureTiles);
  session.post(Start{});
  session.wait();
  return store.sessions().tasks(id).front().id;
}

class PolishPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    QVERIFY(folder_.isValid());
  }

  void withoutAPolishItIsSaidHowThereIsOne() {
    const QString path = folder_.filePath("none.nwdb");
    tuned(path, 0);
    Document document;
    PolishView page(document);
    page.show();
    QVERIFY(page.plot()->message().contains("Select a task"));
    document.open(path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    QTRY_VERIFY2(page.plot()->message().contains("No program of this task was polished yet"),
                 qPrintable(page.plot()->message()));
    QVERIFY(page.table()->isHidden());
  }

  /// What two decisions changed, or a whole sketch, is none that could matter most.
  void decisionsAreTold() {
    const StarRay tiles{"tiles of i of C", 1.5, 0.1, {{1, "2 becomes 4", 0.1}}};
    const StarRay two{kTwoDecisions, 9, 8, {{2, "both", 8}, {3, "others", 2}}};
    PolishStar star;
    const auto says = [&](std::vector<StarRay> rays, const char* beginning) {
      star.rays = std::move(rays);
      return polishSentence(star).startsWith(beginning);
    };
    const char* const most = "1 neighbour in 1 decision%1. What matters most is tiles of i of C";
    QVERIFY2(says({tiles}, qPrintable(QString(most).arg(""))), qPrintable(polishSentence(star)));
    QVERIFY2(says({tiles, two}, qPrintable(QString(most).arg(", and 2 with two changed"))),
             qPrintable(polishSentence(star)));
    QVERIFY2(says({two}, "Neighbours: 2 with two changed. What they gained"),
             qPrintable(polishSentence(star)));
    const StarRay sketches{kSketchDecision, 9, 8, {{4, "1 becomes 2", 8}}};
    QVERIFY2(says({tiles, two, sketches},
                  qPrintable(QString(most).arg(", and 2 with two changed, 1 of other sketches"))),
             qPrintable(polishSentence(star)));
  }

  void aPolishIsAStar() {
    const QString path = folder_.filePath("star.nwdb");
    const RowId task = tuned(path, 44);
    const PolishStar star =
        polishStar(RecordStore::open(path.toStdString(), OpenMode::ReadOnly), task);
    QVERIFY(star.rays.size() > 3 && star.centres.size() > 1);
    for (const StarCentre& centre : star.centres)
      QVERIFY(centre.record != 0 && centre.seconds > 0);
    Document document;
    InspectorView inspector(document);
    PolishView& page = *inspector.polish();
    new QAbstractItemModelTester(page.table()->model(), page.table());
    inspector.resize(1000, 600);
    inspector.show();
    inspector.pages()->setCurrentWidget(&page);
    document.open(path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    document.selection().selectTask(task);
    StarPlot& plot = *page.plot();
    QTRY_COMPARE(plot.scene().star.rays.size(), star.rays.size());
    QCOMPARE(plot.message(), QString());
    QVERIFY2(page.note().contains("What matters most is") &&
                 page.note().contains(QString::fromStdString(star.rays.front().decision)),
             qPrintable(page.note()));

    // The most important ray points up, and what differs more lies farther out.
    plot.replot();
    const auto far = [&](std::size_t ray, std::size_t neighbour) {
      const QPointF to = plot.pixelOf(ray, neighbour) - plot.middle();
      return std::hypot(to.x(), to.y());
    };
    const StarRay& first = star.rays.front();
    const QPointF last = plot.pixelOf(0, first.neighbours.size() - 1);
    QVERIFY(last.y() < plot.middle().y());
    QVERIFY(far(0, first.neighbours.size() - 1) > far(0, 0));

    // A click selects the neighbour's record everywhere, the arrow keys go on from there.
    QSignalSpy picked(&plot, &StarPlot::picked);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, last.toPoint());
    QCOMPARE(picked.size(), 1);
    QCOMPARE(document.selection().current().record, first.neighbours.back().record);
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(document.selection().current().record, star.rays[1].neighbours.front().record);
    const auto readoutAt = [&](const QPointF& place) {
      QTest::mouseMove(&plot, QPoint(1, 1));
      QTest::mouseMove(&plot, place.toPoint());
      return plot.readout();
    };
    const auto now = [&] { return plot.pixelOf(0, first.neighbours.size() - 1); };
    QTRY_VERIFY2(readoutAt(now()).contains(QString::fromStdString(first.decision)),
                 qPrintable(QStringLiteral("%1 at %2, %3; was %4, %5; %6")
                                .arg(plot.readout())
                                .arg(now().x())
                                .arg(now().y())
                                .arg(last.x())
                                .arg(last.y())
                                .arg(plot.rect().height())));
    QVERIFY(plot.readout().contains("than its parent"));

    // The table has the rays; a row makes its ray stand out.
    const QAbstractItemModel& table = *page.table()->model();
    QCOMPARE(table.rowCount(), int(star.rays.size()));
    QCOMPARE(table.index(0, StarModel::Importance).data(ExportRole).toDouble(), first.importance);
    QCOMPARE(table.index(0, StarModel::Neighbours).data(ExportRole).toInt(),
             int(first.neighbours.size()));
    page.table()->setFocus();
    page.table()->selectRow(1);
    QCOMPARE(plot.scene().decision, star.rays[1].decision);

    // One program in the middle has its own neighbours alone.
    QCOMPARE(page.around()->count(), int(star.centres.size()) + 1);
    page.around()->setFocus();
    QTest::keyClick(page.around(), Qt::Key_Down);
    QTRY_COMPARE(plot.scene().star.centre, std::size_t(0));
    std::size_t neighbours = 0;
    for (const StarRay& ray : plot.scene().star.rays)
      neighbours += ray.neighbours.size();
    QCOMPARE(neighbours, star.centres[0].neighbours);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.middle().toPoint());
    QCOMPARE(document.selection().current().record, star.centres[0].record);

    const Exports exports = page.exports();
    QCOMPARE(rowsOf(exports), table.rowCount());
    std::size_t rows = 0;
    exports.more[0].table.rows([&](const QStringList&) { return ++rows > 0; });
    QCOMPARE(rows, neighbours);
    QVERIFY(!pictureOf(exports).isNull());
  }

  /// Many rays in a small panel: names keep apart from each other.
  void namesDoNotHideEachOther() {
    StarPlot plot;
    plot.resize(420, 320);
    plot.setVisible(true);
    StarScene scene;
    for (int i = 0; i < 40; ++i)
      scene.star.rays.push_back({"inner tiles of i." + std::to_string(i) + " and j of stage C",
                                 3.0 - i * 0.05,
                                 0.1,
                                 {{i + 1, "1 becomes 2", -0.5, false}, {100 + i, "2", -1, false}}});
    plot.show(scene);
    plot.replot(QCustomPlot::rpImmediateRefresh);
    QCOMPARE(plot.rayCount(), StarPlot::kMostRays);
    QList<QRectF> rects;
    for (int i = 0; i < plot.itemCount(); ++i)
      if (auto* text = qobject_cast<QCPItemText*>(plot.item(i));
          text && text->text().contains(QStringLiteral("×")) && text->text().contains("  "))
        rects.append(PlotLabels::rectOf(*text));
    QCOMPARE(rects.size(), qsizetype(StarPlot::kMostRays));
    for (int i = 0; i < rects.size(); ++i) {
      QVERIFY(rects[i].left() >= -1 && rects[i].right() <= plot.width() + 1);
      for (int j = 0; j < i; ++j)
        QVERIFY2(!rects[i].adjusted(1, 1, -1, -1).intersects(rects[j].adjusted(1, 1, -1, -1)),
                 qPrintable(QString("%1 and %2").arg(i).arg(j)));
    }
  }

 private:
  QTemporaryDir settings_, folder_;
};

NW_TEST_GUI(PolishPage)

} // namespace nestwright::polish_page_test

#include "polish_page.moc"
