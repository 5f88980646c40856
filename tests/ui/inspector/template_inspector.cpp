/// The search inspector of sessions over templates: configurations knob by knob, and plans.

#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/replaying.h"
#include "ui/charts/series_plot.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/knob_plot.h"
#include "ui/inspector/phases_view.h"
#include "ui/inspector/plan_model.h"
#include "ui/inspector/plan_view.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include <set>

namespace nestwright::template_inspector_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The product's template, searched as AutoTVM does.
SessionConfig annealedConfig() {
  SessionConfig config = madeUpConfig("annealing");
  config.space = "templates";
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
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    inspector.pages()->setCurrentWidget(inspector.configurations());
    QTRY_COMPARE_WITH_TIMEOUT(plot().lines().lines.size(), std::size_t(60), 30'000);
    plot().replot();
  }
  void openPlan(const QString& path) {
    document.open(path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    inspector.pages()->setCurrentWidget(inspector.plan());
    QTRY_VERIFY_WITH_TIMEOUT(inspector.plan()->model()->rowCount() > 0, 30'000);
  }
  /// Drags along an axis, as far as some values of its knob.
  void drag(std::size_t axis, double from, double to) const {
    const QPoint start = plot().pixelOf(axis, from).toPoint();
    const QPoint end = plot().pixelOf(axis, to).toPoint();
    QTest::mousePress(&plot(), Qt::LeftButton, {}, start);
    for (const QPoint& place : {(start + end) / 2, end}) {
      QMouseEvent move(QEvent::MouseMove, place, plot().mapToGlobal(place), Qt::NoButton,
                       Qt::LeftButton, {});
      QApplication::sendEvent(&plot(), &move);
    }
    QTest::mouseRelease(&plot(), Qt::LeftButton, {}, end);
  }
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
  // Another document, which searches sketches.
  const auto sample = makeSample(10);
  shown.document.open(sample->path);
  QTRY_VERIFY(seen(shown.inspector.generations()));
  QVERIFY(!seen(shown.inspector.configurations()));
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

NW_TEST_GUI(TemplateInspectorTest)

} // namespace nestwright::template_inspector_test

#include "template_inspector.moc"
