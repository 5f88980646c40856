/// \file The page that tells what a program spends its time on: of a processor's program in clocks,
/// of a GPU's in seconds beside what was measured; of programs without a draft why.

#include "ui/program/draft_page.h"

#include "tests/support/test_program.h"
#include "tests/ui/program_bench.h"
#include "ui/document/shared_selection.h"

#include <nlohmann/json.hpp>

#include <QLabel>
#include <QTableView>
#include <QtTest>

namespace nestwright::ui::draft_page_test {

using testing::ProgramBench;

TargetFacts gpu() {
  return cudaTarget(gpuPreset({9, 0}));
}

/// A kernel that waits for shared memory, and a short one.
std::vector<DraftedWork> twoKernels() {
  return {{"C", {{"shared memory", 80'000}, {"instructions", 60'000}}, 100'000},
          {"D", {{"memory", 20'000}}, 25'000}};
}

class DraftPages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aProcessorsProgramHasClocks() {
    ProgramBench bench(ProgramView::DraftTab);
    const DraftPage* page = bench.view.draft();
    QTRY_VERIFY(page->model()->rowCount() > 1);
    QCOMPARE(bench.view.page(), ProgramView::DraftTab);
    QVERIFY2(page->words()->text().startsWith(QStringLiteral("The draft orders programs")),
             qPrintable(page->words()->text()));
    QVERIFY(!page->model()->row(0).isPart);
    double last = std::numeric_limits<double>::infinity();
    for (const DraftRow& row : page->model()->rows()) {
      QVERIFY(!row.seconds);
      if (row.isPart) QVERIFY(row.clocks <= last); // the longest first
      last = row.isPart ? row.clocks : std::numeric_limits<double>::infinity();
    }
    const QModelIndex takes = page->model()->index(1, 1);
    QVERIFY(takes.data().toString().endsWith(QStringLiteral(" clocks")));
    QVERIFY(page->model()->index(1, 2).data(FractionRole).toDouble() > 0);
  }

  /// Where another page is left, and when nothing is selected any more.
  void thePageComesBackAndEmpties() {
    ProgramBench bench(ProgramView::DraftTab);
    QTRY_VERIFY(bench.view.draft()->model()->rowCount() > 1);
    QCOMPARE(bench.view.viewState()["page"], 11);
    bench.view.showPage(ProgramView::DagTab);
    bench.view.restoreViewState({{"page", 11}});
    QCOMPARE(bench.view.page(), ProgramView::DraftTab);
    const Exports exports = bench.view.exports();
    QVERIFY(exports.table.has_value());
    QVERIFY(exports.text.contains(bench.view.draft()->words()->text()));
    bench.document.selection().select({});
    QTRY_COMPARE(bench.view.draft()->model()->rowCount(), 0);
    QVERIFY(bench.view.draft()->words()->text().isEmpty());
  }

  void aGpusProgramHasSeconds() {
    const std::vector<DraftRow> rows = draftRows(twoKernels(), gpu());
    QCOMPARE(rows.size(), std::size_t(5));
    QVERIFY(rows[0].seconds && !rows[0].isPart && rows[1].isPart && !rows[3].isPart);
    QCOMPARE(rows[1].share, 0.8);
    const QString words = draftInWords(twoKernels(), gpu(), 70e-6);
    for (const char* part :
         {"63.13 µs", "70.00 µs were measured", "C, which takes 80.0 % of all, is busiest with",
          "shared memory (80.0 %)", "instructions (60.0 %)"})
      QVERIFY2(words.contains(QString::fromUtf8(part)), qPrintable(words));
    QVERIFY(!draftInWords(twoKernels(), gpu(), 0).contains(QStringLiteral("measured")));
  }

  void whatHasNoneSaysSo() {
    QVERIFY(draftInWords({}, gpu(), 1).isEmpty());
    DraftPage page;
    page.show(twoKernels(), gpu(), 0);
    QCOMPARE(page.model()->rowCount(), 5);
    page.showProblem(QStringLiteral("The naive program has no draft."));
    QCOMPARE(page.model()->rowCount(), 0);
    QVERIFY(page.table()->isHidden());
    QVERIFY(page.text().contains(QStringLiteral("naive program")));
  }
};

NW_TEST_GUI(DraftPages)

} // namespace nestwright::ui::draft_page_test

#include "draft_page.moc"
