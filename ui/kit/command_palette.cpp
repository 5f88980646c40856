#include "ui/kit/command_palette.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/surface.h"
#include "ui/kit/roles.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kMaxShown = 200;
constexpr int kWholeScore = 1500; // what matchScore() gives at least where the word is in one piece
constexpr int kOtherWording = 900; // what a word in place of the typed one is worth less

/// Title at the left, kind and detail quieter at the right.
class ItemDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {100, tableRowHeight() + 6};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Colours& c = colours();
    painter->save();
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, c.selection);
    const bool enabled = index.flags() & Qt::ItemIsEnabled;
    QRect room = option.rect.adjusted(10, 0, -10, 0);
    painter->setFont(smallFont());
    painter->setPen(c.dim);
    const QString kind = index.data(KindRole).toString(),
                  detail = index.data(DetailRole).toString();
    const QString right = detail.isEmpty() ? kind : detail + QStringLiteral("   ") + kind;
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, right);
    room.setRight(room.right() - painter->fontMetrics().horizontalAdvance(right) - 16);
    painter->setFont(option.font);
    painter->setPen(enabled ? c.text : c.faint);
    painter->drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, room.width()));
    painter->restore();
  }
};

bool startsWord(const QString& text, qsizetype at) {
  return at == 0 || !text[at - 1].isLetterOrNumber() ||
         (text[at].isUpper() && text[at - 1].isLower());
}

/// In place of an empty list: that there is nothing, and what can be asked for.
void tellOfNothing(QStandardItemModel& model, const QString& typed) {
  for (const QString& line :
       {CommandPalette::tr("Nothing here is called “%1”.").arg(typed.simplified()),
        CommandPalette::tr("Try a part of a command's, task's or session's name, its initials, or "
                           "a record's number.")}) {
    auto* row = new QStandardItem(line);
    row->setEnabled(false);
    model.appendRow(row);
  }
}

} // namespace

int matchScore(const QString& typed, const QString& text) {
  const QString wanted = typed.simplified().toCaseFolded();
  if (wanted.isEmpty()) return 1;
  const QString folded = text.toCaseFolded();
  // One stretch is what people mean most often.
  if (const qsizetype whole = folded.indexOf(wanted); whole >= 0)
    return 2000 + (startsWord(text, whole) ? 1000 : 0) + (whole == 0 ? 500 : 0) -
           int(std::min<qsizetype>(text.size(), 400));
  int score = 500;
  qsizetype at = 0, last = -2;
  for (const QChar letter : wanted) {
    if (letter.isSpace()) continue;
    // A letter at the beginning of a word is preferred, if there is one further on.
    qsizetype found = folded.indexOf(letter, at);
    for (qsizetype next = found; next >= 0 && found != last + 1;
         next = folded.indexOf(letter, next + 1))
      if (startsWord(text, next)) {
        found = next;
        break;
      }
    if (found < 0) return 0;
    score += found == last + 1 ? 40 : startsWord(text, found) ? 30 : -20;
    last = found;
    at = found + 1;
  }
  return std::max(0, score - int(std::min<qsizetype>(text.size(), 200)));
}

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint), line_(new QLineEdit(this)),
      list_(new QListView(this)), model_(new QStandardItemModel(this)) {
  setWindowTitle(tr("Command Palette"));
  setModal(true);
  line_->setPlaceholderText(tr("A command, a task, a session, a saved filter, a record …"));
  line_->setToolTip(tr("Type a part of a name, or its initials. Up and Down choose, Enter runs, "
                       "Escape closes."));
  line_->setAccessibleName(tr("Search for a command, a task, a session, a filter or a record"));
  line_->installEventFilter(this);
  list_->setAccessibleName(tr("What was found"));
  list_->setModel(model_);
  list_->setItemDelegate(new ItemDelegate(list_));
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(line_);
  layout->addWidget(list_, 1);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::refresh);
  connect(list_, &QListView::clicked, this, &CommandPalette::choose);
}

void CommandPalette::popUp() {
  const QWidget* window = parentWidget();
  const int wide = std::min(window->width() - 80, fontMetrics().averageCharWidth() * 90);
  resize(std::max(320, wide), std::min(window->height() * 6 / 10, 560));
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 60)));
  line_->clear();
  refresh();
  open();
  line_->setFocus();
}

void CommandPalette::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  drawSurface(painter, rect(), {colours().raised, colours().line});
}

QStringList CommandPalette::wordings(const QString& typed) const {
  QStringList wordings{typed};
  const QString text = typed.simplified().toCaseFolded();
  if (text.size() < 2) return wordings;
  for (const QStringList& group : synonyms_) {
    // A word that is being typed is one already.
    const auto isMeant = [&](const QString& word) {
      const QString folded = word.toCaseFolded();
      return text == folded || (text.size() >= 4 && folded.startsWith(text));
    };
    if (std::ranges::any_of(group, isMeant)) wordings += group;
  }
  return wordings;
}

void CommandPalette::refresh() {
  const QString typed = line_->text();
  const QStringList wordings = this->wordings(typed);
  // Another wording has to be there as it is, and comes after what was typed.
  const auto scoreOf = [&](const QString& title) {
    int score = matchScore(typed, title);
    for (const QString& word : wordings.mid(1))
      if (const int other = matchScore(word, title); other >= kWholeScore)
        score = std::max(score, other - kOtherWording);
    return score;
  };
  std::vector<std::pair<int, PaletteItem>> found;
  for (const PaletteProvider& provider : providers_)
    for (PaletteItem& item : provider(typed))
      if (const int score = scoreOf(item.title); score > 0)
        found.emplace_back(score + (item.enabled ? 200 : 0), std::move(item));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > kMaxShown) found.resize(kMaxShown);
  items_.clear();
  model_->clear();
  for (auto& [score, item] : found) {
    auto* row = new QStandardItem(item.title);
    row->setData(item.kind, KindRole);
    row->setData(item.detail, DetailRole);
    row->setEnabled(item.enabled);
    row->setToolTip(item.enabled ? QString() : tr("Cannot be used now."));
    model_->appendRow(row);
    items_.push_back(std::move(item));
  }
  if (items_.empty()) tellOfNothing(*model_, typed);
  list_->setCurrentIndex(model_->index(0, 0));
}

void CommandPalette::choose() {
  const int row = list_->currentIndex().row();
  if (row < 0 || row >= std::ssize(items_) || !items_[row].enabled) return;
  const std::function<void()> run = items_[row].run;
  accept();
  run(); // after it is gone, because it may open a dialog
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != line_ || event->type() != QEvent::KeyPress)
    return QDialog::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const int row = list_->currentIndex().row(), rows = model_->rowCount();
  const auto go = [&](int to) {
    list_->setCurrentIndex(model_->index(std::clamp(to, 0, std::max(0, rows - 1)), 0));
    return true;
  };
  switch (key->key()) {
  case Qt::Key_Down:
    return go(row + 1);
  case Qt::Key_Up:
    return go(row - 1);
  case Qt::Key_PageDown:
    return go(row + 10);
  case Qt::Key_PageUp:
    return go(row - 10);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    choose();
    return true;
  default:
    return QDialog::eventFilter(watched, event);
  }
}

} // namespace nestwright::ui

#include "moc_command_palette.cpp"
