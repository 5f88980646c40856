/// Programs for a GPU in the window of a machine that has none, and no compiler for one: how they
/// are launched, what their loops are, and the code that can be written all the same.

#include "core/plugin/plugin.h"
#include "core/record/store/event_rows.h"
#include "core/session/run/events.h"
#include "tests/support/test_program.h"
#include "tests/ui/gpu_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/curves/curve_plot.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/derivation_model.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/rule_words.h"
#include "ui/kit/code_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/roles.h"
#include "ui/kit/step_player.h"
#include "ui/kit/theme.h"
#include "ui/program/code/linked_code_page.h"
#include "ui/program/code/program_code_pages.h"
#include "ui/program/diff_page.h"
#include "ui/program/launch/launch_drawing.h"
#include "ui/program/launch/launch_page.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/loop_tree_model.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_view.h"
#include "ui/program/provenance_page.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace nestwright::gpu_programs_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;
using Level = LaunchScene::Level;

/// The view of one record.
struct ShownProgram {
  Document document;
  ProgramView view{document};

  ShownProgram(const GpuSample& sample, RowId task, RowId record) {
    view.resize(1000, 700);
    view.setVisible(true);
    openSample(document, sample);
    document.selection().select({task, record});
    [[maybe_unused]] const bool shown = QTest::qWaitFor(
        [&] { return view.program().record == record && view.program().task == task; }, 10'000);
  }
};

class GpuProgramsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    qputenv("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/nowhere/libcuda.so");
    sample_ = std::make_unique<GpuSample>();
  }

  void launchesAreToldOfGpuProgramsOnly() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    QVERIFY(shown.view.pages()->isTabVisible(shown.view.pages()->indexOf(shown.view.launch())));
    const LaunchPage* page = shown.view.launch();
    QCOMPARE(page->model()->rowCount(), 1);
    const QString words = page->words()->text();
    for (const char* fact : {"C runs as 16 blocks of 128 threads (4 warps)", "2 virtual ones",
                             "4.0 KiB of shared memory", "registers (estimated)",
                             "A multiprocessor holds", "of 64 warps", "132 multiprocessors"})
      QVERIFY2(words.contains(QLatin1String(fact)), qPrintable(words));
    const std::unique_ptr<Sample> other = makeSample(3);
    Document document;
    ProgramView view(document);
    openSample(document, *other);
    document.selection().select({other->tasks[0], other->records[2]});
    QTRY_COMPARE(view.program().record, other->records[2]);
    QVERIFY(!view.pages()->isTabVisible(view.pages()->indexOf(view.launch())));
  }

  void theDrawingFollowsTheSteps() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    LaunchPage* page = shown.view.launch();
    QVERIFY(page->drawing()->scene());
    QCOMPARE(page->drawing()->scene()->kernel.demand.blocks(), 16);
    // Before anything is bound one thread would do it all.
    page->player()->setPosition(0);
    QVERIFY(!page->drawing()->scene());
    QVERIFY(page->drawing()->message().contains(QStringLiteral("one thread")));
    QCOMPARE(shown.view.loopNest()->player()->position(), 0); // both show the same step
    const int steps = page->player()->steps();
    int bound = 0;
    while (bound <= steps && !page->drawing()->scene())
      shown.view.loopNest()->player()->setPosition(++bound);
    QCOMPARE(page->player()->position(), bound);
    QVERIFY(shown.view.program().stepList[static_cast<std::size_t>(bound) - 1].words.find(
                "blockIdx.x") != std::string::npos);
    const KernelDemand& blocksOnly = page->drawing()->scene()->kernel.demand;
    QCOMPARE(blocksOnly.blocks(), 16);
    QCOMPARE(blocksOnly.threadsPerBlock(), 1);
    page->player()->setPosition(steps);
    QCOMPARE(page->drawing()->scene()->kernel.demand.threadsPerBlock(), 128);
  }

  void blocksAndThreadsAreChosenByKeysAndClicks() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    LaunchDrawing* drawing = shown.view.launch()->drawing();
    QTRY_VERIFY(drawing->isVisible() && drawing->scene());
    drawing->grab(); // it is laid out when it is painted
    QTest::keyClick(drawing, Qt::Key_Right);
    QTest::keyClick(drawing, Qt::Key_Down);
    QCOMPARE(drawing->scene()->thread, 1);
    QCOMPARE(drawing->scene()->block, 1);
    QVERIFY2(drawing->readout().startsWith(
                 QStringLiteral("Block 1 of 16, thread 1 of 128: computes from i 0, j 68")),
             qPrintable(drawing->readout()));
    QCOMPARE(shown.view.launch()->readout()->text(), drawing->readout());
    QCOMPARE(drawing->accessibleDescription(), drawing->readout());
    QTest::keyClick(drawing, Qt::Key_End);
    QCOMPARE(drawing->scene()->block, 15);
    QCOMPARE(drawing->scene()->thread, 127);
    QTest::keyClick(drawing, Qt::Key_Right); // there is none beyond
    QCOMPARE(drawing->scene()->thread, 127);
    // The upper left corners are those of the first.
    drawing->grab();
    QTest::mouseClick(drawing, Qt::LeftButton, {},
                      drawing->scene()->areaOf(Level::Grid).topLeft().toPoint() + QPoint(3, 3));
    QCOMPARE(drawing->scene()->block, 0);
    drawing->grab();
    QTest::mouseClick(drawing, Qt::LeftButton, {},
                      drawing->scene()->areaOf(Level::Block).topLeft().toPoint() + QPoint(3, 3));
    QCOMPARE(drawing->scene()->thread, 0);
    // Four rows, and two pieces of four columns.
    QCOMPARE(drawing->scene()->ownRows.size(), std::size_t(4));
    QCOMPARE(drawing->scene()->ownColumns.size(), std::size_t(8));
  }

  void onlyTheLeftButtonChooses() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    LaunchDrawing* drawing = shown.view.launch()->drawing();
    QTRY_VERIFY(drawing->isVisible() && drawing->scene());
    drawing->choose(15, 0);
    drawing->grab();
    const QPoint first = drawing->scene()->areaOf(Level::Grid).topLeft().toPoint() + QPoint(3, 3);
    QTest::mouseClick(drawing, Qt::RightButton, {}, first);
    QCOMPARE(drawing->scene()->block, 15);
    QTest::mouseClick(drawing, Qt::LeftButton, {}, first);
    QCOMPARE(drawing->scene()->block, 0);
  }

  /// Going through the tile is most of the work of a drawing; another thread has the same.
  void aBlocksTileIsKeptForItsThreads() {
    const State state =
        State::replay(parseDag(test::kProductDag),
                      stepsFromJson(nlohmann::json::parse(test::kTiledProductSteps)));
    const GpuFacts gpu = gpuPreset({9, 0});
    const KernelPicture kernel = kernelPictures(state, inferBounds(state), gpu).front();
    const KernelFacts facts = factsOf(kernel, gpu);
    const LaunchScene first = launchScene(kernel, facts, gpu, 5, 0);
    LaunchScene marked = first;
    marked.tile.cells[1].piece = 7; // as nothing else computes it
    const LaunchScene next = launchScene(kernel, facts, gpu, 5, 1, marked);
    QCOMPARE(next.tile.cells[1].piece, 7);
    QCOMPARE(next.owners.cacheKey(), first.owners.cacheKey());
    QVERIFY(next.ownColumns != first.ownColumns);
    // Those of another block, or after another step, are their own.
    QCOMPARE(launchScene(kernel, facts, gpu, 6, 1, marked).tile.cells[1].piece, 0);
    KernelPicture other = kernel;
    other.elements = std::make_shared<ElementMap>(*kernel.elements);
    QCOMPARE(launchScene(other, facts, gpu, 5, 1, marked).tile.cells[1].piece, 0);
  }

  void theDrawingIsNotEmptyInBothThemes() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
      Theme::instance().choose(theme);
      LaunchDrawing* drawing = shown.view.launch()->drawing();
      const QImage image = drawing->grab().toImage();
      const auto has = [&](const QColor& colour) {
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == colour) return true;
        return false;
      };
      QVERIFY(has(colours().parallel)); // the block in the grid
      QVERIFY(has(colours().accent));   // the thread's elements
      QVERIFY(has(colours().vector));   // what is taken of shared memory
    }
  }

  void anImportedProgramWithoutAGpusNameIsShown() {
    ShownProgram shown(*sample_, sample_->convolution, sample_->gallery);
    const LaunchPage* page = shown.view.launch();
    QCOMPARE(page->model()->rowCount(), 1);
    const KernelFacts& facts = page->model()->row(0);
    QCOMPARE(facts.name, QStringLiteral("relu"));
    QCOMPARE(facts.blocks(), 28);
    QCOMPARE(facts.threadsPerBlock(), 64);
    QCOMPARE(facts.waves(), 0.0);
    QVERIFY2(page->note()->text().contains(QStringLiteral("does not name its GPU")),
             qPrintable(page->note()->text()));
    QVERIFY(page->drawing()->scene() || !page->drawing()->message().isEmpty());
  }

  void thePageOfLaunchesComesBack() {
    const std::unique_ptr<Sample> processors = makeSample(3);
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    openSample(shown.document, *processors);
    shown.document.selection().select({processors->tasks[0], processors->records[2]});
    QTRY_COMPARE(shown.view.program().record, processors->records[2]);
    QVERIFY(shown.view.page() != ProgramView::LaunchTab);
    QCOMPARE(shown.view.viewState()["page"], 8);
    openSample(shown.document, *sample_);
    shown.document.selection().select({sample_->product, sample_->tiled});
    QTRY_COMPARE(shown.view.program().task, sample_->product);
    QTRY_COMPARE(shown.view.page(), ProgramView::LaunchTab);
    // Who chooses another page meanwhile stays there.
    shown.view.showPage(ProgramView::DagTab);
    openSample(shown.document, *processors);
    shown.document.selection().select({processors->tasks[0], processors->records[2]});
    QTRY_COMPARE(shown.view.program().record, processors->records[2]);
    QCOMPARE(shown.view.page(), ProgramView::DagTab);
  }

  void aHiddenPageIsNotShown() {
    const std::unique_ptr<Sample> processors = makeSample(3);
    Document document;
    ProgramView view(document);
    openSample(document, *processors);
    document.selection().select({processors->tasks[0], processors->records[2]});
    QTRY_COMPARE(view.program().record, processors->records[2]);
    view.restoreViewState({{"page", 8}});
    QVERIFY(view.pages()->isTabVisible(view.pages()->currentIndex()));
  }

  void moreSharedMemoryThanUsualIsOfAnotherLimit() {
    const GpuFacts gpu = gpuPreset({9, 0});
    KernelLaunch launch;
    launch.dynamicSharedBytes = 48 << 10;
    QCOMPARE(factsOf(launch, {}, gpu).sharedLimit, 48 << 10);
    launch.dynamicSharedBytes = 96 << 10;
    QCOMPARE(factsOf(launch, {}, gpu).sharedLimit, gpu.sharedBytesPerBlockOptIn);
  }

  void whatWasNotCompiledHasNoFigureOfSpills() {
    KernelModel model;
    KernelFacts estimated, compiled;
    compiled.isCompiled = true, compiled.stackBytes = 64;
    model.show({estimated, compiled});
    int column = 0;
    while (model.headerData(column, Qt::Horizontal).toString() != QStringLiteral("Spills"))
      ++column;
    QVERIFY(!model.index(0, column).data(ExportRole).isValid());
    QCOMPARE(model.index(1, column).data(ExportRole).toInt(), 0);
    QVERIFY(model.index(1, column)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(QStringLiteral("64 B in memory")));
  }

  void everyPassForGpusIsExplained() {
    for (const auto& [task, record] : {std::pair(sample_->product, sample_->tiled),
                                       std::pair(sample_->convolution, sample_->gallery)}) {
      ShownProgram shown(*sample_, task, record);
      QVERIFY(shown.view.lowered()->passes.size() > 12);
      for (const LoweredProgram::Pass& pass : shown.view.lowered()->passes)
        QVERIFY2(pass.meaning.size() > 20, qPrintable(pass.name));
    }
  }

  void thePlayerSaysWhatIsScrubbed() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    const auto tipOf = [](const StepPlayer* player) {
      return player->findChild<QSlider*>()->toolTip();
    };
    QVERIFY(tipOf(shown.view.loopNest()->player()).contains(QStringLiteral("loop nest")));
    const QString tip = tipOf(shown.view.launch()->player());
    QVERIFY2(!tip.isEmpty() && !tip.contains(QStringLiteral("loop nest")), qPrintable(tip));
  }

  void whileItIsCompiledEstimatesSaySo() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::LaunchTab);
    const QLabel* note = shown.view.launch()->note();
    QVERIFY2(note->text().contains(QStringLiteral("compiling …")), qPrintable(note->text()));
    QTRY_VERIFY_WITH_TIMEOUT(shown.view.code()->compiled().has_value(), 30'000);
    QVERIFY2(!note->text().contains(QStringLiteral("compiling …")), qPrintable(note->text()));
  }

  /// Compiling that was cancelled once the source was there, and is asked for again.
  void theSourceStaysWhileMachineCodeIsMade() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    QWidget parent;
    // Source and machine code are made at once; where the latter fails soon it may be there first.
    std::optional<ProgramCodePages> made;
    for (int attempt = 0; attempt < 100 && (!made || made->compiled()); ++attempt) {
      made.emplace(&parent);
      made->setProgram(shown.view.program(), *shown.view.lowered());
      bool cancelled = false;
      connect(made->source()->code()->code(), &QAbstractItemModel::modelReset, this, [&] {
        if (!std::exchange(cancelled, true)) Q_EMIT made->machine()->cancelled();
      });
      made->compile();
      QTRY_VERIFY_WITH_TIMEOUT(cancelled, 30'000);
      made->source()->code()->code()->disconnect(this);
    }
    ProgramCodePages& pages = *made;
    CodeView* code = pages.source()->code();
    QVERIFY(!pages.compiled());
    QVERIFY(!pages.machine()->compileButton()->isHidden());
    const int lines = code->code()->rowCount();
    QVERIFY(lines > 10);
    code->setCurrentIndex(code->code()->index(7));
    pages.compile();
    QVERIFY(pages.source()->message()->isHidden());
    QVERIFY(!pages.machine()->message()->isHidden()); // that one is under way
    QTRY_VERIFY_WITH_TIMEOUT(pages.compiled().has_value(), 30'000);
    QVERIFY(pages.source()->message()->isHidden());
    // Whoever has begun to read it is not interrupted.
    QCOMPARE(code->currentIndex().row(), 7);
    QCOMPARE(code->code()->rowCount(), lines);
  }

  void codePagesAreNamedByWhatTheyShow() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    QCOMPARE(shown.view.code()->levelName(ProgramCodePages::Source), QStringLiteral("CUDA C"));
    QCOMPARE(shown.view.code()->levelName(ProgramCodePages::Machine), QStringLiteral("PTX"));
    // Which is C enough.
    QVERIFY(!shown.view.code()->isOffered(ProgramCodePages::C));
    shown.view.showPage(ProgramView::CTab);
    QCOMPARE(shown.view.page(), ProgramView::SourceTab);
    QVERIFY(shown.view.code()->source()->code()->language() == CodeLanguage::Cuda);
    QVERIFY(shown.view.code()->machine()->code()->language() == CodeLanguage::Ptx);
    QCOMPARE(shown.view.code()->source()->code()->accessibleName(), QStringLiteral("CUDA C"));
  }

  void theSourceNeedsNoCompiler() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    shown.view.showPage(ProgramView::SourceTab);
    QTRY_VERIFY_WITH_TIMEOUT(shown.view.code()->compiled().has_value(), 30'000);
    const QString text = shown.view.code()->source()->code()->text();
    QVERIFY(text.contains(QStringLiteral("__global__")));
    QVERIFY(text.contains(QStringLiteral("__syncthreads")));
    shown.view.showPage(ProgramView::MachineTab);
    const QString why = shown.view.code()->machine()->message()->text();
    QVERIFY2(why.contains(QStringLiteral("NVRTC")), qPrintable(why));
    QVERIFY(shown.view.code()->machine()->code()->isHidden() ||
            shown.view.code()->machine()->code()->code()->rowCount() == 0);
    // The same is said where figures stay estimates.
    const QString note = shown.view.launch()->note()->text();
    QVERIFY2(note.contains(QStringLiteral("estimates")) && note.contains(QStringLiteral("NVRTC")),
             qPrintable(note));
  }

  void sidesOfOneLanguageAreNamedByIt() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    Document document;
    ProgramCompareView view(document);
    openSample(document, *sample_);
    document.selection().compare({ref(*sample_, sample_->tiled), ref(*sample_, sample_->gallery)});
    QTRY_VERIFY_WITH_TIMEOUT(view.isComplete(), 30'000);
    const auto* tabs = view.findChild<QTabWidget*>();
    QCOMPARE(tabs->tabText(ProgramCompareView::SourceTab), QStringLiteral("CUDA C"));
    DiffPage* page = view.page(ProgramCompareView::SourceTab);
    QVERIFY(page->a()->language() == CodeLanguage::Cuda);
    view.showPage(ProgramCompareView::SourceTab);
    QTRY_VERIFY_WITH_TIMEOUT(!page->diff().a.empty(), 60'000);
    const QString why = view.page(ProgramCompareView::MachineTab)->summary()->text();
    QVERIFY2(why.contains(QStringLiteral("NVRTC")), qPrintable(why));
  }

  void sidesInTwoLanguagesAreNotCompared() {
    if (!hasCuda()) QSKIP("the cuda plugin is not built");
    const std::unique_ptr<Sample> other = makeSample(3);
    Document document;
    ProgramCompareView view(document);
    openSample(document, *sample_);
    document.selection().compare({ref(*sample_, sample_->tiled), ref(*other, other->records[2])});
    QTRY_VERIFY_WITH_TIMEOUT(view.isComplete(), 30'000);
    QCOMPARE(view.findChild<QTabWidget*>()->tabText(ProgramCompareView::SourceTab),
             QStringLiteral("CUDA C / LLVM IR"));
    view.showPage(ProgramCompareView::SourceTab);
    const QLabel* said = view.page(ProgramCompareView::SourceTab)->summary();
    QTRY_VERIFY2_WITH_TIMEOUT(said->text().contains(QStringLiteral("two languages")),
                              qPrintable(said->text()), 60'000);
  }

  void loopsSayWhatTheyAreBoundTo() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    const LoopTreeModel* model = shown.view.loopNest()->model();
    const auto tipOf = [&](Annotation annotation) {
      for (int i = 0; i < std::ssize(model->tree().nodes); ++i)
        if (model->tree().nodes[static_cast<std::size_t>(i)].annotation == annotation)
          return QStringLiteral("%1: %2").arg(
              model->indexOfNode(i, LoopTreeModel::Role).data().toString(),
              model->indexOfNode(i).data(Qt::ToolTipRole).toString());
      return QString();
    };
    QVERIFY2(tipOf(Annotation::BlockX).startsWith(QStringLiteral("blocks: ")) &&
                 tipOf(Annotation::BlockX).contains(QStringLiteral("block of the grid")),
             qPrintable(tipOf(Annotation::BlockX)));
    QVERIFY(tipOf(Annotation::VThread).startsWith(QStringLiteral("virtual threads: ")));
    QVERIFY(tipOf(Annotation::ThreadX).contains(QStringLiteral("one warp")));
    // The caches are those of the record's GPU, not this machine's.
    const QString footprint =
        model->indexOfNode(0, LoopTreeModel::Footprint).data(Qt::ToolTipRole).toString();
    QVERIFY2(footprint.contains(QStringLiteral("shared memory of a multiprocessor 228 KiB")),
             qPrintable(footprint));
  }

  void provenanceTellsTheGpuItsClockAndItsTemperature() {
    ShownProgram shown(*sample_, sample_->product, sample_->tiled);
    const QTreeWidget* facts = shown.view.provenance()->facts();
    const auto valueOf = [&](const char* name) {
      const QList<QTreeWidgetItem*> found = facts->findItems(QLatin1String(name), Qt::MatchExactly);
      return found.isEmpty() ? QString() : found.first()->text(1);
    };
    QCOMPARE(valueOf("GPU at"), QStringLiteral("1.98 GHz, 54 °C"));
    QVERIFY2(valueOf("GPU").contains(QStringLiteral("sm_90, 132 multiprocessors")),
             qPrintable(valueOf("GPU")));
    QVERIFY(valueOf("Machine").isEmpty());
  }

  void pagesAreFoundAgainByNumbersOfEarlierFiles() {
    Document document;
    ProgramView view(document);
    view.restoreViewState({{"page", 1}}); // the compute DAG, before launches were shown
    QCOMPARE(view.page(), ProgramView::DagTab);
    view.restoreViewState({{"page", 7}});
    QCOMPARE(view.page(), ProgramView::EditTab);
    QCOMPARE(view.viewState()["page"], 7);
  }

  void theDerivationShowsThatInputsAreFetched() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [256, 256]\nB = PLACEHOLDER [256, 256]\n"
                                    "C(i, j) += (A[i, k]*B[k, j])\n");
    const auto rowsOf = [&](const TargetFacts& target) {
      const SpaceOptions options = spaceOptionsFor(target);
      DerivationModel model;
      model.show(
          std::make_shared<DerivationTree>(deriveSketches(dag, options, paperRules(target))));
      QStringList rows;
      const std::function<void(const QModelIndex&)> walk = [&](const QModelIndex& parent) {
        for (int row = 0; row < model.rowCount(parent); ++row) {
          const QModelIndex at = model.index(row, 0, parent);
          rows << at.data().toString() +
                      model.index(row, DerivationModel::Answer, parent).data().toString();
          walk(at);
        }
      };
      walk({});
      return rows;
    };
    const QStringList gpu = rowsOf(cudaTarget(gpuPreset({9, 0})));
    QVERIFY2(gpu.contains(QStringLiteral("Stage A")) && gpu.contains(QStringLiteral("Stage B")),
             qPrintable(gpu.join(QLatin1Char('|'))));
    QCOMPARE(gpu.count(QStringLiteral("Add Cache Read✓ holds")), 2);
    // On a processor nothing is decided of them.
    QVERIFY(!rowsOf(TargetFacts()).contains(QStringLiteral("Stage A")));
  }

  /// Rules that a session allows show in how its sketches are derived.
  void theDerivationIsThatOfTheSession() {
    const GpuSample allowed(true);
    std::vector<std::size_t> sketches;
    for (const GpuSample* sample : std::array<const GpuSample*, 2>{sample_.get(), &allowed}) {
      Document document;
      DerivationView view(document);
      view.setVisible(true);
      openSample(document, *sample);
      document.selection().select({sample->product, 0});
      // Another task may have been shown first.
      const auto stage = [&] { return view.model()->index(0, 0).data().toString(); };
      QTRY_VERIFY_WITH_TIMEOUT(stage() == QStringLiteral("Stage C"), 30'000);
      sketches.push_back(view.model()->tree()->sketches);
    }
    QVERIFY2(
        sketches[1] > sketches[0],
        qPrintable(QStringLiteral("%1 with TF32, %2 without").arg(sketches[1]).arg(sketches[0])));
  }

  void aRuleIsNotExplainedWhereNothingIsDerived() {
    Document document;
    DerivationView view(document);
    view.setVisible(true);
    openSample(document, *sample_);
    document.selection().select({sample_->product, 0});
    QTRY_VERIFY_WITH_TIMEOUT(view.model()->tree(), 30'000);
    const QModelIndex stage = view.model()->index(0, 0);
    for (int row = 0; view.meaning()->isHidden() && row < view.model()->rowCount(stage); ++row)
      view.tree()->setCurrentIndex(view.model()->index(row, 0, stage));
    QVERIFY(!view.meaning()->isHidden());
    document.selection().select({0, 0});
    QVERIFY(view.meaning()->isHidden() && view.meaning()->text().isEmpty());
  }

  /// What a mark tells has nothing to do with the program that happens to be selected.
  void aMarkOfTheCourseHasNoClock() {
    {
      RecordStore store = RecordStore::open(sample_->path.toStdString());
      const Event pause = StateChanged{SessionStatus::Paused, "by the user"};
      store.events().add({0, sample_->session, 0, kind(pause), toJson(pause).dump(), 2, 1.0});
    }
    Document document;
    CurvePlot plot(document);
    plot.resize(600, 400);
    plot.setVisible(true);
    openSample(document, *sample_);
    document.selection().select({sample_->product, sample_->tiled});
    QTRY_VERIFY(!plot.courseMarks().shown().empty());
    plot.refreshNow();
    plot.replot(QCustomPlot::rpImmediateRefresh); // its axes say now where things are
    // The trial itself is told with its clock, which is known from then on.
    QTest::mouseMove(&plot,
                     QPoint(int(plot.xAxis->coordToPixel(1)), int(plot.yAxis->coordToPixel(0.02))));
    QTRY_VERIFY2(plot.readout().contains(QStringLiteral("1.98 GHz")), qPrintable(plot.readout()));
    QTest::mouseMove(
        &plot, QPoint(int(plot.xAxis->coordToPixel(2)), int(plot.yAxis2->coordToPixel(0.985))));
    QTRY_VERIFY2(plot.readout().contains(QStringLiteral("paused: by the user")),
                 qPrintable(plot.readout()));
    QVERIFY2(!plot.readout().contains(QStringLiteral("GHz")), qPrintable(plot.readout()));
  }

  void everyRuleForGpusIsExplained() {
    for (const TargetFacts& target : {cudaTarget(gpuPreset({9, 0})), TargetFacts()})
      for (const SketchRules& rules : {paperRules(target), nestwrightRules(target)})
        for (const auto& rule : rules)
          QVERIFY2(ruleMeaning(rule->name()).size() > 60, rule->name().c_str());
    QVERIFY(ruleMeaning("of a plugin").isEmpty());
  }

 private:
  static ProgramRef ref(const Sample& sample, RowId record) {
    ProgramRef program;
    program.file = sample.path, program.record = record;
    return program;
  }

  static bool hasCuda() {
    for (const PluginStatus& plugin : pluginStatus())
      if (plugin.name == "cuda" && plugin.loaded) return true;
    return false;
  }

  QTemporaryDir settings_;
  std::unique_ptr<GpuSample> sample_;
};

NW_TEST_GUI(GpuProgramsTest)

} // namespace nestwright::gpu_programs_test

#include "gpu_programs.moc"
