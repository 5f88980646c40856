#include "ui/records/filter_line.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/roles.h"

#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QScreen>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kMostRows = 12;

/// The word, and quieter at its right what it means.
class SuggestionDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {100, tableRowHeight()};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Colours& c = colours();
    painter->save();
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, c.selection);
    QRect room = option.rect.adjusted(8, 0, -8, 0);
    painter->setFont(option.font);
    painter->setPen(c.text);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    room.setLeft(room.left() +
                 std::max(option.fontMetrics.horizontalAdvance(index.data().toString()),
                          option.fontMetrics.averageCharWidth() * 14) +
                 12);
    painter->setFont(smallFont());
    painter->setPen(c.dim);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data(DetailRole).toString(),
                                                        Qt::ElideRight, room.width()));
    painter->restore();
  }
};

} // namespace

FilterLine::FilterLine(QWidget* parent)
    : QLineEdit(parent), list_(new QListView(this)), model_(new QStandardItemModel(this)) {
  // A window of its own that never takes the focus, so that typing goes on.
  list_->setWindowFlags(Qt::ToolTip | Qt::FramelessWindowHint);
  list_->setFrameStyle(QFrame::Box | QFrame::Plain);
  list_->viewport()->setBackgroundRole(QPalette::ToolTipBase);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setAttribute(Qt::WA_ShowWithoutActivating);
  list_->setAccessibleName(tr("What can be written next"));
  list_->setModel(model_);
  list_->setItemDelegate(new SuggestionDelegate(list_));
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->hide();
  connect(list_, &QListView::entered, list_,
          [this](const QModelIndex& index) { list_->setCurrentIndex(index); });
  connect(list_, &QListView::pressed, this,
          [this](const QModelIndex& index) { take(index.row()); });
  connect(this, &QLineEdit::textEdited, this, &FilterLine::offer);
}

FilterLine::~FilterLine() = default;

void FilterLine::offer() {
  offered_ = suggestions(text(), cursorPosition(), vocabulary_());
  model_->clear();
  for (const FilterSuggestion& suggestion : offered_) {
    auto* row = new QStandardItem(suggestion.shown);
    row->setData(suggestion.meaning, DetailRole);
    model_->appendRow(row);
  }
  if (offered_.empty() || !isVisible()) return closeList();
  placeList();
  list_->show();
}

void FilterLine::placeList() {
  const int rows = std::min<int>(kMostRows, int(offered_.size()));
  const int height = rows * tableRowHeight() + 2 * list_->frameWidth();
  const int wide = std::clamp(width(), 380, 720);
  QPoint at = mapToGlobal(QPoint(0, this->height() + 1));
  if (const QScreen* on = screen()) {
    const QRect room = on->availableGeometry();
    if (at.y() + height > room.bottom()) at.setY(mapToGlobal(QPoint(0, -height - 1)).y());
    at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - wide)));
  }
  list_->setFont(font());
  QPalette palette = this->palette();
  palette.setColor(QPalette::WindowText, colours().line); // of the frame
  list_->setPalette(palette);
  list_->setGeometry(QRect(at, QSize(wide, height)));
}

void FilterLine::closeList() {
  offered_.clear();
  list_->hide();
}

void FilterLine::take(int row) {
  if (row < 0 || row >= int(offered_.size())) return;
  int cursor = 0;
  const FilterSuggestion chosen = offered_[std::size_t(row)];
  const QString whole = accepted(text(), chosen, cursor);
  closeList();
  setText(whole);
  setCursorPosition(cursor);
  Q_EMIT completed();
  if (!chosen.ends) offer(); // a field was chosen; its values are next
}

bool FilterLine::event(QEvent* event) {
  // Tab takes a suggestion instead of leaving the line.
  if (event->type() == QEvent::KeyPress && handleListKey(static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  // Keys of the list are no shortcuts of the window while it is open.
  if (event->type() == QEvent::ShortcutOverride && list_->isVisible() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QLineEdit::event(event);
}

bool FilterLine::handleListKey(QKeyEvent* event) {
  const int rows = model_->rowCount(), row = list_->currentIndex().row();
  if (!list_->isVisible()) {
    if (event->key() != Qt::Key_Down) return false;
    offer();
    return true;
  }
  const auto go = [&](int to) {
    list_->setCurrentIndex(model_->index(std::clamp(to, 0, rows - 1), 0));
    return true;
  };
  switch (event->key()) {
  case Qt::Key_Down:
    return go(row + 1);
  case Qt::Key_Up:
    return go(row - 1);
  case Qt::Key_PageDown:
    return go(row + kMostRows);
  case Qt::Key_PageUp:
    return go(row - kMostRows);
  case Qt::Key_Tab:
    take(std::max(row, 0));
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (row < 0) return false;
    take(row);
    return true;
  case Qt::Key_Escape:
    closeList();
    return true;
  default:
    return false;
  }
}

void FilterLine::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    closeList();
    Q_EMIT committed();
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void FilterLine::focusOutEvent(QFocusEvent* event) {
  closeList();
  QLineEdit::focusOutEvent(event);
}

} // namespace nestwright::ui

#include "moc_filter_line.cpp"
