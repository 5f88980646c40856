#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/target/target_json.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/charts/plot_labels.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/curves/task_curves.h"
#include "ui/document/sample.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/row_table.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/program/program_view.h"
#include "ui/records/record_details.h"
#include "ui/records/record_model.h"
#include "ui/records/record_view.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/main_window.h"
#include "ui/window/status_line.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

namespace nestwright::views_show_a_session_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class ViewsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void taskTableShowsAndExplains();
  void taskTableSortsByNumbers();
  void taskTableEditsImportance();
  void taskTableCopiesWithHeaders();
  void curvesGetData();
  void curvesShowProgress();
  void namesStandOffTheirCurves();
  void eachTaskHasASmallChart();
  void curvesMarkWhatHappened();
  void curvesExport_data();
  void curvesExport();
  void selectionIsShared();
  void programOfBestAndOfRecord();
  void severalNetworksShow();
  void statusLineTellsAll();
  void statusLineTellsOfAnInterruption();
  void tasksSayWhereTheyWereTuned();
  void alternativesShowWhichRuns();
};

void ViewsTest::taskTableShowsAndExplains() {
  const auto sample = makeSample(100);
  Document document;
  TaskModel model(document);
  QAbstractItemModelTester tester(&model);
  QCOMPARE(model.rowCount(), 0);
  openSample(document, *sample);
  QCOMPARE(model.rowCount(), 3);
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
  QCOMPARE(text(0, TaskModel::Name), QStringLiteral("matmul 32x32x32"));
  QCOMPARE(text(0, TaskModel::Weight), QStringLiteral("3"));
  QCOMPARE(text(0, TaskModel::Naive), QStringLiteral("1.000"));
  QCOMPARE(text(0, TaskModel::Trials), QStringLiteral("33"));
  QCOMPARE(text(0, TaskModel::Importance), QStringLiteral("1×"));
  const TaskEntry& entry = document.session().tasks()[0];
  QCOMPARE(text(0, TaskModel::Best), timeIn(entry.summary.bestSeconds, TimeUnit::Milliseconds));
  double shares = 0;
  for (int row = 0; row < 3; ++row)
    shares += model.index(row, TaskModel::Share).data(SortRole).toDouble();
  QCOMPARE(shares, 1.0);
  for (int column = 0; column < TaskModel::ColumnCount; ++column) {
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 20);
  }
}

void ViewsTest::taskTableSortsByNumbers() {
  const auto sample = makeSample(100);
  Document document;
  openSample(document, *sample);
  TaskView view(document);
  const auto names = [&] {
    QStringList names;
    for (int row = 0; row < view.model()->rowCount(); ++row)
      names.append(view.model()->index(row, TaskModel::Name).data().toString().section(' ', 1));
    return names;
  };
  view.sortByColumn(TaskModel::Naive, Qt::DescendingOrder);
  QCOMPARE(names(), (QStringList{"128x128x128", "64x64x64", "32x32x32"}));
  // As text, 9.x would come after 10.x.
  view.sortByColumn(TaskModel::Throughput, Qt::DescendingOrder);
  QVector<double> values;
  for (int row = 0; row < 3; ++row)
    values.append(view.model()->index(row, TaskModel::Throughput).data(SortRole).toDouble());
  QVERIFY(values[0] > values[1] && values[1] > values[2]);
}

void ViewsTest::taskTableEditsImportance() {
  const auto sample = makeSample(10);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  TaskModel model(document);
  const QModelIndex cell = model.index(2, TaskModel::Importance);
  QVERIFY(cell.flags() & Qt::ItemIsEditable);
  QVERIFY(!(model.index(2, TaskModel::Weight).flags() & Qt::ItemIsEditable));
  QVERIFY(model.setData(cell, 0.5));
  QCOMPARE(cell.data().toString(), QStringLiteral("0.5×"));
  QVERIFY(!model.setData(cell, -1.0));
  QVERIFY(!model.setData(cell, QStringLiteral("often")));
  QTRY_COMPARE(script.commands.size(), std::size_t(1));
}

void ViewsTest::taskTableCopiesWithHeaders() {
  const auto sample = makeSample(10);
  Document document;
  openSample(document, *sample);
  TaskView view(document);
  view.selectRow(1);
  copyRows(&view);
  const QStringList lines = QApplication::clipboard()->text().split('\n');
  QCOMPARE(lines.size(), 2);
  QVERIFY(lines[0].startsWith(QStringLiteral("Task\tBest, ms")));
  QVERIFY(lines[1].startsWith(QStringLiteral("matmul 64x64x64\t")));
}

void ViewsTest::curvesGetData() {
  const auto sample = makeSample(200);
  Document document;
  CurvePlot plot(document);
  plot.resize(600, 400);
  openSample(document, *sample);
  document.selection().selectTask(sample->tasks[0]);
  plot.refreshNow();
  int lines = 0;
  bool dots = false;
  for (int i = 0; i < plot.graphCount(); ++i) {
    const QCPGraph* graph = plot.graph(i);
    if (graph->lineStyle() == QCPGraph::lsStepLeft && !graph->data()->isEmpty()) ++lines;
    if (graph->lineStyle() == QCPGraph::lsNone && graph->data()->size() > 20) dots = true;
  }
  QCOMPARE(lines, 3 + 2); // three tasks, the total with and without untuned tasks
  QVERIFY(dots);
  QVERIFY(plot.xAxis->range().contains(200));
  const double best = bestTotal(document.session().tasks()) * 1e3,
               naive = document.session().history().naiveTotal() * 1e3;
  CurveOptions everything = plot.options();
  everything.onlyProgress = false;
  plot.setOptions(everything);
  QVERIFY(plot.yAxis->range().contains(best));
  QVERIFY(plot.yAxis->range().contains(naive));
}

/// At first the chart has the range in which something came of tuning, and says what.
void ViewsTest::curvesShowProgress() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), path)); // of a network, 200 times faster than at first
  Document document;
  CurvePlot plot(document);
  plot.resize(600, 400);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  document.selection().select({});
  plot.refreshNow();
  const TuningHistory& history = document.session().history();
  const double best = history.total().back().seconds * 1e3;
  QVERIFY(plot.yAxis->range().contains(best));
  QVERIFY(!plot.yAxis->range().contains(history.naiveTotal() * 1e3));
  QVERIFY2(plot.names()
               .textOf(plot.focus())
               .startsWith(QStringLiteral("total  ") + timeText(best / 1e3)),
           qPrintable(plot.names().textOf(plot.focus())));
  QVERIFY2(
      plot.names()
          .textOf(plot.focus())
          .contains(QRegularExpression(QStringLiteral(" · −\\d+(\\.\\d)? % since trial \\d+$"))),
      qPrintable(plot.names().textOf(plot.focus())));
  // What lies beyond is a caption at the edge.
  QStringList labels;
  for (int i = 0; i < plot.itemCount(); ++i)
    if (const auto* text = qobject_cast<QCPItemText*>(plot.item(i)); text && text->visible())
      labels.append(text->text());
  QVERIFY2(!labels.filter(QStringLiteral("↑ naive total")).isEmpty(),
           qPrintable(labels.join(QLatin1Char('|'))));
  // Differences within the strip are noise.
  QTRY_VERIFY(plot.focus().noise().band(0).has_value());
  plot.refreshNow();
  QVERIFY(plot.focus().noise().isShown());
  QVERIFY(plot.focus().noise().band(0)->low < 1 && plot.focus().noise().band(0)->high > 1);
  // A task has a range of its own.
  const RowId task = document.session().tasks()[2].row.id;
  document.selection().selectTask(task);
  const double ofTask = history.find(task)->best() * 1e3;
  QVERIFY(plot.yAxis->range().contains(ofTask));
  QVERIFY(plot.yAxis->range().upper < 3 * ofTask);
  QVERIFY(plot.names().textOf(plot.focus()).contains(timeText(ofTask / 1e3)));
}

/// A name that its own line runs through cannot be read.
void ViewsTest::namesStandOffTheirCurves() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), path));
  Document document;
  CurvePlot plot(document);
  plot.resize(1200, 600);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  int looked = 0;
  for (const TaskEntry& task : document.session().tasks()) {
    document.selection().selectTask(task.row.id);
    plot.refreshNow();
    plot.replot();
    const QCPItemText* label = nullptr;
    for (int i = 0; i < plot.itemCount(); ++i)
      if (const auto* text = qobject_cast<QCPItemText*>(plot.item(i));
          text && text->visible() && text->text() == plot.names().textOf(plot.focus()))
        label = text;
    QVERIFY(label != nullptr);
    const QRectF box = PlotLabels::rectOf(*label).adjusted(0, 2, 0, -2);
    for (int g = 0; g < plot.graphCount(); ++g) {
      const QCPGraph& line = *plot.graph(g);
      if (!line.visible() || line.data()->isEmpty() || line.lineStyle() != QCPGraph::lsStepLeft)
        continue;
      const auto last = line.data()->constEnd() - 1;
      if (!label->text().contains(QStringLiteral("  ") + timeText(last->value / 1e3))) continue;
      ++looked;
      for (auto point = line.data()->constBegin(); point != last; ++point) {
        const QLineF piece(
            plot.xAxis->coordToPixel(point->key), plot.yAxis->coordToPixel(point->value),
            plot.xAxis->coordToPixel((point + 1)->key), plot.yAxis->coordToPixel(point->value));
        const bool beside = piece.x2() > box.left() && piece.x1() < box.right();
        QVERIFY2(!beside || piece.y1() <= box.top() || piece.y1() >= box.bottom(),
                 qPrintable(label->text()));
      }
    }
  }
  QVERIFY(looked >= int(document.session().tasks().size()));
}

void ViewsTest::eachTaskHasASmallChart() {
  const auto sample = makeSample(200);
  Document document;
  CurveView view(document);
  view.resize(700, 500);
  view.show();
  openSample(document, *sample);
  view.eachButton()->click();
  TaskCurves& each = *view.taskCurves();
  QTRY_COMPARE(each.tasks().size(), sample->tasks.size());
  std::vector<double> shares;
  for (const RowId task : each.tasks()) {
    const TaskEntry& entry = *document.session().task(task);
    shares.push_back(entry.row.weight * entry.summary.bestSeconds);
    QVERIFY2(each.titleOf(task).contains(timeText(entry.summary.bestSeconds)),
             qPrintable(each.titleOf(task)));
  }
  QVERIFY(std::ranges::is_sorted(shares, std::greater()));
  document.selection().select({});
  QTest::keyClick(&each, Qt::Key_Right);
  QCOMPARE(document.selection().current().task, each.tasks().front());
  QTest::keyClick(&each, Qt::Key_Right);
  QCOMPARE(document.selection().current().task, each.tasks()[1]);
  // Narrow, they lie beneath one another.
  view.resize(300, 500);
  QTRY_VERIFY(each.minimumHeight() >= 3 * 100);
  view.eachButton()->click();
  QVERIFY(!each.isVisible());
}

/// Pauses, re-weights and failures stand at their trial and their time (C41).
void ViewsTest::curvesMarkWhatHappened() {
  const auto sample = makeSample(200);
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    const auto add = [&](const Event& event, std::int64_t trials) {
      store.events().add({0, sample->session, 0, kind(event), toJson(event).dump(), trials,
                          static_cast<double>(trials) * 0.05});
    };
    add(StateChanged{SessionStatus::Running, ""}, 0);
    add(ImportanceChanged{sample->tasks[1], 3}, 60);
    add(StateChanged{SessionStatus::Paused, "by the user"}, 90);
    add(StateChanged{SessionStatus::Running, ""}, 90);
    add(TaskModeChanged{sample->tasks[0], TaskMode::Pinned}, 120);
    add(StateChanged{SessionStatus::Failed, "the disk is full"}, 200);
  }
  Document document;
  CurvePlot plot(document);
  plot.resize(600, 400);
  openSample(document, *sample);
  document.selection().selectTask(sample->tasks[0]);
  QTRY_COMPARE(plot.courseMarks().shown().size(), std::size_t(4));
  using Kind = CourseMark::Kind;
  using Places = std::vector<double>;
  plot.refreshNow();
  QCOMPARE(plot.courseMarks().places(Kind::Weight), (Places{60, 120}));
  QCOMPARE(plot.courseMarks().places(Kind::Pause), (Places{90}));
  QCOMPARE(plot.courseMarks().places(Kind::Failure), (Places{200}));
  // Where the mouse is at the sign of a mark, it says what happened.
  plot.replot(); // lays the axes out
  const QPointF pause(plot.xAxis->coordToPixel(90), plot.yAxis2->coordToPixel(0.985));
  const auto hit = plot.courseMarks().hitAt(pause, plot.options());
  QVERIFY(hit.has_value());
  QVERIFY2(hit->text.startsWith(QStringLiteral("paused: by the user\nafter trial 90")),
           qPrintable(hit->text));
  QVERIFY(!plot.courseMarks().hitAt(pause + QPointF(0, 60), plot.options()));
  CurveOptions options = plot.options();
  options.x = XAxis::WallTime;
  plot.setOptions(options);
  QCOMPARE(plot.courseMarks().places(Kind::Weight), (Places{60 * 0.05, 120 * 0.05}));
  // Trials that failed are crosses along the bottom: of the first task every thirtieth.
  const Dots dots = trialDots(*document.session().history().find(sample->tasks[0]), CurveOptions{},
                              0, 201, 1e-9, 1e9, 600, 400);
  std::vector<double> errors = dots.errors;
  std::ranges::sort(errors);
  QCOMPARE(errors, (std::vector<double>{30, 60, 90, 120, 150, 180}));
}

void ViewsTest::curvesExport_data() {
  QTest::addColumn<QString>("ending");
  QTest::addColumn<QByteArray>("start");
  QTest::newRow("svg") << "svg" << QByteArray("<?xml");
  QTest::newRow("pdf") << "pdf" << QByteArray("%PDF");
  QTest::newRow("png") << "png" << QByteArray("\x89PNG");
  QTest::newRow("csv") << "csv" << QByteArray("# Tuning curves of sample");
}

void ViewsTest::curvesExport() {
  QFETCH(QString, ending);
  QFETCH(QByteArray, start);
  const auto sample = makeSample(200);
  Document document;
  CurveView view(document);
  openSample(document, *sample);
  view.plot()->refreshNow();
  const auto write = [&](const QString& path) {
    std::optional<QString> problem;
    exportTo(path, view.exports(), sample->path, &view,
             [&](const QString& text) { problem = text; });
    [&] { QTRY_VERIFY(problem); }();
    return problem.value_or(QStringLiteral("not ended"));
  };
  const QString path = sample->folder.filePath(QStringLiteral("curves.") + ending);
  QCOMPARE(write(path), QString());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray content = file.readAll();
  QVERIFY(content.startsWith(start));
  QVERIFY2(content.size() > 2000, qPrintable(QString::number(content.size())));
  QVERIFY(!write(QStringLiteral("/nowhere/curves.") + ending).isEmpty());
}

void ViewsTest::selectionIsShared() {
  const auto sample = makeSample(100);
  Document document;
  TaskView tasks(document);
  RecordView records(document);
  ProgramView program(document);
  openSample(document, *sample);
  // The task with the most work is selected at first.
  QCOMPARE(document.selection().current(), (Selection{sample->tasks[2], 0}));
  document.selection().select({});
  QTRY_COMPARE(records.model()->rowCount(), 100);

  tasks.selectRow(2);
  QCOMPARE(document.selection().current(), (Selection{sample->tasks[2], 0}));
  QTRY_COMPARE(program.program().task, sample->tasks[2]);
  QCOMPARE(program.program().record, document.session().task(sample->tasks[2])->summary.bestRecord);
  QTRY_COMPARE(records.model()->rowCount(), 33);
  QVERIFY(records.table()->isColumnHidden(RecordModel::Task));

  QTRY_VERIFY(records.model()->index(5, 0).data(TaskRole).isValid()); // it was read
  records.table()->selectRow(5);
  const RowId record = records.model()->index(5, 0).data(RecordRole).toLongLong();
  QCOMPARE(document.selection().current(), (Selection{sample->tasks[2], record}));
  QTRY_COMPARE(program.program().record, record);
  QTRY_VERIFY(records.details()->text().contains(QStringLiteral("median")) ||
              records.details()->text().contains(QStringLiteral("crashed")));

  document.selection().selectTask(sample->tasks[0]);
  QCOMPARE(tasks.currentIndex().data(TaskRole).toLongLong(), sample->tasks[0]);
  document.selection().select({});
  QVERIFY(!tasks.currentIndex().isValid());
  QTRY_COMPARE(records.model()->rowCount(), 100);
  QCOMPARE(program.program().task, 0);
}

void ViewsTest::programOfBestAndOfRecord() {
  const auto sample = makeSample(50);
  Document document;
  ProgramView view(document);
  openSample(document, *sample);
  document.selection().selectTask(sample->tasks[1]);
  QTRY_COMPARE(view.program().task, sample->tasks[1]);
  QVERIFY2(view.program().loopNest.contains(QStringLiteral("parallel")),
           qPrintable(view.program().loopNest + view.program().problem));
  QVERIFY(view.program().subtitle.contains(QStringLiteral("best")));
  QVERIFY(view.program().dag.contains(QStringLiteral("PLACEHOLDER")));
  QCOMPARE(view.program().steps, QStringLiteral("  0  make loop i of C \"parallel\""));
  QVERIFY(!view.program().reductionLoops.isEmpty());
}

void ViewsTest::severalNetworksShow() {
  const auto sample = makeSample(100);
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    const std::vector<RowId>& tasks = sample->tasks;
    store.sessions().setNetworks(sample->session, {{0, "one", {{tasks[0], 2}, {tasks[1], 1}}},
                                                   {0, "two", {{tasks[1], 3}, {tasks[2], 1}}}});
  }
  Document document;
  TaskModel model(document);
  StatusLine line(document);
  openSample(document, *sample);
  QCOMPARE(qs(document.session().contents().network), QStringLiteral("one + two"));
  QCOMPARE(model.index(1, TaskModel::Weight).data().toString(), QStringLiteral("1 + 3"));
  QCOMPARE(model.index(1, TaskModel::Weight).data(SortRole).toDouble(), 4.0);
  const QString tip = model.index(0, TaskModel::Weight).data(Qt::ToolTipRole).toString();
  QCOMPARE(tip, QStringLiteral("appears 2 times in one"));
  const std::vector<NetworkTotals> totals =
      totalsOf(document.session().contents().networks, document.session().tasks());
  QCOMPARE(totals.size(), std::size_t(2));
  QVERIFY(std::abs(totals[0].best + totals[1].best - bestTotal(document.session().tasks())) <
          1e-12);
  const QString each =
      QStringLiteral("one %1 + two %2").arg(timeText(totals[0].best), timeText(totals[1].best));
  QVERIFY2(line.text().contains(each), qPrintable(line.text()));
}

void ViewsTest::statusLineTellsAll() {
  const auto sample = makeSample(10); // too few for a forecast in place of the time left
  SessionScript script;
  Document document(scripted(script));
  StatusLine line(document);
  QCOMPARE(line.text(), QStringLiteral("no document"));
  openSample(document, *sample);
  QVERIFY2(line.text().startsWith(QStringLiteral("paused · sample · 10 of 1,000 trials · best ")),
           qPrintable(line.text()));
  QVERIFY2(line.text().endsWith(QStringLiteral("10.0 % errors")), qPrintable(line.text()));
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  script.tell(Progress{
      .trials = 120, .errors = 10, .budget = 1000, .trialsPerSecond = 34, .secondsLeft = 26});
  QTRY_VERIFY(line.text().contains(QStringLiteral("34 trials/s")));
  QVERIFY2(line.text().endsWith(QStringLiteral("26 s left")), qPrintable(line.text()));
  // A message has the place of all parts, whatever is told meanwhile.
  line.show();
  const auto partsShown = [&] {
    const auto labels = line.findChildren<QLabel*>(Qt::FindDirectChildrenOnly);
    return std::ranges::count_if(labels, &QLabel::isVisible);
  };
  QVERIFY(partsShown() > 3);
  line.showMessage(QStringLiteral("lesson.html was written."));
  script.tell(Progress{
      .trials = 121, .errors = 10, .budget = 1000, .trialsPerSecond = 35, .secondsLeft = 25});
  QTRY_COMPARE(document.session().progress().trials, std::int64_t(121));
  QCOMPARE(partsShown(), 0);
  line.clearMessage();
  QVERIFY(partsShown() > 3);
  QVERIFY2(line.text().contains(QStringLiteral("35 trials/s")), qPrintable(line.text()));
}

void ViewsTest::statusLineTellsOfAnInterruption() {
  const auto sample = makeSample(50, SessionStatus::Running);
  Document document;
  StatusLine line(document);
  openSample(document, *sample);
  QStringList tips;
  for (const QLabel* label : line.findChildren<QLabel*>())
    tips.append(label->toolTip());
  QVERIFY2(tips.join(' ').contains(QStringLiteral("interrupted")), qPrintable(tips.join('\n')));
}

/// The sample is of a machine that does not exist; then one task is tuned on this one, too (C36).
void ViewsTest::tasksSayWhereTheyWereTuned() {
  const auto sample = makeSample(100);
  Document document;
  TaskModel model(document);
  StatusLine line(document);
  const auto origins = [&] {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
      texts.append(model.index(row, TaskModel::Origin).data().toString());
    return texts;
  };
  openSample(document, *sample);
  QTRY_COMPARE(origins(), (QStringList{"elsewhere", "elsewhere", "elsewhere"}));
  QTRY_VERIFY2(line.text().contains(QStringLiteral(", %1 not tuned here").arg(percentText(1))),
               qPrintable(line.text()));
  QVERIFY(model.index(0, TaskModel::Origin)
              .data(Qt::ToolTipRole)
              .toString()
              .contains(QStringLiteral("another machine only")));
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    const TargetFacts facts = hostTarget();
    TaskRow task = *store.tasks().one(sample->tasks[1]);
    task.target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
    Record record;
    record.session = sample->session;
    record.trial = 101;
    record.task = store.tasks().add(task);
    record.program = "tuned here";
    record.result.seconds = {1e-4};
    record.verified = true;
    store.records().add(record);
  }
  document.open(sample->path);
  QTRY_COMPARE(origins(), (QStringList{"elsewhere", "this machine", "elsewhere"}));
  const auto timeOf = [&](int task) {
    const TaskEntry& entry = document.session().tasks()[std::size_t(task)];
    return entry.row.weight * entry.summary.bestSeconds;
  };
  const double share = 1 - timeOf(1) / (timeOf(0) + timeOf(1) + timeOf(2));
  QTRY_VERIFY2(line.text().contains(QStringLiteral(", %1 not tuned here").arg(percentText(share))),
               qPrintable(line.text()));
}

/// Of an operator with several definitions the fastest runs, and has the share.
void ViewsTest::alternativesShowWhichRuns() {
  QTemporaryDir folder;
  const QString path = folder.filePath("a.nwdb");
  {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    SessionConfig config;
    config.subjects = {"conv2d:h=8,w=8,ci=16,co=16"};
    config.alternatives = "all";
    const RowId session = createSession(store, config, hostTarget(2));
    Record record;
    record.session = session;
    record.verified = true;
    record.result.verdict = Verdict::Ok;
    for (const TaskRow& task : store.sessions().tasks(session)) {
      record.task = task.id;
      ++record.trial;
      record.program = std::string(32, static_cast<char>('0' + record.trial));
      record.result.seconds = {1e-3 / double(record.trial == 2 ? 4 : record.trial)};
      store.tasks().setNaiveSeconds(task.id, 1);
      store.records().add(record);
    }
  }
  Document document;
  TaskModel model(document);
  document.open(path);
  QTRY_COMPARE(model.rowCount(), 3);
  const auto texts = [&](int column) {
    QStringList all;
    for (int row = 0; row < 3; ++row)
      all.append(model.index(row, column).data().toString());
    return all;
  };
  QVERIFY(model.hasAlternatives());
  QCOMPARE(texts(TaskModel::Definition),
           (QStringList{"direct", "winograd F(2,3), runs", "winograd F(4,3)"}));
  QCOMPARE(texts(TaskModel::Share), (QStringList{noValue(), percentText(1), noValue()}));
  QCOMPARE(bestTotal(document.session().tasks()), 1e-3 / 4);
  TaskView view(document);
  QVERIFY(!view.isColumnHidden(TaskModel::Definition));
}

NW_TEST_GUI(ViewsTest)

} // namespace nestwright::views_show_a_session_test

#include "views_show_a_session.moc"
