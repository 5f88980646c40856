/// The search inspector: derivations, generations, families, and stepping through the phases.

#include "core/record/rows/evolution_row.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/replaying.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/document/words/program_words.h"
#include "ui/inspector/derivation_model.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generation_plot.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/phases_view.h"
#include "ui/program/family_model.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <limits>

namespace nestwright::inspector_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The inspector of a document that is not open yet.
struct ShownInspector {
  Document document{madeUpSessions()};
  InspectorView inspector{document};

  ShownInspector() {
    inspector.resize(1100, 700);
    inspector.show();
  }
  /// Opens a file with the page of generations in view.
  void openGenerations(const QString& path) {
    inspector.pages()->setCurrentWidget(inspector.generations());
    QSignalSpy told(inspector.generations(), &GenerationsView::roundShown);
    document.open(path);
    QTRY_VERIFY_WITH_TIMEOUT(told.count() > 0, 30'000);
  }
};

class InspectorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void derivationExplainsTheSketches();
  void generationsShowTheSearch();
  void theLegendHidesNothing();
  void aRecordHasItsFamily();
  void whatIsReadSelectsNothing();
  void sessionsWithoutGenerationsSayWhy();
  void stepsThroughThePhases();
  void phasesExplainThemselves();
  void replayShowsNoFutureRounds();

 private:
  QTemporaryDir folder_;
  QString path_;
};

void InspectorTest::initTestCase() {
  path_ = folder_.filePath(QStringLiteral("bred.nwdb"));
  runMadeUpSession(path_, madeUpConfig());
}

void InspectorTest::derivationExplainsTheSketches() {
  ShownInspector shown;
  auto& [document, inspector] = shown;
  DerivationView& view = *inspector.derivation();
  QAbstractItemModelTester tester(view.model());
  inspector.pages()->setCurrentWidget(&view);
  QSignalSpy told(&view, &DerivationView::shown);
  document.open(path_);
  QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 30'000);
  const DerivationTree& tree = *view.model()->tree();
  QVERIFY(tree.sketches >= 3);
  const QModelIndex stage = view.model()->index(0, 0);
  QVERIFY(stage.data().toString().startsWith(QStringLiteral("Stage C")));
  bool held = false, refused = false, notAsked = false;
  for (int row = 0; row < view.model()->rowCount(stage); ++row) {
    const QString answer =
        view.model()->index(row, DerivationModel::Answer, stage).data().toString();
    const QString why = view.model()->index(row, DerivationModel::Why, stage).data().toString();
    QVERIFY2(!why.isEmpty(), qPrintable(answer));
    held = held || answer.contains(QStringLiteral("✓"));
    refused = refused || answer.contains(QStringLiteral("✗"));
    notAsked = notAsked || answer.contains(QStringLiteral("not asked"));
  }
  QVERIFY(held && refused && notAsked);
  for (int sketch = 0; sketch < static_cast<int>(tree.sketches); ++sketch) {
    const QModelIndex index = view.model()->ofSketch(sketch);
    QVERIFY(index.isValid());
    view.tree()->setCurrentIndex(index);
    QVERIFY(view.after()->text().contains(QStringLiteral("for ")));
    QVERIFY(view.after()->title().contains(QString::number(sketch + 1)));
    QVERIFY(view.after()->markedLines() > 0);
  }
  document.selection().select({document.session().tasks()[1].row.id, 0});
  QTRY_COMPARE(told.count(), 2);
}

void InspectorTest::generationsShowTheSearch() {
  ShownInspector shown;
  auto& [document, inspector] = shown;
  GenerationsView& view = *inspector.generations();
  inspector.pages()->setCurrentWidget(&view);
  QAbstractItemModelTester tester(view.family());
  QSignalSpy told(&view, &GenerationsView::roundShown);
  QSignalSpy families(&view, &GenerationsView::familyShown);
  document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(told.count() > 0, 30'000);
  QTRY_VERIFY(families.count() > 0);
  QCOMPARE(view.generations()->maximum(), 4);
  // The chart's numbers are to be had as a table, its picture without the rest.
  std::size_t places = 0;
  for (const EvolvedGeneration& generation : view.data().row.generations)
    places += generation.places.size();
  const Exports given = inspector.exports();
  QCOMPARE(std::size_t(rowsOf(given)), places);
  QCOMPARE(given.table->headers[given.table->recordColumn], QStringLiteral("record"));
  QCOMPARE(given.size, view.plot()->size());
  // From random sampling to the fifth generation.
  view.generations()->setValue(0);
  for (const EvolvedPlace& place : view.data().row.generations[0].places)
    QCOMPARE(view.data().row.programs[static_cast<std::size_t>(place.program)].born, 0);
  view.generations()->setValue(4);
  QVERIFY(view.plot()->pointCount() > 20);
  // A click on a program that was bred shows its parent and what was changed; that of some is no
  // line of the nest.
  int bred = -1;
  for (const EvolvedPlace& place : view.data().row.generations[4].places) {
    const EvolvedProgram& program =
        view.data().row.programs[static_cast<std::size_t>(place.program)];
    if (!program.selected || program.parents.empty()) continue;
    bred = place.program;
    families.clear();
    view.choose(bred);
    QTRY_VERIFY(families.count() > 0);
    QCOMPARE(view.plot()->selected(), bred);
    if (view.nest()->markedLines() + view.parentNest()->markedLines() > 0) break;
  }
  QVERIFY(bred >= 0);
  QVERIFY(view.details().contains(QStringLiteral("Predicted score")));
  QVERIFY(view.family()->rowCount(view.family()->index(0, 0)) >= 1);
  QVERIFY(view.nest()->text().contains(QStringLiteral("for ")) ||
          view.nest()->text().contains(QStringLiteral("parallel ")));
  QVERIFY(!view.parentNest()->text().isEmpty());
  QVERIFY(view.nest()->markedLines() + view.parentNest()->markedLines() > 0);
  // A measured one is selected everywhere.
  for (std::size_t i = 0; i < view.data().measured.size(); ++i)
    if (view.data().measured[i].record != 0) {
      view.choose(static_cast<int>(i));
      QCOMPARE(document.selection().current().record, view.data().measured[i].record);
      break;
    }
  QVERIFY(document.selection().current().record != 0);
  // The mouse finds the points.
  view.plot()->setLayout(GenerationPlot::Layout::SideBySide);
  view.plot()->replot();
  const std::optional<QPointF> pixel = view.plot()->pixelOf(bred);
  QVERIFY(pixel);
  QSignalSpy picked(view.plot(), &GenerationPlot::picked);
  QTest::mouseClick(view.plot(), Qt::LeftButton, {}, pixel->toPoint());
  QCOMPARE(picked.count(), 1);
  QTest::keyClick(view.plot(), Qt::Key_Right);
  QCOMPARE(picked.count(), 2);
}

/// It stands above the chart, or is not there where that would leave too little of the chart.
void InspectorTest::theLegendHidesNothing() {
  ShownInspector shown;
  auto& [document, inspector] = shown;
  GenerationsView& view = *inspector.generations();
  shown.openGenerations(path_);
  GenerationPlot plot;
  plot.show(&view.data());
  static_cast<QWidget&>(plot).show();
  bool seen = false, left = false;
  for (const QSize size : {QSize(900, 600), QSize(420, 300), QSize(300, 200), QSize(220, 140)}) {
    plot.resize(size);
    plot.setGeneration(4);
    plot.replot();
    const bool there = plot.legend->visible() && plot.legend->itemCount() > 0;
    (there ? seen : left) = true;
    if (there) QVERIFY(!plot.legend->outerRect().intersects(plot.axisRect()->rect()));
    QVERIFY2(plot.axisRect()->rect().height() > size.height() / 3,
             qPrintable(QString::number(plot.axisRect()->rect().height())));
  }
  QVERIFY(seen && left);
}

void InspectorTest::aRecordHasItsFamily() {
  ShownInspector shown;
  auto& [document, inspector] = shown;
  GenerationsView& view = *inspector.generations();
  shown.openGenerations(path_);
  RecordQuery query;
  query.task = document.selection().current().task;
  query.order = RecordQuery::Order::Oldest;
  const Record first =
      RecordStore::open(path_.toStdString(), OpenMode::ReadOnly).records().page(query)[0];
  document.selection().select({first.task, first.id});
  QTRY_COMPARE(view.family()->family().empty() ? RowId(0) : view.family()->family()[0].record,
               first.id);
  QCOMPARE(view.family()->family()[0].origin, Origin::RandomSample);
  QVERIFY(view.details().contains(QString::number(first.id)));
}

/// Makes a measured program the first of the last generation of the task's last round, and gives
/// it.
std::string putMeasuredFirst(const std::string& path, RowId session, RowId task) {
  RecordStore store = RecordStore::open(path);
  const int round = store.evolutions().rounds(session, task).back().round;
  EvolvedRoundData data =
      readEvolvedRound(store, session, round, std::numeric_limits<RowId>::max());
  std::size_t measured = 0;
  while (data.measured.at(measured).record == 0)
    ++measured;
  data.row.generations.back().places.front().program = static_cast<int>(measured);
  store.evolutions().save(data.row);
  return data.row.programs[measured].program;
}

/// The round that comes up has a program to show, which is nobody's choice.
void InspectorTest::whatIsReadSelectsNothing() {
  Document document(madeUpSessions());
  document.open(path_);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  RecordQuery query;
  query.task = document.selection().current().task;
  query.order = RecordQuery::Order::Oldest;
  const Record oldest =
      RecordStore::open(path_.toStdString(), OpenMode::ReadOnly).records().page(query)[0];
  const std::string shown =
      putMeasuredFirst(path_.toStdString(), document.session().row().id, oldest.task);
  for (const RowId record : {RowId(0), oldest.id}) {
    document.selection().select({oldest.task, record});
    GenerationsView view(document);
    QSignalSpy told(&view, &GenerationsView::roundShown);
    QSignalSpy families(&view, &GenerationsView::familyShown);
    view.show();
    QTRY_VERIFY(told.count() > 0 && families.count() > 0);
    QCOMPARE(document.selection().current().record, record);
    QVERIFY(view.family()->family().front().program == (record == 0 ? shown : oldest.program));
  }
}

void InspectorTest::sessionsWithoutGenerationsSayWhy() {
  const auto sample = makeSample(50);
  Document document;
  GenerationsView view(document);
  view.resize(600, 400);
  view.show();
  openSample(document, *sample);
  const auto* label = view.findChild<QLabel*>();
  QVERIFY(label);
  QTRY_VERIFY2(label->text().contains(QStringLiteral("at random")), qPrintable(label->text()));
}

void InspectorTest::stepsThroughThePhases() {
  const QString path = folder_.filePath(QStringLiteral("steps.nwdb"));
  Document document(madeUpSessions());
  PhasesView view(document);
  view.resize(800, 500);
  view.show();
  document.create(path, madeUpConfig(), false);
  QTRY_VERIFY_WITH_TIMEOUT(view.stepButton()->isEnabled(), 30'000);
  const auto row = [&](int phase) { return view.phases()->topLevelItem(phase)->text(0); };
  view.stepButton()->click();
  QTRY_VERIFY_WITH_TIMEOUT(row(0).startsWith(QStringLiteral("✓")), 30'000);
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
  QVERIFY(row(1).startsWith(QStringLiteral("▶")));
  QVERIFY(view.explanation().contains(QStringLiteral("Sampling")));
  QCOMPARE(document.session().progress().trials, 0);
  view.runToButton()->menu()->actions()[3]->trigger(); // the end of selection
  QTRY_VERIFY(row(3).startsWith(QStringLiteral("✓")));
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
  QVERIFY(row(2).startsWith(QStringLiteral("–"))); // there is no model to breed under yet
  QCOMPARE(view.picks()->topLevelItemCount(), 8);
  QCOMPARE(document.session().progress().trials, 0);
  view.pausing()->click();
  QTRY_VERIFY(document.session().round().stepping);
  document.steering().start();
  QTRY_COMPARE(document.session().progress().trials, 8);
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
  view.goOnButton()->click();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
  QVERIFY(!view.stepButton()->isEnabled());
}

void InspectorTest::phasesExplainThemselves() {
  for (const SearchPhase phase : kSearchPhases) {
    for (const bool onTemplates : {false, true}) {
      QVERIFY(!phaseTitle(phase, onTemplates).isEmpty());
      QVERIFY(phaseExplanation(phase, onTemplates).size() > 150);
    }
  }
  for (const Origin origin : kGenerationOrigins)
    QVERIFY(originInWords(origin) != QString(name(origin)));
}

void InspectorTest::replayShowsNoFutureRounds() {
  Document document(madeUpSessions());
  GenerationsView view(document);
  view.resize(900, 600);
  view.show();
  document.open(path_);
  QTRY_VERIFY(view.round() > 0);
  const int last = view.round();
  startReplay(document);
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE(view.round(), 0);
  document.replayMode().replay()->seek(document.replayMode().replay()->size());
  QTRY_COMPARE(view.round(), last);
}

NW_TEST_GUI(InspectorTest)

} // namespace nestwright::inspector_test

#include "inspector.moc"
