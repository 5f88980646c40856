#include "ui/program/code/c_page.h"

#include "ui/kit/code_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/look/text_colour.h"

#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::ui {

CPage::CPage(QWidget* parent)
    : QWidget(parent), note_(new ElidedLabel(this)), code_(new CodeView(CodeLanguage::C, this)) {
  code_->setAccessibleName(tr("C"));
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setContentsMargins(8, 3, 8, 3);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  note_->setToolTip(
      tr("With vector extensions of GCC and Clang, and OpenMP for parallel loops. The "
         "tuned kernel is LLVM's code of the same loops: its answers differ by "
         "roundings."));
  keepTextColour(note_, &Colours::dim);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(note_);
  layout->addWidget(code_, 1);
}

void CPage::show(const LoweredProgram& lowered, RowId record) {
  const QString& problem = lowered.problem.isEmpty() ? lowered.cProblem : lowered.problem;
  code_->setLines(lowered.c);
  // What it needs stands before it.
  if (const int begin = code_->find(QStringLiteral("void kernel("), 0, true); begin >= 0)
    code_->goTo(begin);
  if (!problem.isEmpty())
    note_->setText(problem);
  else if (record > 0)
    note_->setText(tr("The compiled loops as C. With how to call it, as a file: "
                      "nestwright show %1 --emit c --db …")
                       .arg(record));
  else
    note_->setText(tr("The compiled loops as C."));
}

void CPage::clear() {
  code_->setLines(QString());
  note_->clear();
}

QString CPage::text() const {
  return code_->text();
}

} // namespace nestwright::ui

#include "moc_c_page.cpp"
