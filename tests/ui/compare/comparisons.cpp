/// Two programs side by side, and two sessions.

#include "tests/support/test_program.h"
#include "tests/ui/made_up_programs.h"
#include "tests/ui/own_settings.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/session_compare_model.h"
#include "ui/document/document_file.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/code_view.h"
#include "ui/program/comparison_head.h"
#include "ui/program/diff_page.h"
#include "ui/program/feature_model.h"
#include "ui/program/feature_page.h"
#include "ui/program/footprint_page.h"
#include "ui/program/footprint_words.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace nestwright::comparisons_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class ComparisonsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }
  void init() { programs_ = std::make_unique<Programs>(); }

  void twoProgramsSideBySide() {
    Document document;
    ProgramCompareView view(document);
    view.resize(1100, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    QVERIFY(!view.isComplete());
    document.selection().compare(
        {programs_->ref(programs_->left), programs_->ref(programs_->right)});
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
    view.showPage(ProgramCompareView::MachineTab);
    QTRY_VERIFY_WITH_TIMEOUT(!view.page(ProgramCompareView::MachineTab)->diff().a.empty(), 60'000);
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
    const LoopMemory narrowLoops{narrow.tree(), narrow.traffic};
    const LoopMemory wideLoops{wide.tree(), wide.traffic};
    TargetFacts target;
    target.l1Bytes = 2500, target.l2Bytes = 4000, target.l3Bytes = 16384;
    target.modelName = "a small machine";
    const FootprintComparison compared = compareFootprints(narrowLoops, wideLoops, target);
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
    QCOMPARE(verdictText(compared),
             QStringLiteral("A moves 4.22× less into L1 (2.4 KiB). In A, the tile C.k works on 2.2 "
                            "KiB and is run 16 times; in B, the tile C.i.1 works on 608 B and is "
                            "run 256 times."));
    int levels[4] = {};
    for (const FootprintRow& row : compared.rows)
      if (row.b.bytes > 0) ++levels[int(row.b.level)];
    QVERIFY(levels[0] > 0 && levels[1] > 0 && levels[2] > 0 && levels[3] == 0);
    // Nothing fits a cache of one line: the innermost loop comes in anew each time.
    target.l1Bytes = 32;
    const FootprintComparison tiny = compareFootprints(narrowLoops, wideLoops, target);
    QVERIFY(!tiny.caches[0].a.fits && tiny.caches[0].a.movedBytes > l1.a.movedBytes);
    QVERIFY(verdictText(compareFootprints(narrowLoops, narrowLoops, target)).startsWith("Both"));
  }

  void cachesAreAPageOfTheComparison() {
    Document document;
    ProgramCompareView view(document);
    view.resize(1100, 600);
    view.setVisible(true);
    openSample(document, *programs_->sample);
    document.selection().compare(
        {programs_->ref(programs_->left), programs_->ref(programs_->right)});
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
    document.selection().compare(
        {programs_->ref(programs_->left), programs_->ref(programs_->left)});
    QTRY_VERIFY(view.isComplete());
    QCOMPARE(view.latency().verdict, LatencyVerdict::NotSignificant);
    QVERIFY2(view.verdict().contains("not significantly"), qPrintable(view.verdict()));
    QVERIFY(view.page(ProgramCompareView::LoopNestTab)->diff().isSame());
    QCOMPARE(view.features()->model()->differing(), 0);
    view.showPage(ProgramCompareView::MachineTab);
    QTRY_VERIFY_WITH_TIMEOUT(!view.page(ProgramCompareView::MachineTab)->diff().a.empty(), 60'000);
    QVERIFY(view.page(ProgramCompareView::MachineTab)->diff().isSame());
  }

  void sidesCanBeRenamedAndDropped() {
    Document document;
    ProgramCompareView view(document);
    openSample(document, *programs_->sample);
    document.selection().compare(
        {programs_->ref(programs_->left), programs_->ref(programs_->right)});
    QTRY_VERIFY(view.isComplete());
    QLineEdit* name = view.head(Side::A)->name();
    name->setText("before the change");
    name->setModified(true);
    Q_EMIT name->editingFinished();
    QCOMPARE(document.selection().compared().a.alias, QStringLiteral("before the change"));
    const std::unique_ptr<QMimeData> data(
        toMimeData(programs_->ref(programs_->sample->records[0])));
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.head(Side::B), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.head(Side::B), &drop);
    QCOMPARE(document.selection().compared().b.record, programs_->sample->records[0]);
    QTRY_COMPARE(view.head(Side::A)->alias(), QStringLiteral("before the change"));
  }

  void missingProgramsAreTold() {
    Document document;
    ProgramCompareView view(document);
    openSample(document, *programs_->sample);
    QSignalSpy shown(&view, &ProgramCompareView::shown);
    document.selection().compare({programs_->ref(programs_->left), programs_->ref(999'999)});
    QTRY_VERIFY(shown.size() > 0);
    QVERIFY(!view.isComplete());
  }

  void programViewComparesWithTheBest() {
    Document document;
    ProgramView view(document);
    openSample(document, *programs_->sample);
    document.selection().select({programs_->sample->tasks[0], programs_->left});
    QTRY_COMPARE(view.program().record, programs_->left);
    view.head()->compareWithBest();
    QCOMPARE(document.selection().compared().b.record, programs_->left);
    QVERIFY(document.selection().compared().a.record != 0 &&
            !document.selection().compared().a.naive);
    view.head()->compareWithNaive();
    QVERIFY(document.selection().compared().a.naive);
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
    QCOMPARE(few.a.front().text, QStringLiteral("⋯ 17 equal lines"));
    QCOMPARE(few.starts(), (std::vector<int>{4}));
  }

  /// Two runs: is it faster, by how much, is it noise, which task, which program. Four clicks.
  void sessionsInFourClicks() {
    Document document;
    MainWindow window(Catalogue{});
    window.openFile(programs_->sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    CompareView* view = window.panels().view<CompareView>();
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
    QTRY_COMPARE(window.document().session().row().id, programs_->sample->session);
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
    QTRY_VERIFY(window.panels().view<ProgramCompareView>()->isComplete());
    QVERIFY2(window.panels().view<ProgramCompareView>()->head(Side::B)->alias().startsWith(
                 QStringLiteral("session %1, trial").arg(programs_->second)),
             qPrintable(window.panels().view<ProgramCompareView>()->head(Side::B)->alias()));
    // The other views are at the same task.
    QCOMPARE(window.document().selection().current().task,
             window.document().selection().compared().b.task);
    QCOMPARE(window.panels().view<ProgramCompareView>()->latency().verdict,
             LatencyVerdict::RightFaster);
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

  /// Opened over the one before, of which nothing is offered any more.
  void theNextDocumentIsComparedWithItself() {
    const Programs other, third;
    Document document;
    CompareView view(document);
    const auto offered = [&](const QString& file) {
      return std::ranges::count(view.choices(), file, &SessionChoice::file);
    };
    openSample(document, *programs_->sample);
    QTRY_COMPARE(view.model()->rowCount(), 3);
    const QString first = document.file().path();
    view.addFile(third.sample->path, false);
    QTRY_COMPARE(view.right().file, third.sample->path);
    QCOMPARE(view.left().file, first);
    openSample(document, *other.sample);
    QCOMPARE(view.left().file, document.file().path());
    QCOMPARE(view.right().file, document.file().path());
    QVERIFY(view.left().session != view.right().session);
    QCOMPARE(offered(first), 0);
    QCOMPARE(offered(document.file().path()), 2);
    QCOMPARE(offered(third.sample->path), 2); // which is named
  }

 private:
  QTemporaryDir settings_;
  std::unique_ptr<Programs> programs_;
};

NW_TEST_GUI(ComparisonsTest)

} // namespace nestwright::comparisons_test

#include "comparisons.moc"
