#include "ui/cost_model/noted_page.h"

#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::ui {

NotedPage::NotedPage(QWidget* parent) : QWidget(parent), note_(makeLine()) {
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(note_);
  const auto restyle = [this] { note_->setFont(smallFont()); };
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  restyle();
}

QLabel* NotedPage::makeLine() {
  auto* label = new QLabel(this);
  label->setContentsMargins(8, 4, 8, 4);
  label->setWordWrap(true);
  label->setMinimumWidth(1);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

void NotedPage::setContent(QWidget* content) {
  static_cast<QVBoxLayout*>(layout())->addWidget(content, 1);
}

QString NotedPage::note() const {
  return note_->text();
}

void NotedPage::setNote(const QString& text) {
  note_->setText(text);
  note_->setVisible(!text.isEmpty());
}

} // namespace nestwright::ui

#include "moc_noted_page.cpp"
