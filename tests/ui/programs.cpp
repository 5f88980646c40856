/// The Program view: steps that can be gone through, code that is traced back to loops, and two
/// programs or sessions side by side.

#include "core/network/workloads.h"
#include "core/tensor/text.h"
#include "tests/ui/fixture.h"
#include "ui/code_view.h"
#include "ui/compare_view.h"
#include "ui/diff_page.h"
#include "ui/feature_model.h"
#include "ui/feature_page.h"
#include "ui/footprint_page.h"
#include "ui/linked_code_page.h"
#include "ui/loop_nest_page.h"
#include "ui/loop_tree_model.h"
#include "ui/main_window.h"
#include "ui/program_compare_view.h"
#include "ui/program_view.h"
#include "ui/session_compare_model.h"
#include "ui/settings.h"
#include "ui/side_head.h"
#include "ui/step_player.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

Steps tiled(std::int64_t inner) {
  return {SplitStep{2, 0, 32, {{8}}, true}, SplitStep{2, 2, 32, {{inner}}, true},
          ReorderStep{2, {0, 2, 4, 1, 3}}, AnnotationStep{2, 0, Annotation::Parallel},
          AnnotationStep{2, 4, Annotation::Vectorize}};
}

/// Further records of the sample's first task (a matrix product of 32), and a second session.
struct Programs {
  std::unique_ptr<Sample> sample = makeSample(30, SessionStatus::Finished);
  RowId left = 0, right = 0, illegal = 0, second = 0;

  Programs() {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    left = add(store, sample->session, tiled(8), 1.0e-5, 101);
    right = add(store, sample->session, tiled(16), 0.5e-5, 102);
    Steps broken = tiled(8);
    broken.push_back(SplitStep{2, 99, 32, {{2}}, true});
    illegal = add(store, sample->session, broken, 0, 103);
    SessionRow row = *store.session(sample->session);
    row.id = 0, row.title = "second";
    second = store.addSession(row);
    store.setSessionTasks(second, sample->tasks);
    add(store, second, tiled(4), 1.0e-6, 1);
  }

  RowId add(RecordStore& store, RowId session, const Steps& steps, double seconds,
            std::int64_t trial) {
    Record record;
    record.session = session, record.task = sample->tasks[0], record.trial = trial;
    record.program = programId(parseDag(store.task(record.task)->dag), steps);
    record.steps = steps;
    record.trace = R"({"operation": "tile-size mutation", "parents": [")" + std::string(32, 'a') +
                   R"("], "draw": 7, "sketch": 1, "predicted_score": 0.5})";
    if (seconds > 0) {
      record.result.seconds = {seconds, seconds * 1.01, seconds * 0.99};
      record.verified = record.result.checked = true;
    } else {
      record.result.verdict = Verdict::Illegal;
      record.result.error = "there is no loop 99";
      record.result.failingStep = 5;
    }
    return store.addRecord(record);
  }

  ProgramRef ref(RowId record) const {
    ProgramRef program;
    program.file = sample->path, program.task = sample->tasks[0], program.record = record;
    return program;
  }
};

/// A row for each loop: its texts, separated by bars.
QStringList printTree(const QAbstractItemModel& model, const QModelIndex& parent = {},
                      int depth = 0) {
  QStringList lines;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    QStringList cells;
    for (int column = 0; column < LoopTreeModel::Footprint; ++column)
      cells << model.index(row, column, parent).data().toString();
    lines << QString(2 * depth, QLatin1Char(' ')) + cells.join(QLatin1Char('|'));
    lines << printTree(model, model.index(row, 0, parent), depth + 1);
  }
  return lines;
}

} // namespace

class ProgramsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
  }
  void init() { programs_ = std::make_unique<Programs>(); }

  void loopNestIsATree() {
    LoopTreeModel model;
    QAbstractItemModelTester tester(&model);
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    model.setTree(view.program().tree(), view.program().traffic);
    QCOMPARE(printTree(model),
             (QStringList{"parallel  i.0|4|parallel|1 of 2", "  for  j.0|2|tile|1 of 2",
                          "    for  k|32|reduction|", "      for  i.1|8|tile|2 of 2",
                          "        vectorize  j.1|16|vector|2 of 2", "          C = …|||"}));
    const QModelIndex outer = model.indexOfNode(0, LoopTreeModel::Footprint);
    QVERIFY2(outer.data().toString().startsWith("12.0 KiB"), qPrintable(outer.data().toString()));
    for (int column = 0; column < LoopTreeModel::ColumnCount; ++column)
      QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 20);
  }

  void stepsCanBeScrubbed() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    LoopNestPage* page = view.loopNest();
    QCOMPARE(page->player()->steps(), 5);
    QCOMPARE(page->position(), 5);
    QCOMPARE(page->steps()->code()->rowCount(), 5);
    page->player()->setPosition(0);
    QCOMPARE(printTree(*page->model()),
             (QStringList{"for  i|32||", "  for  j|32||", "    for  k|32|reduction|",
                          "      C = …|||"}));
    page->player()->setPosition(1);
    QCOMPARE(page->model()->rowCount(page->model()->indexOfNode(0)), 1);
    const auto mark = [&](int node) {
      return page->model()->indexOfNode(node).data(LoopTreeModel::MarkRole).toInt();
    };
    QVERIFY(mark(0) != 0); // i.0 or i.1 is new or shorter
    QCOMPARE(page->steps()->currentIndex().row(), 0);
    page->beforeButton()->setChecked(true);
    QCOMPARE(page->position(), 0);
    QVERIFY(mark(0) != 0); // the loop that is going to be split
    page->beforeButton()->setChecked(false);
    page->steps()->setCurrentIndex(page->steps()->code()->index(3, 0));
    QCOMPARE(page->position(), 4);
    QVERIFY(printTree(*page->model()).first().startsWith("parallel"));
    page->player()->setPosition(0);
    page->player()->play();
    page->setVisible(true);
    view.setVisible(true);
    QTRY_VERIFY_WITH_TIMEOUT(page->player()->position() >= 1, 5000);
    page->player()->stop();
  }

  void illegalProgramsShowHowFarTheyCome() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->illegal});
    QTRY_COMPARE(view.program().record, programs_->illegal);
    QVERIFY(view.program().problem.startsWith("Step 5 cannot be applied"));
    QCOMPARE(view.loopNest()->player()->steps(), 5);
    view.showPage(ProgramView::AssemblyTab);
    QVERIFY(view.assembly()->compileButton()->isHidden());
  }

  void codeIsCompiledWhenItIsSeen() {
    Document document;
    ProgramView view(document);
    view.resize(1000, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    QVERIFY(!view.compiled());
    QVERIFY(view.passes()->count() >= 8);
    view.showPage(ProgramView::AssemblyTab);
    QTRY_VERIFY_WITH_TIMEOUT(view.compiled().has_value(), 60'000);
    QVERIFY(view.assembly()->code()->text().contains("ret"));
    QVERIFY(view.llvm()->code()->text().contains("define"));
    QVERIFY2(view.assembly()->summary()->text().contains("hot loop"),
             qPrintable(view.assembly()->summary()->text()));
    // From code to the loop that it came from, and back.
    view.assembly()->goToHotLoop();
    const QModelIndex loop = view.loopNest()->tree()->currentIndex();
    QVERIFY(loop.isValid());
    CodeView* code = view.assembly()->code();
    QVERIFY(code->linkedTo() > code->linkedFrom());
    int linked = 0;
    for (const CodeLine& line : code->code()->lines())
      linked += line.link >= code->linkedFrom() && line.link < code->linkedTo() ? 1 : 0;
    QVERIFY(linked > 0);
    view.loopNest()->tree()->setCurrentIndex(view.loopNest()->model()->indexOfNode(0));
    QVERIFY(code->linkedTo() - code->linkedFrom() > 3); // the outermost loop holds everything
  }

  void compilingCanBeCancelled() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    view.showPage(ProgramView::LlvmTab);
    QVERIFY(!view.llvm()->cancelButton()->isHidden());
    view.llvm()->cancelButton()->click();
    QVERIFY(!view.llvm()->compileButton()->isHidden());
    QTest::qWait(200);
    QVERIFY(!view.compiled());
    view.llvm()->compileButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(view.compiled().has_value(), 60'000);
  }

  void provenanceLeadsToParents() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    QStringList facts;
    for (int i = 0; i < view.provenance()->topLevelItemCount(); ++i) {
      const QTreeWidgetItem* item = view.provenance()->topLevelItem(i);
      facts << item->text(0) + ": " + item->text(1);
      QVERIFY(!item->toolTip(0).isEmpty());
    }
    QVERIFY2(facts.contains("Made by: tile-size mutation"), qPrintable(facts.join('\n')));
    QVERIFY(facts.contains("Predicted score: 0.5"));
    QVERIFY(facts.contains("Parent: program aaaaaaaa …, not measured"));
    QVERIFY(facts.contains("Trial: 101"));
  }

  /// A session looks at the machine each time that it begins to measure; the look that was before
  /// the record counts, not a later one.
  void provenanceTellsOfTheClocks() {
    constexpr std::int64_t kMeasured = 1'700'000'000'000'000;
    const auto sample = makeSample(5);
    {
      RecordStore store = RecordStore::open(sample->path.toStdString());
      const auto look = [&](std::int64_t at, const char* governor) {
        EventRow row;
        row.session = sample->session, row.at = at, row.kind = "environment";
        row.json = toJson(Event{EnvironmentChecked{{{"governor", governor, "Hold it up."},
                                                    {"load", "2 other programs run now", ""}}}})
                       .dump();
        store.addEvent(row);
      };
      look(kMeasured - 1000, "governor performance");
      look(kMeasured + 1'000'000'000, "governor powersave");
    }
    Document document;
    ProgramView view(document);
    openSample(document, *sample);
    document.select({sample->tasks[1], sample->records[0]});
    QTRY_COMPARE(view.program().record, sample->records[0]);
    const auto fact = [&](const QString& name) {
      const auto found = view.provenance()->findItems(name, Qt::MatchExactly);
      return found.isEmpty() ? QString() : found.front()->text(1);
    };
    QCOMPARE(fact("Clocks"), QStringLiteral("governor performance"));
    QCOMPARE(fact("Conditions"), QStringLiteral("2 other programs run now"));
    QVERIFY(view.provenance()->findItems("Conditions", Qt::MatchExactly)[0]->toolTip(0).contains(
        "Hold it up."));
  }

  void everyPageCanBeCopied() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    QVERIFY(view.program().recordJson.startsWith("{\"i\": [["));
    QVERIFY(!nlohmann::json::parse(view.program().recordJson.toStdString()).is_discarded());
    QVERIFY(featureText(view.lowered()->features).contains("float_addsub"));
    for (const auto page : {ProgramView::LoopNestTab, ProgramView::DagTab, ProgramView::LoopIrTab,
                            ProgramView::FeatureTab, ProgramView::ProvenanceTab}) {
      view.showPage(page);
      const Exports exports = view.exports();
      QVERIFY2(exports.text.size() > 40, qPrintable(QString::number(page)));
      QVERIFY(exports.draw && !exports.title.isEmpty());
    }
    view.showPage(ProgramView::LoopNestTab);
    QVERIFY(view.exports().table.has_value());
  }

  void twoProgramsSideBySide() {
    Document document;
    ProgramCompareView view(document);
    view.resize(1100, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    QVERIFY(!view.isComplete());
    document.compare({programs_->ref(programs_->left), programs_->ref(programs_->right)});
    QTRY_VERIFY(view.isComplete());
    QCOMPARE(view.latency().verdict, LatencyVerdict::RightFaster);
    QVERIFY2(view.verdict().contains("faster"), qPrintable(view.verdict()));
    QCOMPARE(view.head(Side::A)->alias(), QStringLiteral("trial 101"));
    QCOMPARE(view.head(Side::B)->alias(), QStringLiteral("trial 102"));
    QCOMPARE(view.page(ProgramCompareView::LoopNestTab)->summary()->text(),
             QStringLiteral("2 lines changed"));
    QCOMPARE(view.page(ProgramCompareView::StepTab)->summary()->text(),
             QStringLiteral("1 step changed"));
    QVERIFY(view.features()->model()->differing() > 0);
    view.showPage(ProgramCompareView::AssemblyTab);
    QTRY_VERIFY_WITH_TIMEOUT(!view.page(ProgramCompareView::AssemblyTab)->diff().a.empty(), 60'000);
    view.swapSides();
    QTRY_COMPARE(view.head(Side::A)->alias(), QStringLiteral("trial 102"));
    QCOMPARE(view.latency().verdict, LatencyVerdict::LeftFaster);
  }

  /// Tiles of 8 and of 16 columns, against caches so small that only the first one fits L1.
  void theTileThatFitsIsTold() {
    const RecordStore store =
        RecordStore::open(programs_->sample->path.toStdString(), OpenMode::ReadOnly);
    const ProgramText narrow = readProgram(store, programs_->ref(programs_->left));
    const ProgramText wide = readProgram(store, programs_->ref(programs_->right));
    TargetFacts target;
    target.l1Bytes = 2500, target.l2Bytes = 4000, target.l3Bytes = 16384;
    target.modelName = "a small machine";
    const FootprintComparison compared = compareFootprints(narrow, wide, target);
    const CacheRow& l1 = compared.caches[0];
    // A run of k works on 8x32 of A, 32x8 of B and 8x8 of C, and there are 4x4 runs of it.
    QCOMPARE(l1.a.bytes, 4.0 * (8 * 32 + 32 * 8 + 8 * 8));
    QCOMPARE(l1.a.runs, 16.0);
    QCOMPARE(l1.a.movedBytes, 16 * l1.a.bytes);
    // Twice as wide it does not fit: for each k a column of 8, a row of 16, and 8x16 of C.
    QCOMPARE(l1.b.bytes, 4.0 * (8 + 16 + 8 * 16));
    QCOMPARE(l1.b.runs, 4.0 * 2 * 32);
    QVERIFY(l1.a.fits && l1.b.fits);
    QCOMPARE(compared.caches[1].b.bytes, 4.0 * (8 * 32 + 32 * 16 + 8 * 16)); // k again, in L2
    QCOMPARE(compared.caches[2].a.movedBytes, 3 * 32 * 32 * 4.0);            // all of it, once
    QCOMPARE(compared.caches[2].b.movedBytes, 3 * 32 * 32 * 4.0);
    QCOMPARE(compared.verdict,
             QStringLiteral("A moves 4.22× less into L1 (2.4 KiB). In A, the tile C.k works on 2.3 "
                            "KiB and is run 16 times; in B, the tile C.i.1 works on 608 B and is "
                            "run 256 times."));
    int levels[4] = {};
    for (const FootprintRow& row : compared.rows)
      if (row.b.bytes > 0) ++levels[int(row.b.level)];
    QVERIFY(levels[0] > 0 && levels[1] > 0 && levels[2] > 0 && levels[3] == 0);
    // Nothing fits a cache of one line: the innermost loop comes in anew each time.
    target.l1Bytes = 32;
    const FootprintComparison tiny = compareFootprints(narrow, wide, target);
    QVERIFY(!tiny.caches[0].a.fits && tiny.caches[0].a.movedBytes > l1.a.movedBytes);
    QVERIFY(compareFootprints(narrow, narrow, target).verdict.startsWith("Both"));
  }

  void cachesAreAPageOfTheComparison() {
    Document document;
    ProgramCompareView view(document);
    view.resize(1100, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    document.compare({programs_->ref(programs_->left), programs_->ref(programs_->right)});
    QTRY_VERIFY(view.isComplete());
    view.showPage(ProgramCompareView::CacheTab);
    FootprintPage& page = *view.caches();
    QVERIFY(!page.verdict().isEmpty());
    QCOMPARE(page.cacheTable()->model()->rowCount(), 3);
    const QAbstractItemModel& loops = *page.loopTable()->model();
    QCOMPARE(std::size_t(loops.rowCount()),
             view.page(ProgramCompareView::LoopNestTab)->diff().a.size());
    QVERIFY(loops.index(0, FootprintPage::LoopA).data().toString().contains("parallel i.0"));
    QVERIFY(loops.index(0, FootprintPage::BytesB).data().toString().startsWith("12.0 KiB · "));
    QVERIFY(view.exports().text.contains(page.verdict()));
    QVERIFY(view.exports().table.has_value());
  }

  void aProgramBesideItselfIsTheSame() {
    Document document;
    ProgramCompareView view(document);
    openSample(document, *programs_->sample);
    document.compare({programs_->ref(programs_->left), programs_->ref(programs_->left)});
    QTRY_VERIFY(view.isComplete());
    QCOMPARE(view.latency().verdict, LatencyVerdict::NotSignificant);
    QVERIFY2(view.verdict().contains("not significantly"), qPrintable(view.verdict()));
    QVERIFY(view.page(ProgramCompareView::LoopNestTab)->diff().isSame());
    QCOMPARE(view.features()->model()->differing(), 0);
    view.showPage(ProgramCompareView::AssemblyTab);
    QTRY_VERIFY_WITH_TIMEOUT(!view.page(ProgramCompareView::AssemblyTab)->diff().a.empty(), 60'000);
    QVERIFY(view.page(ProgramCompareView::AssemblyTab)->diff().isSame());
  }

  void sidesCanBeRenamedAndDropped() {
    Document document;
    ProgramCompareView view(document);
    openSample(document, *programs_->sample);
    document.compare({programs_->ref(programs_->left), programs_->ref(programs_->right)});
    QTRY_VERIFY(view.isComplete());
    QLineEdit* name = view.head(Side::A)->name();
    name->setText("before the change");
    name->setModified(true);
    Q_EMIT name->editingFinished();
    QCOMPARE(document.compared().a.alias, QStringLiteral("before the change"));
    const std::unique_ptr<QMimeData> data(
        toMimeData(programs_->ref(programs_->sample->records[0])));
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.head(Side::B), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.head(Side::B), &drop);
    QCOMPARE(document.compared().b.record, programs_->sample->records[0]);
    QTRY_COMPARE(view.head(Side::A)->alias(), QStringLiteral("before the change"));
  }

  void missingProgramsAreTold() {
    Document document;
    ProgramCompareView view(document);
    openSample(document, *programs_->sample);
    QSignalSpy shown(&view, &ProgramCompareView::shown);
    document.compare({programs_->ref(programs_->left), programs_->ref(999'999)});
    QTRY_VERIFY(shown.size() > 0);
    QVERIFY(!view.isComplete());
  }

  void programViewComparesWithTheBest() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    view.compareWithBest();
    QCOMPARE(document.compared().b.record, programs_->left);
    QVERIFY(document.compared().a.record != 0 && !document.compared().a.naive);
    view.compareWithNaive();
    QVERIFY(document.compared().a.naive);
  }

  void longTextsStayFluid() {
    std::vector<std::string> a, b;
    for (int i = 0; i < 20'000; ++i) {
      a.push_back("\tvfmadd231ps\t" + std::to_string(i % 977) + "(%rax), %zmm0, %zmm1");
      b.push_back("\tvfmadd231ps\t" + std::to_string(i % 983) + "(%rax), %zmm0, %zmm1");
    }
    CodeView view(CodeLanguage::Assembly);
    view.resize(900, 700);
    view.setVisible(true);
    QElapsedTimer timer;
    timer.start();
    view.setLines(codeLines(a));
    view.goTo(15'000);
    QApplication::processEvents();
    qInfo("20,000 lines: set and shown in %lld ms", static_cast<long long>(timer.elapsed()));
    QCOMPARE(view.currentIndex().row(), 15'000);
    QCOMPARE(view.find(QStringLiteral("zmm1"), 15'000, true), 15'001);
    QVERIFY(view.find(QStringLiteral("zmm9"), 0, true) < 0);
    QVERIFY(view.horizontalScrollBar()->maximum() < 10'000);
  }

  void onlyDifferencesKeepTheirSurroundings() {
    DiffText text;
    for (int i = 0; i < 40; ++i) {
      CodeLine line;
      line.text = QString::number(i);
      line.number = i + 1;
      line.mark = i == 20 ? DiffMark::Changed : DiffMark::Same;
      text.a.push_back(line);
      text.b.push_back(line);
    }
    const DiffText few = onlyDifferences(text, 3);
    QCOMPARE(few.a.size(), std::size_t(9)); // seven lines and two that say what was left out
    QCOMPARE(few.a.front().text, QStringLiteral("⋯ 17 equal line(s)"));
    QCOMPARE(few.starts(), (std::vector<int>{4}));
  }

  /// Two runs: is it faster, by how much, is it noise, which task, which program. Four clicks.
  void sessionsInFourClicks() {
    Document document;
    MainWindow window(Catalogue{});
    window.openFile(programs_->sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    CompareView* view = window.compareView();
    QTRY_VERIFY(view->model()->rowCount() == 3);
    QCOMPARE(view->right().session, programs_->second); // the newest against the one before it
    QCOMPARE(view->left().session, programs_->sample->session);
    QVERIFY2(view->total().startsWith(QStringLiteral("▲ B is ")) &&
                 view->total().contains("faster") && view->total().contains("Not noise"),
             qPrintable(view->total()));
    // What answers is next to the task's name.
    for (const auto& [place, column] :
         {std::pair(1, SessionCompareModel::Verdict), std::pair(2, SessionCompareModel::Gain)})
      QCOMPARE(view->table()->horizontalHeader()->logicalIndex(place), int(column));
    // Seen from the earlier session it is the same question.
    window.document().showSession(programs_->sample->session);
    QTRY_COMPARE(window.document().session().id, programs_->sample->session);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    QCOMPARE(view->right().session, programs_->second);
    QCOMPARE(view->left().session, programs_->sample->session);
    QTRY_VERIFY(view->model()->rowCount() == 3);
    QVERIFY(view->note().contains("1 of 3 tasks"));
    const QModelIndex first = view->table()->model()->index(0, SessionCompareModel::Verdict);
    QCOMPARE(first.data().toString(), QStringLiteral("▲ faster"));
    for (int column = 0; column < SessionCompareModel::ColumnCount; ++column)
      QVERIFY(view->model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() >
              20);
    view->openRow(0);
    QTRY_VERIFY(window.programCompareView()->isComplete());
    QVERIFY2(window.programCompareView()->head(Side::B)->alias().startsWith(
                 QStringLiteral("session %1, trial").arg(programs_->second)),
             qPrintable(window.programCompareView()->head(Side::B)->alias()));
    // The other views are at the same task.
    QCOMPARE(window.document().selection().task, window.document().compared().b.task);
    QCOMPARE(window.programCompareView()->latency().verdict, LatencyVerdict::RightFaster);
  }

  void sessionsOfAnotherFile() {
    const Programs other;
    Document document;
    CompareView view(document);
    openSample(document, *programs_->sample);
    QTRY_COMPARE(view.model()->rowCount(), 3);
    // A file that was used before is one click away.
    Settings::addRecentFile(other.sample->path);
    Q_EMIT document.stateChanged();
    auto* box = view.findChild<QComboBox*>();
    const int newest = box->findText(QStringLiteral("Newest of "), Qt::MatchStartsWith);
    QVERIFY(newest >= 0);
    Q_EMIT box->activated(newest);
    QTRY_COMPARE(view.left().file, other.sample->path);
    QTRY_VERIFY(view.model()->rowCount() == 3 &&
                view.model()->comparison().total.verdict == LatencyVerdict::NotSignificant);
    QCOMPARE(view.model()->index(0, SessionCompareModel::Verdict).data().toString(),
             QStringLiteral("= same program"));
    QAbstractItemModelTester tester(view.model());
  }

 private:
  QTemporaryDir settings_;
  std::unique_ptr<Programs> programs_;
};

QTEST_MAIN(ProgramsTest)
#include "programs.moc"
