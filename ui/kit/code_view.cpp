#include "ui/kit/code_view.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kMargin = 6;
constexpr int kShareLetters = 7; // "−0.300" and some room

bool isGap(const CodeLine& line) {
  return line.number < 0 && line.text.isEmpty() && line.mark != DiffMark::Same;
}

/// Paints one line: gutter (mark, number, cost), then the text in its colours.
class CodeDelegate : public QStyledItemDelegate {
 public:
  explicit CodeDelegate(CodeView* view) : QStyledItemDelegate(view), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {view_->gutterWidth() + (view_->code()->longest() + 2) * view_->characterWidth(),
            QFontMetrics(view_->font()).height() + 2};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const CodeLine& line = view_->code()->line(index.row());
    const Colours& c = colours();
    painter->save();
    painter->setFont(view_->font());
    painter->setClipRect(option.rect);
    paintGround(painter, option, line);
    paintGutter(painter, option.rect, line);
    const int x = option.rect.left() + view_->gutterWidth();
    const int baseline = option.rect.top() + 1 + QFontMetrics(view_->font()).ascent();
    if (line.changedTo > line.changedFrom && line.mark == DiffMark::Changed)
      painter->fillRect(QRect(x + line.changedFrom * view_->characterWidth(), option.rect.top(),
                              (line.changedTo - line.changedFrom) * view_->characterWidth(),
                              option.rect.height()),
                        tint(colourOf(view_->side()), c.dark ? 110 : 70));
    paintText(painter, QPoint(x, baseline), line);
    painter->restore();
  }

 private:
  static QColor tint(QColor colour, int alpha) {
    colour.setAlpha(alpha);
    return colour;
  }

  void paintGround(QPainter* painter, const QStyleOptionViewItem& option,
                   const CodeLine& line) const {
    const Colours& c = colours();
    const QRect& rect = option.rect;
    if (isGap(line)) {
      painter->fillRect(rect, QBrush(c.line, Qt::BDiagPattern));
      return;
    }
    if (line.mark != DiffMark::Same)
      painter->fillRect(rect, tint(colourOf(view_->side()), c.dark ? 50 : 28));
    if (line.link >= view_->linkedFrom() && line.link < view_->linkedTo()) {
      painter->fillRect(rect, tint(c.accent, c.dark ? 60 : 34));
      painter->fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), c.accent);
    }
    if (option.state & QStyle::State_Selected) painter->fillRect(rect, c.selection);
  }

  void paintGutter(QPainter* painter, const QRect& rect, const CodeLine& line) const {
    const Colours& c = colours();
    QRect gutter(rect.left() + kMargin, rect.top(), view_->gutterWidth() - 2 * kMargin,
                 rect.height());
    if (view_->side() != Side::None) {
      // Never by colour alone: the side's letter where only it has the line.
      const QString mark = isGap(line) || line.mark == DiffMark::Same ? QString()
                           : line.mark == DiffMark::Changed           ? QStringLiteral("≠")
                                                                      : letterOf(view_->side());
      painter->setPen(colourOf(view_->side()));
      painter->drawText(gutter, int(Qt::AlignLeft | Qt::AlignVCenter), mark);
    }
    if (line.share >= 0) {
      const QRect bar(gutter.left(), rect.top() + 2, view_->shareWidth() - 8, rect.height() - 4);
      QRect filled = bar;
      filled.setWidth(qRound(bar.width() * std::min(1.0F, line.share)));
      const QColor colour = line.added.isEmpty() ? c.waiting
                            : line.takesAway     ? c.series[1]
                                                 : c.series[0];
      painter->fillRect(filled, tint(colour, c.dark ? 120 : 90));
      if (line.share >= 0.005F) {
        painter->setPen(c.text);
        painter->drawText(bar, int(Qt::AlignRight | Qt::AlignVCenter),
                          line.added.isEmpty()
                              ? QStringLiteral("%1 %").arg(qRound(line.share * 100))
                              : line.added);
      }
    }
    if (line.number >= 0) {
      painter->setPen(c.faint);
      painter->drawText(gutter, int(Qt::AlignRight | Qt::AlignVCenter),
                        QString::number(line.number));
    }
  }

  void paintText(QPainter* painter, QPoint at, const CodeLine& line) const {
    const QColor plain = colours().text;
    const int step = view_->characterWidth();
    const auto draw = [&](int begin, int length, const QColor& colour, bool bold) {
      if (length <= 0) return;
      QFont font = view_->font();
      font.setBold(bold);
      painter->setFont(font);
      painter->setPen(colour);
      painter->drawText(QPoint(at.x() + begin * step, at.y()), line.text.mid(begin, length));
    };
    int done = 0;
    for (const Token& token : tokensOf(line.text, view_->language(), view_->reductions())) {
      draw(done, token.begin - done, plain, false);
      draw(token.begin, token.length, token.colour, token.bold);
      done = token.begin + token.length;
    }
    draw(done, int(line.text.size()) - done, plain, false);
  }

  CodeView* view_;
};

} // namespace

void CodeModel::setLines(std::vector<CodeLine> lines) {
  beginResetModel();
  lines_ = std::move(lines);
  qsizetype longest = 0;
  for (const CodeLine& line : lines_)
    longest = std::max(longest, line.text.size());
  longest_ = int(longest);
  endResetModel();
}

void CodeModel::setCosts(std::vector<LineCost> costs) {
  const std::size_t count = std::min(costs.size(), lines_.size());
  for (std::size_t i = 0; i < count; ++i) {
    lines_[i].share = costs[i].share;
    lines_[i].added = std::move(costs[i].added);
    lines_[i].takesAway = costs[i].takesAway;
    lines_[i].tip = std::move(costs[i].tip);
  }
  if (count > 0) Q_EMIT dataChanged(index(0), index(static_cast<int>(count) - 1));
}

int CodeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant CodeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const CodeLine& code = line(index.row());
  if (role == Qt::DisplayRole) return code.text;
  if (role == Qt::ToolTipRole && !code.tip.isEmpty()) return code.tip;
  return {};
}

CodeView::CodeView(CodeLanguage language, QWidget* parent)
    : QListView(parent), model_(new CodeModel(this)), language_(language) {
  setModel(model_);
  setItemDelegate(new CodeDelegate(this));
  setUniformItemSizes(true);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  auto* copy = new QAction(tr("Copy Lines"), this);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, &CodeView::copySelected);
  addAction(copy);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(&Theme::instance(), &Theme::changed, this, &CodeView::restyle);
  restyle();
}

void CodeView::restyle() {
  setFont(codeFont());
  characterWidth_ = QFontMetrics(font()).horizontalAdvance(QLatin1Char('m'));
  scheduleDelayedItemsLayout();
  viewport()->update();
}

int CodeView::shareWidth() const {
  return kShareLetters * characterWidth_ + 8;
}

int CodeView::gutterWidth() const {
  int width = kMargin;
  if (side_ != Side::None) width += 2 * characterWidth_;
  if (hasShares_) width += shareWidth();
  if (hasNumbers_) {
    const auto digits = QString::number(model_->rowCount()).size();
    width += (std::max<int>(2, int(digits)) + 1) * characterWidth_;
  }
  return width + kMargin;
}

void CodeView::setLines(std::vector<CodeLine> lines) {
  hasNumbers_ = std::ranges::any_of(lines, [](const CodeLine& l) { return l.number >= 0; });
  hasShares_ = std::ranges::any_of(lines, [](const CodeLine& l) { return l.share >= 0; });
  linkedFrom_ = linkedTo_ = 0;
  settingLines_ = true;
  model_->setLines(std::move(lines));
  settingLines_ = false;
  scrollToTop();
}

void CodeView::setCosts(std::vector<LineCost> costs) {
  model_->setCosts(std::move(costs));
  hasShares_ = std::ranges::any_of(model_->lines(), [](const CodeLine& l) { return l.share >= 0; });
  scheduleDelayedItemsLayout(); // the gutter may be wider
}

void CodeView::setLanguage(CodeLanguage language) {
  language_ = language;
  viewport()->update();
}

QString CodeView::text() const {
  QString text;
  for (const CodeLine& line : model_->lines())
    if (!isGap(line)) text += line.text + QLatin1Char('\n');
  return text;
}

void CodeView::copySelected() {
  QModelIndexList rows = selectionModel()->selectedRows();
  if (rows.isEmpty()) {
    QApplication::clipboard()->setText(text());
    return;
  }
  std::sort(rows.begin(), rows.end());
  QString copied;
  for (const QModelIndex& row : rows)
    copied += row.data().toString() + QLatin1Char('\n');
  QApplication::clipboard()->setText(copied);
}

void CodeView::showLinked(int from, int to) {
  linkedFrom_ = from;
  linkedTo_ = to;
  viewport()->update();
  if (from >= to) return;
  int first = -1;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const int link = model_->line(row).link;
    if (link < from || link >= to) continue;
    if (viewport()->rect().intersects(visualRect(model_->index(row)))) return;
    if (first < 0) first = row;
  }
  if (first >= 0) scrollTo(model_->index(first), PositionAtTop);
}

void CodeView::goTo(int row) {
  if (row < 0 || row >= model_->rowCount()) return;
  setCurrentIndex(model_->index(row));
  scrollTo(model_->index(row), PositionAtCenter);
  horizontalScrollBar()->setValue(0);
}

int CodeView::find(const QString& text, int row, bool forward) const {
  const int count = model_->rowCount();
  if (text.isEmpty() || count == 0) return -1;
  for (int i = 1; i <= count; ++i) {
    const int at = ((row + (forward ? i : -i)) % count + count) % count;
    if (model_->line(at).text.contains(text, Qt::CaseInsensitive)) return at;
  }
  return -1;
}

void CodeView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QListView::currentChanged(current, previous);
  if (current.isValid() && !settingLines_) Q_EMIT lineChosen(current.row());
}

} // namespace nestwright::ui

#include "moc_code_view.cpp"
