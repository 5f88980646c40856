#include "ui/records/record_view.h"

#include "core/record/rows/session_row.h"
#include "core/record/rows/tag_count.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/records/agreement_strip.h"
#include "ui/records/filter_line.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/pages/record_explorer.h"
#include "ui/records/pages/record_groups_page.h"
#include "ui/records/pages/record_scatter_page.h"
#include "ui/records/pages/same_program_page.h"
#include "ui/records/pages/sql_page.h"
#include "ui/records/record_details.h"
#include "ui/records/record_export.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_filter_menu.h"
#include "ui/records/record_panes.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_tags.h"
#include "ui/records/saved_filters.h"

#include <nlohmann/json.hpp>

#include <QMenu>
#include <QPainter>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <map>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kPatienceMilliseconds = 400;

void setUpMenuButton(QToolButton* button, const QString& text, const QString& tip, QMenu* menu) {
  button->setText(text);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
}

} // namespace

RecordView::RecordView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), scope_(new RecordScope(document, this)),
      model_(new RecordModel(document, this)), figures_(new RecordFigures(document, this)),
      saved_(new SavedFilters(document, this)), tags_(new RecordTags(document, this)),
      bar_(new RecordFilterBar(this)), filters_(new RecordFilterMenu(scope_, saved_, bar_, this)),
      follow_(new QToolButton(this)), stop_(new QToolButton(this)),
      table_(new RecordTable(model_, scope_, this)),
      actions_(new RecordActions(document, table_, scope_, tags_, this)),
      explorer_(new RecordExplorer(document, table_, this)),
      facets_(new RecordFacetsView(document, this)),
      statistics_(new RecordStatisticsView(*figures_, this)),
      details_(new RecordDetails(document, this)), same_(new SameProgramPage(document, this)),
      panes_(new RecordPanes(explorer_, statistics_, facets_, recordPage(), this)),
      agreement_(new AgreementStrip(document, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(agreement_);
  layout->addWidget(panes_, 1);
  buildBar();
  connectAsking();
  connectAnswers();
  connectSelection();
  showPanes();
  list();
}

/// The selected record, and below it what else was measured of its program.
QWidget* RecordView::recordPage() {
  auto* page = new QSplitter(Qt::Vertical, this);
  page->setHandleWidth(1);
  page->setChildrenCollapsible(false);
  page->addWidget(details_);
  page->addWidget(same_);
  page->setStretchFactor(0, 3);
  page->setStretchFactor(1, 2);
  return page;
}

void RecordView::buildBar() {
  bar_->setContentsMargins(8, 4, 8, 4);
  bar_->setVocabulary([this] { return vocabulary(); });
  auto* filters = new QToolButton(this);
  setUpMenuButton(filters, tr("Filters"), tr("Common and saved filters."), filters_);
  auto* columns = new QMenu(this);
  connect(columns, &QMenu::aboutToShow, this, [this, columns] { table_->fillColumnMenu(columns); });
  auto* chooser = new QToolButton(this);
  setUpMenuButton(chooser, tr("Columns"), tr("Which columns are shown, and of which sessions."),
                  columns);
  follow_->setText(tr("Selected task"));
  follow_->setToolTip(tr("Only records of the task that is selected; off shows all tasks. A filter "
                         "that names tasks goes before it."));
  follow_->setCheckable(true);
  follow_->setAutoRaise(true);
  stop_->setText(tr("Stop"));
  stop_->setAutoRaise(true);
  stop_->setToolTip(tr("Stops counting and sorting; what is listed so far stays."));
  stop_->hide();
  for (QToolButton* button : {stop_, filters, chooser, follow_, panes_->sideBarButton()})
    bar_->addButton(button);
  auto* find = new QShortcut(QKeySequence::Find, this);
  find->setContext(Qt::WidgetWithChildrenShortcut);
  connect(find, &QShortcut::activated, this, [this] {
    bar_->line()->setFocus();
    bar_->line()->selectAll();
  });
}

/// Where the user says what is to be listed.
void RecordView::connectAsking() {
  connect(scope_, &RecordScope::changed, this, &RecordView::list);
  connect(scope_, &RecordScope::filterChanged, bar_, &RecordFilterBar::setFilter);
  connect(follow_, &QToolButton::clicked, scope_, &RecordScope::setFollowing);
  connect(bar_, &RecordFilterBar::filterEdited, scope_, &RecordScope::setFilter);
  connect(explorer_, &RecordExplorer::filterEdited, scope_, &RecordScope::setFilter);
  connect(facets_, &RecordFacetsView::filterEdited, scope_, &RecordScope::setFilter);
  const auto only = [this](const FilterCondition& condition) {
    scope_->setFilter(scope_->with(condition));
  };
  connect(statistics_->histogram(), &LatencyHistogram::rangeChosen, this,
          [only](double low, double high) {
            FilterCondition range{FilterField::Latency, false, {FilterValue{}}};
            range.values[0].low = low;
            range.values[0].high = high;
            only(range);
          });
  connect(statistics_->histogram(), &LatencyHistogram::rangeCleared, this, [only] {
    only({FilterField::Latency, false, {}});
  });
  connect(statistics_, &RecordStatisticsView::errorChosen, this, [only](const QString& word) {
    only({FilterField::Error, false, {FilterValue{.text = word.toStdString()}}});
  });
  connect(tags_, &RecordTags::recordsChanged, model_, &RecordModel::reload);
  connect(tags_, &RecordTags::failed, &document_.notices(), &Notices::warn);
  connect(saved_, &SavedFilters::failed, &document_.notices(), &Notices::warn);
}

/// Where it is told what came of that.
void RecordView::connectAnswers() {
  connect(&document_, &Document::stateChanged, this, [this] {
    list();
    figures_->setListing(model_->listing());
  });
  connect(&document_.follower(), &SessionFollower::progressChanged, this, &RecordView::describe);
  connect(facets_, &RecordFacetsView::totalChanged, this, &RecordView::describe);
  connect(figures_, &RecordFigures::countChanged, this, &RecordView::describe);
  connect(figures_, &RecordFigures::statisticsChanged, this, [this] {
    const auto& figures = figures_->statistics();
    if (figures && !figures_->isOfChosen()) model_->setTimes(figures->best, figures->worst);
  });
  connect(model_, &RecordModel::loaded, this, [this] {
    describe();
    if (document_.selection().current().record != 0) followSelection(); // else the user's rows stay
    tellListed();
  });
  connect(model_, &RecordModel::progressChanged, this, &RecordView::showProgress);
  patience_.setSingleShot(true);
  patience_.setInterval(kPatienceMilliseconds);
  connect(&patience_, &QTimer::timeout, this, &RecordView::offerStop);
  connect(stop_, &QToolButton::clicked, this, &RecordView::stopRanking);
}

void RecordView::connectSelection() {
  connect(&document_.selection(), &SharedSelection::changed, this, [this] {
    awaited_ = false; // whoever selected this was later
    list();
    followSelection();
    showPanes();
  });
  connect(model_, &RecordModel::rowsRead, this, [this] {
    if (awaited_) selectionMoved(table_->currentIndex());
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &RecordView::selectionMoved);
  connect(table_, &RecordTable::clicked, this, &RecordView::selectionMoved); // current before, too
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RecordView::selectionChanged);
}

void RecordView::list() {
  const RecordListing listing = scope_->listing();
  follow_->setChecked(scope_->isFollowing());
  enableUnless(follow_,
               listing.filter.has(FilterField::Task) ? tr("The filter names a task.") : QString());
  figures_->setListing(listing);
  model_->setListing(listing);
  explorer_->setListing(listing);
  facets_->setListing(listing);
  table_->showHeader();
  describe();
}

// --- the selection

/// Figures are of the selected rows; of all when all are.
void RecordView::selectionChanged() {
  const std::int64_t count = table_->selectedCount();
  const std::vector<RowId> chosen = selectedRecords();
  figures_->setChosen(count == model_->rowCount() ? std::vector<RowId>{} : chosen);
  explorer_->setChosen(chosen);
  showPanes();
  describe();
}

void RecordView::showPanes() {
  panes_->setSelected(table_->selectedCount(), document_.selection().current().record != 0);
}

void RecordView::selectionMoved(const QModelIndex& current) {
  const RowId record = current.data(RecordRole).toLongLong();
  const RowId task = current.data(TaskRole).toLongLong(); // 0: the row is being read
  const bool isShown = record != 0 && record == document_.selection().current().record;
  awaited_ = current.isValid() && !isShown && task == 0;
  if (!current.isValid() || isShown || awaited_) return;
  // Looking through all tasks must not narrow the table to the record's task.
  if (scope_->isFollowing() && document_.selection().current().task == 0 &&
      !scope_->filter().has(FilterField::Task))
    scope_->setFollowing(false);
  document_.selection().select({task, record});
}

void RecordView::followSelection() {
  const RowId record = document_.selection().current().record;
  const QModelIndex current = table_->currentIndex();
  if (!record) {
    table_->clearSelection();
    table_->selectionModel()->clearCurrentIndex();
    return;
  }
  if (current.isValid() && (awaited_ || current.data(RecordRole).toLongLong() == record)) return;
  if (table_->selectedCount() > 1) return; // the user's rows stay
  const int row = model_->rowOf(record);
  if (row < 0) { // not listed, or not yet
    table_->clearSelection();
    table_->setCurrentIndex({}); // by the table, which else takes its first row with the focus
    return;
  }
  table_->setCurrentIndex(model_->index(row, RecordModel::Trial));
  table_->scrollTo(table_->currentIndex());
}

// --- what is said of the listing

void RecordView::describe() {
  if (!model_->problem().isEmpty()) return bar_->setCount(model_->problem());
  if (document_.state() != DocumentState::Ready) return bar_->setCount({});
  const QString total = countText(document_.session().progress().trials);
  const bool wide = model_->listing().allSessions || scope_->filter().has(FilterField::Session);
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

void RecordView::showProgress() {
  if (!model_->progress()) {
    patience_.stop();
    stop_->hide();
  } else if (!stop_->isVisible() && !patience_.isActive()) {
    patience_.start();
  }
  describe();
}

/// Sorting that takes long can be stopped.
void RecordView::offerStop() {
  stop_->setVisible(model_->progress().has_value());
  describe();
}

void RecordView::stopRanking() {
  model_->stop();
  stop_->hide();
  // An order that had to be made has no rows of its own to leave.
  if (model_->rowCount() == 0 && scope_->order() != BrowseOrder::Newest)
    scope_->setOrder(BrowseOrder::Newest);
}

FilterVocabulary RecordView::vocabulary() const {
  FilterVocabulary words;
  for (const TaskEntry& task : document_.session().tasks())
    words.tasks.push_back({QStringLiteral("T%1").arg(task.row.index), taskTitle(task.row.name)});
  for (const SessionNetwork& network : document_.session().contents().networks)
    words.networks.push_back({qs(network.name), {}});
  if (!qs(document_.session().contents().target).isEmpty())
    words.targets.push_back({qs(document_.session().contents().target), {}});
  for (const SessionRow& session : document_.session().contents().sessions)
    words.sessions.push_back({QString::number(session.id), qs(session.title)});
  for (const TagCount& tag : tags_->all())
    words.tags.push_back({qs(tag.tag), tr("%1 records").arg(countText(tag.records))});
  return words;
}

FilteredRecords RecordView::listed() const {
  const std::shared_ptr<const RecordRanks> ranks = model_->ranks();
  if (scope_->filter().empty() || !ranks) return {};
  constexpr int kMost = 60; // letters: what was brushed may be hundreds of records
  QString filter = qs(print(scope_->filter()));
  if (filter.size() > kMost) filter = filter.left(kMost) + QStringLiteral("…");
  return {[ranks](RowId record) { return ranks->contains(record); }, filter};
}

/// Nobody needs to be told again and again that there is no filter.
void RecordView::tellListed() {
  const bool filtered = !scope_->filter().empty();
  if (filtered && !model_->isRanked()) return; // it will be, and until then the old ones stay
  if (std::exchange(wasFiltered_, filtered) || filtered) Q_EMIT listedChanged();
}

// --- the view as others see it

nlohmann::json RecordView::viewState() const {
  nlohmann::json state = scope_->viewState();
  state.update(table_->viewState());
  state.update(panes_->viewState());
  state["explorer"] = explorer_->viewState();
  return state;
}

void RecordView::restoreViewState(const nlohmann::json& state) {
  scope_->restoreViewState(state);
  table_->restoreViewState(state);
  if (const auto explorer = state.find("explorer"); explorer != state.end())
    explorer_->restoreViewState(*explorer);
  panes_->setRoom(width());
  panes_->restoreViewState(state);
  list();
}

Exports RecordView::exports() {
  if (auto page = explorer_->exports(); page && document_.state() == DocumentState::Ready)
    return *page;
  Exports result;
  result.name = QStringLiteral("records");
  result.size = size().expandedTo(isVisible() ? QSize(1, 1) : QSize(900, 600));
  result.draw = [this, wanted = result.size](QPainter& painter) {
    const QSize before = size();
    if (before != wanted) resize(wanted); // a panel behind another tab may never have been laid out
    render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
    if (before != wanted) resize(before);
  };
  if (document_.state() != DocumentState::Ready) return result;
  std::map<RowId, TaskFacts> tasks;
  for (const TaskEntry& task : document_.session().tasks())
    tasks[task.row.id] = {taskTitle(task.row.name), task.row.flops};
  const RecordQuery query = queryOf(document_, model_->listing());
  result.title =
      scope_->filter().empty()
          ? tr("Records of %1").arg(qs(document_.session().contents().network))
          : tr("Records of %1: %2")
                .arg(qs(document_.session().contents().network), qs(print(scope_->filter())));
  result.table = recordTable(document_.file().path(), query, table_->shownColumns(), tasks);
  result.lines = recordLines(document_.file().path(), query, tasks);
  result.clip = table_->shown();
  result.tableName = tr("Records");
  result.more = {{tr("Histogram of latencies"), statistics_->histogram()->table()},
                 {tr("Statistics"), statistics_->table()}};
  return result;
}

std::vector<PaletteItem> RecordView::paletteItems(const QString&) {
  if (document_.state() != DocumentState::Ready) return {};
  std::vector<PaletteItem> items = filters_->paletteItems();
  const bool filtered = !scope_->filter().empty();
  const auto add = [&](const QString& title, const std::function<void()>& run,
                       bool enabled = true) {
    items.push_back({title, tr("Command"), {}, run, enabled});
  };
  add(tr("Go to Row"), [this] { actions_->askGoTo(); });
  add(
      tr("Clear Filter"), [this] { scope_->setFilter({}); }, filtered);
  const std::pair<QString, QWidget*> pages[] = {{tr("Group Records"), explorer_->groups()},
                                                {tr("Scatter of Records"), explorer_->scatter()},
                                                {tr("Ask the File in SQL"), explorer_->sql()}};
  for (const auto& [title, page] : pages)
    add(title, [this, page = page] { explorer_->setCurrentWidget(page); });
  add(
      tr("Same Program Elsewhere"), [this] { panes_->sideBar()->setCurrentIndex(2); },
      document_.selection().current().record != 0);
  add(
      tr("Save Filter"), [this] { filters_->askSave(); }, filtered);
  return items;
}

void RecordView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  panes_->setRoom(width());
}

void RecordView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  figures_->setWanted(true);
}

void RecordView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  figures_->setWanted(false);
}

} // namespace nestwright::ui

#include "moc_record_view.cpp"
