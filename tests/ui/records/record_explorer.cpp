#include "ui/records/pages/record_explorer.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/exporter.h"
#include "ui/records/filter_line.h"
#include "ui/records/pages/record_groups_page.h"
#include "ui/records/pages/record_scatter_page.h"
#include "ui/records/pages/same_program_page.h"
#include "ui/records/pages/sql_page.h"
#include "ui/records/record_columns.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_panes.h"
#include "ui/records/record_view.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>

#include <array>

namespace nestwright::record_explorer_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr int kElsewhere = 60; // records of another session, on another machine

/// The sample's three tasks on another machine, measured by another session: one record in three
/// with the sample's program, and every fifth a failure.
void measureElsewhere(const Sample& sample) {
  RecordStore store = RecordStore::open(sample.path.toStdString(), OpenMode::ReadWrite);
  store.transaction([&] {
    const RowId target = store.targets().add({0, "other", "llvm -mcpu=zen4", R"({"cpu": "zen4"})"});
    std::vector<RowId> tasks;
    for (const RowId task : sample.tasks) {
      TaskRow row = *store.tasks().one(task);
      row.target = target;
      tasks.push_back(store.tasks().add(row));
    }
    SessionRow session = *store.sessions().one(sample.session);
    session.title = "elsewhere";
    session.id = 0;
    const RowId id = store.sessions().add(session);
    store.sessions().setTasks(id, tasks);
    for (int trial = 1; trial <= kElsewhere; ++trial) {
      Record record;
      record.session = id;
      record.task = tasks[std::size_t(trial) % 3];
      record.trial = trial;
      record.program = fmt::format("{:032x}", 1000 + trial);
      record.steps = {AnnotationStep{2, 0, Annotation::Parallel}};
      if (trial % 9 > 2) record.steps.push_back(AnnotationStep{2, 1, Annotation::Unroll});
      record.wallSeconds = trial;
      if (trial % 5 == 0) {
        record.result.verdict = Verdict::RunTimeout;
        record.result.error = "too slow";
      } else {
        record.result.seconds = {1e-3 * trial};
      }
      store.records().add(record);
    }
  });
}

struct Shown {
  std::unique_ptr<Sample> sample = makeSample(300);
  Document document;
  RecordView view{document};
  explicit Shown(QSize size = {1300, 600}) {
    measureElsewhere(*sample);
    view.resize(size);
    view.show();
    openSample(document, *sample);
    document.follower().setScope(Scope::ThisSession);
    document.showSession(sample->session);
    waitForSession();
    document.selection().select({});
    view.panes()->sideBar()->setCurrentWidget(facets());
  }
  void waitForSession() {
    QTRY_VERIFY(document.state() == DocumentState::Ready &&
                document.session().row().id == sample->session &&
                !document.session().historyLoading());
  }
  RecordFacetsView* facets() { return view.facets(); }
  QString filter() { return QString::fromStdString(print(view.bar()->filter())); }
  bool counted() { return facets()->isCurrent(); }
  QString countOf(GroupBy by, const char* name) {
    const QTreeWidgetItem* item = facets()->find(by, QString::fromUtf8(name));
    return item ? item->text(1) : QStringLiteral("no line");
  }
  void click(GroupBy by, const char* name, Qt::KeyboardModifiers modifiers = {}) {
    QTreeWidgetItem* item = facets()->find(by, QString::fromUtf8(name));
    QVERIFY2(item, name);
    facets()->tree()->scrollToItem(item);
    QTest::mouseClick(facets()->tree()->viewport(), Qt::LeftButton, modifiers,
                      facets()->tree()->visualItemRect(item).center());
  }
  SameProgramPage* turnToRecord() {
    document.selection().select({sample->tasks[1], sample->records[3]});
    view.panes()->sideBar()->setCurrentIndex(2);
    return view.same();
  }
  template <class Page>
  Page* turnTo(Page* page) {
    view.explorer()->setCurrentWidget(page);
    return page;
  }
};

class RecordExplorerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void facetsCount();
  void clicksSetTheFilter();
  void altClicksLeaveOut();
  void keysToggle();
  void facetsAreShownWhereThereIsRoom();
  void groupsAreThoseOfTheRecords();
  void doubleClickListsAGroup();
  void groupsAreExported();
  void pointsAreTheRecords();
  void manyPointsKeepTheirColours();
  void brushingSetsTheFilter();
  void pointsAreSelected();
  void rangesAreReadable_data();
  void rangesAreReadable();
  void theSameProgramIsFound();
  void theProgramOfNoRecordIsNotTold();
  void stateIsKept();
  void closedDocumentsShowNothing();
  void contestedRecordsSayWhatIsKnown();
};

/// More repeats than a program has at first are those of its claim; no more may be all or not.
void RecordExplorerTest::contestedRecordsSayWhatIsKnown() {
  Document document;
  const auto repeats = std::size_t(document.session().config().measure.repeats);
  const auto notes =
      std::ranges::find(recordColumns(), std::string_view("notes"), &RecordColumn::key);
  const auto tipOf = [&](std::size_t measured) {
    nestwright::Record record;
    record.result.verdict = Verdict::Ok;
    record.result.seconds.assign(measured, 1e-3);
    record.contested = true;
    return notes->toolTip(rowOf(record), document);
  };
  QVERIFY2(tipOf(repeats).contains("Unless the log has it measured again in turns"),
           qPrintable(tipOf(repeats)));
  QVERIFY2(tipOf(repeats + 6).contains(QString("%1 repeats in all").arg(repeats + 6)),
           qPrintable(tipOf(repeats + 6)));
}

void RecordExplorerTest::facetsCount() {
  Shown shown;
  QTRY_VERIFY(shown.counted() && shown.facets()->total() == 300);
  QCOMPARE(shown.countOf(GroupBy::Operator, "matmul"), QStringLiteral("300"));
  QCOMPARE(shown.countOf(GroupBy::Network, "sample"), QStringLiteral("300"));
  QCOMPARE(shown.countOf(GroupBy::Error, "run error"), QStringLiteral("30"));
  QCOMPARE(shown.countOf(GroupBy::Error, "none (ok)"), QStringLiteral("270"));
  // Other sessions can be chosen, too.
  QCOMPARE(shown.countOf(GroupBy::Session, "2 elsewhere"), QStringLiteral("60"));
  QCOMPARE(shown.countOf(GroupBy::Target, "zen4"), QStringLiteral("no line"));
  shown.document.follower().setScope(Scope::WholeFile);
  QTRY_COMPARE(shown.countOf(GroupBy::Target, "zen4"), QStringLiteral("60"));
  QCOMPARE(shown.countOf(GroupBy::Error, "run timeout"), QStringLiteral("12"));
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("360 of 360 records"));
}

void RecordExplorerTest::clicksSetTheFilter() {
  Shown shown;
  QTRY_VERIFY(shown.counted());
  shown.click(GroupBy::Error, "run error");
  QCOMPARE(shown.filter(), QStringLiteral("error:run-error"));
  QCOMPARE(shown.view.bar()->chips().size(), std::size_t(1));
  // The tick is there at once, the counts of the others follow.
  QCOMPARE(shown.facets()->find(GroupBy::Error, QStringLiteral("run error"))->checkState(0),
           Qt::Checked);
  QTRY_COMPARE(shown.countOf(GroupBy::Operator, "matmul"), QStringLiteral("30"));
  QCOMPARE(shown.countOf(GroupBy::Error, "none (ok)"), QStringLiteral("270"));
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("30 of 300 records"));
  shown.click(GroupBy::Error, "none (ok)");
  QCOMPARE(shown.filter(), QStringLiteral("error:run-error,none"));
  QTRY_COMPARE(shown.countOf(GroupBy::Operator, "matmul"), QStringLiteral("300"));
  shown.click(GroupBy::Error, "run error");
  QCOMPARE(shown.filter(), QStringLiteral("error:none"));
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("270 of 300 records"));
  shown.document.undoStack().undo();
  QTRY_COMPARE(shown.countOf(GroupBy::Operator, "matmul"), QStringLiteral("300"));
  QCOMPARE(shown.facets()->find(GroupBy::Error, QStringLiteral("none (ok)"))->checkState(0),
           shown.view.bar()->filter().empty() ? Qt::Unchecked : Qt::Checked);
  // A chip that is removed takes the tick away.
  shown.view.scope()->setFilter(parseRecordFilter("error:run-error"));
  QTRY_VERIFY(shown.counted());
  QTest::mouseClick(shown.view.bar()->chips()[0], Qt::LeftButton);
  QCOMPARE(shown.facets()->find(GroupBy::Error, QStringLiteral("run error"))->checkState(0),
           Qt::Unchecked);
}

void RecordExplorerTest::altClicksLeaveOut() {
  Shown shown;
  QTRY_VERIFY(shown.counted());
  shown.click(GroupBy::Error, "run error", Qt::AltModifier);
  QCOMPARE(shown.filter(), QStringLiteral("-error:run-error"));
  QCOMPARE(shown.facets()->find(GroupBy::Error, QStringLiteral("run error"))->checkState(0),
           Qt::PartiallyChecked);
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("270 of 300 records"));
  shown.click(GroupBy::Error, "run error");
  QCOMPARE(shown.filter(), QString());
}

void RecordExplorerTest::keysToggle() {
  Shown shown;
  QTRY_VERIFY(shown.counted());
  QTreeWidget* tree = shown.facets()->tree();
  tree->setCurrentItem(shown.facets()->find(GroupBy::Session, QStringLiteral("2 elsewhere")));
  QTest::keyClick(tree, Qt::Key_Space);
  QCOMPARE(shown.filter(), QStringLiteral("session:2"));
  QTRY_VERIFY(shown.counted());
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("60 of 360 records"));
  // The line is still the current one.
  QVERIFY(tree->currentItem() && tree->currentItem()->text(0) == QStringLiteral("2 elsewhere"));
  QTest::keyClick(tree, Qt::Key_Minus);
  QCOMPARE(shown.filter(), QStringLiteral("-session:2"));
}

void RecordExplorerTest::facetsAreShownWhereThereIsRoom() {
  Shown shown({700, 500});
  QVERIFY(!shown.view.panes()->sideBar()->isVisible());
  shown.view.resize(1300, 600);
  QTRY_VERIFY(shown.view.panes()->sideBar()->isVisible());
  shown.view.panes()->sideBar()->setCurrentWidget(shown.facets());
  QTRY_VERIFY(shown.facets()->isVisible());
  QTRY_VERIFY(shown.counted());
}

void RecordExplorerTest::groupsAreThoseOfTheRecords() {
  Shown shown;
  shown.document.follower().setScope(Scope::WholeFile);
  RecordGroupsPage* page = shown.turnTo(shown.view.explorer()->groups());
  QTRY_COMPARE(page->model()->rowCount(), 6); // three tasks on two machines
  QVERIFY(!page->table()->isColumnHidden(GroupModel::More));
  page->setBy(GroupBy::Session);
  QTRY_COMPARE(page->model()->rowCount(), 2);
  const RecordStore store = RecordStore::open(shown.sample->path.toStdString(), OpenMode::ReadOnly);
  const auto shownText = [&](int row, GroupModel::Column column) {
    return page->table()->model()->index(row, column).data().toString();
  };
  QTRY_VERIFY(shownText(0, GroupModel::Median) != QStringLiteral("…"));
  for (const RecordGroup& group : page->model()->groups()) {
    RecordQuery query;
    query.session = group.id;
    const RecordStatistics figures = store.records().statistics(query);
    QCOMPARE(group.records, figures.records);
    QCOMPARE(group.errors, figures.records - figures.measured);
    QCOMPARE(group.best, figures.best);
    QVERIFY(std::abs(*group.median / figures.median - 1) < 1e-6);
  }
  // The largest first; a click on a header sorts otherwise.
  QCOMPARE(shownText(0, GroupModel::Records), QStringLiteral("300"));
  QCOMPARE(shownText(0, GroupModel::Errors), QStringLiteral("10.0 %"));
  QHeaderView* header = page->table()->horizontalHeader();
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                    QPoint(header->sectionViewportPosition(GroupModel::Records) + 8, 5));
  QCOMPARE(shownText(0, GroupModel::Records), QStringLiteral("60"));
  QCOMPARE(shownText(0, GroupModel::Errors), QStringLiteral("20.0 %"));
  // Tags and tasks without any are no groups.
  page->setBy(GroupBy::Tag);
  QTRY_COMPARE(page->note()->text(), QStringLiteral("No records match."));
}

void RecordExplorerTest::doubleClickListsAGroup() {
  Shown shown;
  RecordGroupsPage* page = shown.turnTo(shown.view.explorer()->groups());
  page->setBy(GroupBy::Error);
  QTRY_COMPARE(page->model()->rowCount(), 2);
  QTableView* table = page->table();
  const QModelIndex second = table->model()->index(1, 0); // the smaller group
  const QPoint at = table->visualRect(second).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
  QCOMPARE(shown.filter(), QStringLiteral("error:run-error"));
  QCOMPARE(shown.view.explorer()->currentIndex(), 0);
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("30 of 300 records"));
  shown.document.undoStack().undo();
  QCOMPARE(shown.filter(), QString());
}

void RecordExplorerTest::groupsAreExported() {
  Shown shown;
  RecordGroupsPage* page = shown.turnTo(shown.view.explorer()->groups());
  page->setBy(GroupBy::Session);
  shown.document.follower().setScope(Scope::WholeFile);
  QTRY_COMPARE(page->model()->rowCount(), 2);
  QTRY_VERIFY(page->model()->groups()[0].median);
  const QString path = shown.sample->folder.filePath(QStringLiteral("groups.csv"));
  QObject context;
  std::optional<QString> problem;
  exportTo(path, shown.view.exports(), shown.sample->path, &context,
           [&](const QString& text) { problem = text; });
  QTRY_VERIFY(problem);
  QCOMPARE(*problem, QString());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QStringList lines;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (!line.isEmpty() && !line.startsWith("# ")) lines.append(QString::fromUtf8(line).trimmed());
  QCOMPARE(lines.size(), 3);
  QVERIFY2(lines[0].contains(QStringLiteral("\"Best, ms\"")), qPrintable(lines[0]));
  QVERIFY2(lines[2].contains(QStringLiteral("elsewhere,60,1,")), qPrintable(lines[2]));
}

void RecordExplorerTest::pointsAreTheRecords() {
  Shown shown;
  RecordScatterPage* page = shown.turnTo(shown.view.explorer()->scatter());
  QTRY_COMPARE(page->plot()->drawn(), 270); // errors have no latency
  QCOMPARE(page->plot()->sample().matching, std::int64_t(300));
  QVERIFY2(page->note()->text().contains(QStringLiteral("30 of them lack")),
           qPrintable(page->note()->text()));
  QCOMPARE(page->plot()->classes().size(), 3); // tasks
  page->setFacts(PointFact::Trial, PointFact::Wall, PointFact::Error);
  QCOMPARE(page->plot()->drawn(), 300);
  QCOMPARE(page->plot()->classes(), (QStringList{"ok", "run error"}));
  page->colourChooser()->setCurrentIndex(int(PointFact::Latency));
  QVERIFY(page->plot()->classes().contains(QStringLiteral("unknown"))); // the errors
  page->colourChooser()->setCurrentIndex(int(PointFact::Nothing));
  QCOMPARE(page->plot()->classes().size(), 1);
  shown.view.scope()->setFilter(parseRecordFilter("trial:1..10"));
  QTRY_COMPARE(page->plot()->drawn(), 10);
}

void RecordExplorerTest::manyPointsKeepTheirColours() {
  RecordSample sample;
  for (int i = 0; i < 2 * ScatterPlot::kManyPoints; ++i)
    sample.points.push_back({.record = i + 1,
                             .task = 1 + i % 2,
                             .session = 1,
                             .trial = i + 1,
                             .seconds = 1e-3 * (1 + i % 100) * (i % 2 == 0 ? 1 : 1000)});
  sample.tasks = {{1, "Conv 3x3 64->64 on 56x56 + Relu"}, {2, "Conv 3x3 8->8 on 7x7 + Bias"}};
  sample.sessions = {{1, "all"}};
  sample.matching = std::int64_t(sample.points.size());
  ScatterPlot plot;
  plot.resize(600, 400);
  plot.show(sample);
  const QImage image = plot.toPixmap(600, 400).toImage();
  std::array<int, 2> seen{};
  for (int y = 60; y < image.height() - 40; ++y)
    for (int x = 60; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      QVERIFY(pixel != QColor(Qt::blue));
      for (std::size_t i = 0; i < 2; ++i)
        if (pixel.hsvSaturation() > 40 &&
            std::abs(pixel.hsvHue() - colours().series[i].hsvHue()) < 4)
          ++seen[i];
    }
  QVERIFY2(seen[0] > 1000 && seen[1] > 1000, fmt::format("{} {}", seen[0], seen[1]).c_str());
  QCOMPARE(plot.classes().size(), 2);
  // The legend breaks where there is no room.
  QCOMPARE(plot.legend->rowCount(), 1);
  static_cast<QWidget&>(plot).show();
  plot.resize(240, 400);
  QCOMPARE(plot.legend->rowCount(), 2);
}

void RecordExplorerTest::brushingSetsTheFilter() {
  Shown shown;
  RecordScatterPage* page = shown.turnTo(shown.view.explorer()->scatter());
  ScatterPlot* plot = page->plot();
  QTRY_COMPARE(plot->drawn(), 270);
  plot->replot();
  const auto x = [&](double trial) { return qRound(plot->xAxis->coordToPixel(trial)); };
  const auto drag = [&](QPoint from, QPoint to) {
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
  };
  const QRect area = plot->axisRect()->rect();
  drag({x(100), area.center().y()}, {x(200), area.center().y()}); // along one axis
  RecordFilter filter = shown.view.bar()->filter();
  QCOMPARE(filter.conditions.size(), std::size_t(1));
  QCOMPARE(int(filter.conditions[0].field), int(FilterField::Trial));
  QVERIFY(std::abs(filter.conditions[0].values[0].low - 100) <= 2);
  QVERIFY(std::abs(filter.conditions[0].values[0].high - 200) <= 2);
  QTRY_VERIFY(plot->sample().matching < 110 && plot->sample().matching > 90);
  QTRY_VERIFY(shown.view.figures()->count() && *shown.view.figures()->count() < 110);
  // Both axes: what is listed lies within.
  plot->replot();
  const std::int64_t before = plot->sample().matching;
  drag(area.topLeft() + QPoint(area.width() / 4, area.height() / 4), area.center());
  filter = shown.view.bar()->filter();
  QCOMPARE(filter.conditions.size(), std::size_t(2));
  QTRY_VERIFY(plot->sample().matching < before);
  QTRY_VERIFY(!page->note()->stopButton()->isVisible());
  shown.document.undoStack().undo();
  QTest::mouseDClick(plot, Qt::LeftButton, {}, area.center());
  QVERIFY(shown.view.bar()->filter().empty());
}

void RecordExplorerTest::pointsAreSelected() {
  Shown shown;
  RecordScatterPage* page = shown.turnTo(shown.view.explorer()->scatter());
  ScatterPlot* plot = page->plot();
  QTRY_COMPARE(plot->drawn(), 270);
  plot->replot();
  const RowId record = shown.sample->records[110];
  const auto at = plot->pixelOf(record);
  QVERIFY(at);
  QTest::mouseClick(plot, Qt::LeftButton, {}, at->toPoint());
  QVERIFY(shown.document.selection().current().record != 0);
  QCOMPARE(shown.document.selection().current().record, record);
  QTRY_COMPARE(plot->ringed(), 1);
}

void RecordExplorerTest::rangesAreReadable_data() {
  QTest::addColumn<int>("fact");
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::addColumn<QByteArray>("filter");
  const double none = std::numeric_limits<double>::infinity();
  QTest::newRow("latency") << int(PointFact::Latency) << 0.123456 << 2.34567
                           << QByteArray("latency:123.4us..2.346ms");
  QTest::newRow("open") << int(PointFact::Latency) << -none << 2.34567
                        << QByteArray("latency<=2.346ms");
  QTest::newRow("trials") << int(PointFact::Trial) << 9.2 << 20.7 << QByteArray("trial:10..20");
  QTest::newRow("speed") << int(PointFact::Throughput) << 12.34567 << 99.99999
                         << QByteArray("gflops:12.34..100");
  QTest::newRow("before the start")
      << int(PointFact::Wall) << -3.0 << 60.0 << QByteArray("wall:0..1min");
  QTest::newRow("weight") << int(PointFact::Weight) << 0.5 << 2.0 << QByteArray("weight:0.5..2");
}

void RecordExplorerTest::rangesAreReadable() {
  QFETCH(int, fact);
  QFETCH(double, low);
  QFETCH(double, high);
  QFETCH(QByteArray, filter);
  QCOMPARE(QByteArray::fromStdString(print(conditionOf(PointFact(fact), low, high))), filter);
}

void RecordExplorerTest::theSameProgramIsFound() {
  Shown shown;
  SameProgramPage* page = shown.turnToRecord();
  const RowId record = shown.sample->records[0];
  shown.document.selection().select({shown.sample->tasks[1], record});
  // All of the sample's 100 records of the task are one program; of the 20 on the other machine
  // those of the trials 1, 10, 19, … are.
  QTRY_COMPARE(page->model()->rowCount(), 107);
  const auto& twins = page->model()->twins();
  for (const ProgramTwin& twin : twins)
    if (twin.targetName == "zen4") QVERIFY(twin.trial % 9 == 1);
  QVERIFY(page->model()->ownRow() >= 0);
  const int own = page->model()->ownRow();
  QCOMPARE(page->model()->index(own, TwinModel::Ratio).data().toString(),
           QStringLiteral("this one"));
  const double ratio = page->model()->index(0, TwinModel::Ratio).data(ExportRole).toDouble();
  QVERIFY(std::abs(ratio - twins[0].seconds / twins[std::size_t(own)].seconds) < 1e-5);
  // Double-click goes there.
  QTableView* table = page->table();
  table->scrollToTop();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(page->model()->index(0, 0)).center());
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {},
                     table->visualRect(page->model()->index(0, 0)).center());
  QCOMPARE(shown.document.selection().current().record, twins[0].record);
}

/// An answer that comes after its record was left.
void RecordExplorerTest::theProgramOfNoRecordIsNotTold() {
  Shown shown;
  SameProgramPage* page = shown.turnToRecord();
  QStringList told;
  connect(page->model(), &QAbstractItemModel::modelReset, page,
          [&] { told.append(page->note()->text()); });
  shown.document.selection().select({shown.sample->tasks[1], shown.sample->records[0]});
  QVERIFY(page->note()->text().contains(QStringLiteral("Reading")));
  shown.document.selection().select({});
  const QString nothing = page->note()->text();
  QVERIFY(nothing.contains(QStringLiteral("Select a record")));
  QTest::qWait(300);
  QCOMPARE(page->note()->text(), nothing);
  QVERIFY2(told.filter(QStringLiteral("Record 0")).isEmpty(), qPrintable(told.join('|')));
}

void RecordExplorerTest::stateIsKept() {
  Shown shown;
  RecordExplorer* explorer = shown.view.explorer();
  explorer->setCurrentWidget(explorer->scatter());
  explorer->scatter()->setFacts(PointFact::Wall, PointFact::Throughput, PointFact::Session);
  explorer->groups()->setBy(GroupBy::Network);
  explorer->sql()->setText(QStringLiteral("SELECT 1"));
  const nlohmann::json state = shown.view.viewState();
  Document other;
  RecordView view(other);
  view.restoreViewState(state);
  QCOMPARE(view.explorer()->currentWidget(), view.explorer()->scatter());
  QCOMPARE(int(view.explorer()->scatter()->x()), int(PointFact::Wall));
  QCOMPARE(int(view.explorer()->scatter()->y()), int(PointFact::Throughput));
  QCOMPARE(int(view.explorer()->scatter()->colour()), int(PointFact::Session));
  QCOMPARE(int(view.explorer()->groups()->by()), int(GroupBy::Network));
  QCOMPARE(view.explorer()->sql()->text(), QStringLiteral("SELECT 1"));
  // As written before the pages and panes were fewer.
  view.restoreViewState({{"explorer", {{"page", "same-program"}, {"x", "nonsense"}}},
                         {"facets", false},
                         {"statistics", true}});
  QCOMPARE(int(view.explorer()->scatter()->x()), int(PointFact::Trial));
}

void RecordExplorerTest::closedDocumentsShowNothing() {
  Shown shown;
  RecordScatterPage* scatter = shown.turnTo(shown.view.explorer()->scatter());
  QTRY_COMPARE(scatter->plot()->drawn(), 270);
  RecordGroupsPage* groups = shown.turnTo(shown.view.explorer()->groups());
  QTRY_COMPARE(groups->model()->rowCount(), 3);
  shown.document.close();
  QTRY_COMPARE(shown.document.state(), DocumentState::Empty);
  QCOMPARE(groups->model()->rowCount(), 0);
  QCOMPARE(scatter->plot()->drawn(), 0);
  QCOMPARE(shown.facets()->tree()->topLevelItemCount(), 0);
}

NW_TEST_GUI(RecordExplorerTest)

} // namespace nestwright::record_explorer_test

#include "record_explorer.moc"
