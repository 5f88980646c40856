/// The records' table over many rows, as it is used: bar, keys, headers, filters, selections.
/// NESTWRIGHT_BROWSER_ROWS sets how many, NESTWRIGHT_BROWSER_FILE a file to make them in and to
/// keep. Times are printed for people.

#include "core/record/store/record_rows.h"
#include "core/session/run/session.h"
#include "core/session/run/tuning_state.h"
#include "tests/record/bulk_records.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/notices.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/table/row_table.h"
#include "ui/kit/theme.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_view.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>
#include <QToolButton>

#include <algorithm>

namespace nestwright::record_browser_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

using Order = BrowseOrder;

SessionRow importSession(std::int64_t records) {
  SessionConfig config;
  config.subjects = {"logs of made-up tasks"};
  config.trials = int(records);
  nlohmann::json json = toJson(config);
  json["import"] = {"logs"};
  SessionRow row;
  row.title = "Import of made-up logs";
  row.config = json.dump();
  row.schedulerState = toText(TuningState{});
  row.status = SessionStatus::Finished;
  row.createdAt = row.updatedAt = 1'700'000'000'000'000;
  return row;
}

/// A model of as many rows as an int can count.
class Endless : public QAbstractTableModel {
 public:
  static constexpr int kRows = 2'147'483'646;
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : kRows;
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : 2;
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (role == Qt::DisplayRole) ++looks;
    return role == Qt::DisplayRole ? QVariant(index.row()) : QVariant();
  }
  mutable int looks = 0;
};

/// Counts how often it is asked where a cell is.
class CountingTable : public RowTable {
 public:
  QRect visualRect(const QModelIndex& index) const override {
    ++asked;
    return RowTable::visualRect(index);
  }
  mutable std::int64_t asked = 0;
};

class RecordBrowserTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void opensWithRows();
  void barReachesEveryRow();
  void keysMove();
  void headersSortEverything();
  void filtersCount();
  void everythingIsSelectedAtOnce();
  void selectionStaysWhileScrolling();
  void goesToRowsAndRecords();
  void rowsThatComeLeaveTheSelection();
  void copiesWhatNobodyLookedAt();
  void newRecordsKeepThePlace();
  void rowsOfAnyNumberAndHeight();
  void aChangeOfAllRowsConcernsThoseOnTheScreen();

 private:
  int top() const { return view_->table()->topRow(); }
  /// The row on the screen shows the record of its rank.
  bool isRead(int row) const { return view_->model()->textAt(row, RecordModel::Trial).has_value(); }
  bool screenIsRead() const {
    const int last = std::min(top() + view_->table()->rowsShown(), view_->model()->rowCount()) - 1;
    return last >= top() && isRead(top()) && isRead(last);
  }
  void compareWith(const BrowseQuery& query, int row) const;
  void told(const char* what) {
    qInfo("%s: %.1f ms", what, double(timer_.nsecsElapsed()) / 1e6);
    timer_.start();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  QString path_;
  int rows_ = 0;
  std::unique_ptr<Document> document_;
  std::unique_ptr<RecordView> view_;
  QElapsedTimer timer_;
};

void RecordBrowserTest::initTestCase() {
  bool given = false;
  rows_ = qEnvironmentVariableIntValue("NESTWRIGHT_BROWSER_ROWS", &given);
  if (!given) rows_ = 200'000;
  folder_ = std::make_unique<QTemporaryDir>();
  path_ = qEnvironmentVariable("NESTWRIGHT_BROWSER_FILE",
                               folder_->filePath(QStringLiteral("browser.nwdb")));
  if (!QFileInfo::exists(path_))
    samples::importMany(path_.toStdString(), importSession(rows_), rows_, 2000, 1);
}

void RecordBrowserTest::init() {
  timer_.start();
  document_ = std::make_unique<Document>();
  view_ = std::make_unique<RecordView>(*document_);
  view_->resize(1100, 600);
  view_->show();
  document_->open(path_);
  QTRY_COMPARE_WITH_TIMEOUT(document_->state(), DocumentState::Ready, 60'000);
  document_->selection().select({});
  QTRY_VERIFY_WITH_TIMEOUT(view_->model()->isRanked() && screenIsRead(), 60'000);
  QCOMPARE(view_->model()->rowCount(), rows_);
}

void RecordBrowserTest::cleanup() {
  view_.reset();
  document_.reset();
}

void RecordBrowserTest::compareWith(const BrowseQuery& query, int row) const {
  const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
  const std::optional<Record> record =
      store.records().one(RecordBrowser(path_.toStdString()).ranks(query).at(row));
  QVERIFY(record);
  QCOMPARE(view_->model()->textAt(row, RecordModel::Trial), countText(record->trial));
}

void RecordBrowserTest::opensWithRows() {
  told("opened, with rows on the screen");
  QCOMPARE(view_->bar()->count(), QStringLiteral("%1 of %1 records").arg(countText(rows_)));
  QCOMPARE(view_->model()->textAt(0, RecordModel::Trial), countText(rows_));
}

void RecordBrowserTest::barReachesEveryRow() {
  QScrollBar* bar = view_->table()->verticalScrollBar();
  QCOMPARE(bar->maximum(), rows_ - view_->table()->rowsShown());
  for (const double part : {0.5, 0.123, 0.987, 1.0}) {
    timer_.start();
    bar->setValue(int(part * bar->maximum()));
    QTRY_VERIFY(screenIsRead());
    told("page by the bar");
    compareWith({}, top());
  }
  // With the mouse, by its handle.
  bar->setValue(0);
  QStyleOptionSlider option;
  option.initFrom(bar);
  option.orientation = Qt::Vertical;
  option.minimum = 0, option.maximum = bar->maximum(), option.pageStep = bar->pageStep();
  option.subControls = QStyle::SC_All;
  const QRect handle =
      bar->style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, bar);
  const QPoint from = handle.center(), to(from.x(), bar->height() / 2);
  QTest::mousePress(bar, Qt::LeftButton, {}, from);
  for (int step = 1; step <= 5; ++step)
    QTest::mouseMove(bar, from + (to - from) * step / 5);
  QVERIFY(top() > rows_ / 3 && top() < rows_ * 2 / 3);
  QTRY_VERIFY(screenIsRead()); // while it is still held
  QTest::mouseRelease(bar, Qt::LeftButton, {}, to);
}

void RecordBrowserTest::keysMove() {
  RowTable* table = view_->table();
  const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(table, Qt::Key(key), modifiers);
    return table->currentIndex().row();
  };
  table->setFocus();
  QCOMPARE(press(Qt::Key_End), rows_ - 1);
  QTRY_VERIFY(isRead(rows_ - 1));
  const int page = table->rowsShown() - 1;
  QCOMPARE(press(Qt::Key_PageUp), rows_ - 1 - page);
  QCOMPARE(press(Qt::Key_Up), rows_ - 2 - page);
  QCOMPARE(press(Qt::Key_Home), 0);
  QCOMPARE(press(Qt::Key_PageDown), page);
  QCOMPARE(press(Qt::Key_Down), page + 1);
  QVERIFY(table->topRow() > 0);
  // The document follows when the row has been read.
  QTRY_COMPARE(document_->selection().current().record, view_->model()->recordAt(page + 1));
  // To the end, and back by one, with Shift.
  QCOMPARE(press(Qt::Key_End, Qt::ShiftModifier), rows_ - 1);
  QCOMPARE(table->selectedCount(), std::int64_t(rows_ - page - 1));
  QCOMPARE(press(Qt::Key_Up, Qt::ShiftModifier), rows_ - 2);
  QCOMPARE(table->selectedCount(), std::int64_t(rows_ - page - 2));
}

void RecordBrowserTest::headersSortEverything() {
  for (int i = 0; i < RecordModel::ColumnCount; ++i)
    view_->table()->setColumnShown(RecordModel::Column(i), true);
  QHeaderView* header = view_->table()->horizontalHeader();
  for (const auto& [column, order] : {std::pair(RecordModel::Latency, Order::Fastest),
                                      {RecordModel::Latency, Order::Slowest},
                                      {RecordModel::Task, Order::ByTask},
                                      {RecordModel::Outcome, Order::ByVerdict},
                                      {RecordModel::Session, Order::BySession},
                                      {RecordModel::Throughput, Order::ByThroughputDown},
                                      {RecordModel::Wall, Order::ByWall},
                                      {RecordModel::Number, Order::Newest}}) {
    timer_.start();
    header->setOffset(0);
    view_->table()->horizontalScrollBar()->setValue(header->sectionPosition(column) - 100);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(column) + 8, 5));
    QCOMPARE(int(view_->model()->listing().order), int(order));
    QTRY_VERIFY_WITH_TIMEOUT(view_->model()->rowCount() > 0 && screenIsRead(), 60'000);
    told("first rows of another order");
    QTRY_VERIFY_WITH_TIMEOUT(view_->model()->isRanked(), 120'000);
    told("all of them in order");
    QCOMPARE(view_->model()->rowCount(), rows_);
    view_->table()->setTopRow(rows_ / 2);
    QTRY_VERIFY(screenIsRead());
    BrowseQuery query;
    query.order = order;
    compareWith(query, top());
  }
}

void RecordBrowserTest::filtersCount() {
  const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
  for (const char* text : {"error:any", "task:Dense", "latency<100us", "steps:fuse error:none",
                           "trial:1000..3000", "is:best", "gflops>40 task:Conv"}) {
    timer_.start();
    view_->scope()->setFilter(parseRecordFilter(text));
    QTRY_VERIFY_WITH_TIMEOUT(view_->model()->rowCount() == 0 || screenIsRead(), 60'000);
    told(text);
    QTRY_VERIFY_WITH_TIMEOUT(view_->model()->isRanked(), 120'000);
    told("  counted");
    BrowseQuery query;
    query.records.filter = parseRecordFilter(text);
    QCOMPARE(std::int64_t(view_->model()->rowCount()), store.records().count(query.records));
    if (view_->model()->rowCount() == 0) continue;
    view_->table()->setTopRow(view_->model()->rowCount() / 2);
    QTRY_VERIFY(screenIsRead());
    compareWith(query, top());
  }
}

void RecordBrowserTest::everythingIsSelectedAtOnce() {
  RowTable* table = view_->table();
  table->setFocus();
  timer_.start();
  QTest::keySequence(table, QKeySequence::SelectAll);
  told("select all");
  QCOMPARE(table->selectedCount(), std::int64_t(rows_));
  QCOMPARE(table->selectedRanges().size(), std::size_t(1));
  QVERIFY(view_->selectedRecords().empty()); // too many to be named
  QVERIFY(whyNotNamed(view_->table()->selected()).startsWith(countText(rows_)));
  QVERIFY(!view_->figures()->isOfChosen()); // figures of all are there
  QVERIFY(view_->bar()->count().endsWith(QStringLiteral("%1 selected").arg(countText(rows_))));
  QSignalSpy warned(&document_->notices(), &Notices::warned);
  view_->actions()->tagSelected(QStringLiteral("keep"), true);
  view_->actions()->copySelected();
  QCOMPARE(warned.count(), 2);
}

void RecordBrowserTest::selectionStaysWhileScrolling() {
  RowTable* table = view_->table();
  table->selectRow(10);
  const auto at = [&](int row) {
    return table->visualRect(view_->model()->index(row, RecordModel::Trial)).center();
  };
  QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ShiftModifier, at(14));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, at(3));
  const std::vector<std::int64_t> chosen = view_->selectedRecords();
  QCOMPARE(chosen.size(), std::size_t(6));
  table->setTopRow(rows_ / 2);
  QTRY_VERIFY(screenIsRead());
  QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, at(top() + 2));
  QCOMPARE(view_->selectedRecords().size(), std::size_t(7));
  table->setTopRow(0);
  QCOMPARE(view_->selectedRecords().front(), chosen.front());
  QVERIFY(table->selectionModel()->isRowSelected(12, {}));
  QVERIFY(!table->selectionModel()->isRowSelected(5, {}));
}

void RecordBrowserTest::goesToRowsAndRecords() {
  QVERIFY(view_->table()->goTo(QStringLiteral("100,000")));
  QCOMPARE(view_->table()->currentIndex().row(), 99'999);
  QTRY_VERIFY(screenIsRead());
  QVERIFY(view_->table()->goTo(QStringLiteral("#1")));
  QCOMPARE(view_->table()->currentIndex().row(), rows_ - 1);
  QVERIFY(view_->table()->goTo(QStringLiteral("50 %")));
  QVERIFY(std::abs(view_->table()->currentIndex().row() - rows_ / 2) <= 1);
  QTRY_COMPARE(document_->selection().current().record,
               view_->model()->recordAt(view_->table()->currentIndex().row()));
  for (const char* wrong : {"", "x", "0", "101%", "#0", "99999999999"})
    QVERIFY(!view_->table()->goTo(QLatin1String(wrong)));
}

/// What another view selected stays, listed or not, whatever is read of the table.
void RecordBrowserTest::rowsThatComeLeaveTheSelection() {
  view_->scope()->setFollowing(false);
  RowTable* table = view_->table();
  const RowId oldest = view_->model()->recordAt(rows_ - 1);
  const RowId task =
      RecordStore::open(path_.toStdString(), OpenMode::ReadOnly).records().one(oldest)->task;
  view_->scope()->setFilter(parseRecordFilter(fmt::format("record>{}", oldest)));
  QTRY_VERIFY_WITH_TIMEOUT(view_->model()->isRanked() && screenIsRead(), 60'000);
  const RowId third = view_->model()->recordAt(3);
  const auto selected = [&] { return document_->selection().current().record; };
  table->selectRow(3);
  QTRY_COMPARE(selected(), third);
  document_->selection().select({task, oldest});
  QVERIFY(!table->currentIndex().isValid() && table->selectedCount() == 0);
  table->setTopRow(rows_ / 2);
  QTRY_VERIFY(screenIsRead());
  QCOMPARE(selected(), oldest);
  // Where several rows are selected, they stay, too.
  table->setTopRow(0);
  table->selectRow(3);
  QTRY_COMPARE(selected(), third);
  table->selectionModel()->select(
      QItemSelection(view_->model()->index(3, 0),
                     view_->model()->index(5, RecordModel::ColumnCount - 1)),
      QItemSelectionModel::Select);
  document_->selection().select({task, oldest});
  table->setTopRow(rows_ / 4);
  QTRY_VERIFY(screenIsRead());
  QCOMPARE(selected(), oldest);
  QCOMPARE(table->selectedCount(), std::int64_t(3));
  // Until one of them is clicked, be it the one that was current all the time.
  table->setTopRow(0);
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(view_->model()->index(3, RecordModel::Trial)).center());
  QCOMPARE(selected(), third);
}

void RecordBrowserTest::copiesWhatNobodyLookedAt() {
  RowTable* table = view_->table();
  table->selectRow(5000);
  table->selectionModel()->select(
      QItemSelection(view_->model()->index(5000, 0),
                     view_->model()->index(5299, RecordModel::ColumnCount - 1)),
      QItemSelectionModel::ClearAndSelect);
  QApplication::clipboard()->clear();
  view_->actions()->copySelected();
  QTRY_COMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 300);
  QVERIFY(QApplication::clipboard()->text().contains(countText(rows_ - 5299)));
  QVERIFY(!QApplication::clipboard()->text().contains(QStringLiteral("…")));
}

void RecordBrowserTest::newRecordsKeepThePlace() {
  const auto sample = makeSample(3000);
  SessionScript script;
  Document document(scripted(script));
  RecordView view(document);
  view.resize(1000, 500);
  view.show();
  openSample(document, *sample);
  document.selection().select({});
  RecordModel& model = *view.model();
  QTRY_COMPARE(model.rowCount(), 3000);
  QTRY_VERIFY(model.isRanked());
  view.table()->setTopRow(1500);
  const RowId there = model.recordAt(1500);
  view.table()->selectRow(1510);
  const RowId chosen = model.recordAt(1510);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  RecordStore store = RecordStore::open(sample->path.toStdString());
  for (int trial = 3001; trial <= 3007; ++trial) {
    Record record = *store.records().one(sample->records.back());
    record.trial = trial;
    record.id = store.records().add(record);
    script.tell(Measured{record.id, record.task, trial, record.result.verdict,
                         record.result.latency(), 9, ""});
  }
  QTRY_COMPARE(model.rowCount(), 3007);
  QCOMPARE(view.table()->topRow(), 1507);
  QCOMPARE(model.recordAt(1507), there);
  QCOMPARE(view.selectedRecords(), std::vector<std::int64_t>{chosen});
}

void RecordBrowserTest::rowsOfAnyNumberAndHeight() {
  for (const double zoom : {1.0, 3.0}) {
    Theme::instance().setZoom(zoom);
    Endless model;
    RowTable table;
    table.setModel(&model);
    table.resize(500, 400);
    table.show();
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_End);
    QCOMPARE(table.currentIndex().row(), Endless::kRows - 1);
    QCOMPARE(table.topRow(), Endless::kRows - table.rowsShown());
    QVERIFY(table.visualRect(table.currentIndex()).bottom() <= table.viewport()->height());
    QCOMPARE(table.indexAt({10, 1}).row(), table.topRow());
    QTest::keyClick(&table, Qt::Key_Home, Qt::ShiftModifier);
    QCOMPARE(table.selectedCount(), std::int64_t(Endless::kRows));
    table.setTopRow(Endless::kRows / 2);
    model.looks = 0;
    table.grab();
    QVERIFY(model.looks > 0 && model.looks < 2000); // those on the screen
  }
  Theme::instance().setZoom(1);
}

/// As when the order of all rows, or their share of the slowest, is another.
void RecordBrowserTest::aChangeOfAllRowsConcernsThoseOnTheScreen() {
  constexpr int kRows = 3'000'000;
  Endless model;
  CountingTable table;
  table.setModel(&model);
  table.resize(500, 400);
  table.show();
  QVERIFY(QTest::qWaitForWindowExposed(&table));
  table.setTopRow(kRows / 2);
  table.grab();
  table.asked = 0;
  Q_EMIT model.dataChanged(model.index(0, 0), model.index(kRows, 1));
  QVERIFY2(table.asked < 1000, qPrintable(QString::number(table.asked)));
  Q_EMIT model.dataChanged(model.index(0, 0), model.index(10, 1)); // far off
  QVERIFY(table.asked < 1000);
}

NW_TEST_GUI(RecordBrowserTest)

} // namespace nestwright::record_browser_test

#include "record_browser.moc"
