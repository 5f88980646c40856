#include "ui/program/code/loop_ir_page.h"

#include "ui/kit/code_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace nestwright::ui {

LoopIrPage::LoopIrPage(QWidget* parent)
    : QWidget(parent), passes_(new QComboBox(this)), meaning_(new ElidedLabel(this)),
      code_(new CodeView(CodeLanguage::LoopIr, this)) {
  passes_->setAccessibleName(tr("Lowering pass"));
  passes_->setToolTip(tr("Show the loop IR after this lowering pass."));
  passes_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  meaning_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  code_->setAccessibleName(tr("Loop IR"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 3, 8, 3);
  row->addWidget(passes_);
  row->addWidget(meaning_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(code_, 1);
  connect(passes_, &QComboBox::currentIndexChanged, this, &LoopIrPage::showPass);
  connect(&Theme::instance(), &Theme::changed, this, &LoopIrPage::restyle);
  restyle();
}

void LoopIrPage::show(const LoweredProgram& lowered, const QSet<QString>& reductions) {
  shown_ = lowered.passes;
  problem_ = lowered.problem;
  code_->setReductions(reductions);
  const QString pass = passes_->currentText();
  {
    const QSignalBlocker quiet(passes_);
    passes_->clear();
    for (const LoweredProgram::Pass& one : lowered.passes)
      passes_->addItem(one.changed ? one.name : tr("%1 (unchanged)").arg(one.name), one.name);
    const int same = passes_->findText(pass);
    passes_->setCurrentIndex(same >= 0 ? same : passes_->count() - 1);
  }
  showPass(passes_->currentIndex());
}

void LoopIrPage::clear() {
  shown_.clear();
  problem_.clear();
  code_->setLines(QString());
  passes_->clear();
  meaning_->clear();
}

void LoopIrPage::showPass(int pass) {
  if (pass < 0 || pass >= static_cast<int>(shown_.size())) return code_->setLines(problem_);
  const LoweredProgram::Pass& shown = shown_[static_cast<std::size_t>(pass)];
  std::vector<CodeLine> lines = codeLines(shown.lines);
  if (pass + 1 == static_cast<int>(shown_.size()))
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i].link = static_cast<int>(i);
  code_->setLines(std::move(lines));
  meaning_->setText(problem_.isEmpty() ? shown.meaning : problem_);
}

void LoopIrPage::showLinked(int from, int to) {
  if (passes_->currentIndex() + 1 == passes_->count()) code_->showLinked(from, to);
}

QString LoopIrPage::text() const {
  return code_->text();
}

void LoopIrPage::restyle() {
  meaning_->setFont(smallFont());
  setTextColour(meaning_, colours().dim);
}

} // namespace nestwright::ui

#include "moc_loop_ir_page.cpp"
