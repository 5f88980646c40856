#include "ui/window/new_session/making_note.h"

#include "ui/kit/form_parts.h"
#include "ui/window/new_session/sentences.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>

namespace nestwright::ui {

MakingNote::MakingNote(QWidget* parent)
    : QWidget(parent), busy_(new QWidget(this)), text_(problemLabel(this)) {
  auto* row = new QHBoxLayout(busy_);
  row->setContentsMargins({});
  row->addWidget(new QLabel(tr("Dividing the network into tasks …"), busy_));
  row->addWidget(busyBar(busy_, tr("Making the session"),
                         tr("The session is being made; Cancel leaves the dialog.")),
                 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->addWidget(busy_);
  layout->addWidget(text_);
  tell();
}

void MakingNote::setMaking(bool making) {
  making_ = making;
  setProblem({});
}

void MakingNote::setProblem(const QString& problem) {
  problem_ = problem;
  tell();
}

void MakingNote::tell() {
  busy_->setVisible(making_);
  sayOrHide(text_,
            problem_.isEmpty() ? QString() : tr("The session could not be made: %1").arg(problem_));
  setVisible(making_ || !problem_.isEmpty());
}

} // namespace nestwright::ui

#include "moc_making_note.cpp"
