#include "ui/program/code/program_code_pages.h"

#include "ui/kit/code_view.h"
#include "ui/program/code/c_page.h"
#include "ui/program/code/code_levels.h"
#include "ui/program/code/linked_code_page.h"
#include "ui/program/code/loop_ir_page.h"

#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {

ProgramCodePages::ProgramCodePages(QWidget* parent)
    : QWidget(parent), loopIr_(new LoopIrPage(this)), c_(new CPage(this)),
      source_(new LinkedCodePage(LinkedCodePage::Part::Source, this)),
      machine_(new LinkedCodePage(LinkedCodePage::Part::Machine, this)),
      levels_(new CodeLevels(this)) {
  levels_->add( // in the order of Level
      loopIr_, tr("Loop IR"),
      tr("The loops with their buffers and indices, as sampled and after each lowering pass."));
  levels_->add(c_, tr("C"), tr("The same loops as C, for GCC and Clang."));
  levels_->add(source_, {},
               tr("What the backend makes of the loop IR: LLVM IR after LLVM's passes, "
                  "or CUDA C as NVRTC gets it."));
  levels_->add(machine_, {}, tr("The code nearest to the machine, traced back to its loops."));
  nameLevels(usualForms({}));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(levels_);
  for (LinkedCodePage* page : {source_, machine_}) {
    connect(page, &LinkedCodePage::irLineChosen, this, &ProgramCodePages::irLineChosen);
    connect(page, &LinkedCodePage::compileWanted, this, &ProgramCodePages::compileWanted);
    connect(page, &LinkedCodePage::cancelled, this, [this] {
      cancel();
      fail(tr("Compiling was cancelled."), true);
    });
  }
  connect(levels_, &CodeLevels::levelChanged, this, &ProgramCodePages::levelChanged);
  connect(&compiling_, &Background::progress, this, &ProgramCodePages::showProgress);
}

ProgramCodePages::~ProgramCodePages() = default;

void ProgramCodePages::nameLevels(const ShownForms& forms) {
  levels_->setName(Source, forms.sourceName);
  levels_->setName(Machine, forms.machineName);
}

ProgramCodePages::Level ProgramCodePages::level() const {
  return Level(levels_->level());
}

void ProgramCodePages::showLevel(Level level) {
  levels_->showLevel(isOffered(level) ? level : level + 1);
}

bool ProgramCodePages::isOffered(Level level) const {
  return levels_->isOffered(level);
}

QString ProgramCodePages::levelName(Level level) const {
  return levels_->name(level);
}

QString ProgramCodePages::text() const {
  switch (level()) {
  case LoopIr:
    return loopIr_->text();
  case C:
    return c_->text();
  case Source:
    return source_->code()->text();
  case Machine:
    break;
  }
  return machine_->code()->text();
}

void ProgramCodePages::cancel() {
  writing_.cancel();
  compiling_.cancel();
}

void ProgramCodePages::showProgress(const QString& what) {
  machine_->showProgress(what);
  if (!isSourceShown_) source_->showProgress(what);
}

void ProgramCodePages::clear() {
  cancel();
  lowered_.reset();
  compiled_.reset();
  isSourceShown_ = false;
  problem_.clear();
  loopIr_->clear();
  c_->clear();
  for (LinkedCodePage* page : {source_, machine_})
    page->clear();
}

void ProgramCodePages::setProgram(const ProgramText& text, const LoweredProgram& lowered) {
  clear();
  lowered_ = lowered;
  naive_ = text.ref.naive;
  reductions_ = {text.reductionLoops.begin(), text.reductionLoops.end()};
  nameLevels(lowered.forms);
  levels_->setOffered(C, !lowered.target.gpu);
  loopIr_->show(lowered, reductions_);
  c_->show(lowered, text.record);
  for (LinkedCodePage* page : {source_, machine_})
    page->setForms(lowered.forms);
}

void ProgramCodePages::compile() {
  if (!lowered_ || compiled_ || compiling_.isBusy()) return;
  if (!lowered_->problem.isEmpty()) return fail(lowered_->problem, false);
  problem_.clear();
  showProgress(tr("Compiling …"));
  if (lowered_->target.gpu && !isSourceShown_) writeGpuSource();
  compileAll();
  Q_EMIT started();
}

void ProgramCodePages::writeGpuSource() {
  writing_.ask<CompiledProgram>([lowered = *lowered_, naive = naive_](
                                    const Job& job) { return compileSource(lowered, naive, job); },
                                [this](const CompiledProgram& compiled) {
                                  if (std::exchange(isSourceShown_, true)) return;
                                  source_->show(*lowered_, compiled, reductions_);
                                },
                                {}); // compileAll() says so, too
}

void ProgramCodePages::compileAll() {
  compiling_.ask<CompiledProgram>(
      [lowered = *lowered_, naive = naive_](const Job& job) {
        return compileProgram(lowered, naive, job);
      },
      [this](CompiledProgram compiled) { take(std::move(compiled)); },
      [this](const QString& why) { fail(why, true); });
}

void ProgramCodePages::take(CompiledProgram compiled) {
  compiled_ = std::move(compiled);
  problem_.clear();
  if (std::exchange(isSourceShown_, true))
    source_->addCost(*lowered_, *compiled_);
  else
    source_->show(*lowered_, *compiled_, reductions_);
  machine_->show(*lowered_, *compiled_, reductions_);
  Q_EMIT finished();
}

void ProgramCodePages::fail(const QString& why, bool canRepeat) {
  problem_ = why;
  machine_->showProblem(why, canRepeat);
  if (!isSourceShown_) source_->showProblem(why, canRepeat);
  Q_EMIT finished();
}

void ProgramCodePages::showLinked(int from, int to) {
  loopIr_->showLinked(from, to);
  if (!compiled_) return;
  for (LinkedCodePage* page : {source_, machine_})
    page->showLinked(from, to);
}

} // namespace nestwright::ui

#include "moc_program_code_pages.cpp"
