/// What the view of the records keeps with the document, and what it gives away.
#include "ui/document/document.h"
#include "ui/kit/row_table.h"
#include "ui/kit/text.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/record_explorer.h"
#include "ui/records/record_export.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_view.h"

#include <nlohmann/json.hpp>

#include <QHeaderView>
#include <QToolButton>

#include <algorithm>

namespace nestwright::ui {
namespace {

using Order = BrowseOrder;
using Column = RecordModel::Column;

/// Orders in the document's state; never changed.
constexpr const char* kOrderKeys[] = {"newest",      "oldest",          "fastest", "slowest",
                                      "first-trial", "last-trial",      "task",    "task-down",
                                      "verdict",     "verdict-down",    "session", "session-down",
                                      "throughput",  "throughput-down", "wall",    "wall-down"};

constexpr int kMostShown = 10'000; // rows for the clipboard

} // namespace

std::set<Column> RecordView::usualColumns() {
  return {RecordModel::Trial,  RecordModel::Task,    RecordModel::Latency,
          RecordModel::Spread, RecordModel::Outcome, RecordModel::Notes};
}

nlohmann::json RecordView::viewState() const {
  nlohmann::json columns = nlohmann::json::array();
  for (const Column column : columns_)
    columns.push_back(RecordModel::key(column));
  nlohmann::json state = {
      {"filter", print(filter_)},
      {"columns", columns},
      {"order", kOrderKeys[int(order_)]},
      {"header", table_->horizontalHeader()->saveState().toBase64().toStdString()},
      {"follow", follow_->isChecked()},
      {"all_sessions", allSessions_},
      {"explorer", explorer_->viewState()}};
  if (facetsAsked_) state["facets"] = *facetsAsked_;
  if (figuresAsked_) state["statistics"] = *figuresAsked_;
  return state;
}

void RecordView::restoreViewState(const nlohmann::json& state) {
  const auto text = [&](const char* key) {
    const auto found = state.find(key);
    return found != state.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto flag = [&](const char* key, bool usual) {
    const auto found = state.find(key);
    return found != state.end() && found->is_boolean() ? found->get<bool>() : usual;
  };
  try {
    filter_ = parseRecordFilter(text("filter"));
  } catch (const FilterError&) {
    filter_ = {}; // of a newer version
  }
  order_ = Order::Newest;
  for (std::size_t i = 0; i < std::size(kOrderKeys); ++i)
    if (text("order") == kOrderKeys[i]) order_ = Order(i);
  const QByteArray header = QByteArray::fromBase64(QByteArray::fromStdString(text("header")));
  if (header.isEmpty() || !table_->horizontalHeader()->restoreState(header)) fitColumns();
  columns_.clear();
  if (const auto columns = state.find("columns"); columns != state.end() && columns->is_array())
    for (int i = 0; i < RecordModel::ColumnCount; ++i)
      if (std::find(columns->begin(), columns->end(), RecordModel::key(Column(i))) !=
          columns->end())
        columns_.insert(Column(i));
  if (columns_.empty()) columns_ = usualColumns();
  follow_->setChecked(flag("follow", true));
  allSessions_ = flag("all_sessions", false);
  if (const auto explorer = state.find("explorer"); explorer != state.end())
    explorer_->restoreViewState(*explorer);
  facetsAsked_.reset();
  if (state.contains("facets")) facetsAsked_ = flag("facets", true);
  facetsShown_->setChecked(facetsAsked_.value_or(hasRoomForFacets()));
  facets_->setVisible(facetsShown_->isChecked());
  figuresAsked_.reset();
  if (state.contains("statistics")) figuresAsked_ = flag("statistics", true);
  figuresShown_->setChecked(figuresAsked_.value_or(hasRoomForFigures()));
  bar_->setFilter(filter_);
  showPane();
  list();
}

std::vector<Column> RecordView::shownColumns() const {
  std::vector<Column> columns;
  const QHeaderView* header = table_->horizontalHeader();
  for (int visual = 0; visual < header->count(); ++visual)
    if (const int column = header->logicalIndex(visual); !header->isSectionHidden(column))
      columns.push_back(Column(column));
  return columns;
}

/// The selected rows, or all that were read so far: what the clipboard gets. Read when it is asked
/// for, which is at once and here.
ExportTable RecordView::shownTable() const {
  ExportTable table;
  const std::vector<Column> columns = shownColumns();
  for (const Column column : columns)
    table.headers.append(exportTitle(column));
  table.rows = [this, columns](const std::function<bool(const QStringList&)>& take) {
    std::vector<std::pair<int, int>> ranges = table_->selectedRanges();
    if (table_->selectedCount() < 2) ranges = {{0, std::min(model_->rowCount(), kMostShown) - 1}};
    int left = kMostShown;
    for (const auto& [first, last] : ranges)
      for (int row = first; row <= last && left > 0; ++row, --left) {
        if (!model_->textAt(row, RecordModel::Trial)) continue; // nobody has looked at it
        QStringList cells;
        for (const Column column : columns) {
          const QModelIndex cell = model_->index(row, column);
          const QVariant bare = cell.data(ExportRole);
          cells.append(bare.isValid() ? bare.toString() : cell.data().toString());
        }
        if (!take(cells)) return;
      }
  };
  return table;
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
  for (const TaskEntry& task : document_.tasks())
    tasks[task.row.id] = {taskTitle(task.row.name), task.row.flops};
  const RecordQuery query = queryOf(document_, model_->listing());
  result.title = filter_.empty()
                     ? tr("Records of %1").arg(document_.networkName())
                     : tr("Records of %1: %2").arg(document_.networkName(), qs(print(filter_)));
  result.table = recordTable(document_.path(), query, shownColumns(), tasks);
  result.lines = recordLines(document_.path(), query, tasks);
  result.clip = shownTable();
  result.tableName = tr("Records");
  result.more = {{tr("Histogram of latencies"), statistics_->histogram()->table()},
                 {tr("Statistics"), statistics_->table()}};
  return result;
}

} // namespace nestwright::ui
