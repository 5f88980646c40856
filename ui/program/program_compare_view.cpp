#include "ui/program/program_compare_view.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/comparison_head.h"
#include "ui/program/diff_page.h"
#include "ui/program/feature_page.h"
#include "ui/program/footprint_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <climits>
#include <utility>

namespace nestwright::ui {
namespace {

QSet<QString> reductionsOf(const ProgramText& program) {
  return {program.reductionLoops.begin(), program.reductionLoops.end()};
}

/// Before the program is read, or when it is not.
QString nameOf(const ProgramRef& program) {
  return !program.alias.isEmpty() ? program.alias
         : program.record != 0    ? ProgramCompareView::tr("record %1").arg(program.record)
         : program.naive          ? ProgramCompareView::tr("naive program")
                                  : ProgramCompareView::tr("best");
}

/// Of both sides, where they differ.
QString namesOf(const QString& a, const QString& b) {
  return a == b ? a : QStringLiteral("%1 / %2").arg(a, b);
}

QString range(const LatencyComparison& c, bool inverse) {
  const auto factor = [](double value) { return QString::number(value, 'g', 3); };
  return QStringLiteral("%1× … %2×")
      .arg(factor(inverse ? 1 / c.high : c.low), factor(inverse ? 1 / c.low : c.high));
}

QString verdictText(const LatencyComparison& c, const QString& a, const QString& b) {
  using V = LatencyVerdict;
  const auto factor = [](double value) { return QString::number(value, 'g', 4); };
  switch (c.verdict) {
  case V::Unknown:
    return ProgramCompareView::tr("A side was not measured: there is nothing to compare.");
  case V::NotSignificant:
    return ProgramCompareView::tr("≈ not significantly different: B is %1 as fast as A")
        .arg(range(c, false));
  case V::RightFaster:
    return ProgramCompareView::tr("▲ B (%1) is %2× faster than A (%3)")
        .arg(b, factor(c.ratio), range(c, false));
  case V::LeftFaster:
    return ProgramCompareView::tr("▼ B (%1) is %2× slower than A (%3 · %4)")
        .arg(b, factor(1 / c.ratio), a, range(c, true));
  }
  return {};
}

} // namespace

ProgramCompareView::ProgramCompareView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), a_(new ComparisonHead(Side::A, choices(Side::A), this)),
      b_(new ComparisonHead(Side::B, choices(Side::B), this)), verdict_(new ElidedLabel(this)),
      empty_(new QLabel(this)), swap_(new QToolButton(this)), copy_(new QToolButton(this)),
      body_(new QStackedWidget(this)), pages_(new QTabWidget(this)) {
  setAcceptDrops(true);
  buildPages();
  swap_->setText(QStringLiteral("⇄"));
  swap_->setAutoRaise(true);
  swap_->setAccessibleName(tr("Swap sides"));
  swap_->setToolTip(tr("Swap A and B."));
  connect(swap_, &QToolButton::clicked, this, &ProgramCompareView::swapSides);
  verdict_->setContentsMargins(10, 2, 10, 4);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  verdict_->setAccessibleName(tr("Which program is faster"));
  verdict_->setToolTip(
      tr("The ratio is the median latency of A over that of B: above 1, B is faster. The range is "
         "its 95 % interval, from the repeats of both and 2 % for what differs between two "
         "measurements of the same program. Where it contains 1, the two cannot be told apart."));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  body_->addWidget(empty_);
  body_->addWidget(pages_);
  auto* heads = new QHBoxLayout;
  heads->setSpacing(0);
  heads->addWidget(a_, 1);
  heads->addWidget(swap_);
  heads->addWidget(b_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(heads);
  layout->addWidget(verdict_);
  layout->addWidget(body_, 1);
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, &ProgramCompareView::restyle);
  connect(&document.selection(), &SharedSelection::comparedChanged, this,
          &ProgramCompareView::follow);
  connect(&document, &Document::stateChanged, this, [this] {
    if (document_.state() != DocumentState::Ready) reading_.close();
    if (document_.state() == DocumentState::Empty) document_.selection().compare({});
  });
  // In a replay programs come and go; after it all are there.
  const auto followIfOthers = [this] {
    if (wanted(Side::A) != shownA_ || wanted(Side::B) != shownB_) follow();
  };
  for (const auto signal :
       {&SessionFollower::jumped, &SessionFollower::recordsAdded, &SessionFollower::tasksChanged})
    connect(&document.follower(), signal, this, followIfOthers);
  connect(&document.replayMode(), &ReplayMode::changed, this, followIfOthers);
  for (const Side side : {Side::A, Side::B}) {
    auto* const head = side == Side::A ? a_ : b_;
    connect(head, &ComparisonHead::dropped, this,
            [this, side](const ProgramRef& program) { setSide(side, program); });
    connect(head, &ComparisonHead::renamed, this, [this, side](const QString& alias) {
      ProgramRef program =
          side == Side::A ? document_.selection().compared().a : document_.selection().compared().b;
      program.alias = alias;
      setSide(side, program);
    });
  }
  follow();
}

ProgramCompareView::~ProgramCompareView() = default;

QMenu* ProgramCompareView::choices(Side side) {
  auto* menu = new QMenu(this);
  const auto ofTask = [this] {
    ProgramRef program;
    program.file = document_.file().path(), program.task = document_.selection().current().task;
    return program;
  };
  menu->addAction(tr("Selected Program"), this, [this, side, ofTask] {
    ProgramRef program = ofTask();
    program.record = document_.selection().current().record;
    setSide(side, program);
  });
  menu->addAction(tr("Best of the Selected Task"), this,
                  [this, side, ofTask] { setSide(side, ofTask()); });
  menu->addAction(tr("Naive Program of the Selected Task"), this, [this, side, ofTask] {
    ProgramRef program = ofTask();
    program.naive = true;
    setSide(side, program);
  });
  menu->addAction(tr("Record …"), this, [this, side] {
    bool ok = false;
    const int record = QInputDialog::getInt(this, tr("Record"), tr("Number of the record:"), 1, 1,
                                            INT_MAX, 1, &ok);
    if (!ok) return;
    ProgramRef program;
    program.file = document_.file().path(), program.record = record;
    setSide(side, program);
  });
  return menu;
}

void ProgramCompareView::buildPages() {
  pages_->setDocumentMode(true);
  const auto add = [this](Page page, CodeLanguage language, const QString& title,
                          const QString& tip) {
    texts_[page] = new DiffPage(language, this);
    pages_->setTabToolTip(pages_->addTab(texts_[page], title), tip);
  };
  add(LoopNestTab, CodeLanguage::LoopNest, tr("Loop nest"),
      tr("Loops are paired when they run over the same axes of the same stage."));
  caches_ = new FootprintPage(this);
  pages_->setTabToolTip(pages_->addTab(caches_, tr("Caches")),
                        tr("What each loop works on, which cache holds that, and what has to be "
                           "moved into each cache."));
  add(StepTab, CodeLanguage::Text, tr("Steps"),
      tr("Steps are paired by the names of what they act on, not by numbers."));
  add(LoopIrTab, CodeLanguage::LoopIr, tr("Loop IR"), tr("After all lowering passes."));
  add(SourceTab, CodeLanguage::Llvm, tr("LLVM IR"),
      tr("What the compiler is given, or makes first; numbers of values and metadata do not count "
         "as differences."));
  add(MachineTab, CodeLanguage::Assembly, tr("Assembly"),
      tr("Machine code; numbers of labels and registers of a GPU do not count as differences."));
  features_ = new FeaturePage(this);
  pages_->setTabToolTip(pages_->addTab(features_, tr("Features")),
                        tr("What cost models read of the two programs."));
  copy_->setText(tr("Copy"));
  copy_->setAutoRaise(true);
  copy_->setToolTip(tr("Copy both sides of this page as text, with their differences marked."));
  pages_->setCornerWidget(copy_);
  connect(copy_, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(pageText()); });
  connect(pages_, &QTabWidget::currentChanged, this, &ProgramCompareView::compileIfSeen);
  connect(&compiling_, &Background::progress, this, [this](const QString& what) {
    for (const Page page : {SourceTab, MachineTab})
      texts_[page]->showMessage(what);
  });
}

void ProgramCompareView::restyle() {
  QFont font = QApplication::font();
  font.setBold(true);
  setTextColour(empty_, colours().dim);
  showVerdict();
  verdict_->setFont(font);
}

QString ProgramCompareView::verdict() const {
  return verdict_->text();
}

void ProgramCompareView::showPage(Page page) {
  pages_->setCurrentIndex(page);
}

void ProgramCompareView::swapSides() {
  const ProgramPair now = document_.selection().compared();
  document_.selection().compare({now.b, now.a});
}

void ProgramCompareView::setSide(Side side, const ProgramRef& program) {
  ProgramPair pair = document_.selection().compared();
  (side == Side::A ? pair.a : pair.b) = program;
  document_.selection().compare(pair);
}

void ProgramCompareView::dragEnterEvent(QDragEnterEvent* event) {
  if (programFrom(event->mimeData())) event->acceptProposedAction();
}

void ProgramCompareView::dropEvent(QDropEvent* event) {
  const std::vector<ProgramRef> programs = programsFrom(event->mimeData());
  if (programs.empty()) return;
  if (programs.size() > 1)
    document_.selection().compare({programs[0], programs[1]});
  else
    setSide(2 * event->position().x() < width() ? Side::A : Side::B, programs[0]);
  event->acceptProposedAction();
}

ShownProgram ProgramCompareView::wanted(Side side) const {
  const ProgramPair& pair = document_.selection().compared();
  return shownProgram(document_, side == Side::A ? pair.a : pair.b);
}

void ProgramCompareView::follow() {
  shownA_ = wanted(Side::A), shownB_ = wanted(Side::B);
  const ProgramPair pair{shownA_.ref, shownB_.ref};
  compiling_.cancel();
  if (!pair.a.isValid() || !pair.b.isValid()) {
    reading_.cancel();
    showNothing(tr("Choose two programs: drag one or two records here, use Compare in the Program "
                   "view, or click a task in Compare Sessions."));
    for (const auto& [head, ref] : {std::pair(a_, pair.a), std::pair(b_, pair.b)})
      head->showEmpty(ref.isValid() ? QString() : tr("drop a record here"),
                      ref.isValid() ? nameOf(ref) : QString());
    return;
  }
  if (shownA_.later || shownB_.later) {
    reading_.cancel();
    const RowId later = (shownA_.later ? shownA_ : shownB_).ref.record;
    showNothing(laterTitle(later) + QStringLiteral(". ") + laterText());
    for (const auto& [head, then] : {std::pair(a_, &shownA_), std::pair(b_, &shownB_)})
      head->showEmpty(then->later ? tr("not measured yet") : QString(), nameOf(then->ref));
    return;
  }
  reading_.ask<Pair>(
      [pair, taskA = shownA_.task, taskB = shownB_.task, storeA = reading_.connection(0),
       storeB = reading_.connection(1)](const Job& job) {
        Pair read;
        read.a = readProgram(storeA->at(pair.a.file), pair.a, job, taskA);
        read.b = readProgram(storeB->at(pair.b.file), pair.b, job, taskB);
        for (const auto& [text, lowered] :
             {std::pair(&read.a, &read.loweredA), std::pair(&read.b, &read.loweredB)})
          *lowered = lowerProgram(*text, job);
        read.nests = diffLoopNests(read.a, read.b);
        read.steps = diffStepLists(read.a, read.b);
        job.check();
        read.ir = diffLoopIr(read.loweredA, read.loweredB);
        read.footprints =
            compareFootprints({read.a.tree(), read.a.traffic}, {read.b.tree(), read.b.traffic},
                              targetOrHost(storeA->at(pair.a.file), read.a.task));
        return read;
      },
      [this](Pair read) { show(std::move(read)); },
      [this](const QString& why) {
        showNothing(why);
        for (ComparisonHead* head : {a_, b_})
          head->showEmpty({});
      });
}

void ProgramCompareView::showNothing(const QString& why) {
  pair_.reset();
  compiled_ = false;
  latency_ = {};
  empty_->setText(why);
  body_->setCurrentWidget(empty_);
  showVerdict();
  Q_EMIT shown();
}

void ProgramCompareView::show(Pair pair) {
  pair_ = std::move(pair);
  compiled_ = false;
  a_->show(pair_->a);
  b_->show(pair_->b);
  latency_ = compareLatencies(pair_->a.latency, pair_->b.latency);
  showVerdict();
  for (DiffPage* page : texts_)
    if (page) page->setReductions(reductionsOf(pair_->a), reductionsOf(pair_->b));
  nameCodePages();
  texts_[LoopNestTab]->show(pair_->nests);
  caches_->show(pair_->footprints);
  texts_[StepTab]->show(pair_->steps);
  texts_[LoopIrTab]->show(pair_->ir);
  const QString problem =
      pair_->loweredA.problem.isEmpty() ? pair_->loweredB.problem : pair_->loweredA.problem;
  if (problem.isEmpty())
    features_->show(pair_->loweredA.features, pair_->loweredB.features);
  else
    features_->showProblem(problem);
  body_->setCurrentWidget(pages_);
  compileIfSeen();
  Q_EMIT shown();
}

void ProgramCompareView::showVerdict() {
  verdict_->setVisible(pair_.has_value());
  if (!pair_) return verdict_->clear();
  const bool sameTask = pair_->a.taskDag == pair_->b.taskDag;
  verdict_->setText(sameTask
                        ? verdictText(latency_, pair_->a.ref.alias, pair_->b.ref.alias)
                        : tr("These are programs of different tasks: their latencies say nothing "
                             "about one another."));
  const Colours& c = colours();
  const QColor colour = !sameTask || latency_.verdict == LatencyVerdict::NotSignificant ||
                                latency_.verdict == LatencyVerdict::Unknown
                            ? c.dim
                        : latency_.verdict == LatencyVerdict::RightFaster ? c.vector
                                                                          : c.waiting;
  setTextColour(verdict_, colour);
}

ProgramCompareView::Code::Part ProgramCompareView::compared(const ShownCode& a, const ShownCode& b,
                                                            const QString& names,
                                                            const QString& problem) {
  if (!problem.isEmpty()) return {{}, problem};
  if (a.form != b.form)
    return {{}, tr("These are two languages (%1): no line of one is in the other.").arg(names)};
  return {diffCode(a, b), {}};
}

void ProgramCompareView::nameCodePages() {
  const ShownForms &a = pair_->loweredA.forms, &b = pair_->loweredB.forms;
  pages_->setTabText(SourceTab, namesOf(a.sourceName, b.sourceName));
  pages_->setTabText(MachineTab, namesOf(a.machineName, b.machineName));
  texts_[SourceTab]->setLanguages(languageOf(a.source), languageOf(b.source));
  texts_[MachineTab]->setLanguages(languageOf(a.machine), languageOf(b.machine));
}

void ProgramCompareView::compileIfSeen() {
  const int page = pages_->currentIndex();
  if ((page != SourceTab && page != MachineTab) || !pair_ || compiled_ || compiling_.isBusy())
    return;
  for (const Page one : {SourceTab, MachineTab})
    texts_[one]->showMessage(tr("Compiling both programs …"));
  compiling_.ask<Code>(
      [a = pair_->loweredA, b = pair_->loweredB, naiveA = pair_->a.ref.naive,
       naiveB = pair_->b.ref.naive](const Job& job) {
        const CompiledProgram codeA = compileProgram(a, naiveA, job);
        job.check();
        const CompiledProgram codeB = compileProgram(b, naiveB, job);
        job.check();
        job.tell(tr("Comparing …"));
        const QString problem =
            codeA.machineProblem.isEmpty() ? codeB.machineProblem : codeA.machineProblem;
        return Code{compared(codeA.source, codeB.source,
                             namesOf(a.forms.sourceName, b.forms.sourceName), {}),
                    compared(codeA.machine, codeB.machine,
                             namesOf(a.forms.machineName, b.forms.machineName), problem)};
      },
      [this](Code code) {
        compiled_ = true;
        for (const auto& [page, part] :
             {std::pair(SourceTab, &code.source), std::pair(MachineTab, &code.machine)})
          if (part->problem.isEmpty())
            texts_[page]->show(std::move(part->diff));
          else
            texts_[page]->showMessage(part->problem);
        Q_EMIT shown();
      },
      [this](const QString& why) {
        for (const Page one : {SourceTab, MachineTab})
          texts_[one]->showMessage(why);
        Q_EMIT shown();
      });
}

Exports ProgramCompareView::exports() {
  Exports exports = seenOf(this);
  exports.table.reset();
  if (!pair_) return exports;
  exports.title = tr("A: %1, B: %2").arg(pair_->a.ref.alias, pair_->b.ref.alias);
  exports.text = pageText();
  if (pages_->currentIndex() == FeatureTab) exports.table = tableOf(features_->table());
  if (pages_->currentIndex() == CacheTab) exports.table = tableOf(caches_->loopTable());
  return exports;
}

QString ProgramCompareView::pageText() const {
  if (!pair_) return {};
  QString text = QStringLiteral("A: %1 · %2\nB: %3 · %4\n%5\n\n")
                     .arg(pair_->a.ref.alias, pair_->a.subtitle, pair_->b.ref.alias,
                          pair_->b.subtitle, verdict());
  const int page = pages_->currentIndex();
  if (texts_[page]) text += texts_[page]->text();
  if (page == CacheTab) text += caches_->text();
  return text;
}

} // namespace nestwright::ui

#include "moc_program_compare_view.cpp"
