#include "ui/record_model.h"

#include "ui/document.h"
#include "ui/exportable.h"
#include "ui/format.h"
#include "ui/program_ref.h"
#include "ui/record_export.h"
#include "ui/store_cache.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {
constexpr int kHeadMilliseconds = 400; // new records are read this often at most

Qt::Alignment alignmentOf(int column) {
  switch (column) {
  case RecordModel::Number:
  case RecordModel::Session:
  case RecordModel::Trial:
  case RecordModel::Latency:
  case RecordModel::Throughput:
  case RecordModel::Spread:
  case RecordModel::Wall:
    return Qt::AlignRight | Qt::AlignVCenter;
  default:
    return Qt::AlignLeft | Qt::AlignVCenter;
  }
}

} // namespace

RecordModel::RecordModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), document_(document), store_(std::make_shared<StoreCache>()) {
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

void RecordModel::setListing(const RecordListing& listing) {
  if (listing == listing_) return;
  listing_ = listing;
  reload();
}

RecordQuery RecordModel::query() const {
  RecordQuery query = queryOf(document_, listing_);
  query.limit = kPage;
  return query;
}

RecordModel::Rows RecordModel::readPage(const RecordStore& store, const RecordQuery& query) {
  Rows rows;
  for (Record& record : store.records(query)) {
    Row row;
    row.seconds = record.result.median();
    row.spread = relativeSpread(record.result.seconds);
    if (record.result.verdict != Verdict::Ok) row.sentence = qs(oneSentence(record.result));
    row.record = std::move(record);
    row.record.steps = {}, row.record.trace = {}, row.record.result.error = {};
    rows.push_back(std::move(row));
  }
  return rows;
}

void RecordModel::ask(const RecordQuery& query, std::function<void(Rows)> take) {
  loading_ = true;
  pages_.ask<Rows>(
      [query, path = document_.path(), cache = store_](const Job& job) {
        const RecordStore& store = cache->at(path);
        Rows rows;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] { rows = readPage(store, query); });
        return rows;
      },
      std::move(take),
      [this](const QString& why) {
        loading_ = false, complete_ = true;
        problem_ = why;
        Q_EMIT loaded();
      });
}

void RecordModel::reload() {
  headTimer_.stop();
  beginResetModel();
  rows_.clear();
  problem_.clear();
  complete_ = document_.state() != DocumentState::Ready;
  loading_ = !complete_;
  endResetModel();
  if (!complete_) return readFirstPage();
  pages_.ask<bool>(
      [cache = store_](const Job&) {
        cache->close();
        return true;
      },
      [](bool) {}, {});
  Q_EMIT loaded();
}

void RecordModel::readFirstPage() {
  ask(query(), [this](Rows rows) {
    if (rows.empty()) {
      beginResetModel();
      rows_.clear();
      endResetModel();
    }
    append(std::move(rows), true);
  });
}

const char* RecordModel::key(Column column) {
  constexpr const char* kKeys[] = {"record",     "session", "trial",   "task", "latency",
                                   "throughput", "spread",  "verdict", "tags", "wall",
                                   "measured",   "program", "notes"};
  static_assert(std::size(kKeys) == ColumnCount);
  return kKeys[column];
}

void RecordModel::setTimes(double best, double worst) {
  if (best == best_ && worst == worst_) return;
  best_ = best, worst_ = worst;
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0, Latency), index(rowCount() - 1, Latency), {BarRole});
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
  RecordQuery next = query();
  next.after.emplace();
  next.after->id = rows_.back().record.id;
  ask(next, [this](Rows rows) { append(std::move(rows), false); });
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
  if (listing_.order == RecordQuery::Order::Oldest ||
      listing_.order == RecordQuery::Order::FirstTrial) {
    complete_ = false; // the new ones lie at the end, and come as the view gets there
    Q_EMIT loaded();
    return;
  }
  ask(query(), [this](Rows rows) {
    loading_ = false;
    prepend(std::move(rows));
  });
}

void RecordModel::prepend(Rows rows) {
  if (rows_.empty()) return append(std::move(rows), true);
  if (listing_.order != RecordQuery::Order::Newest) {
    // New rows lie anywhere; the first page is put in place of itself when it changed.
    const std::size_t count = std::min(rows.size(), rows_.size());
    const bool same =
        rows.size() <= rows_.size() &&
        std::equal(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows_.begin(),
                   [](const Row& a, const Row& b) { return a.record.id == b.record.id; });
    if (same) return;
    return append(std::move(rows), true);
  }
  const RowId top = rows_.front().record.id;
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.record.id <= top; });
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
                                  [&](const Row& row) { return row.record.id == record; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int RecordModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RecordModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString RecordModel::notes(const Row& row) const {
  const Record& record = row.record;
  QStringList notes;
  if (record.result.verdict != Verdict::Ok) notes.append(row.sentence);
  const TaskEntry* task = document_.task(record.task);
  if (task && task->summary.bestRecord == record.id)
    notes.append(tr("★ best"));
  else if (record.best)
    notes.append(tr("was best"));
  if (record.verified) notes.append(tr("verified"));
  if (record.contested) notes.append(tr("contested"));
  if (record.implausible) notes.append(tr("implausibly fast"));
  if (record.onDemand) notes.append(tr("on demand"));
  if (record.forgotten) notes.append(tr("forgotten"));
  return notes.join(QStringLiteral(", "));
}

QString RecordModel::text(const Row& row, int column) const {
  const Record& record = row.record;
  const bool ok = record.result.verdict == Verdict::Ok;
  const TaskEntry* task = document_.task(record.task);
  switch (column) {
  case Number:
    return countText(record.id);
  case Session:
    return countText(record.session);
  case Trial:
    return countText(record.trial);
  case Task:
    return task ? taskTitle(task->row.name) : tr("task %1").arg(record.task);
  case Latency:
    return ok ? timeText(row.seconds) : noValue();
  case Throughput:
    return ok && task ? throughputText(task->row.flops / row.seconds) : noValue();
  case Spread:
    return ok && row.spread > 0 ? percentText(row.spread) : noValue();
  case Outcome:
    return qs(name(record.result.verdict));
  case Tags: {
    QStringList tags;
    for (const std::string& tag : record.tags)
      tags.append(qs(tag));
    return tags.join(QStringLiteral(", "));
  }
  case Wall:
    return durationText(record.wallSeconds);
  case Measured:
    return record.result.startedAt > 0 ? momentText(record.result.startedAt) : noValue();
  case Program:
    return qs(record.program).left(12);
  case Notes:
    return notes(row);
  default:
    return {};
  }
}

QVariant RecordModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(rows_.size())) return {};
  const Row& row = rows_[index.row()];
  const bool ok = row.record.result.verdict == Verdict::Ok;
  switch (role) {
  case Qt::DisplayRole:
    return text(row, index.column());
  case kExportRole: {
    const TaskEntry* task = document_.task(row.record.task);
    return bareNumber(row.record, Column(index.column()), task ? task->row.flops : 0);
  }
  case Qt::ToolTipRole:
    if (index.column() == Notes && !ok) return row.sentence;
    if (index.column() == Program) return qs(row.record.program);
    return index.column() == Task || index.column() == Tags ? text(row, index.column())
                                                            : QVariant();
  case Qt::TextAlignmentRole:
    return QVariant::fromValue(alignmentOf(index.column()));
  case Qt::ForegroundRole:
    if (!ok && index.column() == Outcome) return colours().failed;
    if (index.column() >= Outcome && index.column() != Tags) return colours().dim;
    return {};
  case RecordRole:
    return static_cast<qlonglong>(row.record.id);
  case TaskRole:
    return static_cast<qlonglong>(row.record.task);
  case ErrorRole:
    return !ok;
  case BarRole:
    if (index.column() != Latency || !ok || !(best_ > 0) || !(worst_ > best_)) return {};
    return std::clamp(std::log(row.seconds / best_) / std::log(worst_ / best_), 0.0, 1.0);
  default:
    return {};
  }
}

QString RecordModel::title(Column column) {
  switch (column) {
  case Number:
    return tr("Record");
  case Session:
    return tr("Session");
  case Trial:
    return tr("Trial");
  case Task:
    return tr("Task");
  case Latency:
    return tr("Latency");
  case Throughput:
    return tr("Throughput");
  case Spread:
    return tr("Spread");
  case Outcome:
    return tr("Verdict");
  case Tags:
    return tr("Tags");
  case Wall:
    return tr("After");
  case Measured:
    return tr("Measured at");
  case Program:
    return tr("Program");
  case Notes:
    return tr("Notes");
  default:
    return {};
  }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(alignmentOf(section));
  if (role == kExportRole) return exportTitle(Column(section));
  if (role == Qt::DisplayRole) return title(Column(section));
  if (role != Qt::ToolTipRole) return {};
  switch (section) {
  case Number:
    return tr("Number of the record in the file.");
  case Session:
    return tr("Number of the session in the file.");
  case Trial:
    return tr("Number of the trial within the session.");
  case Task:
    return tr("The task whose program was measured.");
  case Latency:
    return tr("Median of the repeats. Lower is better. The bar goes from the fastest (none) "
              "to the slowest (full) of all that are listed, by ratio.");
  case Throughput:
    return tr("The task's floating-point operations divided by the latency. Higher is "
              "better.");
  case Spread:
    return tr("Slowest minus fastest repeat, divided by the median. Lower is steadier.");
  case Outcome:
    return tr("ok, or the stage at which the program failed.");
  case Tags:
    return tr("Words that you put on records, to find them again.");
  case Wall:
    return tr("Time since the session's start, pauses left out.");
  case Measured:
    return tr("When the measurement began, local time.");
  case Program:
    return tr("Beginning of the program's hash: equal programs have equal ones.");
  case Notes:
    return tr("Best: became its task's best. Verified: its outputs agreed with the naive "
              "program. For an error, its reason in one sentence.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
