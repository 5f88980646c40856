#include "ui/records/group_model.h"

#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
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

void GroupModel::setGroups(GroupBy by, std::vector<RecordGroup> groups) {
  beginResetModel();
  by_ = by;
  groups_ = std::move(groups);
  arrange(sorted());
  most_ = 0;
  for (const RecordGroup& group : groups_)
    most_ = std::max(most_, group.records);
  endResetModel();
}

void GroupModel::setMediansKnown(bool known) {
  mediansKnown_ = known;
  if (!groups_.empty()) Q_EMIT dataChanged(index(0, Median), index(rowCount() - 1, Median));
}

bool GroupModel::hasMore() const {
  return by_ == GroupBy::Task && std::any_of(groups_.begin(), groups_.end(),
                                             [](const RecordGroup& g) { return !g.more.empty(); });
}

QString GroupModel::title(Column column) {
  switch (column) {
  case Name:
    return tr("Group");
  case More:
    return tr("Target");
  case Records:
    return tr("Records");
  case Best:
    return tr("Best");
  case Median:
    return tr("Median");
  case Errors:
    return tr("Errors");
  case BestRecord:
    return tr("Best record");
  default:
    return {};
  }
}

int GroupModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(groups_.size());
}

int GroupModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString GroupModel::text(const RecordGroup& group, Column column) const {
  switch (column) {
  case Name:
    return groupTitle(by_, group);
  case More:
    return taskTitle(group.more);
  case Records:
    return countText(group.records);
  case Best:
    return std::isfinite(group.best) ? timeText(group.best) : noValue();
  case Median:
    return group.median ? timeText(*group.median) : mediansKnown_ ? noValue() : QStringLiteral("…");
  case Errors:
    return percentText(errorPart(group));
  case BestRecord:
    return group.bestRecord != 0 ? QString::number(group.bestRecord) : noValue();
  default:
    return {};
  }
}

std::vector<std::size_t> GroupModel::sorted() const {
  std::vector<std::size_t> rows(groups_.size());
  std::iota(rows.begin(), rows.end(), std::size_t(0));
  const auto by = [&](const auto& keyOf) {
    using Key = std::decay_t<decltype(keyOf(groups_[0]))>;
    std::vector<Key> keys;
    keys.reserve(groups_.size());
    for (const RecordGroup& group : groups_)
      keys.push_back(keyOf(group));
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return order_ == Qt::AscendingOrder ? keys[a] < keys[b] : keys[b] < keys[a];
    });
  };
  switch (sortedBy_) {
  case Records:
    by([](const RecordGroup& group) { return group.records; });
    break;
  case Best:
    by([](const RecordGroup& group) { return group.best; });
    break;
  case Median:
    by([](const RecordGroup& group) { return group.median.value_or(INFINITY); });
    break;
  case Errors:
    by(errorPart);
    break;
  case BestRecord:
    by([](const RecordGroup& group) { return group.bestRecord; });
    break;
  default:
    by([this](const RecordGroup& group) { return text(group, sortedBy_).toCaseFolded(); });
  }
  return rows;
}

void GroupModel::arrange(const std::vector<std::size_t>& rows) {
  std::vector<RecordGroup> groups;
  groups.reserve(groups_.size());
  for (const std::size_t row : rows)
    groups.push_back(std::move(groups_[row]));
  groups_ = std::move(groups);
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

/// For tables of other programs, in the headers' units.
QVariant GroupModel::bare(const RecordGroup& group, Column column) const {
  switch (column) {
  case Records:
    return QString::number(group.records);
  case Best:
    return std::isfinite(group.best) ? QString::number(group.best * 1e3, 'g', 9) : QString();
  case Median:
    return group.median ? QString::number(*group.median * 1e3, 'g', 9) : QString();
  case Errors:
    return QString::number(100 * errorPart(group), 'g', 6);
  case BestRecord:
    return group.bestRecord != 0 ? QString::number(group.bestRecord) : QString();
  default:
    return {};
  }
}

QVariant GroupModel::part(const RecordGroup& group, Column column) const {
  if (column == Records && most_ > 0) return double(group.records) / double(most_);
  if (column == Errors) return errorPart(group);
  return {};
}

QString GroupModel::tip(const RecordGroup& group) const {
  QString tip = taskTitle(group.name);
  if (!group.more.empty()) tip += QLatin1Char('\n') + taskTitle(group.more);
  return tip + QLatin1Char('\n') +
         tr("%1 records, %2 of them errors. Double-click lists only these.")
             .arg(countText(group.records), countText(group.errors));
}

QVariant GroupModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const RecordGroup& group = groups_.at(std::size_t(index.row()));
  const auto column = Column(index.column());
  switch (role) {
  case Qt::DisplayRole:
    return text(group, column);
  case Qt::ToolTipRole:
    return tip(group);
  case Qt::TextAlignmentRole:
    return int((column <= More ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  case Qt::ForegroundRole:
    if (column == Errors && group.errors == 0) return colours().dim;
    if (column == Median && !group.median) return colours().dim;
    return {};
  case PartRole:
    return part(group, column);
  case kExportRole:
    return bare(group, column);
  default:
    return {};
  }
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto column = Column(section);
  if (role == Qt::DisplayRole) return column == Name ? facetTitle(by_) : title(column);
  if (role == Qt::TextAlignmentRole)
    return int((column <= More ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == kExportRole) {
    if (column == Best) return tr("Best, ms");
    if (column == Median) return tr("Median, ms");
    if (column == Errors) return tr("Errors, %");
    return column == Name ? facetTitle(by_) : title(column);
  }
  if (role != Qt::ToolTipRole) return {};
  switch (column) {
  case More:
    return tr("The machine of the group's records.");
  case Name:
    return facetMeaning(by_);
  case Records:
    return tr("Records that the filter lists; the bar is their part of the largest group.");
  case Best:
    return tr("The fastest median time; less is better. Unlike the best of the Tasks view, the "
              "program need not have been checked.");
  case Median:
    return tr("Half of the group's records with a time are faster. Read in the background, as it "
              "needs every time.");
  case Errors:
    return tr("The part of the records that ended in an error.");
  case BestRecord:
    return tr("The number of the fastest record in the file.");
  default:
    return title(column);
  }
}

} // namespace nestwright::ui
