/// A template's program: its pages, and its knobs, which give other programs to measure and to
/// start from.

#include "ui/program/knob_pane.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/run/tuning_state.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/ui/made_up_session.h"
#include "ui/charts/micro_batch_view.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/roles.h"
#include "ui/program/hand_edit_page.h"
#include "ui/program/program_view.h"
#include "ui/program/provenance_page.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModel>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

namespace nestwright::knob_pane_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

SessionConfig templateConfig() {
  SessionConfig config = madeUpConfig("random");
  config.space = SearchSpace::Templates;
  config.trials = 24;
  config.trialsPerRound = 8;
  config.warmup = 0;
  return config;
}

/// The program view on the fastest program of a made-up session over templates.
struct Bench {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("a.nwdb"));
  RowId session = runMadeUpSession(path, templateConfig());
  Document document{madeUpSessions()};
  ProgramView view{document};

  Bench() {
    view.resize(1100, 600);
    view.setVisible(true);
    document.open(path);
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    document.selection().selectTask(document.session().tasks().front().row.id);
    QTRY_VERIFY(view.program().record != 0);
  }
  KnobPane& knobs() { return *view.knobs(); }
  /// Another value for the first knob that has one and makes a program.
  void change() {
    const QAbstractItemModel& rows = *knobs().table()->model();
    for (int row = 0; row < rows.rowCount(); ++row)
      for (int value = 0; value < rows.index(row, 1).data(ChoicesRole).toStringList().size();
           ++value) {
        knobs().setValue(row, value);
        QTRY_VERIFY(!knobs().isBusy());
        if (knobs().measureButton()->isEnabled() &&
            knobs().verdict().contains(QStringLiteral("not measured")))
          return;
        document.undoStack().undo();
        QTRY_VERIFY(!knobs().isBusy());
      }
    QFAIL("there is no other configuration");
  }
  Record newest() const {
    RecordQuery query;
    query.session = session;
    query.limit = 1;
    return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().page(query).front();
  }
};

class KnobPaneTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void pagesAreOfTheTemplatesProgram();
  void knobsAreThoseOfTheRecord();
  void isMeasuredAndSeeded();
  void whatIsMeasuredIsNotWeighedAgain();
  void noSeedWhereTheSearchCannotTakeIt();
  void stripsOfMicroBatchesAreGivenAway();
  void othersHaveNone();
};

void KnobPaneTest::pagesAreOfTheTemplatesProgram() {
  Bench bench;
  const ProgramText& program = bench.view.program();
  QVERIFY2(program.problem.isEmpty(), qPrintable(program.problem));
  QVERIFY(program.trees.size() > 1 && !program.loopNest.isEmpty());
  QVERIFY(program.recordJson.isEmpty()); // the public format has no room for it
  QTRY_VERIFY(bench.view.lowered().has_value());
  QVERIFY2(bench.view.lowered()->problem.isEmpty(), qPrintable(bench.view.lowered()->problem));
  QVERIFY(!bench.view.lowered()->features.values.empty());
  // Its steps are not edited one by one: that is said.
  QVERIFY2(bench.view.edit()->verdict().contains(QStringLiteral("knobs")),
           qPrintable(bench.view.edit()->verdict()));
  const auto names = [&] {
    QStringList facts;
    for (const Provenance& fact : program.provenance)
      facts << fact.name;
    return facts;
  }();
  QVERIFY(names.contains(QStringLiteral("Template")));
  QVERIFY(names.count(QStringLiteral("Knob")) > 1);
  QVERIFY(!names.contains(QStringLiteral("Sketch")));
}

void KnobPaneTest::knobsAreThoseOfTheRecord() {
  Bench bench;
  QVERIFY(bench.knobs().isVisible());
  QVERIFY(!bench.knobs().isChanged());
  QVERIFY(!bench.knobs().measureButton()->isEnabled());
  QVERIFY(!bench.knobs().resetButton()->isEnabled());
  const TemplateConfig config = *bench.view.program().config;
  const QAbstractItemModel& rows = *bench.knobs().table()->model();
  QCOMPARE(rows.rowCount(), int(config.entities.size()));
  for (int row = 0; row < rows.rowCount(); ++row) {
    const NamedEntity& knob = config.entities[std::size_t(row)];
    QCOMPARE(rows.index(row, 0).data().toString(), QString::fromStdString(knob.knob));
    QCOMPARE(rows.index(row, 1).data().toString(), QString::fromStdString(text(knob.entity)));
    QCOMPARE(rows.index(row, 2).data().toInt(),
             int(rows.index(row, 1).data(ChoicesRole).toStringList().size()));
  }
  QCOMPARE(bench.knobs().config(), config);
  bench.change();
  QVERIFY(bench.knobs().isChanged() && bench.knobs().config() != config);
  QTest::mouseClick(bench.knobs().resetButton(), Qt::LeftButton);
  QCOMPARE(bench.knobs().config(), config);
  bench.document.undoStack().undo();
  QVERIFY(bench.knobs().config() != config);
}

void KnobPaneTest::isMeasuredAndSeeded() {
  Bench bench;
  const std::string parent = bench.view.program().programId;
  const RowId task = bench.view.program().task;
  bench.change();
  const TemplateConfig config = bench.knobs().config();
  QTest::mouseClick(bench.knobs().seedButton(), Qt::LeftButton);
  QSignalSpy added(&bench.document.follower(), &SessionFollower::recordsAdded);
  QTest::mouseClick(bench.knobs().measureButton(), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(added.count() > 0, 30'000);
  const Record record = bench.newest();
  QVERIFY(record.onDemand);
  QCOMPARE(ownTemplateConfigOf(record), std::optional(config));
  QCOMPARE(traceFromJson(nlohmann::json::parse(record.trace)).parents,
           std::vector<std::string>{parent});
  const RecordStore store = RecordStore::open(bench.path.toStdString(), OpenMode::ReadOnly);
  const TuningState state =
      tuningStateFromText(store.sessions().one(bench.session)->schedulerState);
  const auto& seeds = state.tasks.at(task).seeds;
  QCOMPARE(seeds.size(), std::size_t(1));
  QCOMPARE(seeds.front().trace->config, std::optional(config));
  // And the pane says so.
  QTRY_VERIFY2(bench.knobs().verdict().contains(QString::number(record.id)),
               qPrintable(bench.knobs().verdict()));
}

void KnobPaneTest::whatIsMeasuredIsNotWeighedAgain() {
  Bench bench;
  bench.change();
  // What was found out stays while others are measured.
  Q_EMIT bench.document.follower().recordsAdded();
  Q_EMIT bench.document.follower().recordsAdded();
  QVERIFY(bench.knobs().isBusy());
  Q_EMIT bench.document.follower().statusChanged();
  QVERIFY(bench.knobs().measureButton()->isEnabled());
  QVERIFY(bench.knobs().verdict().contains(QStringLiteral("not measured")));
  QTRY_VERIFY(!bench.knobs().isBusy());
  QTest::mouseClick(bench.knobs().measureButton(), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(bench.knobs().verdict().contains(QStringLiteral("measured it")), 30'000);
  QTRY_VERIFY(!bench.knobs().isBusy());
  Q_EMIT bench.document.follower().recordsAdded();
  QVERIFY(!bench.knobs().isBusy());
}

/// A session over sketches in the same file is shown a template's program.
void KnobPaneTest::noSeedWhereTheSearchCannotTakeIt() {
  Bench bench;
  const ProgramText program = bench.view.program();
  SessionConfig sketches = templateConfig();
  sketches.space = SearchSpace::Sketches;
  runMadeUpSession(bench.path, sketches);
  Document document(madeUpSessions());
  document.open(bench.path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QCOMPARE(document.session().config().space, SearchSpace::Sketches); // the newest
  KnobPane pane(document);
  pane.show(program);
  for (int value = 0; value < 5 && !pane.measureButton()->isEnabled(); ++value) {
    pane.setValue(0, value);
    QTRY_VERIFY(!pane.isBusy());
  }
  QVERIFY2(pane.measureButton()->isEnabled(), qPrintable(pane.verdict()));
  QVERIFY(!pane.seedButton()->isEnabled());
  QVERIFY2(pane.seedButton()->toolTip().contains(QStringLiteral("sketches")),
           qPrintable(pane.seedButton()->toolTip()));
}

void KnobPaneTest::stripsOfMicroBatchesAreGivenAway() {
  Bench bench;
  bench.view.showPage(ProgramView::ProvenanceTab);
  QVERIFY(bench.view.exports().more.empty());
  MeasureResult result;
  result.seconds = {9e-6, 4e-6, 5e-6, 1e-6};
  result.runsPerRepeat = 50;
  result.evaluation =
      Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Batch, StopReason::Steady, 4};
  bench.view.provenance()->microBatches()->show(result);
  const Exports exports = bench.view.exports();
  QCOMPARE(exports.more.size(), std::size_t(1));
  int rows = 0;
  exports.more.front().table.rows([&](const QStringList&) { return ++rows > 0; });
  QCOMPARE(rows, 4);
}

void KnobPaneTest::othersHaveNone() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  SessionConfig config = madeUpConfig("random");
  config.trials = 16;
  runMadeUpSession(path, config);
  Document document(madeUpSessions());
  ProgramView view(document);
  view.setVisible(true);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.selection().selectTask(document.session().tasks().front().row.id);
  QTRY_VERIFY(view.program().record != 0);
  QVERIFY(!view.knobs()->isVisible());
  QVERIFY(view.provenance()->microBatches()->isHidden()); // repeats are no micro-batches
}

NW_TEST_GUI(KnobPaneTest)

} // namespace nestwright::knob_pane_test

#include "knob_pane.moc"
