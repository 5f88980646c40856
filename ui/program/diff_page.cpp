#include "ui/program/diff_page.h"

#include "ui/kit/elided_label.h"
#include "ui/kit/look/enable_unless.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {

DiffPage::DiffPage(CodeLanguage language, QWidget* parent)
    : QWidget(parent), a_(new CodeView(language, this)), b_(new CodeView(language, this)),
      summary_(new ElidedLabel(this)), only_(new QToolButton(this)),
      previous_(new QToolButton(this)), next_(new QToolButton(this)) {
  a_->setSide(Side::A);
  b_->setSide(Side::B);
  a_->setAccessibleName(tr("Program A"));
  b_->setAccessibleName(tr("Program B"));
  only_->setText(tr("Only differences"));
  only_->setCheckable(true);
  only_->setToolTip(tr("Leave out what is the same in both, but for three lines around."));
  previous_->setText(QStringLiteral("▲"));
  previous_->setAccessibleName(tr("Previous difference"));
  previous_->setToolTip(tr("Go to the previous difference (Shift+F8)."));
  previous_->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F8));
  next_->setText(QStringLiteral("▼"));
  next_->setAccessibleName(tr("Next difference"));
  next_->setToolTip(tr("Go to the next difference (F8)."));
  next_->setShortcut(QKeySequence(Qt::Key_F8));
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  summary_->setToolTip(tr("≠ marks what differs between the two sides, A or B what only that side "
                          "has; hatched places are empty on one side."));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(10, 3, 8, 3);
  row->addWidget(summary_, 1);
  for (QToolButton* button : {only_, previous_, next_}) {
    button->setAutoRaise(true);
    row->addWidget(button);
  }
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(a_);
  split->addWidget(b_);
  split->setSizes({1000, 1000});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(split, 1);

  for (const auto& [from, to] : {std::pair(a_, b_), std::pair(b_, a_)}) {
    connect(from->verticalScrollBar(), &QScrollBar::valueChanged, to->verticalScrollBar(),
            &QScrollBar::setValue);
    connect(from->horizontalScrollBar(), &QScrollBar::valueChanged, to->horizontalScrollBar(),
            &QScrollBar::setValue);
  }
  // One bar for both; the other side keeps its width for lines.
  a_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  b_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  connect(only_, &QToolButton::toggled, this, &DiffPage::refresh);
  connect(next_, &QToolButton::clicked, this, [this] { next(true); });
  connect(previous_, &QToolButton::clicked, this, [this] { next(false); });
}

void DiffPage::setLanguages(CodeLanguage a, CodeLanguage b) {
  a_->setLanguage(a);
  b_->setLanguage(b);
}

void DiffPage::setReductions(const QSet<QString>& a, const QSet<QString>& b) {
  a_->setReductions(a);
  b_->setReductions(b);
}

void DiffPage::show(DiffText text) {
  diff_ = std::move(text);
  refresh();
}

void DiffPage::refresh() {
  DiffText shown = only_->isChecked() ? onlyDifferences(diff_) : diff_;
  starts_ = shown.starts();
  summary_->setText(diff_.summary);
  for (QToolButton* button : {previous_, next_})
    enableUnless(button, starts_.empty() ? tr("Nothing differs.") : QString());
  a_->setLines(std::move(shown.a));
  b_->setLines(std::move(shown.b));
  if (!starts_.empty() && starts_.front() > 3) next(true);
}

void DiffPage::showMessage(const QString& message) {
  diff_ = {};
  refresh();
  summary_->setText(message);
}

void DiffPage::next(bool forward) {
  if (starts_.empty()) return;
  const int row = a_->currentIndex().row();
  int target = forward ? starts_.front() : starts_.back();
  if (forward) {
    const auto found = std::upper_bound(starts_.begin(), starts_.end(), row);
    if (found != starts_.end()) target = *found;
  } else {
    const auto found = std::lower_bound(starts_.begin(), starts_.end(), row);
    if (found != starts_.begin()) target = *(found - 1);
  }
  a_->goTo(target);
  b_->goTo(target);
}

QString DiffPage::text() const {
  QString text;
  for (std::size_t i = 0; i < diff_.a.size(); ++i) {
    const QChar mark = QStringLiteral("=≠AB")[static_cast<int>(diff_.a[i].mark)];
    text += QStringLiteral("%1 %2 | %3\n").arg(mark).arg(diff_.a[i].text, -60).arg(diff_.b[i].text);
  }
  return text;
}

} // namespace nestwright::ui

#include "moc_diff_page.cpp"
