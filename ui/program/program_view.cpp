#include "ui/program/program_view.h"

#include "ui/charts/micro_batch_view.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/code_view.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/step_player.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/feature_page.h"
#include "ui/program/hand_edit_page.h"
#include "ui/program/knob_pane.h"
#include "ui/program/launch_page.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/program_code_pages.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace nestwright::ui {
namespace {

/// What a page is called in files, by Page: launches were shown later than the others.
constexpr std::array<int, 9> kStoredPages{0, 8, 1, 2, 3, 4, 5, 6, 7};

} // namespace

ProgramView::ProgramView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new QLabel(this)), subtitle_(new QLabel(this)),
      compare_(new QToolButton(this)), copy_(new QToolButton(this)), pages_(new QTabWidget(this)) {
  setAcceptDrops(true);
  pages_->setDocumentMode(true);
  buildPages();
  buildHead();
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, &ProgramView::restyle);
  connect(&document.selection(), &SharedSelection::changed, this, &ProgramView::follow);
  connect(&document, &Document::stateChanged, this, &ProgramView::follow);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, [this] {
    const TaskEntry* task = document_.session().task(document_.selection().current().task);
    if (task && !document_.selection().current().record && task->summary.bestRecord != shownBest_)
      follow();
  });
  // In a replay programs come and go, and so does their being the best.
  for (const auto signal :
       {&SessionFollower::jumped, &SessionFollower::recordsAdded, &SessionFollower::tasksChanged})
    connect(&document.follower(), signal, this, [this] {
      if (document_.replayMode().isOn() && selectedAsReplayed(document_) != shown_) follow();
    });
  connect(pages_, &QTabWidget::currentChanged, this, [this] {
    wanted_ = page();
    compileIfSeen();
  });
  follow();
}

ProgramView::~ProgramView() = default;

void ProgramView::buildHead() {
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  subtitle_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {title_, subtitle_})
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  compare_->setText(tr("Compare"));
  compare_->setToolTip(tr("Put this program beside another one, with the differences marked. A "
                          "record can also be dragged here."));
  compare_->setMenu(compareMenu());
  copy_->setText(tr("Copy"));
  copy_->setToolTip(tr("Copy the text of this page; the arrow offers the program as JSON."));
  copy_->setMenu(copyMenu());
  for (QToolButton* button : {compare_, copy_}) {
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::MenuButtonPopup);
  }
  connect(compare_, &QToolButton::clicked, this, &ProgramView::compareWithBest);
  connect(copy_, &QToolButton::clicked, this, &ProgramView::copyPage);
  auto* names = new QVBoxLayout;
  names->setSpacing(1);
  names->addWidget(title_);
  names->addWidget(subtitle_);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(10, 6, 8, 4);
  head->addLayout(names, 1);
  head->addWidget(compare_);
  head->addWidget(copy_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(pages_, 1);
}

QMenu* ProgramView::compareMenu() {
  auto* menu = new QMenu(compare_);
  menu->setToolTipsVisible(true);
  QAction* best = menu->addAction(tr("Compare with &Best"), this, &ProgramView::compareWithBest);
  best->setToolTip(tr("Beside the task's best program; the best itself, beside the naive one."));
  menu->addAction(tr("Compare with &Naive Program"), this, &ProgramView::compareWithNaive);
  menu->addAction(tr("Compare with &Record …"), this, &ProgramView::askRecordToCompare);
  menu->addSeparator();
  QAction* a = menu->addAction(tr("Use as &A"), this, [this] {
    document_.selection().compare({program_.ref, document_.selection().compared().b});
  });
  a->setToolTip(tr("Keep this program as side A of the comparison; choose another one for B."));
  QAction* b = menu->addAction(tr("Use as B"), this, [this] {
    document_.selection().compare({document_.selection().compared().a, program_.ref});
  });
  b->setToolTip(tr("Make this program side B of the comparison."));
  return menu;
}

QMenu* ProgramView::copyMenu() {
  auto* menu = new QMenu(copy_);
  menu->addAction(tr("Copy Page"), this, &ProgramView::copyPage);
  menu->addAction(tr("Copy Steps as JSON"), this,
                  [this] { QApplication::clipboard()->setText(program_.stepsJson); });
  QAction* record = menu->addAction(tr("Copy Record as JSON"), this, [this] {
    QApplication::clipboard()->setText(program_.recordJson);
  });
  record->setToolTip(tr("One line in the public format of TVM's auto-scheduler."));
  connect(menu, &QMenu::aboutToShow, record,
          [this, record] { record->setEnabled(!program_.recordJson.isEmpty()); });
  return menu;
}

void ProgramView::buildPages() {
  loopNest_ = new LoopNestPage(this);
  knobs_ = new KnobPane(document_, loopNest_);
  loopNest_->setAboveSteps(knobs_);
  dag_ = new CodeView(CodeLanguage::Text, this);
  dag_->setAccessibleName(tr("Compute DAG"));
  code_ = new ProgramCodePages(this);
  launch_ = new LaunchPage(this);
  features_ = new FeaturePage(this);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(loopNest_, tr("Loop nest"),
      tr("The steps that make this program, and the loops after each."));
  add(launch_, tr("Launch"),
      tr("How a GPU runs the program: its grid, its blocks and threads, what each of them computes "
         "and what it takes."));
  add(dag_, tr("Compute DAG"), tr("What the task computes, as in a .dag file."));
  add(buildLoopIrPage(), tr("Loop IR"),
      tr("The loops with their buffers and indices, as sampled and after each lowering pass."));
  add(code_->source(), {},
      tr("What the backend makes of the loop IR: LLVM IR after LLVM's passes, "
         "or CUDA C as NVRTC gets it."));
  add(code_->machine(), {}, tr("The code nearest to the machine, traced back to its loops."));
  add(features_, tr("Features"), tr("The numbers that cost models read of this program."));
  add(buildProvenancePage(), tr("Provenance"),
      tr("How the program came to be, how it was measured, and on what."));

  edit_ = new HandEditPage(document_, this);
  add(edit_, tr("Edit"), tr("Change sizes, orders and annotations of this program by hand."));
  nameCodePages(usualForms({}));
  pages_->setTabVisible(LaunchTab, false);

  connect(loopNest_, &LoopNestPage::nodeChosen, this, &ProgramView::chooseNode);
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

QWidget* ProgramView::buildProvenancePage() {
  auto* page = new QWidget(this);
  provenance_ = new QTreeWidget(page);
  provenance_->setColumnCount(2);
  provenance_->setHeaderLabels({tr("Fact"), tr("Value")});
  provenance_->headerItem()->setToolTip(
      0, tr("Where the program and its numbers come from; each fact says what it is."));
  provenance_->headerItem()->setToolTip(1, tr("As it is in the document. Double-click a parent to "
                                              "go to it."));
  provenance_->setRootIsDecorated(false);
  provenance_->setAlternatingRowColors(true);
  provenance_->setAccessibleName(tr("Provenance"));
  addCopying(provenance_);
  connect(provenance_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    if (const RowId record = item->data(0, RecordRole).toLongLong())
      document_.selection().select({program_.task, record});
  });
  microBatches_ = new MicroBatchView(page);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(provenance_, 1);
  layout->addWidget(microBatches_);
  return page;
}

void ProgramView::nameCodePages(const ShownForms& forms) {
  pages_->setTabText(SourceTab, forms.sourceName);
  pages_->setTabText(MachineTab, forms.machineName);
}

QWidget* ProgramView::buildLoopIrPage() {
  auto* page = new QWidget(this);
  passes_ = new QComboBox(page);
  passes_->setAccessibleName(tr("Lowering pass"));
  passes_->setToolTip(tr("Show the loop IR after this lowering pass."));
  passes_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  passMeaning_ = new QLabel(page);
  passMeaning_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  ir_ = new CodeView(CodeLanguage::LoopIr, page);
  ir_->setAccessibleName(tr("Loop IR"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 3, 8, 3);
  row->addWidget(passes_);
  row->addWidget(passMeaning_, 1);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(ir_, 1);
  connect(passes_, &QComboBox::currentIndexChanged, this, &ProgramView::showPass);
  return page;
}

void ProgramView::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  title_->setFont(bold);
  for (QLabel* label : {subtitle_, passMeaning_}) {
    label->setFont(Theme::instance().smallFont());
    setTextColour(label, colours().dim);
  }
  showProvenance(); // whose cells have colours of their own
}

void ProgramView::showPage(Page page) {
  wanted_ = page;
  offerLaunches(pages_->isTabVisible(LaunchTab));
  compileIfSeen();
}

/// Launches are shown of programs for a GPU alone; who looked at them finds them at the next one.
void ProgramView::offerLaunches(bool are) {
  const QSignalBlocker quiet(pages_);
  pages_->setTabVisible(LaunchTab, are);
  pages_->setCurrentIndex(wanted_ == LaunchTab && !are ? LoopNestTab : wanted_);
}

ProgramView::Page ProgramView::page() const {
  return Page(pages_->currentIndex());
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
  const TaskEntry* task = document_.session().task(selection.task);
  shownBest_ = task ? task->summary.bestRecord : 0;
  shown_ = selectedAsReplayed(document_);
  if (shown_.later) {
    reading_.cancel();
    return showNothing(laterTitle(shown_.ref.record), laterText());
  }
  reading_.ask<Loaded>(
      [ref = shown_.ref, best = shown_.best, store = reading_.connection()](const Job& job) {
        Loaded loaded;
        loaded.text = readProgram(store->at(ref.file), ref, job, best);
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
  title_->setText(title);
  subtitle_->setText(why);
  loopNest_->clear();
  dag_->setLines(QString());
  ir_->setLines(QString());
  passes_->clear();
  passMeaning_->clear();
  code_->clear();
  launch_->clear();
  features_->showProblem({});
  provenance_->clear();
  edit_->clear();
  knobs_->clear();
  microBatches_->show({});
  compare_->setEnabled(false);
  copy_->setEnabled(false);
  Q_EMIT shown();
}

void ProgramView::show(Loaded loaded) {
  program_ = std::move(loaded.text);
  lowered_ = std::move(loaded.lowered);
  title_->setText(program_.title);
  title_->setToolTip(program_.title);
  subtitle_->setText(program_.subtitle);
  subtitle_->setToolTip(program_.subtitle);
  compare_->setEnabled(true);
  copy_->setEnabled(true);
  const QSet<QString> reductions(program_.reductionLoops.begin(), program_.reductionLoops.end());
  code_->setProgram(*lowered_, program_.ref.naive, reductions);
  nameCodePages(lowered_->forms);
  offerLaunches(program_.target.gpu.has_value());
  launch_->show(program_, *lowered_); // before the loop nest, which keeps its step
  loopNest_->show(program_);
  tellSteps();
  dag_->setLines(program_.dag);
  ir_->setReductions(reductions);
  const QString pass = passes_->currentText();
  {
    const QSignalBlocker quiet(passes_);
    passes_->clear();
    for (const LoweredProgram::Pass& one : lowered_->passes)
      passes_->addItem(one.changed ? one.name : tr("%1 (unchanged)").arg(one.name), one.name);
    const int same = passes_->findText(pass);
    passes_->setCurrentIndex(same >= 0 ? same : passes_->count() - 1);
  }
  showPass(passes_->currentIndex());
  if (lowered_->problem.isEmpty())
    features_->show(lowered_->features);
  else
    features_->showProblem(lowered_->problem);
  showProvenance();
  edit_->show(program_);
  knobs_->show(program_);
  microBatches_->show(program_.result);
  compileIfSeen();
  Q_EMIT shown();
}

void ProgramView::showPass(int pass) {
  if (!lowered_ || pass < 0 || pass >= static_cast<int>(lowered_->passes.size())) {
    ir_->setLines(lowered_ ? lowered_->problem : QString());
    return;
  }
  const LoweredProgram::Pass& shown = lowered_->passes[static_cast<std::size_t>(pass)];
  std::vector<CodeLine> lines = codeLines(shown.lines);
  if (pass + 1 == static_cast<int>(lowered_->passes.size()))
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i].link = static_cast<int>(i);
  ir_->setLines(std::move(lines));
  passMeaning_->setText(lowered_->problem.isEmpty() ? shown.meaning : lowered_->problem);
}

void ProgramView::showProvenance() {
  provenance_->clear();
  for (const Provenance& fact : program_.provenance) {
    auto* item = new QTreeWidgetItem(provenance_, {fact.name, fact.value});
    item->setToolTip(0, fact.meaning);
    item->setToolTip(1, fact.value.size() > 60 ? fact.value : fact.meaning);
    item->setData(0, RecordRole, qint64(fact.record));
    item->setForeground(0, colours().dim);
    if (fact.record) item->setForeground(1, colours().accent);
  }
  provenance_->resizeColumnToContents(0);
}

// --- code

const std::optional<CompiledProgram>& ProgramView::compiled() const {
  return code_->compiled();
}

LinkedCodePage* ProgramView::source() const {
  return code_->source();
}

LinkedCodePage* ProgramView::machine() const {
  return code_->machine();
}

void ProgramView::compileIfSeen() {
  if (page() == SourceTab || page() == MachineTab || page() == LaunchTab) code_->compile();
}

/// What compiling has told, or why it has told nothing.
void ProgramView::showCode() {
  if (!compiled()) {
    launch_->showProblem(code_->problem());
    Q_EMIT shown();
    return;
  }
  launch_->showCompiled(*compiled());
  const IrCost& cost = compiled()->cost;
  if (cost.hottestLoop >= 0) {
    double share = 0;
    const auto first = static_cast<std::size_t>(cost.hottestLoop);
    for (std::size_t i = first; i < static_cast<std::size_t>(lowered_->ir[first].end); ++i)
      share += cost.share[i];
    loopNest_->showHot(lowered_->irNode[first], share);
  }
  Q_EMIT shown();
}

void ProgramView::showStepScores(StepScores scores) {
  scores_ = std::move(scores);
  tellSteps();
}

void ProgramView::showStep(RowId record, int step) {
  wantedStep_ = {record, step};
  tellSteps();
}

void ProgramView::tellSteps() {
  if (program_.record == 0) return;
  loopNest_->showAdded(scores_.record == program_.record ? scores_.added : std::vector<double>());
  if (wantedStep_.first != program_.record) return;
  showPage(LoopNestTab);
  loopNest_->showStep(std::exchange(wantedStep_, {}).second);
}

void ProgramView::chooseNode(int node) {
  if (!lowered_ || node < 0) return;
  int from = -1, to = -1;
  for (std::size_t i = 0; i < lowered_->irNode.size() && from < 0; ++i)
    if (lowered_->irNode[i] == node) from = static_cast<int>(i), to = lowered_->ir[i].end;
  if (from < 0) return;
  if (passes_->currentIndex() + 1 == passes_->count()) ir_->showLinked(from, to);
  code_->showLinked(from, to);
}

void ProgramView::chooseIrLine(int line) {
  if (!lowered_ || line >= static_cast<int>(lowered_->irNode.size())) return;
  loopNest_->selectNode(lowered_->irNode[static_cast<std::size_t>(line)]);
}

// --- giving away

void ProgramView::copyPage() {
  QApplication::clipboard()->setText(pageText());
}

Exports ProgramView::exports() {
  Exports exports = seenOf(this);
  exports.title = QStringLiteral("%1 · %2").arg(program_.title, program_.subtitle);
  exports.text = pageText();
  exports.table.reset();
  if (page() == LoopNestTab) exports.table = tableOf(loopNest_->tree());
  if (page() == FeatureTab) exports.table = tableOf(features_->table());
  if (page() == ProvenanceTab) {
    exports.table = tableOf(provenance_);
    exports.tableName = provenance_->accessibleName();
    std::erase_if(exports.more,
                  [&](const NamedTable& table) { return table.name == exports.tableName; });
    if (!microBatches_->isHidden())
      exports.more.push_back({tr("Micro-batches"), microBatches_->plot()->table()});
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
    text = ir_->text();
    break;
  case SourceTab:
    text = source()->code()->text();
    break;
  case MachineTab:
    text = machine()->code()->text();
    break;
  case FeatureTab:
    text = featureText(lowered_ ? lowered_->features : ProgramFeatures());
    break;
  case ProvenanceTab:
    for (const Provenance& fact : program_.provenance)
      text += QStringLiteral("%1\t%2\n").arg(fact.name, fact.value);
    break;
  case EditTab:
    text = qs(recordText(edit_->steps()));
    break;
  case LaunchTab:
    text = launch_->text();
    break;
  }
  return text;
}

// --- comparing

void ProgramView::compareWith(const ProgramRef& other) {
  if (program_.ref.isValid()) document_.selection().compare({other, program_.ref});
}

void ProgramView::compareWithBest() {
  if (program_.isBest) return compareWithNaive();
  ProgramRef best;
  best.file = document_.file().path(), best.task = program_.task;
  if (const TaskEntry* task = document_.session().task(program_.task))
    best.record = task->summary.bestRecord;
  compareWith(best);
}

void ProgramView::compareWithNaive() {
  ProgramRef naive;
  naive.file = document_.file().path(), naive.task = program_.task, naive.naive = true;
  compareWith(naive);
}

void ProgramView::askRecordToCompare() {
  bool ok = false;
  const int record =
      QInputDialog::getInt(this, tr("Compare with Record"), tr("Number of the record:"),
                           static_cast<int>(program_.record), 1, INT_MAX, 1, &ok);
  if (!ok) return;
  ProgramRef other;
  other.file = document_.file().path(), other.record = record;
  compareWith(other);
}

void ProgramView::dragEnterEvent(QDragEnterEvent* event) {
  if (program_.ref.isValid() && programFrom(event->mimeData())) event->acceptProposedAction();
}

void ProgramView::dropEvent(QDropEvent* event) {
  if (const auto other = programFrom(event->mimeData())) {
    compareWith(*other);
    event->acceptProposedAction();
  }
}

} // namespace nestwright::ui

#include "moc_program_view.cpp"
