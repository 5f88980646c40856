#include "ui/program/program_code_pages.h"

#include <utility>

namespace nestwright::ui {

ProgramCodePages::ProgramCodePages(QWidget* parent)
    : QObject(parent), source_(new LinkedCodePage(LinkedCodePage::Part::Source, parent)),
      machine_(new LinkedCodePage(LinkedCodePage::Part::Machine, parent)) {
  for (LinkedCodePage* page : {source_, machine_}) {
    connect(page, &LinkedCodePage::irLineChosen, this, &ProgramCodePages::irLineChosen);
    connect(page, &LinkedCodePage::compileWanted, this, &ProgramCodePages::compileWanted);
    connect(page, &LinkedCodePage::cancelled, this, [this] {
      compiling_.cancel();
      fail(tr("Compiling was cancelled."), true);
    });
  }
  connect(&compiling_, &Background::progress, this, [this](const QString& what) {
    machine_->showProgress(what);
    if (!isSourceShown_) source_->showProgress(what);
  });
}

void ProgramCodePages::clear() {
  compiling_.cancel();
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
  for (LinkedCodePage* page : {source_, machine_})
    page->showProgress(tr("Compiling …"));
  lowered_->target.gpu ? compileGpuSource() : compileAll();
}

void ProgramCodePages::compileGpuSource() {
  compiling_.ask<CompiledProgram>(
      [lowered = *lowered_, naive = naive_](const Job& job) {
        return compileSource(lowered, naive, job);
      },
      [this](const CompiledProgram& compiled) {
        source_->show(*lowered_, compiled, reductions_);
        isSourceShown_ = true;
        compileAll();
      },
      [this](const QString& why) { fail(why, true); });
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
  for (LinkedCodePage* page : {source_, machine_})
    page->show(*lowered_, *compiled_, reductions_);
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
