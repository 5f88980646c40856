#include "ui/program/footprint_page.h"

#include "ui/kit/colours.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/exporter.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/column_titles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/footprint_words.h"
#include "ui/program/program_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// A cache line: nothing smaller moves. The bars begin there.
constexpr double kLeastBytes = 64;

QColor colourOf(CacheLevel level) {
  const Colours& c = colours();
  switch (level) {
  case CacheLevel::L1:
    return c.vector;
  case CacheLevel::L2:
    return c.accent;
  case CacheLevel::L3:
    return c.waiting;
  case CacheLevel::Memory:
  case CacheLevel::Unknown:
    return c.failed;
  }
  return c.dim;
}

/// A bar as long as the logarithm of the bytes, between marks where the caches end.
class FootprintDelegate : public QStyledItemDelegate {
 public:
  FootprintDelegate(const FootprintComparison& comparison, QObject* parent)
      : QStyledItemDelegate(parent), comparison_(comparison) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const QVariant bytes = index.data(SortRole);
    if (bytes.isValid()) {
      const QRect area = option.rect.adjusted(6, 2, -6, -2);
      QColor colour = colourOf(static_cast<CacheLevel>(index.data(LevelRole).toInt()));
      colour.setAlpha(colours().dark ? 110 : 80);
      QRect bar = area;
      bar.setWidth(std::max(2, at(bytes.toDouble(), area)));
      painter->fillRect(bar, colour);
      painter->save();
      painter->setPen(QPen(colours().dim, 1, Qt::DotLine));
      for (const double size : comparison_.sizes) {
        const int x = area.left() + at(size, area);
        painter->drawLine(x, option.rect.top(), x, option.rect.bottom());
      }
      painter->restore();
    }
    QStyledItemDelegate::paint(painter, option, index);
  }

 private:
  /// Four times the last cache is at the right end.
  int at(double bytes, const QRect& area) const {
    const double end = std::log2(4 * comparison_.sizes.back() / kLeastBytes);
    const double part = std::log2(std::max(bytes, kLeastBytes) / kLeastBytes) / end;
    return static_cast<int>(std::clamp(part, 0.0, 1.0) * area.width());
  }

  const FootprintComparison& comparison_;
};

QString runsText(double runs) {
  return countText(static_cast<std::int64_t>(std::llround(runs)));
}

QStandardItem* loopCell(const LoopFootprint& loop) {
  auto* item = fixedItem(qs(loop.line));
  item->setFont(codeFont());
  return item;
}

QStandardItem* bytesCell(const LoopFootprint& loop) {
  if (loop.bytes <= 0) return fixedItem({});
  const bool known = loop.level != CacheLevel::Unknown;
  const QString cache =
      known
          ? FootprintPage::tr("; the smallest cache that holds them is %1").arg(nameOf(loop.level))
          : QString();
  auto* item =
      fixedItem(known ? FootprintPage::tr("%1 · %2").arg(bytesText(loop.bytes), nameOf(loop.level))
                      : bytesText(loop.bytes),
                FootprintPage::tr("One run of this loop, with all that is inside of it, works on "
                                  "%1 of different elements%2. It is run %3 times.\n%4")
                    .arg(bytesText(loop.bytes), cache, runsText(loop.runs), buffersText(loop)),
                true);
  item->setData(loop.bytes, SortRole);
  item->setData(static_cast<int>(loop.level), LevelRole);
  return item;
}

} // namespace

FootprintPage::FootprintPage(QWidget* parent)
    : QWidget(parent), verdict_(new QLabel(this)), note_(new QLabel(this)),
      caches_(new QStandardItemModel(0, CacheColumnCount, this)),
      loops_(new QStandardItemModel(0, LoopColumnCount, this)), cacheTable_(new QTableView(this)),
      loopTable_(new QTableView(this)) {
  verdict_->setWordWrap(true);
  verdict_->setMinimumWidth(1);
  verdict_->setContentsMargins(10, 6, 10, 6);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setAccessibleName(tr("Which program uses the caches better"));
  verdict_->setToolTip(tr("Estimated from the loops: what fits in a cache is taken to stay there "
                          "while it is used. Only measuring tells how much that is worth."));
  note_->setMinimumWidth(1);
  note_->setWordWrap(true);
  note_->setContentsMargins(10, 4, 10, 4);
  cacheTable_->setModel(caches_);
  cacheTable_->setAccessibleName(tr("What moves into each cache"));
  loopTable_->setModel(loops_);
  loopTable_->setAccessibleName(tr("What each loop works on"));
  for (QTableView* table : {cacheTable_, loopTable_})
    setUpTable(table);
  cacheTable_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  cacheTable_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const int column : {BytesA, BytesB})
    loopTable_->setItemDelegateForColumn(column, new FootprintDelegate(comparison_, this));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(verdict_);
  layout->addWidget(cacheTable_);
  layout->addWidget(note_);
  layout->addWidget(loopTable_, 1);
  connect(&Theme::instance(), &Theme::changed, this, &FootprintPage::restyle);
  restyle();
}

void FootprintPage::show(const FootprintComparison& comparison) {
  comparison_ = comparison;
  restyle();
}

QString FootprintPage::verdict() const {
  return verdict_->text();
}

QString FootprintPage::text() const {
  return QStringList{verdict(), tsvOf(tableOf(cacheTable_)), tsvOf(tableOf(loopTable_))}.join(
      QLatin1String("\n\n"));
}

void FootprintPage::restyle() {
  verdict_->setText(comparison_.rows.empty() ? QString() : verdictText(comparison_));
  setTextColour(note_, colours().dim);
  note_->setText(
      comparison_.hasCaches()
          ? tr("One run of each loop, beside the caches of %1:").arg(qs(comparison_.machine))
          : tr("One run of each loop:"));
  note_->setToolTip(
      tr("The dotted lines are where L1, L2 and L3 end. The scale is logarithmic: a bar "
         "twice as long is much more than twice as much."));
  fillCaches();
  fillLoops();
  fit();
}

void FootprintPage::fillCaches() {
  caches_->removeRows(0, caches_->rowCount());
  const QString moved =
      tr("Estimated bytes that come into the cache in one execution when all that "
         "fits there is kept. Lower is better.");
  const QString tile =
      tr("The outermost loop whose elements all fit in the cache, and how often it "
         "is run: each run brings them in once. Where there are several, the one "
         "that brings in most.");
  setColumns(*caches_, {{tr("Cache"), tr("The caches of the machine that the task was tuned for, "
                                         "with their sizes.")},
                        {tr("Moved in, A"), moved},
                        {tr("Largest tile that fits, A"), tile},
                        {tr("Moved in, B"), moved},
                        {tr("Largest tile that fits, B"), tile}});
  for (const CacheRow& row : comparison_.caches) {
    if (!comparison_.hasCaches()) break;
    QList<QStandardItem*> cells{
        fixedItem(tr("%1 · %2").arg(nameOf(row.level), bytesText(row.size)),
                  tr("The size of this cache; of L1 and L2 every core has its own."))};
    for (const CacheUse* use : {&row.a, &row.b}) {
      const CacheUse& other = use == &row.a ? row.b : row.a;
      cells.append(
          fixedItem(use->movedBytes > 0 ? bytesText(use->movedBytes) : noValue(), moved, true));
      if (use->movedBytes > 0 && use->movedBytes < other.movedBytes) {
        QFont font = cells.back()->font();
        font.setBold(true); // the better one
        cells.back()->setFont(font);
      }
      cells.append(fixedItem(
          use->movedBytes <= 0 ? noValue()
          : use->fits
              ? tr("%1: %2, run %3×").arg(qs(use->loop), bytesText(use->bytes), runsText(use->runs))
              : tr("none: %1 works on %2").arg(qs(use->loop), bytesText(use->bytes)),
          tile));
    }
    caches_->appendRow(cells);
  }
}

void FootprintPage::fillLoops() {
  loops_->removeRows(0, loops_->rowCount());
  const QString loops = tr("The loop nest. Loops that run over the same axes of the same stage "
                           "stand beside one another.");
  const QString bytes = tr("Memory that one run of the loop reads and writes, each element counted "
                           "once, and the smallest cache that holds it.");
  setColumns(*loops_, {{tr("Loops of A"), loops},
                       {tr("works on"), bytes},
                       {tr("Loops of B"), loops},
                       {tr("works on"), bytes}});
  for (const FootprintRow& row : comparison_.rows)
    loops_->appendRow({loopCell(row.a), bytesCell(row.a), loopCell(row.b), bytesCell(row.b)});
}

void FootprintPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void FootprintPage::fit() {
  QHeaderView* caches = cacheTable_->horizontalHeader();
  caches->setSectionResizeMode(QHeaderView::ResizeToContents);
  caches->setStretchLastSection(true);
  const int rows = caches_->rowCount();
  cacheTable_->setFixedHeight(
      caches->sizeHint().height() + 2 +
      (rows > 0 ? rows * cacheTable_->verticalHeader()->defaultSectionSize() : 0) +
      cacheTable_->style()->pixelMetric(QStyle::PM_ScrollBarExtent));
  QHeaderView* loops = loopTable_->horizontalHeader();
  const int bytes =
      loopTable_->fontMetrics().horizontalAdvance(QStringLiteral("1000 KiB · memory"));
  // Names share what is left, and are scrolled to where that is little.
  const int least = loopTable_->fontMetrics().averageCharWidth() * 24;
  for (const int column : {LoopA, LoopB}) {
    loops->setSectionResizeMode(column, QHeaderView::Interactive);
    loops->resizeSection(column, std::max(least, loopTable_->viewport()->width() / 2 - bytes - 60));
  }
  for (const int column : {BytesA, BytesB}) {
    loops->setSectionResizeMode(column, QHeaderView::Interactive);
    loops->resizeSection(column, bytes + 60);
  }
}

} // namespace nestwright::ui

#include "moc_footprint_page.cpp"
