#include "ui/records/record_facets.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kMoreIndex = -2; // of the line that shows all values

/// A value: before it a mark (ticked, left out or open), behind its count a bar, its part of the
/// largest.
class FacetDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const QVariant part = index.data(FractionRole), state = index.data(Qt::CheckStateRole);
    if (part.isValid()) {
      QRect bar = option.rect.adjusted(0, 2, -4, -2);
      bar.setLeft(bar.right() - qRound(bar.width() * part.toDouble()));
      QColor colour = colours().accent;
      colour.setAlpha(colours().dark ? 70 : 45);
      painter->fillRect(bar, colour);
    }
    QStyleOptionViewItem cell = option;
    const int side = option.fontMetrics.ascent() + 1;
    if (part.isValid()) cell.rect.setRight(cell.rect.right() - 6);
    if (state.isValid()) cell.rect.setLeft(cell.rect.left() + side + 4);
    QStyledItemDelegate::paint(painter, cell, index);
    if (state.isValid())
      drawMark(painter,
               QRect(option.rect.left() + 1, option.rect.center().y() - side / 2, side, side),
               Qt::CheckState(state.toInt()));
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {size.width(), std::max(size.height(), option.fontMetrics.height() + 6)};
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->features &= ~QStyleOptionViewItem::HasCheckIndicator;
  }

 private:
  static void drawMark(QPainter* painter, const QRect& box, Qt::CheckState state) {
    const Colours& c = colours();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->setPen(QPen(state == Qt::PartiallyChecked ? c.failed
                         : state == Qt::Checked        ? c.accent
                                                       : c.faint,
                         1));
    painter->setBrush(state == Qt::Checked ? QBrush(c.accent) : Qt::NoBrush);
    painter->drawRoundedRect(frame, 2, 2);
    const double s = frame.width();
    const auto at = [&](double x, double y) { return frame.topLeft() + QPointF(x * s, y * s); };
    if (state == Qt::Checked) {
      painter->setPen(QPen(c.accentText, 1.6));
      const QPointF tick[] = {at(0.22, 0.52), at(0.42, 0.72), at(0.8, 0.28)};
      painter->drawPolyline(tick, 3);
    } else if (state == Qt::PartiallyChecked) {
      painter->setPen(QPen(c.failed, 1.8));
      painter->drawLine(at(0.22, 0.5), at(0.78, 0.5));
    }
    painter->restore();
  }
};

} // namespace

QString facetTitle(GroupBy by) {
  switch (by) {
  case GroupBy::Task:
    return tr("Task");
  case GroupBy::Operator:
    return tr("Operator");
  case GroupBy::Network:
    return tr("Network");
  case GroupBy::Target:
    return tr("Target");
  case GroupBy::Session:
    return tr("Session");
  case GroupBy::Error:
    return tr("Error");
  case GroupBy::Tag:
    return tr("Tag");
  }
  return {};
}

QString facetMeaning(GroupBy by) {
  switch (by) {
  case GroupBy::Task:
    return tr("A subgraph of a network on a target.");
  case GroupBy::Operator:
    return tr("What the task computes: the first word of its name.");
  case GroupBy::Network:
    return tr("Networks that have the record's task. A task may be in several, so the counts can "
              "be more than all records together.");
  case GroupBy::Target:
    return tr("The machine that the program was measured on.");
  case GroupBy::Session:
    return tr("The session of this file that measured or imported the record.");
  case GroupBy::Error:
    return tr("How the measurement ended; none is a good one.");
  case GroupBy::Tag:
    return tr("Your own words on records. A record may have several.");
  }
  return {};
}

QString groupTitle(GroupBy by, const RecordGroup& group) {
  if (by == GroupBy::Error && group.name == "none") return tr("none (ok)");
  return taskTitle(group.name);
}

RecordFacetsView::RecordFacetsView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), tree_(new QTreeWidget(this)),
      note_(new AskingNote(this)) {
  tree_->setColumnCount(2);
  tree_->setHeaderHidden(true);
  tree_->setAccessibleName(tr("Facets of the records"));
  tree_->setRootIsDecorated(true);
  tree_->setIndentation(14);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setUniformRowHeights(true);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  tree_->setItemDelegate(new FacetDelegate(tree_));
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(1, QHeaderView::Fixed);
  tree_->installEventFilter(this);
  tree_->viewport()->installEventFilter(this);
  note_->setContentsMargins(8, 4, 4, 4);
  note_->follow(asking_, tr("Counting"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(tree_, 1);
  layout->addWidget(note_);
  grown_.setSingleShot(true);
  grown_.setInterval(kCountAgainMilliseconds);
  connect(&grown_, &QTimer::timeout, this, &RecordFacetsView::count);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &RecordFacetsView::count);
  connect(&document.follower(), &SessionFollower::jumped, this, &RecordFacetsView::count);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!grown_.isActive()) grown_.start();
  });
  connect(&document, &Document::stateChanged, this, [this] {
    facets_.clear();
    total_.reset();
    fill();
    count();
  });
  connect(note_, &AskingNote::stopped, this,
          [this] { note_->setText(tr("Stopped: the counts are of the filter before.")); });
  connect(tree_, &QTreeWidget::itemClicked, this,
          [this](QTreeWidgetItem* item) { toggle(item, withAlt_); });
  connect(tree_, &QTreeWidget::itemExpanded, this, [this](QTreeWidgetItem* item) {
    closed_.erase(GroupBy(item->data(0, GroupingRole).toInt()));
  });
  connect(tree_, &QTreeWidget::itemCollapsed, this, [this](QTreeWidgetItem* item) {
    closed_.insert(GroupBy(item->data(0, GroupingRole).toInt()));
  });
  connect(tree_, &QWidget::customContextMenuRequested, this, &RecordFacetsView::showMenu);
  connect(&Theme::instance(), &Theme::changed, this, &RecordFacetsView::restyle);
  restyle();
}

void RecordFacetsView::setListing(const RecordListing& listing) {
  if (sameRecords(listing, listing_)) return;
  const bool sameFilter = listing.filter == listing_.filter;
  listing_ = listing;
  if (!sameFilter) fill(); // the ticks at once, the counts when they are there
  count();
}

void RecordFacetsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) count();
}

void RecordFacetsView::count() {
  stale_ = true;
  current_ = false;
  const bool ready = document_.state() == DocumentState::Ready;
  if (!ready) asking_.leave();
  if (!ready || !isVisible()) return;
  stale_ = false;
  since_.start();
  asking_.askOf<Counted>(
      document_.file().path(),
      [query = queryOf(document_, listing_)](RecordSurvey& survey) {
        RecordQuery all = query;
        if (query.filter.has(FilterField::Session)) all.session = 0;
        all.task = 0;
        return Counted{survey.total(all), survey.facets(query)};
      },
      [this](Counted counted) { take(std::move(counted)); },
      [this](const QString& why) { note_->setText(why); });
}

void RecordFacetsView::take(Counted counted) {
  facets_ = std::move(counted.facets);
  total_ = counted.total;
  current_ = true;
  // In a file of millions the machine is not kept busy with that.
  grown_.setInterval(std::max(kCountAgainMilliseconds, int(20 * since_.elapsed())));
  note_->setText(tr("Click: only these · Alt+click: without"));
  fill();
  Q_EMIT totalChanged();
}

void RecordFacetsView::fill() {
  const QTreeWidgetItem* before = tree_->currentItem();
  const QVariant facet = before ? before->data(0, GroupingRole) : QVariant();
  const QString name = before ? before->text(0) : QString();
  const bool isFacet = before && !before->parent();
  const int scrolled = tree_->verticalScrollBar()->value();
  const QSignalBlocker quiet(tree_);
  tree_->clear();
  for (const RecordFacet& one : facets_)
    if (!one.groups.empty()) addFacet(one);
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* top = tree_->topLevelItem(i);
    top->setExpanded(!closed_.contains(GroupBy(top->data(0, GroupingRole).toInt())));
    if (facet != top->data(0, GroupingRole)) continue;
    if (isFacet) tree_->setCurrentItem(top);
    for (int j = 0; j < top->childCount(); ++j)
      if (!isFacet && top->child(j)->text(0) == name) tree_->setCurrentItem(top->child(j));
  }
  tree_->verticalScrollBar()->setValue(scrolled);
}

void RecordFacetsView::addFacet(const RecordFacet& facet) {
  auto* top = new QTreeWidgetItem(tree_, {facetTitle(facet.by)});
  top->setData(0, GroupingRole, int(facet.by));
  top->setData(0, ItemRole, -1);
  top->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  top->setToolTip(0, facetMeaning(facet.by));
  QFont bold = tree_->font();
  bold.setWeight(QFont::DemiBold);
  top->setFont(0, bold);
  top->setForeground(0, colours().dim);
  const auto count = int(facet.groups.size());
  const int shown = whole_.contains(facet.by) ? count : kShown;
  const std::int64_t most = facet.groups.front().records;
  for (int i = 0; i < count; ++i) {
    const RecordGroup& group = facet.groups[std::size_t(i)];
    const bool open = choiceOf(listing_.filter, group.conditions[0]) == GroupChoice::Open;
    if (i >= shown && open) continue; // what the filter names is always there
    addValue(top, group, most);
    QTreeWidgetItem* item = top->child(top->childCount() - 1);
    item->setData(0, GroupingRole, int(facet.by));
    item->setData(0, ItemRole, i);
    item->setText(0, groupTitle(facet.by, group));
  }
  if (count <= shown) return;
  auto* more = new QTreeWidgetItem(top, {tr("… all %1").arg(countText(count))});
  more->setData(0, GroupingRole, int(facet.by));
  more->setData(0, ItemRole, kMoreIndex);
  more->setForeground(0, colours().dim);
}

void RecordFacetsView::addValue(QTreeWidgetItem* parent, const RecordGroup& group,
                                std::int64_t most) {
  auto* item = new QTreeWidgetItem(parent);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setText(1, countText(group.records));
  item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  item->setFont(1, smallFont());
  if (most > 0) item->setData(1, FractionRole, double(group.records) / double(most));
  const GroupChoice choice = choiceOf(listing_.filter, group.conditions[0]);
  const QString words = qs(inWords(group.conditions[0]));
  // A tick for those that are listed alone, a bar for those that are left out.
  item->setCheckState(0, choice == GroupChoice::Chosen     ? Qt::Checked
                         : choice == GroupChoice::Excluded ? Qt::PartiallyChecked
                                                           : Qt::Unchecked);
  QFont font = tree_->font();
  font.setStrikeOut(choice == GroupChoice::Excluded);
  item->setFont(0, font);
  QString tip = taskTitle(group.name);
  if (!group.more.empty()) tip += QLatin1Char('\n') + taskTitle(group.more);
  tip += QLatin1Char('\n') +
         tr("%1 records with the rest of the filter").arg(countText(group.records));
  if (group.errors > 0) tip += tr(", %1 of them errors").arg(countText(group.errors));
  for (int column : {0, 1})
    item->setToolTip(column, tip);
  item->setData(0, Qt::AccessibleTextRole,
                choice == GroupChoice::Chosen     ? tr("%1, %2 records, chosen")
                : choice == GroupChoice::Excluded ? tr("%1, %2 records, left out")
                                                  : tr("%1, %2 records"));
  item->setData(
      0, Qt::AccessibleTextRole,
      item->data(0, Qt::AccessibleTextRole).toString().arg(words, countText(group.records)));
}

const RecordGroup* RecordFacetsView::groupOf(const QTreeWidgetItem* item) const {
  if (!item || item->data(0, ItemRole).toInt() < 0) return nullptr;
  const auto by = GroupBy(item->data(0, GroupingRole).toInt());
  for (const RecordFacet& facet : facets_)
    if (facet.by == by) return &facet.groups.at(std::size_t(item->data(0, ItemRole).toInt()));
  return nullptr;
}

QTreeWidgetItem* RecordFacetsView::find(GroupBy by, const QString& name) const {
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* top = tree_->topLevelItem(i);
    if (top->data(0, GroupingRole).toInt() != int(by)) continue;
    for (int j = 0; j < top->childCount(); ++j)
      if (top->child(j)->text(0) == name) return top->child(j);
  }
  return nullptr;
}

void RecordFacetsView::toggle(QTreeWidgetItem* item, bool exclude) {
  if (!item) return;
  if (item->data(0, ItemRole).toInt() == kMoreIndex) {
    whole_.insert(GroupBy(item->data(0, GroupingRole).toInt()));
    return fill();
  }
  if (const RecordGroup* group = groupOf(item))
    Q_EMIT filterEdited(toggled(listing_.filter, group->conditions[0], exclude));
}

bool RecordFacetsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::MouseButtonRelease)
    withAlt_ = static_cast<QMouseEvent*>(event)->modifiers().testFlag(Qt::AltModifier);
  if (watched != tree_ || event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool exclude = key->key() == Qt::Key_Minus || key->modifiers().testFlag(Qt::AltModifier);
  const bool press = key->key() == Qt::Key_Space || key->key() == Qt::Key_Return ||
                     key->key() == Qt::Key_Enter || key->key() == Qt::Key_Minus;
  QTreeWidgetItem* item = tree_->currentItem();
  if (!press || !item || item->data(0, ItemRole).toInt() == -1) return false;
  toggle(item, exclude);
  return true;
}

void RecordFacetsView::showMenu(const QPoint& at) {
  QTreeWidgetItem* item = tree_->itemAt(at);
  const RecordGroup* group = groupOf(item);
  if (!item) return;
  const auto by = GroupBy(item->data(0, GroupingRole).toInt());
  QMenu menu(this);
  if (group) {
    const FilterCondition condition = group->conditions[0];
    const GroupChoice choice = choiceOf(listing_.filter, condition);
    QAction* only = menu.addAction(
        choice == GroupChoice::Chosen ? tr("&No Longer Only These") : tr("&Only These"), this,
        [&] { Q_EMIT filterEdited(toggled(listing_.filter, condition, false)); });
    enableUnless(only,
                 choice == GroupChoice::Excluded ? tr("The filter leaves these out.") : QString());
    menu.addAction(choice == GroupChoice::Excluded ? tr("&Let Them in Again")
                                                   : tr("&Without These"),
                   this, [&] { Q_EMIT filterEdited(toggled(listing_.filter, condition, true)); });
    menu.addSeparator();
  }
  const RecordFilter rest = without(listing_.filter, by);
  QAction* clear =
      menu.addAction(tr("&Clear %1").arg(facetTitle(by)), this, [&] { Q_EMIT filterEdited(rest); });
  enableUnless(clear, rest == listing_.filter ? tr("The filter does not ask for it.") : QString());
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

void RecordFacetsView::restyle() {
  tree_->setFont(smallFont());
  tree_->header()->resizeSection(
      1, QFontMetrics(tree_->font()).horizontalAdvance(QStringLiteral("51,577,248")) + 12);
  fill();
}

} // namespace nestwright::ui

#include "moc_record_facets.cpp"
