/// What every panel of a desktop application owes its user: its numbers as a table, things found by
/// name, records that can be picked up and dropped.

#include "tests/support/test_program.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_page.h"
#include "ui/curves/curve_plot.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/notices.h"
#include "ui/document/program_drag.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/table/table_twin.h"
#include "ui/notes/notes_view.h"
#include "ui/program/program_compare_view.h"
#include "ui/recombination/recombination_view.h"
#include "ui/records/record_view.h"
#include "ui/records/scatter_plot.h"
#include "ui/roofline/roofline_plot.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/note_actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_finder.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <QUndoStack>

#include <array>
#include <memory>

namespace nestwright::panels_sort_copy_and_drag_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class CraftTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void chartsHaveTheirNumbersAsTables_data();
  void chartsHaveTheirNumbersAsTables();
  void tablesSortCopyAndOpen();
  void tablesEndWithTheirDocument();
  void recordsAreFoundByNumber();
  void starringWhatIsSelected();
  void manyRecordsAreOneDrag();
  void recordsAreDroppedOnViews();
  void pointsCanBeDragged();
  void everythingHasANameAndAPlaceForTheKeyboard();
  void panelsAreCopiedInEveryForm();

 private:
  QTemporaryDir settings_;
};

/// The window with the numbers of this panel, as the command in the menu opens it.
TableTwin* twinOf(MainWindow& window, const char* panel) {
  window.panels().raise(QString::fromLatin1(panel));
  window.actions().showTable->trigger();
  return window.findChild<TableTwin*>(QStringLiteral("tableOf/") + QLatin1String(panel));
}

bool isRead(const TableTwin& twin) {
  return twin.table()->model()->rowCount() > 0;
}

QString cell(const TableTwin& twin, int row, int column) {
  return twin.table()->model()->index(row, column).data().toString();
}

void CraftTest::initTestCase() {
  keepSettingsIn(settings_);
}

void CraftTest::chartsHaveTheirNumbersAsTables_data() {
  QTest::addColumn<QString>("panel");
  QTest::addColumn<QString>("table");
  QTest::addColumn<int>("columns");
  QTest::newRow("curves") << "curves"
                          << "" << 6;
  QTest::newRow("tasks") << "tasks"
                         << "Tasks" << 14;
  QTest::newRow("allocation") << "scheduler"
                              << "Trials given to each task" << 4;
  QTest::newRow("records") << "records"
                           << "Records" << 5;
  QTest::newRow("histogram") << "records"
                             << "Histogram of latencies" << 3;
  QTest::newRow("figures") << "records"
                           << "Statistics" << 2;
}

void CraftTest::chartsHaveTheirNumbersAsTables() {
  QFETCH(QString, panel);
  QFETCH(QString, table);
  QFETCH(int, columns);
  OpenedSample opened(60);
  QTRY_VERIFY(!opened.window.document().session().historyLoading());
  if (panel == QLatin1String("records")) opened.window.showMaximized(); // room for the figures
  TableTwin* twin = nullptr;
  // The figures of the records come a little later than the records.
  QTRY_VERIFY((twin = twinOf(opened.window, panel.toUtf8().constData())) &&
              (table.isEmpty() || twin->which()->findText(table) >= 0));
  QVERIFY(!twin->windowTitle().isEmpty());
  if (!table.isEmpty()) twin->which()->setCurrentText(table);
  QTRY_VERIFY2((twin->bringUpToDate(), QTest::qWait(20), isRead(*twin)),
               qPrintable(twin->headline()));
  QCOMPARE(twin->table()->model()->columnCount(), columns);
  if (panel != QLatin1String("scheduler")) return;
  // The three tasks' trials at the end are all 60.
  double all = 0;
  const int last = twin->table()->model()->rowCount() - 1;
  for (int column = 1; column < columns; ++column)
    all += cell(*twin, last, column).toDouble();
  QCOMPARE(all, 60.0);
}

void CraftTest::tablesSortCopyAndOpen() {
  OpenedSample opened(60);
  Document& document = opened.window.document();
  QTRY_VERIFY(!document.session().historyLoading());
  TableTwin* twin = twinOf(opened.window, "curves");
  QVERIFY(twin);
  QTRY_VERIFY(isRead(*twin));
  const int rows = twin->table()->model()->rowCount();
  constexpr int kTrial = 1, kRecord = 5;
  twin->table()->sortByColumn(kTrial, Qt::DescendingOrder);
  for (int row = 1; row < rows; ++row) // as numbers: 10 comes before 9
    QVERIFY(cell(*twin, row, kTrial).toInt() <= cell(*twin, row - 1, kTrial).toInt());
  twin->copyAll(false);
  const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
  QCOMPARE(lines.size(), rows + 1);
  QCOMPARE(lines.front(), QStringLiteral("task\ttrial\ttuning time, s\tbest latency, ms\t"
                                         "throughput, GFLOP/s\trecord"));
  QCOMPARE(lines[1].section(QLatin1Char('\t'), kTrial, kTrial), cell(*twin, 0, kTrial));
  twin->copyAll(true);
  QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("| task | trial |")));
  int row = 0;
  while (row < rows && cell(*twin, row, kRecord).toLongLong() == 0)
    ++row;
  QVERIFY(row < rows);
  const RowId record = cell(*twin, row, kRecord).toLongLong();
  document.selection().select({});
  Q_EMIT twin->table()->activated(twin->table()->model()->index(row, 0));
  QTRY_COMPARE(document.selection().current().record, record);
  QVERIFY(document.selection().current().task != 0);
  document.close();
  QTRY_VERIFY(!opened.window.findChild<TableTwin*>());
}

/// Which may be another that is opened over it.
void CraftTest::tablesEndWithTheirDocument() {
  const auto other = makeSample(30);
  OpenedSample opened(60);
  Document& document = opened.window.document();
  QTRY_VERIFY(!document.session().historyLoading());
  QVERIFY(twinOf(opened.window, "curves"));
  openSample(document, *other);
  QTRY_VERIFY(!opened.window.findChild<TableTwin*>());
}

void CraftTest::recordsAreFoundByNumber() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  Document& document = window.document();
  CommandPalette& palette = window.commandPalette();
  const RowId record = opened.sample->records[7];
  for (const char* form : {"%1", "#%1", "record %1"}) {
    document.selection().select({});
    palette.popUp();
    palette.line()->setText(QString::fromLatin1(form).arg(record));
    QVERIFY2(!palette.items().empty(), form);
    QCOMPARE(palette.items().front().title, QStringLiteral("Record #%1").arg(record));
    QTest::keyClick(palette.line(), Qt::Key_Return);
    QTRY_COMPARE(document.selection().current().record, record);
  }
  QCOMPARE(window.panels().current()->name(), QStringLiteral("program"));
  palette.popUp();
  palette.line()->setText(QStringLiteral("best of matmul 64"));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  const TaskEntry* task = document.session().task(opened.sample->tasks[1]);
  QCOMPARE(document.selection().current(), (Selection{task->row.id, task->summary.bestRecord}));
  // One that is not there is said, and nothing is selected.
  QSignalSpy said(&document.notices(), &Notices::warned);
  const Selection before = document.selection().current();
  palette.popUp();
  palette.line()->setText(QStringLiteral("#999999"));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  QTRY_COMPARE(said.count(), 1);
  QCOMPARE(document.selection().current(), before);
}

void CraftTest::starringWhatIsSelected() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  Document& document = window.document();
  const RowId task = opened.sample->tasks[1];
  QAction* star = window.notes().star;
  const NoteKey session{NoteAbout::Session, opened.sample->session};
  document.selection().select({});
  star->trigger();
  QVERIFY(document.notes().note(session).star);
  document.selection().selectTask(task);
  QVERIFY(!star->isChecked());
  star->trigger();
  QVERIFY(document.notes().note({NoteAbout::Task, task}).star);
  // Of a record its task is kept, so that the charts find it.
  const RowId record = document.session().task(task)->summary.bestRecord;
  document.selection().select({task, record});
  star->trigger();
  QCOMPARE(document.notes().note({NoteAbout::Record, record}), (Note{"", true, task}));
  QVERIFY(star->isChecked());
  document.undoStack().undo();
  QVERIFY(document.notes().note({NoteAbout::Record, record}).empty());
  QVERIFY(!star->isChecked());
  document.undoStack().redo();
  QVERIFY(star->isChecked());
  // Writing goes to the place where notes are written, about the same.
  window.notes().write->trigger();
  auto* notes = window.panels().view<NotesView>();
  QVERIFY(notes->isVisible());
  QCOMPARE(notes->about()->currentIndex(), int(NoteAbout::Record));
  QTRY_VERIFY(notes->text()->hasFocus() || !window.isActiveWindow());
}

void CraftTest::manyRecordsAreOneDrag() {
  OpenedSample opened(30);
  RecordView& view = *opened.window.panels().view<RecordView>();
  view.scope()->setFollowing(false);
  QTRY_COMPARE(view.model()->rowCount(), 30);
  const auto rows = [&](std::initializer_list<int> wanted) {
    QModelIndexList indexes;
    for (const int row : wanted)
      for (const int column : {0, 2}) // as views give all cells of a row
        indexes.append(view.model()->index(row, column));
    return indexes;
  };
  QTRY_VERIFY(view.model()->index(9, 0).data(TaskRole).isValid());
  const std::unique_ptr<QMimeData> data(view.model()->mimeData(rows({9, 2, 5})));
  const std::vector<ProgramRef> programs = programsFrom(data.get());
  QCOMPARE(programs.size(), std::size_t(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const int row = std::array{9, 2, 5}[i];
    QCOMPARE(programs[i].record, view.model()->recordAt(row));
    QCOMPARE(programs[i].task, view.model()->index(row, 0).data(TaskRole).toLongLong());
    QCOMPARE(programs[i].file, opened.sample->path);
  }
  QCOMPARE(programFrom(data.get()), std::optional(programs[0])); // where one is taken
  // As text it is a filter that finds the same.
  const RecordFilter filter = parseRecordFilter(data->text().toStdString());
  view.scope()->setFilter(filter);
  QTRY_COMPARE(view.model()->rowCount(), 3);
  // A row of the task table is its best.
  const QModelIndex task = opened.window.panels().view<TaskView>()->model()->index(1, 0);
  QVERIFY(task.flags() & Qt::ItemIsDragEnabled);
  const std::unique_ptr<QMimeData> best(
      opened.window.panels().view<TaskView>()->model()->mimeData({task}));
  const auto entry = opened.window.document().session().tasks()[1];
  QCOMPARE(programFrom(best.get())->record, entry.summary.bestRecord);
}

void CraftTest::recordsAreDroppedOnViews() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  Document& document = window.document();
  const RowId task = opened.sample->tasks[0];
  std::vector<ProgramRef> programs;
  const TaskHistory* history = nullptr;
  QTRY_VERIFY((history = document.session().history().find(task)) && history->trials.size() > 4);
  for (int i = 0; i < 3; ++i)
    programs.push_back(
        {document.file().path(), task, history->trials[std::size_t(i)].record, false, {}});
  const auto drop = [](QWidget& view, const std::vector<ProgramRef>& what, QPoint at) {
    const std::unique_ptr<QMimeData> data(toMimeData(what));
    QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &enter);
    QDropEvent dropped(at, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    if (enter.isAccepted()) QApplication::sendEvent(&view, &dropped);
    return enter.isAccepted() && dropped.isAccepted();
  };
  // Two are the two sides, one is the side that it falls on.
  ProgramCompareView& compare = *window.panels().view<ProgramCompareView>();
  QVERIFY(drop(compare, {programs[0], programs[1]}, QPoint(5, 100)));
  QCOMPARE(document.selection().compared(), (ProgramPair{programs[0], programs[1]}));
  QVERIFY(drop(compare, {programs[2]}, QPoint(compare.width() - 5, 100)));
  QCOMPARE(document.selection().compared(), (ProgramPair{programs[0], programs[2]}));
  QVERIFY(!drop(compare, {}, QPoint(5, 5)));
  // Anywhere in the lab they become parents; two drops in a row lose nothing.
  auto* lab = window.findChild<CrossingPage*>();
  CrossingControl& control = window.findChild<RecombinationView*>()->crossing();
  QVERIFY(drop(*lab, {programs[0]}, QPoint(200, 60)));
  QVERIFY(drop(*lab, {programs[1], programs[2]}, QPoint(200, 60)));
  QTRY_VERIFY(!control.isReading());
  std::vector<RowId> parents;
  for (const CrossingParent& parent : control.parents())
    parents.push_back(parent.record);
  QCOMPARE(parents,
           (std::vector<RowId>{programs[0].record, programs[1].record, programs[2].record}));
  programs[0].file = QStringLiteral("/elsewhere.nwdb");
  QVERIFY(!drop(*lab, {programs[0]}, QPoint(200, 60)));
}

void CraftTest::pointsCanBeDragged() {
  const auto press = [](QWidget& plot, QPoint at) {
    QTest::mousePress(&plot, Qt::LeftButton, {}, at);
    for (const int step : {3, 40})
      QTest::mouseMove(&plot, at + QPoint(step, 0));
    // QTest's moves carry no buttons.
    QMouseEvent move(QEvent::MouseMove, at + QPoint(40, 0), plot.mapToGlobal(at + QPoint(40, 0)),
                     Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(&plot, &move);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, at + QPoint(40, 0));
  };
  const auto sample = makeSample(60);
  Document document;
  CurvePlot curves(document);
  curves.resize(700, 400);
  curves.show();
  openSample(document, *sample);
  const TaskHistory& task = document.session().history().tasks()[0];
  document.selection().select({task.task, task.bests.back().record});
  curves.replot();
  QVERIFY(curves.marks().ringPixel());
  QSignalSpy dragged(&curves, &CurvePlot::dragged);
  const QPoint ring = curves.marks().ringPixel()->toPoint();
  press(curves, ring);
  QCOMPARE(dragged.count(), 1);
  QVERIFY(!curves.isZoomed());
  press(curves, QPoint(ring.x() > 350 ? 150 : 450, 200)); // elsewhere it moves the axes
  QCOMPARE(dragged.count(), 1);
  QVERIFY(curves.isZoomed());

  ScatterPlot scatter;
  scatter.resize(700, 400);
  scatter.QWidget::show();
  RecordSample points;
  points.tasks[1] = "matmul", points.sessions[1] = "s";
  for (RowId record = 1; record <= 3; ++record) {
    RecordPoint point;
    point.record = record, point.task = point.session = 1, point.trial = record;
    point.seconds = 1e-3 * double(record);
    points.points.push_back(point);
  }
  scatter.show(points);
  scatter.setChosen({1, 3});
  scatter.replot();
  QSignalSpy several(&scatter, &ScatterPlot::dragged);
  QSignalSpy brushed(&scatter, &ScatterPlot::brushed);
  press(scatter, scatter.pixelOf(1)->toPoint());
  QCOMPARE(several.count(), 1);
  QCOMPARE(brushed.count(), 0);
  QCOMPARE(scatter.ringedPoints().size(), std::size_t(2));
  press(scatter, scatter.pixelOf(2)->toPoint()); // not ringed: a range is chosen
  QCOMPARE(several.count(), 1);
  QCOMPARE(brushed.count(), 1);

  RooflinePlot roofline;
  roofline.resize(700, 400);
  roofline.QWidget::show();
  Roofline roof;
  roof.task = 1, roof.flops = 1e9;
  for (RowId record = 1; record <= 3; ++record)
    roof.points.push_back({record, record, 1e-3 * double(record), {1e6, 1e6, 1e6}, false});
  roofline.show(roof, Traffic::Memory, 0, 0);
  roofline.replot();
  QSignalSpy program(&roofline, &RooflinePlot::dragged);
  press(roofline, roofline.pixelOf(2)->toPoint());
  QCOMPARE(program.count(), 1);
  QCOMPARE(program.front().front().value<RowId>(), RowId(2));
}

/// What a screen reader says of it.
QString spokenName(const QWidget* widget) {
  if (!widget->accessibleName().isEmpty()) return widget->accessibleName();
  for (const QLabel* label : widget->window()->findChildren<QLabel*>())
    if (label->buddy() == widget) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
    const QString text = QString(button->text()).remove(QLatin1Char('&'));
    // A sign is read as nothing, or as its Unicode name.
    if (!text.isEmpty() && text[0].isLetterOrNumber()) return text;
  }
  if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return line->placeholderText();
  return {};
}

/// Controls that belong to another one, which has the name.
bool isPart(const QWidget* widget) {
  const QWidget* parent = widget->parentWidget();
  return qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
         qobject_cast<const QTabBar*>(parent) || qobject_cast<const QToolBar*>(parent) ||
         qobject_cast<const QLineEdit*>(parent) || qobject_cast<const QScrollBar*>(widget) ||
         qobject_cast<const QHeaderView*>(widget) ||
         widget->objectName().startsWith(QLatin1String("qt_")) ||
         widget->inherits("QTableCornerButton") ||
         (parent && parent->inherits("QComboBoxPrivateContainer"));
}

void CraftTest::everythingHasANameAndAPlaceForTheKeyboard() {
  OpenedSample opened(30);
  QStringList nameless, unreachable;
  for (const PanelView& view : opened.window.panels().views())
    for (QWidget* widget : view.widget->findChildren<QWidget*>()) {
      const bool chart = qobject_cast<QCustomPlot*>(widget);
      const bool control =
          chart || qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
          qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QLineEdit*>(widget) ||
          qobject_cast<QPlainTextEdit*>(widget) || qobject_cast<QAbstractSlider*>(widget) ||
          qobject_cast<QAbstractItemView*>(widget);
      if (!control || isPart(widget)) continue;
      const auto* button = qobject_cast<QAbstractButton*>(widget);
      const QString what =
          QStringLiteral("%1: %2 \"%3\" in %4")
              .arg(view.name, QLatin1String(widget->metaObject()->className()),
                   button ? button->text() : widget->toolTip().left(40),
                   QLatin1String(widget->parentWidget()->metaObject()->className()));
      if (spokenName(widget).isEmpty()) nameless.append(what);
      if (!(widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy() &&
          (chart || qobject_cast<QAbstractItemView*>(widget)))
        unreachable.append(what);
    }
  QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
  QVERIFY2(unreachable.isEmpty(), qPrintable(unreachable.join(QLatin1Char('\n'))));
}

void CraftTest::panelsAreCopiedInEveryForm() {
  OpenedSample opened(60);
  MainWindow& window = opened.window;
  QTRY_VERIFY(!window.document().session().historyLoading());
  Actions& actions = window.actions();
  QClipboard* clipboard = QApplication::clipboard();
  const QStringList withRows{"tasks", "curves", "scheduler", "records"};
  for (const PanelView& view : window.panels().views()) {
    window.panels().raise(view.name);
    QTest::qWait(20);
    clipboard->clear();
    actions.copyImage->trigger();
    const QImage image = clipboard->image();
    QVERIFY2(!image.isNull(), qPrintable(view.name));
    // As large as it is seen.
    QVERIFY2(image.width() <= view.widget->width() * window.devicePixelRatioF(),
             qPrintable(view.name));
    if (!withRows.contains(view.name)) continue;
    if (view.name == QLatin1String("records"))
      QTRY_VERIFY(window.panels().view<RecordView>()->model()->textAt(0, RecordModel::Trial));
    actions.copyTable->trigger();
    const QStringList lines = clipboard->text().split(QLatin1Char('\n'));
    QVERIFY2(lines.size() > 2 && lines[0].count(QLatin1Char('\t')) > 2, qPrintable(view.name));
    actions.copyMarkdown->trigger();
    const QStringList marked = clipboard->text().split(QLatin1Char('\n'));
    QCOMPARE(marked.size(), lines.size() + 1);
    QVERIFY2(marked[0].startsWith(QLatin1String("| ")), qPrintable(view.name));
  }
}

NW_TEST_GUI(CraftTest)

} // namespace nestwright::panels_sort_copy_and_drag_test

#include "panels_sort_copy_and_drag.moc"
