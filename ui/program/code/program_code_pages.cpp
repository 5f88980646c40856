#include "ui/program/code/program_code_pages.h"

#include <utility>

namespace nestwright::ui {

ProgramCodePages::ProgramCodePages(QWidget* parent)
    : QObject(parent), source_(new LinkedCodePage(LinkedCodePage::Part::Source, parent)),
      machine_(new LinkedCodePage(LinkedCodePage::Part::Machine, parent)) {
  for (LinkedCodePage* page : {source_, machine_}) {
    connect(page, &LinkedCodePage::irLineChosen, this, &ProgramCodePages::irLineChosen);
    connect(page, &LinkedCodePage::compileWanted, this, &ProgramCodePages::compileWanted);
    connect(page, &LinkedCodePage::cancelled, this, [this] {
      cancel();
      fail(tr("Compiling was cancelled."), true);
    });
  }
  connect(&compiling_, &Background::progress, this, &ProgramCodePages::showProgress);
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
  for (LinkedCodePage* page : {source_, machine_})
    page->clear();
}

void ProgramCodePages::setProgram(const LoweredProgram& lowered, bool naive,
                                  const QSet<QString>& reductions) {
  clear();
  lowered_ = lowered;
  naive_ = naive;
  reductions_ = reductions;
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
  if (!compiled_) return;
  for (LinkedCodePage* page : {source_, machine_})
    page->showLinked(from, to);
}

} // namespace nestwright::ui

#include "moc_program_code_pages.cpp"
