#include "ui/program/code/code_levels.h"

#include "ui/kit/form_parts.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

CodeLevels::CodeLevels(QWidget* parent)
    : QWidget(parent), switch_(new QButtonGroup(this)), row_(new QWidget(this)),
      pages_(new QStackedWidget(this)) {
  row_->setAccessibleName(tr("Level of the code"));
  auto* row = new QHBoxLayout(row_);
  row->setContentsMargins(8, 4, 8, 0);
  row->setSpacing(4);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(row_);
  layout->addWidget(pages_, 1);
  connect(switch_, &QButtonGroup::idToggled, this, [this](int level, bool on) {
    if (on) pages_->setCurrentIndex(level);
  });
  connect(pages_, &QStackedWidget::currentChanged, this, &CodeLevels::levelChanged);
}

void CodeLevels::add(QWidget* page, const QString& name, const QString& tip) {
  const int level = pages_->count();
  QToolButton* button = flatToggle(row_, name, tip);
  switch_->addButton(button, level);
  static_cast<QHBoxLayout*>(row_->layout())->insertWidget(level, button);
  pages_->addWidget(page);
  button->setChecked(level == 0);
}

void CodeLevels::setName(int level, const QString& name) {
  switch_->button(level)->setText(name);
}

QString CodeLevels::name(int level) const {
  return switch_->button(level)->text();
}

void CodeLevels::setOffered(int level, bool offered) {
  switch_->button(level)->setVisible(offered);
  if (!offered && this->level() == level) showLevel(0);
}

bool CodeLevels::isOffered(int level) const {
  return !switch_->button(level)->isHidden();
}

int CodeLevels::level() const {
  return pages_->currentIndex();
}

void CodeLevels::showLevel(int level) {
  switch_->button(level)->setChecked(true);
}

} // namespace nestwright::ui

#include "moc_code_levels.cpp"
