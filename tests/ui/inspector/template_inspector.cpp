/// The search inspector of sessions over templates: configurations knob by knob, and plans.

#include "core/record/store/record_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/knob_drag.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/replaying.h"
#include "ui/charts/series_plot.h"
#include "ui/document/document_file.h"
#include "ui/document/reading/course_reader.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/knob_plot.h"
#include "ui/inspector/knob_reader.h"
#include "ui/inspector/phases_view.h"
#include "ui/inspector/plan_model.h"
#include "ui/inspector/plan_view.h"
#include "ui/scheduler/plan_form.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QSemaphore>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <memory>
#include <set>

namespace nestwright::template_inspector_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The product's template, searched as AutoTVM does.
SessionConfig annealedConfig() {
  SessionConfig config = madeUpConfig("annealing");
  config.space = SearchSpace::Templates;
  config.model = "autotvm";
  config.scheduler = "round-robin";
  config.subjects = {"matmul:m=32,n=64,k=64"};
  config.warmup = 0;
  config.trials = 60;
  config.plan = config.trialsPerRound = 12;
  config.chains = 8;
  config.epsilon = 0.25;
  return config;
}

/// The inspector of a document that is not open yet.
struct ShownInspector {
  Document document{madeUpSessions()};
  InspectorView inspector{document};

  ShownInspector() {
    inspector.resize(1000, 560);
    inspector.show();
  }
  KnobPlot& plot() const { return *inspector.configurations()->plot(); }
  void openConfigurations(const QString& path) {
    document.open(path);
    QTRY_COMPARE(document.file().path(), path); // the one before stays until it can be read
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    inspector.pages()->setCurrentWidget(inspector.configurations());
    QTRY_COMPARE_WITH_TIMEOUT(plot().lines().lines.size(), std::size_t(60), 30'000);
    plot().replot();
  }
  void openPlan(const QString& path) {
    document.open(path);
    QTRY_COMPARE(document.file().path(), path); // the one before stays until it can be read
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    inspector.pages()->setCurrentWidget(inspector.plan());
    QTRY_VERIFY_WITH_TIMEOUT(inspector.plan()->model()->rowCount() > 0, 30'000);
  }
  /// Drags along an axis, as far as some values of its knob.
  void drag(std::size_t axis, double from, double to) const { dragAlong(plot(), axis, from, to); }
};

class TemplateInspectorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void pagesAreThoseOfTheSpace();
  void everyConfigurationIsALine();
  void draggingSelectsAndFilters();
  void keysSelectValues();
  void pointingTellsAndClickingSelects();
  void plansSayWhatTheyPicked();
  void annealingsAreReadStepByStep();
  void replaysShowNoFuture();
  void selectingComputesNothing();
  void manyLinesAreDrawn_data();
  void manyLinesAreDrawn();
  void rangesAreOfTheirTask();
  void answersOfBeforeAreDropped();
  void configurationsLeftOutAreCounted();
  void plansOfAnotherSessionBeginAnew();
  void phasesAreThoseOfTemplates();
  void policiesAreThoseOfTheSpace();
  void coursesAreReadAgainAfterAFailure();

 private:
  QTemporaryDir folder_;
  QString path_;
};

void TemplateInspectorTest::initTestCase() {
  path_ = folder_.filePath(QStringLiteral("annealed.nwdb"));
  runMadeUpSession(path_, annealedConfig());
}

void TemplateInspectorTest::pagesAreThoseOfTheSpace() {
  ShownInspector shown;
  const auto seen = [&](QWidget* page) {
    return shown.inspector.pages()->isTabVisible(shown.inspector.pages()->indexOf(page));
  };
  QVERIFY(seen(shown.inspector.derivation()) && !seen(shown.inspector.plan()));
  shown.openConfigurations(path_);
  QVERIFY(!seen(shown.inspector.derivation()) && !seen(shown.inspector.generations()));
  QVERIFY(seen(shown.inspector.phases()) && seen(shown.inspector.configurations()) &&
          seen(shown.inspector.plan()));
  QCOMPARE(shown.inspector.pages()->tabText(
               shown.inspector.pages()->indexOf(shown.inspector.configurations())),
           QStringLiteral("Configurations"));
  // Another document, which searches sketches.
  const auto sample = makeSample(10);
  shown.document.open(sample->path);
  QTRY_VERIFY(seen(shown.inspector.generations()));
  const int lines = shown.inspector.pages()->indexOf(shown.inspector.configurations());
  QCOMPARE(shown.inspector.pages()->tabText(lines), QStringLiteral("Decisions"));
  QVERIFY(!seen(shown.inspector.plan()));
}

void TemplateInspectorTest::everyConfigurationIsALine() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  QCOMPARE(shown.plot().message(), QString());
  const QString note = shown.inspector.configurations()->note();
  QVERIFY2(note.contains(QStringLiteral("60 of the ")) && note.contains(QStringLiteral("fastest")),
           qPrintable(note));
  const Exports given = shown.inspector.exports();
  QCOMPARE(rowsOf(given), 60);
  QCOMPARE(given.table->headers[given.table->recordColumn], QStringLiteral("record"));
  for (const KnobAxis& axis : shown.plot().lines().knobs)
    QVERIFY(given.table->headers.contains(QString::fromStdString(axis.knob)));
  QCOMPARE(given.size, shown.plot().size());
  // The fastest is drawn in the accent's colour, also in the picture that is given away.
  const KnobLine& fastest = *shown.plot().lines().fastest();
  const QColor there =
      pictureOf(given).pixelColor(shown.plot().pixelOf(0, fastest.places[0]).toPoint());
  QVERIFY2(there.blue() - there.red() > 40 || there.red() - there.blue() > 40,
           qPrintable(there.name()));
}

/// Whatever is selected on axes, the filter is exactly the records of these lines.
void TemplateInspectorTest::draggingSelectsAndFilters() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  std::vector<FilterCondition> told;
  connect(shown.inspector.configurations(), &ConfigurationsView::brushed, &shown.document,
          [&](const std::vector<FilterCondition>& conditions) { told = conditions; });
  shown.drag(0, -0.02, 0.4);
  QCOMPARE(shown.plot().brushes().size(), std::size_t(1));
  QCOMPARE(told.size(), std::size_t(1));
  QCOMPARE(told[0].field, FilterField::Record);
  const auto selected = [&] {
    std::set<RowId> records;
    for (const FilterValue& value : told[0].values)
      for (RowId record = RowId(value.low); record <= RowId(value.high); ++record)
        records.insert(record);
    return records;
  };
  std::set<RowId> wanted;
  for (const KnobLine& line : shown.plot().lines().lines)
    if (line.places[0] <= shown.plot().brushes()[0].high) wanted.insert(line.trial.record);
  QVERIFY(!wanted.empty() && wanted.size() < 60);
  QCOMPARE(selected(), wanted);
  QVERIFY(shown.inspector.configurations()->note().contains(QStringLiteral("Selected: ")));
  // A second axis narrows it.
  shown.drag(shown.plot().lines().knobs.size(), 0.3, 1.02);
  QCOMPARE(shown.plot().brushes().size(), std::size_t(2));
  QVERIFY(!selected().empty() && selected().size() < wanted.size());
  for (const RowId record : selected())
    QVERIFY(wanted.contains(record) && shown.plot().lines().find(record)->share() >= 0.28);
  // A click on the axis releases it, the button all.
  QTest::mouseClick(&shown.plot(), Qt::LeftButton, {}, shown.plot().pixelOf(0, 0.9).toPoint());
  QCOMPARE(shown.plot().brushes().size(), std::size_t(1));
  QVERIFY(shown.inspector.configurations()->release()->isVisible());
  shown.inspector.configurations()->release()->click();
  QVERIFY(shown.plot().brushes().empty());
  QVERIFY(!shown.inspector.configurations()->release()->isVisible());
}

void TemplateInspectorTest::keysSelectValues() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  KnobPlot& plot = shown.plot();
  plot.setFocus();
  QTest::keyClick(&plot, Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(plot.markedAxis(), std::size_t(1));
  QSignalSpy changed(&plot, &KnobPlot::brushesChanged);
  QTest::keyClick(&plot, Qt::Key_Up);
  QCOMPARE(changed.count(), 1);
  const KnobAxis& axis = plot.lines().knobs[1];
  const double fastest = plot.lines().fastest()->places[1];
  QVERIFY(plot.brushes()[0].low < fastest && plot.brushes()[0].high > fastest);
  QVERIFY(axis.valueAt(plot.brushes()[0].low + 1e-6) <= axis.valueAt(fastest));
  QTest::keyClick(&plot, fastest < 0.5 ? Qt::Key_Up : Qt::Key_Down, Qt::ShiftModifier);
  const double width = plot.brushes()[0].high - plot.brushes()[0].low;
  QVERIFY(std::abs(width * double(axis.values.size() - 1) - 2) < 1e-6); // two values
  QTest::keyClick(&plot, Qt::Key_Escape);
  QVERIFY(plot.brushes().empty());
  // Through the configurations by throughput, from the fastest.
  QTest::keyClick(&plot, Qt::Key_Left);
  const RowId first = shown.document.selection().current().record;
  QVERIFY(first != 0);
  QTest::keyClick(&plot, Qt::Key_Left);
  const RowId second = shown.document.selection().current().record;
  QVERIFY(second != first);
  QVERIFY(plot.lines().find(second)->share() <= plot.lines().find(first)->share());
}

void TemplateInspectorTest::pointingTellsAndClickingSelects() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  KnobPlot& plot = shown.plot();
  const KnobLine& fastest = *plot.lines().fastest();
  const QPoint between =
      ((plot.pixelOf(0, fastest.places[0]) + plot.pixelOf(1, fastest.places[1])) / 2).toPoint();
  QTest::mouseMove(&plot, between);
  QTRY_VERIFY2(plot.readout().contains(QStringLiteral("Trial ")), qPrintable(plot.readout()));
  QTest::mouseMove(&plot, QPoint(1, 1));
  QTRY_VERIFY(plot.readout().isEmpty()); // whatever was to be drawn when it was shown is drawn
  QSignalSpy drawn(&plot, &QCustomPlot::afterReplot);
  QTest::mouseMove(&plot, between);
  QTRY_VERIFY2(plot.readout().contains(QStringLiteral("Trial ")), qPrintable(plot.readout()));
  for (const KnobAxis& axis : plot.lines().knobs)
    QVERIFY(plot.readout().contains(QString::fromStdString(axis.knob)));
  QCOMPARE(drawn.count(), 0); // what is under the mouse is on a layer of its own
  QTest::mouseClick(&plot, Qt::LeftButton, {}, between);
  const KnobLine* selected = plot.lines().find(shown.document.selection().current().record);
  QVERIFY(selected);
  QVERIFY(plot.readout().contains(QStringLiteral("Trial %1,").arg(selected->trial.trial)));
}

void TemplateInspectorTest::plansSayWhatTheyPicked() {
  ShownInspector shown;
  PlanView& view = *shown.inspector.plan();
  QAbstractItemModelTester tester(view.model());
  shown.openPlan(path_);
  // Five rounds of twelve, of which the first is random.
  QCOMPARE(view.rounds()->maximum(), 3);
  QCOMPARE(view.round(), 5);
  QCOMPARE(view.model()->rowCount(), 12);
  QVERIFY2(view.note().contains(QStringLiteral("9 for their energy")) &&
               view.note().contains(QStringLiteral("3 at random")),
           qPrintable(view.note()));
  QTRY_VERIFY(view.model()->index(0, PlanModel::Trial).data(RecordRole).isValid());
  for (int row = 0; row < 12; ++row) {
    const auto cell = [&](int column) {
      return view.model()->index(row, column).data().toString();
    };
    QCOMPARE(cell(PlanModel::Reason),
             row < 9 ? QStringLiteral("best predicted") : QStringLiteral("at random"));
    QCOMPARE(cell(PlanModel::Energy) == QStringLiteral("–"), row >= 9);
    QVERIFY(cell(PlanModel::Configuration).contains(QStringLiteral(" = ")));
    QVERIFY(cell(PlanModel::Measured) != QStringLiteral("–"));
  }
  for (int column = 0; column < PlanModel::ColumnCount; ++column)
    QVERIFY(
        !view.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
  const QModelIndex third = view.table()->model()->index(2, PlanModel::Trial);
  QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {},
                    view.table()->visualRect(third).center());
  QCOMPARE(shown.document.selection().current().record, third.data(RecordRole).toLongLong());
  QCOMPARE(rowsOf(shown.inspector.exports()), 12);
  // An earlier plan.
  view.rounds()->setValue(0);
  QCOMPARE(view.round(), 2);
}

void TemplateInspectorTest::annealingsAreReadStepByStep() {
  ShownInspector shown;
  shown.openPlan(path_);
  PlanView& view = *shown.inspector.plan();
  const SeriesScene& energies = view.energies()->scene();
  QVERIFY(energies.stops.size() > 1 && energies.stops.size() <= kAnnealingMoments);
  QCOMPARE(energies.stops.front(), 0.0);
  QCOMPARE(energies.references.size(), std::size_t(1));
  QVERIFY(energies.yLabel.contains(QStringLiteral("score")));
  const PlotSeries& band = energies.series[0];
  for (std::size_t i = 0; i < band.x.size(); ++i)
    QVERIFY(band.y[i] <= energies.series[1].y[i] && energies.series[1].y[i] <= band.upper[i]);
  const PlotSeries& temperature = view.moves()->scene().series[0];
  QCOMPARE(temperature.y.front(), 1.0);
  QVERIFY(std::ranges::is_sorted(temperature.y, std::ranges::greater()));
  // A step is marked in both.
  QTest::keyClick(view.energies(), Qt::Key_Left);
  QCOMPARE(view.energies()->scene().marked, energies.stops.back());
  QTest::keyClick(view.moves(), Qt::Key_Left);
  QCOMPARE(view.energies()->scene().marked, energies.stops[energies.stops.size() - 2]);
  QVERIFY(energies.describe(0).contains(QStringLiteral("temperature 1.000")));
}

void TemplateInspectorTest::replaysShowNoFuture() {
  ShownInspector shown;
  shown.openPlan(path_);
  PlanView& view = *shown.inspector.plan();
  replayFrom(shown.document);
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE(view.round(), 0);
  QVERIFY2(view.note().contains(QStringLiteral("At this moment")), qPrintable(view.note()));
  Replay& replay = *shown.document.replayMode().replay();
  seekTo(shown.document, replay.size() / 2);
  if (QTest::currentTestFailed()) return;
  QTRY_VERIFY(view.round() > 1 && view.round() < 5);
  QVERIFY(view.round() <= shown.document.session().round().round);
  shown.inspector.pages()->setCurrentWidget(shown.inspector.configurations());
  const auto trials = std::size_t(shown.document.session().progress().trials);
  QVERIFY(trials > 0 && trials < 60);
  QTRY_COMPARE(shown.plot().lines().lines.size(), trials);
  seekTo(shown.document, replay.size());
  QTRY_COMPARE(shown.plot().lines().lines.size(), std::size_t(60));
}

/// Twenty thousand lines are not looked through for an arrow key, nor for every move of the mouse.
void TemplateInspectorTest::selectingComputesNothing() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  KnobPlot& plot = shown.plot();
  QTest::qWait(50); // whatever was to be drawn when it was shown is drawn
  QSignalSpy computed(&plot, &KnobPlot::computed), drawn(&plot, &QCustomPlot::afterReplot);
  for (const KnobLine& line : plot.lines().lines)
    shown.document.selection().select({line.trial.task, line.trial.record});
  QTest::qWait(20);
  QCOMPARE(computed.count(), 0);
  QCOMPARE(drawn.count(), 0); // the selected line is on a layer of its own
  const QPoint start = plot.pixelOf(0, 0).toPoint(), end = plot.pixelOf(0, 1).toPoint();
  QTest::mousePress(&plot, Qt::LeftButton, {}, start);
  for (int i = 1; i <= 20; ++i) {
    const QPoint place = start + (end - start) * i / 20;
    QMouseEvent move(QEvent::MouseMove, place, plot.mapToGlobal(place), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(&plot, &move);
  }
  QCOMPARE(computed.count(), 0);
  QTRY_COMPARE(computed.count(), 1);
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, end);
  QCOMPARE(plot.brushes().size(), std::size_t(1));
}

void TemplateInspectorTest::manyLinesAreDrawn_data() {
  QTest::addColumn<int>("count");
  QTest::newRow("10,000") << 10'000;
  QTest::newRow("20,000") << 20'000;
}

/// As many as are ever read of a session; the times are told, and decide nothing.
void TemplateInspectorTest::manyLinesAreDrawn() {
  QFETCH(int, count);
  const TaskTemplate of =
      templatesFor(resolveSubjects({"matmul:m=512,n=512,k=512"})[0].tasks[0].dag).fitting.front();
  std::vector<KnobTrial> trials;
  for (int i = 0; i < count; ++i) {
    KnobTrial& trial = trials.emplace_back();
    trial.record = trial.trial = i + 1;
    trial.seconds = 1e-3 * (1 + (i * 7919LL) % 1009);
    trial.config = std::make_shared<const TemplateConfig>(
        TemplateConfig{of.kind->name, of.version, of.space.at(i * 104'729LL % of.space.size())});
  }
  QElapsedTimer timer;
  const auto milliseconds = [&] {
    return QString::number(double(timer.nsecsElapsed()) / 1e6, 'f', 2);
  };
  timer.start();
  const auto lines = std::make_shared<const KnobLines>(knobLines(of, trials));
  const QString read = milliseconds();
  QCOMPARE(lines->lines.size(), std::size_t(count));
  KnobPlot plot;
  plot.resize(1000, 500);
  plot.setVisible(true);
  KnobScene scene;
  scene.lines = lines;
  timer.start();
  plot.show(scene);
  const QString shown = milliseconds();
  plot.replot(); // fonts and sizes are found out once
  timer.start();
  plot.replot();
  const QString drawn = milliseconds();
  timer.start();
  plot.setBrushes({{0, 0.2, 0.6}});
  const QString brushed = milliseconds();
  plot.replot();
  QSignalSpy computed(&plot, &KnobPlot::computed);
  timer.start();
  plot.setSelected(count / 2);
  const QString selected = milliseconds();
  QCOMPARE(computed.count(), 0);
  qInfo("%d lines, %d knobs, %d ways: made in %s ms (in the background); looked through in %s ms, "
        "%s ms with a range, drawn in %s ms; another one selected in %s ms",
        count, int(lines->knobs.size()), int(lines->ways.size()), qPrintable(read),
        qPrintable(shown), qPrintable(brushed), qPrintable(drawn), qPrintable(selected));
}

void TemplateInspectorTest::rangesAreOfTheirTask() {
  const QString path = folder_.filePath(QStringLiteral("two.nwdb"));
  SessionConfig config = annealedConfig();
  config.policy = "random";
  config.subjects = {"matmul:m=32,n=64,k=64", "matmul:m=64,n=64,k=64"};
  config.trials = 48;
  runMadeUpSession(path, config);
  ShownInspector shown;
  shown.document.open(path);
  QTRY_COMPARE(shown.document.state(), DocumentState::Ready);
  shown.inspector.pages()->setCurrentWidget(shown.inspector.configurations());
  const RowId first = shown.document.session().tasks()[0].row.id;
  const RowId second = shown.document.session().tasks()[1].row.id;
  const auto showsTask = [&](RowId task) {
    const auto& lines = shown.plot().lines().lines;
    return !lines.empty() && lines.front().trial.task == task;
  };
  shown.document.selection().selectTask(first);
  QTRY_VERIFY(showsTask(first));
  shown.plot().replot();
  shown.drag(0, -0.02, 0.4);
  QCOMPARE(shown.plot().brushes().size(), std::size_t(1));
  // Read again, it is still the same task.
  Q_EMIT shown.document.follower().recordsReread();
  QVERIFY(shown.plot().lines().lines.empty());
  QTRY_VERIFY(showsTask(first));
  QCOMPARE(shown.plot().brushes().size(), std::size_t(1));
  QVERIFY(shown.inspector.configurations()->note().contains(QStringLiteral("Selected: ")));
  // Another task of the same template.
  shown.document.selection().selectTask(second);
  QTRY_VERIFY(showsTask(second));
  QVERIFY(shown.plot().brushes().empty());
  QVERIFY(!shown.inspector.configurations()->release()->isVisible());
}

/// Lines of before a restart do not come after it.
void TemplateInspectorTest::answersOfBeforeAreDropped() {
  ShownInspector shown;
  shown.openConfigurations(path_);
  Reader& reader = shown.document.reader();
  using Channel = Reader::Channel;
  const auto holdThread = [&](Channel channel) {
    auto held = std::make_shared<QSemaphore>();
    reader.ask<int>(
        &shown.inspector, channel,
        [held](const RecordStore&) {
          held->tryAcquire(1, 20'000);
          return 0;
        },
        [](int) {});
    return held;
  };
  // Until the records are asked for, which are soon read, and then between them and the lines that
  // are made of them.
  const auto before = holdThread(Channel::Compare);
  Q_EMIT shown.document.follower().recordsReread();
  QVERIFY(shown.plot().lines().lines.empty());
  QTRY_VERIFY(reader.busy(Channel::KnobTrials));
  const auto held = holdThread(Channel::Log);
  before->release();
  QTRY_VERIFY(reader.busy(Channel::KnobSpace));
  Q_EMIT shown.document.follower().recordsReread();
  QTRY_VERIFY(reader.busy(Channel::KnobTrials));
  bool early = false;
  connect(shown.inspector.findChild<KnobReader*>(), &KnobReader::changed, &reader, [&] {
    if (reader.busy(Channel::KnobTrials)) early = early || !shown.plot().lines().lines.empty();
  });
  held->release();
  QTRY_COMPARE(shown.plot().lines().lines.size(), std::size_t(60));
  QVERIFY(!early);
}

void TemplateInspectorTest::configurationsLeftOutAreCounted() {
  const QString path = folder_.filePath(QStringLiteral("versions.nwdb"));
  QVERIFY(QFile::copy(path_, path));
  {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
    RecordQuery query;
    query.order = RecordQuery::Order::Oldest;
    query.limit = 12;
    for (Record record : store.records().page(query)) {
      nlohmann::json trace = nlohmann::json::parse(record.trace);
      Trace changed = traceFromJson(trace);
      changed.config->version = TemplateVersion::TopHub;
      record.id = 0;
      record.trial += 1000;
      record.trace = toJson(changed).dump();
      store.records().add(record);
    }
  }
  ShownInspector shown;
  shown.openConfigurations(path);
  const QString note = shown.inspector.configurations()->note();
  QVERIFY2(note.contains(QStringLiteral("; 12 of another version are left out")), qPrintable(note));
  QCOMPARE(shown.plot().lines().fastest()->share(), 1.0);
}

void TemplateInspectorTest::plansOfAnotherSessionBeginAnew() {
  const QString other = folder_.filePath(QStringLiteral("other.nwdb"));
  SessionConfig config = annealedConfig();
  config.seed = 5;
  runMadeUpSession(other, config);
  ShownInspector shown;
  PlanView& view = *shown.inspector.plan();
  shown.openPlan(path_);
  view.rounds()->setValue(0);
  QTest::keyClick(view.energies(), Qt::Key_Left);
  QVERIFY(view.energies()->scene().marked > 0);
  shown.openPlan(other);
  QTRY_COMPARE(view.round(), 5); // the newest
  QCOMPARE(view.energies()->scene().marked, -1.0);
}

void TemplateInspectorTest::phasesAreThoseOfTemplates() {
  ShownInspector shown;
  shown.openPlan(path_);
  const PhasesView& view = *shown.inspector.phases();
  const auto title = [&](int row) { return view.phases()->topLevelItem(row)->text(0); };
  QVERIFY2(title(0).contains(QStringLiteral("Template")), qPrintable(title(0)));
  QVERIFY2(title(2).contains(QStringLiteral("Planning")), qPrintable(title(2)));
  view.phases()->setCurrentItem(view.phases()->topLevelItem(2));
  QVERIFY2(view.explanation().contains(QStringLiteral("annealing")),
           qPrintable(view.explanation()));
  QVERIFY(view.runToButton()->menu()->actions()[2]->text().contains(QStringLiteral("Planning")));
  const auto sample = makeSample(10);
  shown.document.open(sample->path);
  QTRY_VERIFY(title(2).contains(QStringLiteral("Evolution")));
  QVERIFY(view.runToButton()->menu()->actions()[2]->text().contains(QStringLiteral("Evolution")));
}

void TemplateInspectorTest::policiesAreThoseOfTheSpace() {
  Document document(madeUpSessions());
  PlanForm form(document);
  const auto box = [&] {
    for (QComboBox* one : form.findChildren<QComboBox*>())
      if (one->accessibleName() == QStringLiteral("Policy")) return one;
    return static_cast<QComboBox*>(nullptr);
  }();
  const auto has = [&](const char* policy) { return box->findText(QLatin1String(policy)) >= 0; };
  document.open(path_);
  QTRY_COMPARE(box->currentText(), QStringLiteral("annealing"));
  QVERIFY(has("contextual") && has("random") && !has("evolutionary"));
  const auto sample = makeSample(10);
  document.open(sample->path);
  QTRY_VERIFY(has("evolutionary"));
  QVERIFY(has("random") && !has("annealing") && !has("contextual"));
  for (int i = 0; i < box->count(); ++i)
    QVERIFY(!box->itemData(i, Qt::ToolTipRole).toString().isEmpty());
}

void TemplateInspectorTest::coursesAreReadAgainAfterAFailure() {
  Document document(madeUpSessions());
  document.open(path_);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  CourseReader course(document, Reader::Channel::InspectedCourse);
  document.reader().setPath(QStringLiteral("/nowhere/a.nwdb"));
  course.setWanted(true);
  QVERIFY(course.isReading());
  QTRY_VERIFY(!course.isReading());
  QVERIFY(course.course().rounds().empty());
  document.reader().setPath(path_);
  course.setWanted(false);
  course.setWanted(true);
  QTRY_COMPARE(course.course().rounds().size(), std::size_t(5));
}

NW_TEST_GUI(TemplateInspectorTest)

} // namespace nestwright::template_inspector_test

#include "template_inspector.moc"
