#include "ui/record_model.h"

#include "ui/document.h"
#include "ui/format.h"
#include "ui/program_ref.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {
constexpr int kHeadMilliseconds = 400; // new records are read this often at most
} // namespace

RecordModel::RecordModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), document_(document) {
  headTimer_.setSingleShot(true);
  connect(&headTimer_, &QTimer::timeout, this, &RecordModel::refreshHead);
  connect(&document, &Document::stateChanged, this, &RecordModel::reload);
  connect(&document, &Document::recordsReread, this, &RecordModel::reload);
  connect(&document, &Document::recordsAdded, this, [this] {
    if (!headTimer_.isActive()) headTimer_.start(kHeadMilliseconds);
  });
  connect(&document, &Document::jumped, this, [this] {
    headTimer_.stop();
    readFirstPage(); // what is shown stays until the other moment's rows are there
  });
}

void RecordModel::setFilter(const RecordFilter& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  reload();
}

RecordQuery RecordModel::query() const {
  RecordQuery query;
  query.session = document_.session().id;
  query.task = filter_.task;
  query.onlyErrors = filter_.onlyErrors;
  query.verdict = filter_.verdict;
  query.order = filter_.order;
  if (filter_.onlyForgotten) query.forgotten = RecordQuery::Forgotten::Only;
  query.limit = kPage;
  return query;
}

RecordModel::Rows RecordModel::readPage(const RecordStore& store, RecordQuery query, RowId newest) {
  if (query.order == RecordQuery::Order::Newest && !query.after &&
      newest < std::numeric_limits<RowId>::max()) {
    query.after.emplace();
    query.after->id = newest + 1;
  }
  std::vector<Record> records;
  for (bool more = true; more;) {
    std::vector<Record> page = store.records(query);
    more = page.size() == static_cast<std::size_t>(query.limit) && page.back().id > 0;
    if (more) query.after = page.back();
    for (Record& record : page)
      if (record.id <= newest) records.push_back(std::move(record));
    // The oldest first: all that follow are newer still.
    if (query.order == RecordQuery::Order::Oldest && more && query.after->id > newest) break;
    if (records.size() >= static_cast<std::size_t>(query.limit)) break;
  }
  Rows rows;
  for (Record& record : records) {
    Row row;
    row.seconds = record.result.median();
    row.spread = relativeSpread(record.result.seconds);
    row.verdict = record.result.verdict;
    row.best = record.best, row.verified = record.verified, row.implausible = record.implausible;
    if (row.verdict != Verdict::Ok) row.sentence = qs(oneSentence(record.result));
    row.key = std::move(record);
    row.key.steps.clear();
    row.key.steps.shrink_to_fit();
    row.key.trace = {}, row.key.program = {}, row.key.result.error = {};
    rows.push_back(std::move(row));
  }
  return rows;
}

void RecordModel::reload() {
  headTimer_.stop();
  document_.reader().cancel(Reader::Channel::RecordHead);
  beginResetModel();
  rows_.clear();
  problem_.clear();
  complete_ = document_.state() != DocumentState::Ready;
  loading_ = !complete_;
  endResetModel();
  if (complete_) {
    document_.reader().cancel(Reader::Channel::RecordPage);
    Q_EMIT loaded();
    return;
  }
  readFirstPage();
}

void RecordModel::readFirstPage() {
  loading_ = true;
  document_.reader().ask<Rows>(
      Reader::Channel::RecordPage,
      [query = query(), newest = document_.newestRecord()](const RecordStore& store) {
        return readPage(store, query, newest);
      },
      [this](Rows rows) {
        if (rows.empty()) {
          beginResetModel();
          rows_.clear();
          endResetModel();
        }
        append(std::move(rows), true);
      },
      [this](const QString& why) {
        loading_ = false, complete_ = true;
        problem_ = why;
        Q_EMIT loaded();
      });
}

Qt::ItemFlags RecordModel::flags(const QModelIndex& index) const {
  return QAbstractTableModel::flags(index) |
         (index.isValid() ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QStringList RecordModel::mimeTypes() const {
  return {programMimeType()};
}

QMimeData* RecordModel::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty()) return nullptr;
  ProgramRef program;
  program.file = document_.path();
  program.task = indexes.first().data(TaskRole).toLongLong();
  program.record = indexes.first().data(RecordRole).toLongLong();
  return toMimeData(program);
}

bool RecordModel::canFetchMore(const QModelIndex& parent) const {
  return !parent.isValid() && !complete_ && !loading_ && rows_.size() < kMaxRows;
}

void RecordModel::fetchMore(const QModelIndex& parent) {
  if (!canFetchMore(parent) || rows_.empty()) return;
  loading_ = true;
  RecordQuery next = query();
  next.after = rows_.back().key;
  document_.reader().ask<Rows>(
      Reader::Channel::RecordPage,
      [next, newest = document_.newestRecord()](const RecordStore& store) {
        return readPage(store, next, newest);
      },
      [this](Rows rows) { append(std::move(rows), false); },
      [this](const QString& why) {
        loading_ = false, complete_ = true;
        problem_ = why;
        Q_EMIT loaded();
      });
}

void RecordModel::append(Rows rows, bool fresh) {
  complete_ = rows.size() < kPage;
  if (!rows.empty()) {
    if (fresh) {
      beginResetModel();
      rows_.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
      endResetModel();
    } else {
      const int first = static_cast<int>(rows_.size());
      beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
      std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
      endInsertRows();
    }
  }
  // Only now: whoever hears of the rows before they are in place must not ask for the next page.
  loading_ = false;
  Q_EMIT loaded();
}

void RecordModel::refreshHead() {
  if (document_.state() != DocumentState::Ready || loading_) return;
  if (filter_.order == RecordQuery::Order::Oldest) {
    complete_ = false; // the new ones lie at the end, and come as the view gets there
    Q_EMIT loaded();
    return;
  }
  document_.reader().ask<Rows>(
      Reader::Channel::RecordHead,
      [query = query(), newest = document_.newestRecord()](const RecordStore& store) {
        return readPage(store, query, newest);
      },
      [this](Rows rows) { prepend(std::move(rows)); });
}

void RecordModel::prepend(Rows rows) {
  if (rows_.empty()) return append(std::move(rows), true);
  if (filter_.order == RecordQuery::Order::Fastest) {
    // New rows lie anywhere; the first page is put in place of itself when it changed.
    const std::size_t count = std::min(rows.size(), rows_.size());
    const bool same =
        rows.size() <= rows_.size() &&
        std::equal(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows_.begin(),
                   [](const Row& a, const Row& b) { return a.key.id == b.key.id; });
    if (same) return;
    return append(std::move(rows), true);
  }
  const RowId top = rows_.front().key.id;
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.key.id <= top; });
  if (known == rows.begin()) return;
  // More than a page arrived at once: the gap would have to be filled, so begin anew.
  if (known == rows.end() && rows.size() == kPage) return append(std::move(rows), true);
  const int count = static_cast<int>(known - rows.begin());
  beginInsertRows({}, 0, count - 1);
  rows_.insert(rows_.begin(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(known));
  endInsertRows();
  Q_EMIT loaded();
}

int RecordModel::rowOf(RowId record) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const Row& row) { return row.key.id == record; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int RecordModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RecordModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString RecordModel::notes(const Row& row) const {
  if (row.verdict != Verdict::Ok) return row.sentence;
  QStringList notes;
  const TaskEntry* task = document_.task(row.key.task);
  if (task && task->summary.bestRecord == row.key.id)
    notes.append(tr("★ best"));
  else if (row.best)
    notes.append(tr("was best"));
  if (row.verified) notes.append(tr("verified"));
  if (row.implausible) notes.append(tr("implausibly fast"));
  if (row.key.onDemand) notes.append(tr("on demand"));
  if (row.key.forgotten) notes.append(tr("forgotten"));
  return notes.join(QStringLiteral(", "));
}

QVariant RecordModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(rows_.size())) return {};
  const Row& row = rows_[index.row()];
  const bool ok = row.verdict == Verdict::Ok;
  switch (role) {
  case Qt::DisplayRole:
    switch (index.column()) {
    case Trial:
      return countText(row.key.trial);
    case Task: {
      const TaskEntry* task = document_.task(row.key.task);
      return task ? taskTitle(task->row.name) : QString();
    }
    case Latency:
      return ok ? timeText(row.seconds) : noValue();
    case Spread:
      return ok && row.spread > 0 ? percentText(row.spread) : noValue();
    case Outcome:
      return qs(name(row.verdict));
    case Notes:
      return notes(row);
    default:
      return {};
    }
  case Qt::ToolTipRole:
    return index.column() == Notes && !ok ? QVariant(row.sentence) : QVariant();
  case Qt::TextAlignmentRole: {
    const bool right =
        index.column() == Trial || index.column() == Latency || index.column() == Spread;
    return QVariant::fromValue(
        Qt::Alignment((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  case Qt::ForegroundRole:
    if (!ok && index.column() == Outcome) return colours().failed;
    if (index.column() == Notes || index.column() == Outcome) return colours().dim;
    return {};
  case RecordRole:
    return static_cast<qlonglong>(row.key.id);
  case TaskRole:
    return static_cast<qlonglong>(row.key.task);
  case ErrorRole:
    return !ok;
  default:
    return {};
  }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::TextAlignmentRole)
    return data(index(0, section), role).isValid()
               ? data(index(0, section), role)
               : QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
  const bool text = role == Qt::DisplayRole;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Trial:
    return text ? tr("Trial") : tr("Number of the trial within the session.");
  case Task:
    return text ? tr("Task") : tr("The task whose program was measured.");
  case Latency:
    return text ? tr("Latency") : tr("Median of the repeats. Lower is better.");
  case Spread:
    return text ? tr("Spread")
                : tr("Slowest minus fastest repeat, divided by the median. Lower is steadier.");
  case Outcome:
    return text ? tr("Verdict") : tr("ok, or the stage at which the program failed.");
  case Notes:
    return text ? tr("Notes")
                : tr("Best: became its task's best. Verified: its outputs agreed with the naive "
                     "program. For an error, its reason in one sentence.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
