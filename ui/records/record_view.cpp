#include "ui/records/record_view.h"

#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/row_table.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/records/filter_line.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/record_details.h"
#include "ui/records/record_explorer.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_tags.h"
#include "ui/records/saved_filters.h"

#include <QHeaderView>
#include <QPainter>
#include <QShortcut>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

using Order = BrowseOrder;
using Column = RecordModel::Column;

constexpr int kPatienceMilliseconds = 400;

/// A bar behind the latency: how far from the best of all that are listed.
class LatencyDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const QVariant part = index.data(FractionRole);
    if (part.isValid() && !(option.state & QStyle::State_Selected)) {
      QRect bar = option.rect.adjusted(3, 3, -3, -3);
      bar.setWidth(qRound(bar.width() * part.toDouble()));
      QColor colour = colours().accent;
      colour.setAlpha(colours().dark ? 70 : 45);
      // Over the row's own colour, under the text.
      if (index.row() % 2 != 0) painter->fillRect(option.rect, colours().alternate);
      painter->fillRect(bar, colour);
      QStyleOptionViewItem plain = option;
      plain.features &= ~QStyleOptionViewItem::Alternate;
      return QStyledItemDelegate::paint(painter, plain, index);
    }
    QStyledItemDelegate::paint(painter, option, index);
  }
};

QToolButton* toggle(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  return button;
}

} // namespace

RecordView::RecordView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new RecordModel(document, this)),
      figures_(new RecordFigures(document, this)), saved_(new SavedFilters(document, this)),
      tags_(new RecordTags(document, this)), bar_(new RecordFilterBar(this)),
      filters_(new QToolButton(this)), chooser_(new QToolButton(this)),
      stop_(new QToolButton(this)), table_(new RowTable(this)),
      explorer_(new RecordExplorer(document, table_, this)),
      facets_(new RecordFacetsView(document, this)), parts_(new QSplitter(Qt::Horizontal, this)),
      pane_(new QTabWidget(this)), statistics_(new RecordStatisticsView(*figures_, this)),
      details_(new RecordDetails(document, this)), columns_(usualColumns()) {
  bar_->setContentsMargins(8, 4, 8, 4);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(parts_, 1);
  follow_ = toggle(this, tr("Selected task"),
                   tr("Only records of the task that is selected; off shows all tasks. A filter "
                      "that names tasks goes before it."));
  figuresShown_ = toggle(this, tr("Statistics"),
                         tr("Histogram and figures of the records that are listed or selected."));
  facetsShown_ = toggle(this, tr("Facets"),
                        tr("Operators, networks, targets, sessions, errors and tags with how many "
                           "records have each; a click lists only those."));
  follow_->setChecked(true);
  stop_->setText(tr("Stop"));
  stop_->setAutoRaise(true);
  stop_->setToolTip(tr("Stops counting and sorting; what is listed so far stays."));
  stop_->hide();
  for (QToolButton* button : {stop_, filters_, chooser_, follow_, facetsShown_, figuresShown_})
    bar_->addButton(button);
  buildTable();
  buildPane();
  parts_->setHandleWidth(1);
  parts_->addWidget(facets_);
  parts_->addWidget(explorer_);
  parts_->addWidget(pane_);
  parts_->setStretchFactor(1, 1);
  parts_->setCollapsible(1, false);
  connect(parts_, &QSplitter::splitterMoved, this, [this] { paneSetByUser_ = true; });
  buildMenus();
  connectAll();
  showPane();
  list();
}

void RecordView::buildTable() {
  table_->setModel(model_);
  table_->setDragEnabled(true);
  table_->setObjectName(QStringLiteral("records"));
  table_->setAccessibleName(tr("Records"));
  table_->setItemDelegateForColumn(RecordModel::Latency, new LatencyDelegate(table_));
  QHeaderView* header = table_->horizontalHeader();
  header->setSectionsMovable(true);
  header->setSortIndicatorShown(true);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  const auto add = [this](const QString& text, const QKeySequence& keys, auto slot) {
    auto* action = new QAction(text, table_);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, slot);
    table_->addAction(action);
  };
  add(tr("Copy Rows"), QKeySequence::Copy, [this] { copySelected(); });
  add(tr("Copy Rows as Markdown"), {}, [this] { copySelected(true); });
  add(tr("&Go to Row …"), QKeySequence(tr("Ctrl+G")), &RecordView::askGoTo);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  fitColumns();
}

void RecordView::fitColumns() {
  QHeaderView* header = table_->horizontalHeader();
  const auto wide = [&](Column column, const char* widest) {
    header->resizeSection(column,
                          table_->fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 18);
  };
  wide(RecordModel::Number, "10,000,000_");
  wide(RecordModel::Session, "Session__");
  wide(RecordModel::Trial, "1,000,000_");
  wide(RecordModel::Task, "Conv 3x3/2 64->128 on 56x56");
  wide(RecordModel::Latency, "999.9 ms____");
  wide(RecordModel::Throughput, "99.99 GFLOP/s");
  wide(RecordModel::Spread, "100.0 %__");
  wide(RecordModel::Outcome, "build timeout_");
  wide(RecordModel::Tags, "baseline, keep");
  wide(RecordModel::Wall, "12 min 5 s__");
  wide(RecordModel::Measured, "2026-11-20 23:04:11");
  wide(RecordModel::Program, "0123456789ab_");
  header->setStretchLastSection(true);
}

void RecordView::buildPane() {
  pane_->setDocumentMode(true);
  pane_->addTab(statistics_, tr("Statistics"));
  pane_->addTab(details_, tr("Record"));
  pane_->setMinimumWidth(140);
  facets_->setMinimumWidth(180);
  facets_->hide();
}

void RecordView::connectAll() {
  connect(bar_, &RecordFilterBar::filterEdited, this, &RecordView::setFilter);
  connect(follow_, &QToolButton::clicked, this, &RecordView::list);
  connect(figuresShown_, &QToolButton::clicked, this, [this](bool on) {
    figuresAsked_ = on;
    showPane();
  });
  connect(facetsShown_, &QToolButton::clicked, this, [this](bool on) {
    facetsAsked_ = on;
    facets_->setVisible(on);
  });
  connect(explorer_, &RecordExplorer::filterEdited, this, &RecordView::setFilter);
  connect(facets_, &RecordFacetsView::filterEdited, this, &RecordView::setFilter);
  connect(facets_, &RecordFacetsView::totalChanged, this, &RecordView::describe);
  connect(&document_, &Document::selectionChanged, this, [this] {
    list();
    followSelection();
    showPane();
  });
  connect(&document_, &Document::stateChanged, this, [this] {
    refreshVocabulary();
    list();
    figures_->setListing(model_->listing());
  });
  connect(&document_, &Document::progressChanged, this, &RecordView::describe);
  connect(tags_, &RecordTags::listChanged, this, &RecordView::refreshVocabulary);
  connect(tags_, &RecordTags::recordsChanged, model_, &RecordModel::reload);
  connect(tags_, &RecordTags::failed, &document_, &Document::warning);
  connect(saved_, &SavedFilters::failed, &document_, &Document::warning);
  connect(model_, &RecordModel::loaded, this, [this] {
    describe();
    if (document_.selection().record != 0) followSelection(); // else the user's rows stay
    tellListed();
  });
  connect(model_, &RecordModel::rowsRead, this, [this] { selectionMoved(table_->currentIndex()); });
  connect(model_, &RecordModel::progressChanged, this, &RecordView::showProgress);
  patience_.setSingleShot(true);
  patience_.setInterval(kPatienceMilliseconds);
  connect(&patience_, &QTimer::timeout, this, &RecordView::showProgress);
  connect(stop_, &QToolButton::clicked, this, &RecordView::stopRanking);
  connect(figures_, &RecordFigures::countChanged, this, &RecordView::describe);
  connect(figures_, &RecordFigures::statisticsChanged, this, [this] {
    const auto& figures = figures_->statistics();
    if (figures && !figures_->isOfChosen()) model_->setTimes(figures->best, figures->worst);
  });
  connect(statistics_->histogram(), &LatencyHistogram::rangeChosen, this,
          [this](double low, double high) {
            FilterCondition range{FilterField::Latency, false, {FilterValue{}}};
            range.values[0].low = low;
            range.values[0].high = high;
            setFilter(with(range));
          });
  connect(statistics_->histogram(), &LatencyHistogram::rangeCleared, this, [this] {
    setFilter(with({FilterField::Latency, false, {}}));
  });
  connect(statistics_, &RecordStatisticsView::errorChosen, this, [this](const QString& word) {
    setFilter(with({FilterField::Error, false, {FilterValue{.text = word.toStdString()}}}));
  });
  QHeaderView* header = table_->horizontalHeader();
  connect(header, &QHeaderView::sectionClicked, this, &RecordView::sortBy);
  connect(&Theme::instance(), &Theme::changed, this, &RecordView::fitColumns);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &RecordView::selectionMoved);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RecordView::selectionChanged);
  auto* find = new QShortcut(QKeySequence::Find, this);
  find->setContext(Qt::WidgetWithChildrenShortcut);
  connect(find, &QShortcut::activated, this, [this] {
    bar_->line()->setFocus();
    bar_->line()->selectAll();
  });
}

// --- what is listed

void RecordView::setFilter(const RecordFilter& filter) {
  if (filter == filter_) return;
  const auto apply = [this](const RecordFilter& to) {
    filter_ = to;
    bar_->setFilter(to);
    list();
  };
  const QString words =
      filter.empty() ? tr("cleared filter") : tr("filter %1").arg(qs(print(filter)));
  document_.undoStack().push(new Change(
      fontMetrics().elidedText(words, Qt::ElideRight, 360), [=] { apply(filter); },
      [=, before = filter_] { apply(before); }, QStringLiteral("records/filter")));
}

RecordFilter RecordView::with(const FilterCondition& condition) const {
  RecordFilter filter = filter_;
  std::erase_if(filter.conditions,
                [&](const FilterCondition& known) { return known.field == condition.field; });
  if (!condition.values.empty()) filter.conditions.push_back(condition);
  return filter;
}

void RecordView::setOrder(Order order) {
  order_ = order;
  list();
}

void RecordView::setFollowing(bool following) {
  follow_->setChecked(following);
  list();
}

void RecordView::setAllSessions(bool all) {
  allSessions_ = all;
  list();
}

void RecordView::list() {
  RecordListing listing;
  listing.filter = filter_;
  listing.order = order_;
  listing.allSessions = allSessions_;
  if (follow_->isChecked()) listing.task = document_.selection().task;
  follow_->setEnabled(!filter_.has(FilterField::Task));
  figures_->setListing(listing);
  model_->setListing(listing);
  explorer_->setListing(listing);
  facets_->setListing(listing);
  showHeader();
  describe();
}

void RecordView::showHeader() {
  const bool oneTask = model_->listing().task != 0 && !filter_.has(FilterField::Task);
  for (int column = 0; column < RecordModel::ColumnCount; ++column)
    table_->setColumnHidden(column, !columns_.contains(Column(column)) ||
                                        (column == RecordModel::Task && oneTask));
  const auto indicate = [this](Column column, Qt::SortOrder order) {
    table_->horizontalHeader()->setSortIndicator(column, order);
  };
  const Column age = allSessions_ ? RecordModel::Number : RecordModel::Trial;
  switch (order_) {
  case Order::Newest:
    return indicate(age, Qt::DescendingOrder);
  case Order::Oldest:
    return indicate(age, Qt::AscendingOrder);
  case Order::Fastest:
    return indicate(RecordModel::Latency, Qt::AscendingOrder);
  case Order::Slowest:
    return indicate(RecordModel::Latency, Qt::DescendingOrder);
  case Order::FirstTrial:
    return indicate(RecordModel::Trial, Qt::AscendingOrder);
  case Order::LastTrial:
    return indicate(RecordModel::Trial, Qt::DescendingOrder);
  case Order::ByTask:
    return indicate(RecordModel::Task, Qt::AscendingOrder);
  case Order::ByTaskDown:
    return indicate(RecordModel::Task, Qt::DescendingOrder);
  case Order::ByVerdict:
    return indicate(RecordModel::Outcome, Qt::AscendingOrder);
  case Order::ByVerdictDown:
    return indicate(RecordModel::Outcome, Qt::DescendingOrder);
  case Order::BySession:
    return indicate(RecordModel::Session, Qt::AscendingOrder);
  case Order::BySessionDown:
    return indicate(RecordModel::Session, Qt::DescendingOrder);
  case Order::ByThroughput:
    return indicate(RecordModel::Throughput, Qt::AscendingOrder);
  case Order::ByThroughputDown:
    return indicate(RecordModel::Throughput, Qt::DescendingOrder);
  case Order::ByWall:
    return indicate(RecordModel::Wall, Qt::AscendingOrder);
  case Order::ByWallDown:
    return indicate(RecordModel::Wall, Qt::DescendingOrder);
  }
}

/// A click on a header sorts by it, another one the other way round. Columns that the file has in
/// no order do nothing.
void RecordView::sortBy(int column) {
  const auto either = [this](Order first, Order second) {
    setOrder(order_ == first ? second : first);
  };
  switch (column) {
  case RecordModel::Number:
  case RecordModel::Measured:
    return either(Order::Newest, Order::Oldest);
  case RecordModel::Session:
    return either(Order::BySession, Order::BySessionDown);
  case RecordModel::Throughput:
    return either(Order::ByThroughputDown, Order::ByThroughput);
  case RecordModel::Wall:
    return either(Order::ByWall, Order::ByWallDown);
  case RecordModel::Trial:
    // Within a session trials are counted as they come.
    return allSessions_ ? either(Order::LastTrial, Order::FirstTrial)
                        : either(Order::Newest, Order::Oldest);
  case RecordModel::Latency:
    return either(Order::Fastest, Order::Slowest);
  case RecordModel::Task:
    return either(Order::ByTask, Order::ByTaskDown);
  case RecordModel::Outcome:
    return either(Order::ByVerdict, Order::ByVerdictDown);
  default:
    return showHeader(); // the arrow goes back to where it belongs
  }
}

void RecordView::setColumnShown(Column column, bool shown) {
  if (shown)
    columns_.insert(column);
  else if (columns_.size() > 1)
    columns_.erase(column);
  showHeader();
}

// --- words

void RecordView::describe() {
  if (!model_->problem().isEmpty()) return bar_->setCount(model_->problem());
  if (document_.state() != DocumentState::Ready) return bar_->setCount({});
  const QString total = countText(document_.progress().trials);
  const bool wide = model_->listing().allSessions || filter_.has(FilterField::Session);
  std::optional<std::int64_t> count = figures_->count();
  if (model_->isCounted() && !model_->isLoading()) count = model_->rowCount();
  QString text;
  if (const auto all = facets_->total(); count && wide && all && facets_->isVisible())
    text = tr("%1 of %2 records").arg(countText(*count), countText(*all));
  else if (count)
    text = wide ? tr("%1 records").arg(countText(*count))
                : tr("%1 of %2 records").arg(countText(*count), total);
  else if (model_->rowCount() > 0)
    text = tr("at least %1 records").arg(countText(model_->rowCount()));
  else
    text = tr("Reading …");
  if (const auto done = model_->progress())
    text += (count ? tr(", sorting … %1") : tr(", counting … %1")).arg(percentText(*done));
  else if (!count && !model_->isStopped() && model_->rowCount() > 0)
    text += tr(", counting …");
  const std::int64_t selected = table_->selectedCount();
  if (selected > 1) text += tr(" · %1 selected").arg(countText(selected));
  bar_->setCount(text + untoldText(document_));
}

// --- what takes long

void RecordView::showProgress() {
  const bool busy = model_->progress().has_value();
  if (!busy)
    patience_.stop();
  else if (!stop_->isVisible() && !patience_.isActive())
    patience_.start();
  if (!busy || (sender() == &patience_)) stop_->setVisible(busy);
  describe();
}

void RecordView::stopRanking() {
  model_->stop();
  stop_->hide();
  // An order that had to be made has no rows of its own to leave.
  if (model_->rowCount() == 0 && order_ != Order::Newest) setOrder(Order::Newest);
}

void RecordView::refreshVocabulary() {
  FilterVocabulary words;
  for (const TaskEntry& task : document_.tasks())
    words.tasks.push_back({QStringLiteral("T%1").arg(task.row.index), taskTitle(task.row.name)});
  for (const SessionNetwork& network : document_.networks())
    words.networks.push_back({qs(network.name), {}});
  if (!document_.targetText().isEmpty()) words.targets.push_back({document_.targetText(), {}});
  for (const SessionRow& session : document_.sessions())
    words.sessions.push_back({QString::number(session.id), qs(session.title)});
  for (const TagCount& tag : tags_->all())
    words.tags.push_back({qs(tag.tag), tr("%1 records").arg(countText(tag.records))});
  bar_->setVocabulary(words);
}

} // namespace nestwright::ui
