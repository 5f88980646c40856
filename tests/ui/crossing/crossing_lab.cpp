/// The crossing lab, from a task's fastest programs to a new best with its family tree: a real
/// session on a made-up machine.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/crossing_bench.h"
#include "tests/ui/own_settings.h"
#include "ui/crossing/cross_details.h"
#include "ui/crossing/crossing_model.h"
#include "ui/crossing/crossing_strip.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/contrast.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/family_model.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QHeaderView>
#include <QTableView>

#include <cmath>
#include <set>

namespace nestwright::crossing_lab_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class CrossingLabTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void fromTheTopTenToANewBest();
  void tellsWhoseEachStepWas();
  void listsAndExportsWhatIsAskedFor();
  void saysWhyNothingIsPredicted();
  void lettersCanBeRead();
  void reopensAsItWas();
  void contestedCrossesAreSettled_data();
  void contestedCrossesAreSettled();

 private:
  QTemporaryDir settings_;
};

void CrossingLabTest::initTestCase() {
  keepSettingsIn(settings_);
}

/// Flow 4: top ten → 200 crosses with seed 7 → measure → a new best whose family tree shows both.
void CrossingLabTest::fromTheTopTenToANewBest() {
  Bench bench;
  QVERIFY(!bench.page()->crossButton()->isEnabled());
  QVERIFY(bench.page()->headline().contains(QStringLiteral("two programs at least")));
  bench.cross();
  const CrossTally tally = bench.control().tally();
  QCOMPARE(tally.legal + tally.illegal + tally.duplicate, 200);
  QVERIFY(tally.legal > 2);
  QVERIFY2(bench.page()->headline().contains(
               QStringLiteral("200 crosses, seed 7: %1 legal").arg(tally.legal)),
           qPrintable(bench.page()->headline()));
  // Also a session that draws at random teaches a model. The most promising crosses are chosen by
  // themselves; one key measures them.
  QVERIFY(bench.control().isPredicted());
  const std::vector<int> chosen = bench.page()->chosen();
  QCOMPARE(chosen.size(), std::size_t(std::min(12, tally.legal)));
  QCOMPARE(std::set(chosen.begin(), chosen.end()).size(), chosen.size());
  for (const int child : mostPromising(bench.control().children(), 12))
    QVERIFY(std::ranges::count(chosen, child) == 1);
  QVERIFY(bench.page()->headline().contains(
      QStringLiteral("%1 predicted better than both parents").arg(tally.predictedBetter)));
  const std::int64_t before = bench.store().sessions().summary(bench.session).trials;
  isFaster = true;
  bench.page()->table()->setFocus();
  QTest::keyClick(bench.page()->table(), Qt::Key_Return, Qt::ControlModifier);
  QTRY_VERIFY(bench.control().measured(chosen.front()).has_value());
  for (const int child : chosen)
    QTRY_VERIFY(bench.control().measured(child).has_value());
  QCOMPARE(bench.store().sessions().summary(bench.session).trials,
           before + std::int64_t(chosen.size()));
  QVERIFY(bench.page()->chosen().empty());
  // The first of them is the new best, and selected for all views.
  const MeasuredCross best = *bench.control().measured(chosen.front());
  QVERIFY(best.isBest());
  QCOMPARE(bench.document->selection().current(), (Selection{bench.task, best.record}));
  QVERIFY(bench.page()->headline().contains(
      QStringLiteral("cross %1 is the new best").arg(chosen.front() + 1)));
  QCOMPARE(bench.store().records().best(bench.task)->id, best.record);
  // Both parents stand below it, with their times.
  const CrossChild& child = bench.control().children()[static_cast<std::size_t>(chosen.front())];
  FamilyModel* family = bench.page()->details()->family();
  QTRY_COMPARE(family->rowCount(), 1);
  const QModelIndex self = family->index(0, 0);
  QCOMPARE(family->rowCount(self), 2);
  for (int side = 0; side < 2; ++side) {
    const int at = family->index(side, 0, self).data(ItemRole).toInt();
    const Ancestor& parent = family->family()[static_cast<std::size_t>(at)];
    QCOMPARE(parent.program, bench.control().parentOf(child, side).program);
    QCOMPARE(parent.record, bench.control().parentOf(child, side).record);
  }
  // What was measured is a duplicate from now on.
  bench.click(bench.page()->crossButton());
  QTRY_VERIFY(!bench.control().isCrossing());
  QCOMPARE(bench.control().tally().legal, tally.legal - int(chosen.size()));
}

void CrossingLabTest::tellsWhoseEachStepWas() {
  Bench bench;
  bench.cross();
  const int child = bench.page()->details()->child();
  QVERIFY(child >= 0);
  const std::vector<CrossedStep>& steps = bench.control().stepsOf(child);
  const CrossChild& one = bench.control().children()[static_cast<std::size_t>(child)];
  QCOMPARE(steps.size(), one.steps.size());
  QAbstractItemModel* table = bench.page()->details()->stepTable()->model();
  QCOMPARE(table->rowCount(), int(steps.size()));
  std::set<QString> letters;
  for (int i = 0; i < table->rowCount(); ++i) {
    const QString letter = table->index(i, 0).data().toString();
    letters.insert(letter);
    QCOMPARE(letter, one.origins[static_cast<std::size_t>(i)] == 0 ? QStringLiteral("A")
                                                                   : QStringLiteral("B"));
    QCOMPARE(table->index(i, 2).data().toString(), qs(steps[static_cast<std::size_t>(i)].words));
  }
  QCOMPARE(letters.size(), std::size_t(2));
  QVERIFY(bench.page()->details()->title().contains(
      QStringLiteral("A is P%1").arg(one.parents[0] + 1)));
  for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
    Theme::instance().choose(choice);
    for (int i = 0; i < table->rowCount(); ++i)
      QCOMPARE(table->index(i, 0).data(Qt::DecorationRole).value<QColor>(),
               colourOf(one.origins[static_cast<std::size_t>(i)] == 0 ? Side::A : Side::B));
  }
  // The strip and the table of steps point at the same one.
  CrossingStrip* strip = bench.page()->details()->strip();
  QTest::mouseClick(strip, Qt::LeftButton, {}, strip->cellOf(2).center().toPoint());
  QCOMPARE(bench.page()->details()->stepTable()->currentIndex().row(), 2);
  QTest::keyClick(strip, Qt::Key_Right);
  QCOMPARE(strip->marked(), 3);
  const QImage image = strip->grab().toImage();
  std::set<QRgb> colours;
  for (int i = 0; i < int(steps.size()); ++i) {
    const QPointF middle = strip->cellOf(i).center() * image.devicePixelRatio();
    colours.insert(image.pixel(int(strip->cellOf(i).left() + 2), int(middle.y())));
  }
  QVERIFY(colours.size() >= 2);
}

void CrossingLabTest::listsAndExportsWhatIsAskedFor() {
  Bench bench;
  bench.cross();
  const CrossTally tally = bench.control().tally();
  QAbstractItemModel* rows = bench.page()->table()->model();
  const std::pair<ChildModel::Show, int> lists[] = {
      {ChildModel::Show::All, 200},
      {ChildModel::Show::Legal, tally.legal},
      {ChildModel::Show::Better, tally.predictedBetter},
      {ChildModel::Show::Illegal, tally.illegal},
      {ChildModel::Show::Duplicate, tally.duplicate}};
  for (const auto& [show, count] : lists) {
    bench.page()->shown()->setCurrentIndex(int(show));
    QCOMPARE(rows->rowCount(), count);
  }
  bench.page()->shown()->setCurrentIndex(int(ChildModel::Show::Illegal));
  for (int i = 0; i < rows->rowCount(); ++i)
    QVERIFY(rows->index(i, ChildModel::Outcome).data().toString().size() >
            int(std::size("illegal: ")));
  bench.page()->table()->selectAll();
  QVERIFY(bench.page()->chosen().empty()); // these cannot be measured
  bench.page()->shown()->setCurrentIndex(int(ChildModel::Show::All));
  const Exports exports = bench.view->exports();
  QVERIFY(exports.table.has_value());
  const QString text = tsvOf(*exports.table);
  QCOMPARE(text.split('\n', Qt::SkipEmptyParts).size(), 201);
  QVERIFY(text.contains(QStringLiteral("AAB")) || text.contains(QStringLiteral("BBA")));
  bool offered = false;
  for (const PaletteItem& item : bench.view->paletteItems({}))
    offered |= item.title == QStringLiteral("Cross the Parents") && item.enabled;
  QVERIFY(offered);
}

void CrossingLabTest::saysWhyNothingIsPredicted() {
  Bench bench;
  // With nearly all records forgotten there is too little to learn from.
  RecordQuery query;
  query.session = bench.session;
  int kept = 0;
  std::vector<RowId> others;
  for (const Record& record : bench.store().records().page(query))
    if (record.task != bench.task || record.result.verdict != Verdict::Ok || ++kept > 12)
      others.push_back(record.id);
  bench.document->steering().steer(Forget{others});
  QTRY_COMPARE(bench.store().sessions().summary(bench.session).forgotten,
               std::int64_t(others.size()));
  bench.click(bench.page()->takeButton());
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(10));
  bench.click(bench.page()->crossButton());
  QTRY_VERIFY(!bench.control().children().empty());
  QVERIFY(!bench.control().isPredicted());
  const QString why = QStringLiteral("nothing is predicted: a cost model needs 16 measured "
                                     "programs beside the parent");
  QVERIFY2(bench.page()->headline().contains(why), qPrintable(bench.page()->headline()));
  // Also when it is opened again.
  const QString headline = bench.page()->headline();
  bench.document->close();
  QTRY_COMPARE(bench.document->state(), DocumentState::Empty);
  bench.document->open(bench.path);
  QTRY_VERIFY(!bench.control().children().empty());
  QCOMPARE(bench.page()->headline(), headline);
}

/// The letters of the two sides stand out from their colours, in both themes.
void CrossingLabTest::lettersCanBeRead() {
  QCOMPARE(std::round(contrastRatio(Qt::black, Qt::white)), 21.0);
  for (const Colours* theme : {&lightColours(), &darkColours()})
    for (const std::size_t side : {0, 1})
      QVERIFY(contrastRatio(writingOn(theme->series[side]), theme->series[side]) >= 4.5);
  for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
    Theme::instance().choose(choice);
    CrossingStrip strip(nullptr);
    strip.resize(200, strip.sizeHint().height());
    strip.show({{"split", "C", 0}, {"fuse", "C", 1}});
    const QImage picture = strip.grab().toImage();
    for (int step = 0; step < 2; ++step) {
      const QColor ground = colourOf(step == 0 ? Side::A : Side::B);
      double most = 1;
      const QRect cell = strip.cellOf(step).toRect().adjusted(30, 6, -30, -6);
      for (int y = cell.top(); y <= cell.bottom(); ++y)
        for (int x = cell.left(); x <= cell.right(); ++x)
          most = std::max(most, contrastRatio(picture.pixelColor(x, y), ground));
      QVERIFY2(most >= 4.5, qPrintable(QString::number(most)));
    }
  }
}

void CrossingLabTest::reopensAsItWas() {
  Bench bench;
  bench.cross();
  const std::vector<int> chosen = bench.page()->chosen();
  bench.control().measure({chosen[0], chosen[1]});
  QVERIFY2(bench.page()->headline().contains(QStringLiteral(", measuring 2 …")),
           qPrintable(bench.page()->headline()));
  for (const int child : {chosen[0], chosen[1]})
    QTRY_VERIFY(bench.control().measured(child).has_value());
  const auto look = [&] {
    QStringList rows;
    QAbstractItemModel* model = bench.page()->table()->model();
    for (int row = 0; row < model->rowCount(); ++row)
      for (int column = 0; column < ChildModel::ColumnCount; ++column)
        rows.append(model->index(row, column).data().toString());
    for (const CrossingParent& parent : bench.control().parents())
      rows.append(QString::number(parent.record));
    rows.append(QString::number(bench.control().stepsOf(chosen[0]).size()));
    return rows;
  };
  const QStringList before = look();
  const QString headline = bench.page()->headline();
  bench.document->close();
  QTRY_COMPARE(bench.document->state(), DocumentState::Empty);
  QVERIFY(bench.control().children().empty());
  bench.document->open(bench.path);
  QTRY_COMPARE(bench.control().children().size(), std::size_t(200));
  QCOMPARE(look(), before);
  QCOMPARE(bench.page()->headline(), headline);
  QVERIFY(!bench.control().canMeasure(chosen[0]));
  QVERIFY(bench.control().canMeasure(chosen[2]));
  // A replay shows the lab as it is, too; taking other parents empties it for good.
  bench.control().take(bench.task, {}, 3);
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(3));
  bench.document->close();
  QTRY_COMPARE(bench.document->state(), DocumentState::Empty);
  bench.document->open(bench.path);
  QTRY_COMPARE(bench.control().parents().size(), std::size_t(3));
  QVERIFY(bench.control().children().empty());
}

void CrossingLabTest::contestedCrossesAreSettled_data() {
  QTest::addColumn<double>("truth"); // of the best's time
  QTest::addColumn<CrossStanding>("standing");
  QTest::newRow("faster indeed") << 0.8 << CrossStanding::Best;
  QTest::newRow("a little slower") << 1.02 << CrossStanding::Tie;
}

void CrossingLabTest::contestedCrossesAreSettled() {
  QFETCH(double, truth);
  QFETCH(CrossStanding, standing);
  Bench bench;
  bench.cross();
  const int child = bench.page()->chosen().front();
  const Record best = *bench.store().records().best(bench.task);
  seen.clear();
  QVERIFY(!bench.page()->headline().contains(QStringLiteral("measured, the fastest")));
  contested = best.result.latency();
  settled = truth;
  bench.control().measure({child});
  QTRY_VERIFY(bench.control().measured(child).has_value());
  QTRY_COMPARE(bench.control().measured(child)->standing, standing);
  // Without a new best it is told as well what came of it, in words and beside the cross.
  const QString told = QStringLiteral("1 measured, the fastest %1, none a new best")
                           .arg(timeText(bench.control().measured(child)->seconds));
  QVERIFY2(bench.page()->headline().contains(told) == (standing != CrossStanding::Best),
           qPrintable(bench.page()->headline() + told));
  QCOMPARE(bench.page()->table()->horizontalHeader()->visualIndex(ChildModel::Measured), 2);
  const Record record = *bench.store().records().one(bench.control().measured(child)->record);
  QCOMPARE(record.contested, standing != CrossStanding::Best);
  QVERIFY(record.result.seconds.size() > 3); // the repeats of the turns are with it
  const Record now = *bench.store().records().best(bench.task);
  QCOMPARE(now.id, standing == CrossStanding::Best ? record.id : best.id);
  QCOMPARE(bench.page()->headline().contains(QStringLiteral("is the new best")),
           standing == CrossStanding::Best);
  contested = 0;
}

NW_TEST_GUI(CrossingLabTest)

} // namespace nestwright::crossing_lab_test

#include "crossing_lab.moc"
