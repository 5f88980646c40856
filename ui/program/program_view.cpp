#include "ui/program/program_view.h"

#include "ui/charts/micro_batch_view.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/code_view.h"
#include "ui/kit/step_player.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/program/code/program_code_pages.h"
#include "ui/program/counter_page.h"
#include "ui/program/draft_page.h"
#include "ui/program/feature_page.h"
#include "ui/program/hand_edit_page.h"
#include "ui/program/knob_pane.h"
#include "ui/program/launch/launch_page.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/program_head.h"
#include "ui/program/provenance_page.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::ui {
namespace {

/// What a page is called in files, by Page: launches, counters, C and drafts were shown later than
/// the others.
constexpr std::array<int, 12> kStoredPages{0, 8, 1, 2, 10, 3, 4, 5, 11, 9, 6, 7};

} // namespace

ProgramView::ProgramView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), head_(new ProgramHead(document, this)),
      pages_(new QTabWidget(this)) {
  setAcceptDrops(true);
  pages_->setDocumentMode(true);
  buildPages();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(pages_, 1);
  connect(head_, &ProgramHead::copyPageWanted, this,
          [this] { QApplication::clipboard()->setText(pageText()); });
  connect(&document.selection(), &SharedSelection::changed, this, &ProgramView::follow);
  connect(&document, &Document::stateChanged, this, &ProgramView::follow);
  // Another one is the best; and in a replay programs come and go.
  for (const auto signal :
       {&SessionFollower::jumped, &SessionFollower::recordsAdded, &SessionFollower::tasksChanged})
    connect(&document.follower(), signal, this, [this] {
      if (selectedAsShown(document_) != shown_) follow();
    });
  const auto turned = [this] {
    if (page() != OtherTab) wanted_ = page();
    compileIfSeen();
  };
  connect(pages_, &QTabWidget::currentChanged, this, turned);
  connect(code_, &ProgramCodePages::levelChanged, this, turned);
  follow();
}

ProgramView::~ProgramView() = default;

void ProgramView::buildPages() {
  loopNest_ = new LoopNestPage(this);
  knobs_ = new KnobPane(document_, loopNest_);
  loopNest_->setAboveSteps(knobs_);
  dag_ = new CodeView(CodeLanguage::Text, this);
  dag_->setAccessibleName(tr("Compute DAG"));
  code_ = new ProgramCodePages(this);
  launch_ = new LaunchPage(this);
  features_ = new FeaturePage(this);
  draft_ = new DraftPage(this);
  counters_ = new CounterPage(document_, this);
  provenance_ = new ProvenancePage(this);
  edit_ = new HandEditPage(document_, this);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(loopNest_, tr("Loop nest"),
      tr("The steps that make this program, and the loops after each."));
  add(launch_, tr("Launch"),
      tr("How a GPU runs the program: its grid, its blocks and threads, what each of them computes "
         "and what it takes."));
  add(dag_, tr("Compute DAG"), tr("What the task computes, as in a .dag file."));
  add(code_, tr("Code"),
      tr("The program's code at each level: loop IR, what the backend makes of it, and what is "
         "nearest to the machine."));
  add(features_, tr("Features"), tr("The numbers that cost models read of this program."));
  add(draft_, tr("Draft"),
      tr("What the program spends its time on, computed without running it: arithmetic, caches, "
         "memory, waiting."));
  add(counters_, tr("Counters"),
      tr("What this machine's processor counts while it runs the program: cycles, instructions, "
         "misses, energy."));
  add(provenance_, tr("Provenance"),
      tr("How the program came to be, how it was measured, and on what."));
  add(edit_, tr("Edit"), tr("Change sizes, orders and annotations of this program by hand."));
  pages_->setTabVisible(pages_->indexOf(launch_), false);

  connect(loopNest_, &LoopNestPage::nodeChosen, this, &ProgramView::chooseNode);
  // Who asks for a step wants to see it.
  connect(loopNest_, &LoopNestPage::stepShown, this, [this] { showPage(LoopNestTab); });
  connect(provenance_, &ProvenancePage::recordWanted, this, [this](RowId record) {
    document_.selection().select({program_.task, record});
  });
  connect(code_, &ProgramCodePages::irLineChosen, this, &ProgramView::chooseIrLine);
  connect(code_, &ProgramCodePages::compileWanted, this, &ProgramView::compileIfSeen);
  connect(code_, &ProgramCodePages::started, launch_, &LaunchPage::showCompiling);
  connect(code_, &ProgramCodePages::finished, this, &ProgramView::showCode);
  // Both show the same step.
  connect(loopNest_->player(), &StepPlayer::positionChanged, launch_->player(),
          &StepPlayer::setPosition);
  connect(launch_->player(), &StepPlayer::positionChanged, loopNest_->player(),
          &StepPlayer::setPosition);
}

void ProgramView::showPage(Page page) {
  wanted_ = page;
  turnTo(page);
  compileIfSeen();
}

/// Launches are shown of programs for a GPU alone, as C is of those for a processor; who looked at
/// them finds them at the next one.
void ProgramView::offerPages(bool isForGpu) {
  {
    const QSignalBlocker quiet(pages_);
    pages_->setTabVisible(pages_->indexOf(launch_), isForGpu);
  }
  if (page() != OtherTab) turnTo(wanted_);
}

void ProgramView::turnTo(Page page) {
  const QSignalBlocker quiet(pages_), quietLevels(code_);
  if (page == LaunchTab && !pages_->isTabVisible(pages_->indexOf(launch_))) page = LoopNestTab;
  if (page >= LoopIrTab && page <= MachineTab)
    code_->showLevel(ProgramCodePages::Level(page - LoopIrTab));
  pages_->setCurrentWidget(tabOf(page));
}

QWidget* ProgramView::tabOf(Page page) const {
  const std::array<QWidget*, 12> tabs{loopNest_, launch_,   dag_,   code_,     code_,       code_,
                                      code_,     features_, draft_, counters_, provenance_, edit_};
  return tabs[static_cast<std::size_t>(page)];
}

ProgramView::Page ProgramView::page() const {
  const QWidget* front = pages_->currentWidget();
  if (front == code_) return Page(LoopIrTab + int(code_->level()));
  for (const Page page :
       {LoopNestTab, LaunchTab, DagTab, FeatureTab, DraftTab, CounterTab, ProvenanceTab, EditTab})
    if (tabOf(page) == front) return page;
  return OtherTab;
}

// --- reading

void ProgramView::follow() {
  const Selection selection = document_.selection().current();
  if (document_.state() != DocumentState::Ready || (!selection.task && !selection.record)) {
    document_.state() != DocumentState::Ready ? reading_.leave() : reading_.cancel();
    showNothing(tr("No program selected"),
                tr("Select a task to see its best program, or a record to see that one."));
    return;
  }
  shown_ = selectedAsShown(document_);
  if (shown_.later) {
    reading_.cancel();
    return showNothing(laterTitle(shown_.ref.record), laterText());
  }
  // What the moment does not know must not be acted on while its own program is read.
  if (shownProgram(document_, program_.ref).later)
    showNothing(tr("Reading the program …"), tr("The program of this moment is being read."));
  reading_.ask<Loaded>(
      [ref = shown_.ref, task = shown_.task, store = reading_.connection()](const Job& job) {
        Loaded loaded;
        loaded.text = readProgram(store->at(ref.file), ref, job, task);
        job.check();
        loaded.lowered = lowerProgram(loaded.text, job);
        return loaded;
      },
      [this](Loaded loaded) { show(std::move(loaded)); },
      [this](const QString& why) { showNothing(tr("No program selected"), why); });
}

void ProgramView::showNothing(const QString& title, const QString& why) {
  program_ = {};
  lowered_.reset();
  head_->showNothing(title, why);
  loopNest_->clear();
  dag_->setLines(QString());
  code_->clear();
  launch_->clear();
  features_->showProblem({});
  draft_->showProblem({});
  counters_->clear();
  provenance_->clear();
  edit_->clear();
  knobs_->clear();
  Q_EMIT shown();
}

void ProgramView::show(Loaded loaded) {
  program_ = std::move(loaded.text);
  lowered_ = std::move(loaded.lowered);
  head_->show(program_);
  {
    const QSignalBlocker quiet(code_); // what was looked at is wanted still
    code_->setProgram(program_, *lowered_);
  }
  offerPages(program_.target.gpu.has_value());
  launch_->show(program_, *lowered_); // before the loop nest, which keeps its step
  loopNest_->show(program_);
  dag_->setLines(program_.dag);
  if (lowered_->problem.isEmpty())
    features_->show(lowered_->features);
  else
    features_->showProblem(lowered_->problem);
  if (!lowered_->drafted.empty())
    draft_->show(lowered_->drafted, program_.target,
                 program_.latency.repeats.empty() ? 0 : program_.latency.median());
  else
    draft_->showProblem(lowered_->problem.isEmpty() ? tr("The naive program has no draft.")
                                                    : lowered_->problem);
  counters_->show(program_);
  provenance_->show(program_);
  edit_->show(program_);
  knobs_->show(program_);
  compileIfSeen();
  Q_EMIT shown();
}

// --- code

void ProgramView::compileIfSeen() {
  if (page() == SourceTab || page() == MachineTab || page() == LaunchTab) code_->compile();
}

/// What compiling has told, or why it has told nothing.
void ProgramView::showCode() {
  if (!code_->compiled()) {
    launch_->showProblem(code_->problem());
    Q_EMIT shown();
    return;
  }
  launch_->showCompiled(*code_->compiled());
  const IrCost& cost = code_->compiled()->cost;
  if (cost.hottestLoop >= 0) {
    double share = 0;
    const auto first = static_cast<std::size_t>(cost.hottestLoop);
    for (std::size_t i = first; i < static_cast<std::size_t>(lowered_->ir[first].end); ++i)
      share += cost.share[i];
    loopNest_->showHot(lowered_->irNode[first], share);
  }
  Q_EMIT shown();
}

void ProgramView::chooseNode(int node) {
  if (!lowered_ || node < 0) return;
  int from = -1, to = -1;
  for (std::size_t i = 0; i < lowered_->irNode.size() && from < 0; ++i)
    if (lowered_->irNode[i] == node) from = static_cast<int>(i), to = lowered_->ir[i].end;
  if (from < 0) return;
  code_->showLinked(from, to);
}

void ProgramView::chooseIrLine(int line) {
  if (!lowered_ || line >= static_cast<int>(lowered_->irNode.size())) return;
  loopNest_->selectNode(lowered_->irNode[static_cast<std::size_t>(line)]);
}

// --- giving away

Exports ProgramView::exports() {
  Exports exports = seenOf(this);
  exports.title = QStringLiteral("%1 · %2").arg(program_.title, program_.subtitle);
  exports.text = pageText();
  exports.table.reset();
  if (page() == LoopNestTab) exports.table = tableOf(loopNest_->tree());
  if (page() == FeatureTab) exports.table = tableOf(features_->table());
  if (page() == DraftTab) exports.table = tableOf(draft_->table());
  if (page() == CounterTab) exports.table = tableOf(counters_->figures());
  if (page() == ProvenanceTab) {
    exports.table = tableOf(provenance_->facts());
    exports.tableName = provenance_->facts()->accessibleName();
    std::erase_if(exports.more,
                  [&](const NamedTable& table) { return table.name == exports.tableName; });
    if (const MicroBatchView* batches = provenance_->microBatches(); !batches->isHidden())
      exports.more.push_back({tr("Micro-batches"), batches->plot()->table()});
  }
  if (page() == EditTab) exports.table = tableOf(edit_->stepTable());
  if (page() == LaunchTab) exports.table = tableOf(launch_->kernels());
  return exports;
}

nlohmann::json ProgramView::viewState() const {
  return {{"page", kStoredPages[static_cast<std::size_t>(wanted_)]}};
}

void ProgramView::restoreViewState(const nlohmann::json& state) {
  const auto* found = std::ranges::find(kStoredPages, storedValue(state, "page", 0));
  showPage(found == kStoredPages.end() ? LoopNestTab
                                       : static_cast<Page>(found - kStoredPages.begin()));
}

QString ProgramView::pageText() const {
  QString text;
  switch (page()) {
  case LoopNestTab:
    text = program_.loopNest.isEmpty() ? program_.problem : program_.loopNest;
    text += QLatin1Char('\n') + program_.steps;
    break;
  case DagTab:
    text = program_.dag;
    break;
  case LoopIrTab:
  case CTab:
  case SourceTab:
  case MachineTab:
    text = code_->text();
    break;
  case FeatureTab:
    text = featureText(lowered_ ? lowered_->features : ProgramFeatures());
    break;
  case DraftTab:
    text = draft_->text();
    break;
  case CounterTab:
    text = counters_->text();
    break;
  case ProvenanceTab:
    text = provenance_->text();
    break;
  case EditTab:
    text = qs(recordText(edit_->steps()));
    break;
  case LaunchTab:
    text = launch_->text();
    break;
  case OtherTab:
    break;
  }
  return text;
}

void ProgramView::dragEnterEvent(QDragEnterEvent* event) {
  if (program_.ref.isValid() && programFrom(event->mimeData())) event->acceptProposedAction();
}

void ProgramView::dropEvent(QDropEvent* event) {
  if (const auto other = programFrom(event->mimeData())) {
    head_->compareWith(*other);
    event->acceptProposedAction();
  }
}

} // namespace nestwright::ui

#include "moc_program_view.cpp"
