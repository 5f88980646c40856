#include "ui/records/pages/group_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/records/record_facets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::ui {
namespace {

double errorPart(const RecordGroup& group) {
  return group.records > 0 ? double(group.errors) / double(group.records) : 0;
}

} // namespace

GroupModel::GroupModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void GroupModel::setGroups(GroupBy by, std::vector<RecordGroup> groups) {
  beginResetModel();
  by_ = by;
  rows_ = std::move(groups);
  arrange(sorted());
  most_ = 0;
  for (const RecordGroup& group : rows_)
    most_ = std::max(most_, group.records);
  endResetModel();
}

void GroupModel::setMediansKnown(bool known) {
  mediansKnown_ = known;
  tellChanged(Median, Median);
}

bool GroupModel::hasMore() const {
  return by_ == GroupBy::Task && std::any_of(rows_.begin(), rows_.end(),
                                             [](const RecordGroup& g) { return !g.more.empty(); });
}

GroupModel::Columns GroupModel::columns() const {
  const auto time = [](double seconds) {
    return std::isfinite(seconds) ? QString::number(seconds * 1e3, 'g', 9) : QString();
  };
  return {
      {.title = [this] { return facetTitle(by_); },
       .tip = [this] { return facetMeaning(by_); },
       .text = [this](const RecordGroup& group) { return groupTitle(by_, group); }},
      {.title = tr("Target"),
       .tip = tr("The machine of the group's records."),
       .text = [](const RecordGroup& group) { return taskTitle(group.more); }},
      {.title = tr("Records"),
       .tip = tr("Records that the filter lists; the bar is their part of the largest group."),
       .text = [](const RecordGroup& group) { return countText(group.records); },
       .align = kRight,
       .sort = [](const RecordGroup& group) { return double(group.records); },
       .bare = [](const RecordGroup& group) { return QString::number(group.records); },
       .fraction =
           [this](const RecordGroup& group) {
             return most_ > 0 ? QVariant(double(group.records) / double(most_)) : QVariant();
           }},
      {.title = tr("Best"),
       .tip = tr("The fastest median time; less is better. Unlike the best of the Tasks view, the "
                 "program need not have been checked."),
       .text =
           [](const RecordGroup& group) {
             return std::isfinite(group.best) ? timeText(group.best) : noValue();
           },
       .align = kRight,
       .sort = [](const RecordGroup& group) { return group.best; },
       .bare = [time](const RecordGroup& group) { return time(group.best); },
       .bareTitle = tr("Best, ms")},
      {.title = tr("Median"),
       .tip = tr("Half of the group's records with a time are faster. Read in the background, as "
                 "it needs every time."),
       .text =
           [this](const RecordGroup& group) {
             return group.median    ? timeText(*group.median)
                    : mediansKnown_ ? noValue()
                                    : QStringLiteral("…");
           },
       .align = kRight,
       .sort = [](const RecordGroup& group) { return group.median.value_or(INFINITY); },
       .bare = [time](const RecordGroup& group) { return time(group.median.value_or(INFINITY)); },
       .bareTitle = tr("Median, ms"),
       .colour =
           [](const RecordGroup& group) {
             return group.median ? QVariant() : QVariant(colours().dim);
           }},
      {.title = tr("Errors"),
       .tip = tr("The part of the records that ended in an error."),
       .text = [](const RecordGroup& group) { return percentText(errorPart(group)); },
       .align = kRight,
       .sort = errorPart,
       .bare =
           [](const RecordGroup& group) { return QString::number(100 * errorPart(group), 'g', 6); },
       .bareTitle = tr("Errors, %"),
       .colour =
           [](const RecordGroup& group) {
             return group.errors == 0 ? QVariant(colours().dim) : QVariant();
           },
       .fraction = errorPart},
      {.title = tr("Best record"),
       .tip = tr("The number of the fastest record in the file."),
       .text =
           [](const RecordGroup& group) {
             return group.bestRecord != 0 ? QString::number(group.bestRecord) : noValue();
           },
       .align = kRight,
       .sort = [](const RecordGroup& group) { return double(group.bestRecord); },
       .bare =
           [](const RecordGroup& group) {
             return group.bestRecord != 0 ? QString::number(group.bestRecord) : QString();
           }}};
}

QVariant GroupModel::rowData(const RecordGroup& group, int role) const {
  if (role != Qt::ToolTipRole) return {};
  QString tip = taskTitle(group.name);
  if (!group.more.empty()) tip += QLatin1Char('\n') + taskTitle(group.more);
  return tip + QLatin1Char('\n') +
         tr("%1 records, %2 of them errors. Double-click lists only these.")
             .arg(countText(group.records), countText(group.errors));
}

std::vector<std::size_t> GroupModel::sorted() const {
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto by = [&](const auto& keyOf) {
    std::vector<std::decay_t<decltype(keyOf(rows_[0]))>> keys;
    keys.reserve(rows_.size());
    for (const RecordGroup& group : rows_)
      keys.push_back(keyOf(group));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return order_ == Qt::AscendingOrder ? keys[a] < keys[b] : keys[b] < keys[a];
    });
  };
  const TableColumn<RecordGroup>& column = this->column(sortedBy_);
  if (column.sort)
    by([&](const RecordGroup& group) { return column.sort(group).toDouble(); });
  else
    by([&](const RecordGroup& group) { return column.text(group).toCaseFolded(); });
  return order;
}

void GroupModel::arrange(const std::vector<std::size_t>& rows) {
  std::vector<RecordGroup> groups;
  groups.reserve(rows_.size());
  for (const std::size_t row : rows)
    groups.push_back(std::move(rows_[row]));
  rows_ = std::move(groups);
}

void GroupModel::sort(int column, Qt::SortOrder order) {
  sortedBy_ = Column(column);
  order_ = order;
  Q_EMIT layoutAboutToBeChanged();
  const std::vector<std::size_t> rows = sorted();
  std::vector<int> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    places[rows[i]] = int(i);
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  for (const QModelIndex& one : before)
    after.append(index(places.at(std::size_t(one.row())), one.column()));
  arrange(rows);
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

} // namespace nestwright::ui

#include "moc_group_model.cpp"
