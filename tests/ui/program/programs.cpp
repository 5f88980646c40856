/// The Program view: steps that can be gone through, and code that is traced back to loops.

#include "core/record/store/event_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/made_up_programs.h"
#include "tests/ui/own_settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/code_view.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/step_player.h"
#include "ui/kit/text.h"
#include "ui/program/code/c_page.h"
#include "ui/program/code/linked_code_page.h"
#include "ui/program/code/loop_ir_page.h"
#include "ui/program/code/program_code_pages.h"
#include "ui/program/feature_model.h"
#include "ui/program/feature_page.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/loop_tree_model.h"
#include "ui/program/program_view.h"
#include "ui/program/provenance_page.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <numeric>

namespace nestwright::programs_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

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

class ProgramsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }
  void init() { programs_ = std::make_unique<Programs>(); }

  void loopNestIsATree() {
    LoopTreeModel model;
    QAbstractItemModelTester tester(&model);
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    model.setTree(view.program().tree(), view.program().traffic);
    QCOMPARE(printTree(model),
             (QStringList{"parallel  i.0|4|parallel|1 of 2", "  for  j.0|2|tile|1 of 2",
                          "    for  k|32|reduction|", "      for  i.1|8|tile|2 of 2",
                          "        vectorize  j.1|16|vector|2 of 2", "          C = …|||"}));
    const QModelIndex outer = model.indexOfNode(0, LoopTreeModel::Footprint);
    QVERIFY2(outer.data().toString().startsWith("12.0 KiB"), qPrintable(outer.data().toString()));
    // A tile of C is used by all of k; the tip tells it buffer by buffer.
    const QModelIndex inK = model.indexOfNode(2, LoopTreeModel::Reuse);
    QVERIFY2(inK.data().toString().endsWith(QStringLiteral("×")),
             qPrintable(inK.data().toString()));
    const LoopTraffic* ofK = nullptr;
    for (const LoopTraffic& loop : view.program().traffic)
      if (loop.iterator == model.tree().nodes[2].iterator &&
          loop.stage == model.tree().nodes[2].stage)
        ofK = &loop;
    QVERIFY(ofK != nullptr);
    QCOMPARE(inK.data().toString(), factorText(ofK->reuse()));
    QVERIFY(inK.data(FractionRole).toDouble() > 0);
    for (const LoopTraffic::Buffer& buffer : ofK->buffers)
      QVERIFY2(
          inK.data(Qt::ToolTipRole)
              .toString()
              .contains(QStringLiteral("%1  %2 a run, %3 an iteration, each used %4")
                            .arg(qs(buffer.name), bytesText(buffer.bytes),
                                 bytesText(buffer.iterationBytes), factorText(buffer.reuse()))),
          qPrintable(inK.data(Qt::ToolTipRole).toString()));
    // A longer bar is a larger footprint; each buffer has its part and its colour.
    const auto bar = [&](int node) {
      const auto parts = model.indexOfNode(node, LoopTreeModel::Footprint)
                             .data(SharesRole)
                             .value<QVector<double>>();
      return std::accumulate(parts.begin(), parts.end(), 0.0);
    };
    QVERIFY(bar(0) > bar(2) && bar(0) <= 1);
    QCOMPARE(model.buffers().size(), qsizetype(3));
    QVERIFY(model.colourOf(model.buffers()[0]) != model.colourOf(model.buffers()[1]));
    QVERIFY(view.loopNest()->legend()->text().contains(model.buffers()[0]));
    for (int column = 0; column < LoopTreeModel::ColumnCount; ++column)
      QVERIFY(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 20);
  }

  /// What overlaps is computed again, and told where it is; a stage that is computed once has
  /// nothing there.
  void recomputationIsTold() {
    LoopTree tree;
    for (const char* owner : {"pad", "conv"}) {
      LoopNode loop;
      loop.kind = LoopNode::Kind::Loop;
      loop.owner = owner;
      loop.name = "i";
      loop.stage = static_cast<int>(tree.nodes.size());
      loop.iterator = 0;
      loop.extent = 16;
      tree.nodes.push_back(loop);
    }
    std::vector<LoopTraffic> traffic(2);
    for (int i = 0; i < 2; ++i) {
      traffic[std::size_t(i)].stage = i;
      traffic[std::size_t(i)].footprintBytes = 1024;
      traffic[std::size_t(i)].buffers = {{"pad", 1024, 64, 4096}};
    }
    traffic[0].recomputation = 1.25;
    LoopTreeModel model;
    model.setTree(tree, traffic);
    const QModelIndex again = model.indexOfNode(0, LoopTreeModel::Recomputed),
                      once = model.indexOfNode(1, LoopTreeModel::Recomputed);
    QCOMPARE(again.data().toString(), QStringLiteral("1.25×"));
    QCOMPARE(again.data(FractionRole).toDouble(), 0.2);
    QVERIFY(again.data(Qt::ToolTipRole).toString().contains("computed 1.25 times on average"));
    QVERIFY(once.data().toString().isEmpty() && !once.data(FractionRole).isValid());
    QVERIFY(once.data(Qt::ToolTipRole).toString().contains("computed once"));
    QCOMPARE(model.indexOfNode(1, LoopTreeModel::Reuse).data().toString(), QStringLiteral("4.00×"));
  }

  /// Another best, and the naive program's measurement, change what is said of a chosen record.
  void whatIsSaidOfItFollowsTheSession() {
    SessionScript script;
    Document document(scripted(script));
    ProgramView view(document);
    openSample(document, *programs_->sample);
    const RowId task = programs_->sample->tasks[0];
    const RowId best = document.session().task(task)->summary.bestRecord;
    document.selection().select({task, best});
    QTRY_COMPARE(view.program().record, best);
    QVERIFY(view.program().isBest);
    document.steering().start();
    QTRY_VERIFY(document.session().isRunning());
    script.tell(NewBest{task, programs_->left, 101, 1e-9, kUnknown, kUnknown, 0.1});
    QTRY_VERIFY2(!view.program().isBest, qPrintable(view.program().subtitle));
    QVERIFY(!view.program().subtitle.endsWith(QStringLiteral("best")));
    script.tell(NaiveMeasured{task, 1});
    QTRY_COMPARE(view.program().naiveSeconds, 1.0);
  }

  void stepsCanBeScrubbed() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->left});
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
      return page->model()->indexOfNode(node).data(MarkRole).toInt();
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

  /// What a model that reads steps made of each of them stands beside it, and one that is pointed
  /// at is shown, also of a program that is not yet there.
  void stepsTellWhatTheyAdded() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    view.loopNest()->showScores({programs_->left, {0.5, -0.25, 0, 0.125, 0.125}});
    view.loopNest()->showStep(programs_->left, 1);
    document.selection().select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    const LoopNestPage* page = view.loopNest();
    QCOMPARE(page->position(), 2); // after step 1
    const std::vector<CodeLine>& lines = page->steps()->code()->lines();
    QCOMPARE(lines.size(), std::size_t(5));
    QCOMPARE(lines[0].share, 1.0F);
    QCOMPARE(lines[0].added, QStringLiteral("+0.500"));
    QVERIFY(!lines[0].takesAway);
    QCOMPARE(lines[1].share, 0.5F);
    QVERIFY(lines[1].takesAway);
    QVERIFY2(lines[1].tip.contains("−0.250"), qPrintable(lines[1].tip));
    QVERIFY(lines[1].tip.startsWith("Step 1"));
    // Scores of another program are not this one's.
    view.loopNest()->showScores({programs_->right, {1}});
    QVERIFY(page->steps()->code()->line(0).added.isEmpty());
    QVERIFY(page->steps()->code()->line(0).share < 0);
  }

  void illegalProgramsShowHowFarTheyCome() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->illegal});
    QTRY_COMPARE(view.program().record, programs_->illegal);
    QVERIFY(view.program().problem.startsWith("Step 5 cannot be applied"));
    QCOMPARE(view.loopNest()->player()->steps(), 5);
    view.showPage(ProgramView::MachineTab);
    QVERIFY(view.code()->machine()->compileButton()->isHidden());
  }

  /// The loops that are compiled, which nobody has to wait for.
  void aProgramIsShownAsC() {
    Document document;
    ProgramView view(document);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    view.showPage(ProgramView::CTab);
    QCOMPARE(view.page(), ProgramView::CTab);
    QVERIFY(!view.code()->compiled());
    const QString text = view.code()->c()->text();
    QVERIFY2(text.contains("void kernel(const float *restrict ") && text.contains("for (int64_t") &&
                 text.trimmed().endsWith('}'),
             qPrintable(text));
    QCOMPARE(view.exports().text, text);
    ProgramView again(document);
    again.restoreViewState(view.viewState());
    QCOMPARE(again.page(), ProgramView::CTab);
    document.selection().select({programs_->sample->tasks[0], programs_->illegal});
    QTRY_COMPARE(view.program().record, programs_->illegal);
    QVERIFY(view.code()->c()->text().isEmpty() && !view.lowered()->problem.isEmpty());
    QVERIFY(says(*view.code()->c(), view.lowered()->problem));
  }

  void codeIsCompiledWhenItIsSeen() {
    Document document;
    ProgramView view(document);
    view.resize(1000, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    QVERIFY(!view.code()->compiled());
    QVERIFY(view.code()->loopIr()->passes()->count() >= 8);
    view.showPage(ProgramView::MachineTab);
    QTRY_VERIFY_WITH_TIMEOUT(view.code()->compiled().has_value(), 60'000);
    QVERIFY(view.code()->machine()->code()->text().contains("ret"));
    QVERIFY(view.code()->source()->code()->text().contains("define"));
    QVERIFY2(view.code()->machine()->summary()->text().contains("hot loop"),
             qPrintable(view.code()->machine()->summary()->text()));
    // From code to the loop that it came from, and back.
    view.code()->machine()->goToHotLoop();
    const QModelIndex loop = view.loopNest()->tree()->currentIndex();
    QVERIFY(loop.isValid());
    CodeView* code = view.code()->machine()->code();
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
    document.selection().select({programs_->sample->tasks[0], programs_->right});
    QTRY_COMPARE(view.program().record, programs_->right);
    view.showPage(ProgramView::SourceTab);
    QVERIFY(!view.code()->source()->cancelButton()->isHidden());
    view.code()->source()->cancelButton()->click();
    QVERIFY(!view.code()->source()->compileButton()->isHidden());
    QTest::qWait(200);
    QVERIFY(!view.code()->compiled());
    view.code()->source()->compileButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(view.code()->compiled().has_value(), 60'000);
  }

  void provenanceLeadsToParents() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    QStringList facts;
    for (int i = 0; i < view.provenance()->facts()->topLevelItemCount(); ++i) {
      const QTreeWidgetItem* item = view.provenance()->facts()->topLevelItem(i);
      facts << item->text(0) + ": " + item->text(1);
      QVERIFY(!item->toolTip(0).isEmpty());
    }
    QVERIFY2(facts.contains("Made by: tile-size mutation"), qPrintable(facts.join('\n')));
    QVERIFY(facts.contains("Predicted score: 0.500"));
    QVERIFY(facts.contains("Parent: program aaaaaaaa …, not measured"));
    QVERIFY(facts.contains("Trial: 101"));
    const QStringList work = facts.filter(QRegularExpression(
        "^Operations: .*multiplications in the definition; executed .* multiplications$"));
    QVERIFY2(work.size() == 1, qPrintable(facts.join('\n')));
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
        row.json = toJson(Event{EnvironmentChecked{
                              {{EnvironmentKind::Governor, governor, "Hold it up."},
                               {EnvironmentKind::Load, "2 other programs run now", ""}}}})
                       .dump();
        store.events().add(row);
      };
      look(kMeasured - 1000, "governor performance");
      look(kMeasured + 1'000'000'000, "governor powersave");
    }
    Document document;
    ProgramView view(document);
    openSample(document, *sample);
    document.selection().select({sample->tasks[1], sample->records[0]});
    QTRY_COMPARE(view.program().record, sample->records[0]);
    const auto fact = [&](const QString& name) {
      const auto found = view.provenance()->facts()->findItems(name, Qt::MatchExactly);
      return found.isEmpty() ? QString() : found.front()->text(1);
    };
    QCOMPARE(fact("Clocks"), QStringLiteral("governor performance"));
    QCOMPARE(fact("Conditions"), QStringLiteral("2 other programs run now"));
    QVERIFY(view.provenance()
                ->facts()
                ->findItems("Conditions", Qt::MatchExactly)[0]
                ->toolTip(0)
                .contains("Hold it up."));
  }

  void everyPageCanBeCopied() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    QVERIFY(view.program().recordJson.startsWith("{\"i\": [["));
    QVERIFY(!nlohmann::json::parse(view.program().recordJson.toStdString()).is_discarded());
    QVERIFY(featureText(view.lowered()->features).contains("float_addsub"));
    for (const auto page :
         {ProgramView::LoopNestTab, ProgramView::DagTab, ProgramView::LoopIrTab, ProgramView::CTab,
          ProgramView::FeatureTab, ProgramView::ProvenanceTab}) {
      view.showPage(page);
      const Exports exports = view.exports();
      QVERIFY2(exports.text.size() > 40, qPrintable(QString::number(page)));
      QVERIFY(exports.draw && !exports.title.isEmpty());
    }
    view.showPage(ProgramView::LoopNestTab);
    QVERIFY(view.exports().table.has_value());
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

 private:
  QTemporaryDir settings_;
  std::unique_ptr<Programs> programs_;
};

NW_TEST_GUI(ProgramsTest)

} // namespace nestwright::programs_test

#include "programs.moc"
