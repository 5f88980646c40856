#include "ui/records/record_model.h"

#include "ui/charts/note_marks.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/program_drag.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {

namespace {
constexpr int kHeadMilliseconds = 400; // new records are read this often at most
constexpr int kMostByKey = 20'000;     // rows that are listed before they are counted
constexpr int kMostAtOnce = 200;       // rows that are read together: a tall screen of them

/// In place of one that is not in the file any more.
Record goneRecord(RowId id) {
  Record record;
  record.id = id;
  record.result.verdict = Verdict::Cancelled;
  return record;
}

bool beginsWith(const RecordRanks& ranks, const std::vector<RowId>& head) {
  if (ranks.size() < std::int64_t(head.size())) return false;
  for (std::size_t i = 0; i < head.size(); ++i)
    if (ranks.at(std::int64_t(i)) != head[i]) return false;
  return true;
}

/// The file keeps no index with this order.
bool isMade(BrowseOrder order) {
  return order >= BrowseOrder::ByThroughput;
}

} // namespace

RecordModel::RecordModel(Document& document, QObject* parent)
    : ColumnModel(parent), document_(document),
      store_(std::make_shared<ConnectionCache<RecordBrowser>>()) {
  setColumns(columns());
  headTimer_.setSingleShot(true);
  headTimer_.setInterval(kHeadMilliseconds);
  fetchTimer_.setSingleShot(true);
  fetchTimer_.setInterval(0);
  connect(&ranking_, &RecordRanking::counted, this, &RecordModel::takeCount);
  connect(&ranking_, &RecordRanking::ranked, this, &RecordModel::takeRanking);
  connect(&ranking_, &RecordRanking::failed, this, &RecordModel::failed);
  connect(&ranking_, &RecordRanking::progressChanged, this, &RecordModel::progressChanged);
  connect(&fetchTimer_, &QTimer::timeout, this, &RecordModel::fetch);
  connect(&headTimer_, &QTimer::timeout, this, &RecordModel::refresh);
  connect(&document, &Document::stateChanged, this, &RecordModel::reload);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &RecordModel::reload);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!headTimer_.isActive()) headTimer_.start();
  });
  connect(&document.notes(), &NoteBook::changed, this, [this] { tellChanged(); });
  connect(&document.follower(), &SessionFollower::jumped, this, [this] {
    headTimer_.stop();
    rank(false); // what is shown stays until the other moment's rows are there
  });
}

void RecordModel::setListing(const RecordListing& listing) {
  if (listing == listing_) return;
  listing_ = listing;
  reload();
}

BrowseQuery RecordModel::query() const {
  BrowseQuery query{queryOf(document_, listing_), listing_.order};
  query.limit = kPage;
  return query;
}

void RecordModel::failed(const QString& why) {
  loading_ = fetching_ = false, counted_ = headEnds_ = true;
  problem_ = why;
  Q_EMIT loaded();
}

void RecordModel::reload() {
  headTimer_.stop();
  headTimer_.setInterval(kHeadMilliseconds);
  const bool ready = document_.state() == DocumentState::Ready;
  beginResetModel();
  rows_ = 0, ranks_.reset(), head_.clear(), guesses_.clear();
  cache_.clear();
  missingFirst_ = missingLast_ = -1;
  problem_.clear();
  stopped_ = fetching_ = false;
  loading_ = ready, counted_ = headEnds_ = !ready;
  endResetModel();
  ranking_.cancel();
  if (ready) {
    if (isMade(listing_.order))
      pages_.cancel();
    else
      readHead(0);
    return rank(false);
  }
  pages_.ask<bool>(
      [store = store_](const Job&) {
        store->close();
        return true;
      },
      [](bool) {}, {});
  ranking_.close();
  Q_EMIT loaded();
}

// --- the first rows, by key

void RecordModel::readHead(RowId after) {
  BrowseQuery query = this->query();
  if (after != 0) query.after = after;
  fetching_ = true;
  pages_.ask<Rows>(
      [query, path = document_.file().path(), cache = store_](const Job& job) {
        RecordBrowser& store = cache->at(path);
        Rows rows;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] { rows = rowsOf(store.records(query)); });
        return rows;
      },
      [this, first = after == 0](Rows rows) { takeHead(std::move(rows), first); },
      [this](const QString& why) { failed(why); });
}

void RecordModel::takeHead(Rows rows, bool first) {
  loading_ = fetching_ = false;
  const int before = first ? 0 : int(head_.size());
  headEnds_ = rows.size() < kPage;
  if (!ranks_) {
    for (const RecordRow& row : rows)
      head_.push_back(row.record.id);
  }
  for (RecordRow& row : rows)
    cache_.add(std::move(row));
  if (!counted_) {
    setRows(std::int64_t(head_.size()));
    if (headEnds_) counted_ = true;
  }
  if (rows_ > before) Q_EMIT dataChanged(index(before, 0), index(rows_ - 1, ColumnCount - 1));
  Q_EMIT loaded();
  Q_EMIT rowsRead();
}

bool RecordModel::canFetchMore(const QModelIndex& parent) const {
  return !parent.isValid() && !counted_ && !loading_ && !fetching_ && !headEnds_ &&
         !head_.empty() && int(head_.size()) < kMostByKey;
}

void RecordModel::fetchMore(const QModelIndex& parent) {
  if (canFetchMore(parent)) readHead(head_.back());
}

// --- all of them, by rank

void RecordModel::rank(bool again) {
  ++round_;
  ranking_.ask(document_.file().path(), query(), again ? ranks_ : nullptr);
}

void RecordModel::setRows(std::int64_t count) {
  const int rows = int(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
  if (rows > rows_) {
    beginInsertRows({}, rows_, rows - 1);
    rows_ = rows;
    endInsertRows();
  } else if (rows < rows_) {
    beginRemoveRows({}, rows, rows_ - 1);
    rows_ = rows;
    endRemoveRows();
  }
}

/// How many there are is known before their order is.
void RecordModel::takeCount(std::int64_t count) {
  if (ranks_) return;
  counted_ = true;
  setRows(count);
  Q_EMIT loaded();
}

void RecordModel::takeRanking(Ranking ranking) {
  // In a file of millions the machine is not kept busy with that.
  headTimer_.setInterval(std::max<int>(kHeadMilliseconds, 20 * ranking.milliseconds));
  for (RecordRow& row : ranking.first)
    cache_.add(std::move(row));
  const bool grows = ranks_ && ranking.place >= 0;
  const bool fits = !ranks_ && beginsWith(*ranking.ranks, head_);
  if (ranks_ && ranking.same) {
    ranks_ = std::move(ranking.ranks);
  } else if (grows) {
    const int first = int(ranking.place), last = int(ranking.place + ranking.count - 1);
    beginInsertRows({}, first, last);
    ranks_ = std::move(ranking.ranks);
    rows_ = int(ranks_->size());
    endInsertRows();
  } else if (fits) {
    ranks_ = std::move(ranking.ranks);
    setRows(ranks_->size());
    tellChanged();
  } else {
    beginResetModel();
    ranks_ = std::move(ranking.ranks);
    rows_ = int(std::min<std::int64_t>(ranks_->size(), std::numeric_limits<int>::max()));
    endResetModel();
  }
  head_.clear();
  guesses_.clear();
  missingFirst_ = missingLast_ = -1;
  if (loading_) pages_.cancel();
  loading_ = fetching_ = stopped_ = false;
  counted_ = headEnds_ = true;
  Q_EMIT loaded();
}

void RecordModel::stop() {
  if (ranks_) return;
  ++round_;
  ranking_.cancel();
  pages_.cancel();
  loading_ = fetching_ = false;
  stopped_ = true;
  Q_EMIT loaded();
}

void RecordModel::refresh() {
  if (document_.state() != DocumentState::Ready) return;
  if (!ranks_ || ranking_.isBusy()) return headTimer_.start();
  rank(true);
}

// --- rows that someone looks at

RowId RecordModel::recordAt(int row) const {
  if (row < 0 || row >= rows_) return 0;
  if (ranks_) return ranks_->at(row);
  if (row < int(head_.size())) return head_[std::size_t(row)];
  const auto guess = guesses_.find(row);
  return guess == guesses_.end() ? 0 : guess->second;
}

void RecordModel::miss(int row) const {
  if (missingFirst_ < 0 || row < missingFirst_ - kMostAtOnce || row > missingLast_ + kMostAtOnce)
    missingFirst_ = missingLast_ = row; // elsewhere
  missingFirst_ = std::min(missingFirst_, row);
  missingLast_ = std::max(missingLast_, row);
  if (!fetching_ && !fetchTimer_.isActive()) fetchTimer_.start();
}

/// One question at a time: what is looked at while it is answered comes next, and what was only
/// scrolled past is never read.
void RecordModel::fetch() {
  if (fetching_ || missingFirst_ < 0 || document_.state() != DocumentState::Ready) return;
  const int last = std::min(missingLast_, rows_ - 1);
  const int first = std::max(missingFirst_, last - kMostAtOnce);
  missingFirst_ = missingLast_ = -1;
  if (first > last) return;
  std::vector<RowId> records;
  for (int row = first; row <= last; ++row)
    if (const RowId record = recordAt(row); record != 0 && !cache_.find(record))
      records.push_back(record);
  if (!records.empty()) return readRows(first, std::move(records));
  if (!ranks_) guessRows(first, last);
}

void RecordModel::readRows(int first, std::vector<RowId> records) {
  fetching_ = true;
  pages_.ask<Rows>([records, path = document_.file().path(), cache = store_](
                       const Job&) { return rowsOf(cache->at(path).records(records)); },
                   [this, first, records](Rows rows) {
                     fetching_ = false;
                     for (const RowId record : records)
                       cache_.add(RecordRow{goneRecord(record), 0, 0, {}}); // unless it comes
                     for (RecordRow& row : rows)
                       cache_.add(std::move(row));
                     const int last = std::min(rows_ - 1, first + 2 * kMostAtOnce);
                     if (last >= first)
                       Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1));
                     if (missingFirst_ >= 0) fetchTimer_.start();
                     Q_EMIT rowsRead();
                   },
                   [this](const QString& why) { failed(why); });
}

/// While the order is being made: beside rows that are there, or about where these should be.
void RecordModel::guessRows(int first, int last) {
  if (stopped_) return;
  BrowseQuery query = this->query();
  query.limit = last - first + 1;
  const RowId before = recordAt(first - 1), after = recordAt(last + 1);
  if (before != 0)
    query.after = before;
  else if (after != 0)
    query.after = after, query.backwards = true;
  fetching_ = true;
  pages_.ask<Rows>(
      [query, part = double(first) / std::max(1, rows_ - 1), path = document_.file().path(),
       cache = store_](const Job& job) mutable {
        RecordBrowser& store = cache->at(path);
        Rows rows;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] {
                              if (query.after == 0)
                                if (const RowId near = store.near(query, part)) query.after = near;
                              rows = rowsOf(store.records(query));
                            });
        return rows;
      },
      [this, first, last, round = round_](Rows rows) {
        fetching_ = false;
        if (round != round_ || ranks_) return;
        for (int row = first; row <= last; ++row) {
          const auto i = std::size_t(row - first);
          guesses_[row] = i < rows.size() ? rows[i].record.id : 0;
        }
        for (RecordRow& row : rows)
          cache_.add(std::move(row));
        Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1));
        if (missingFirst_ >= 0) fetchTimer_.start();
        Q_EMIT rowsRead();
      },
      [this](const QString& why) { failed(why); });
}

void RecordModel::setTimes(double best, double worst) {
  if (best == best_ && worst == worst_) return;
  best_ = best, worst_ = worst;
  if (rows_ > 0)
    Q_EMIT dataChanged(index(0, Latency), index(rowCount() - 1, Latency), {FractionRole});
}

Qt::ItemFlags RecordModel::flags(const QModelIndex& index) const {
  return ColumnModel::flags(index) | (index.isValid() ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QStringList RecordModel::mimeTypes() const {
  return {programMimeType()};
}

QMimeData* RecordModel::mimeData(const QModelIndexList& indexes) const {
  std::vector<ProgramRef> programs;
  int last = -1;
  for (const QModelIndex& index : indexes) {
    if (std::exchange(last, index.row()) == index.row()) continue; // another cell of the row
    ProgramRef program;
    program.file = document_.file().path();
    program.record = recordAt(index.row());
    program.task = index.data(TaskRole).toLongLong();
    if (program.task == 0) program.task = listing_.task; // of a row that was not read yet
    if (program.record != 0) programs.push_back(program);
  }
  return programs.empty() ? nullptr : toMimeData(programs);
}

int RecordModel::rowOf(RowId record) const {
  if (ranks_) return int(ranks_->rankOf(record));
  const auto found = std::find(head_.begin(), head_.end(), record);
  return found == head_.end() ? -1 : int(found - head_.begin());
}

int RecordModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

// --- cells

RecordModel::Columns RecordModel::columns() const {
  Columns columns;
  for (const RecordColumn& column : recordColumns())
    columns.push_back(shown(column));
  NW_ASSERT(columns.size() == ColumnCount, "each column of the records has a name");
  columns[Outcome].colour = [](const RecordRow& row) {
    return row.record.result.verdict == Verdict::Ok ? colours().dim : colours().failed;
  };
  columns[Latency].fraction = [this](const RecordRow& row) { return part(row); };
  // In a column that is mostly in sight, beside the number.
  columns[Trial].other = [this](const RecordRow& row, int role) {
    if (role != Qt::DecorationRole) return QVariant();
    const Note& note = noteOf(document_.notes().all(), row.record.id);
    return note.empty() ? QVariant() : QVariant(noteIcon(note));
  };
  return columns;
}

TableColumn<RecordRow> RecordModel::shown(const RecordColumn& column) const {
  TableColumn<RecordRow> shown{
      .title = column.title,
      .tip = column.tip,
      .text = [this, text = column.text](const RecordRow& row) { return text(row, document_); },
      .align = column.isNumber ? kRight : kLeft,
      .bareTitle = column.bareTitle};
  if (column.isNumber)
    shown.bare = [this, bare = column.exported](const RecordRow& row) {
      const TaskEntry* task = document_.session().task(row.record.task);
      return bare(row.record, {{}, task ? task->row.flops : 0});
    };
  if (column.toolTip)
    shown.toolTip = [this, tip = column.toolTip](const RecordRow& row) {
      return tip(row, document_);
    };
  if (column.isQuiet) shown.colour = kDimmed;
  return shown;
}

QVariant RecordModel::part(const RecordRow& row) const {
  if (row.record.result.verdict != Verdict::Ok || !(best_ > 0) || !(worst_ > best_)) return {};
  return std::clamp(std::log(row.seconds / best_) / std::log(worst_ / best_), 0.0, 1.0);
}

const RecordRow* RecordModel::rowAt(const QModelIndex& index) const {
  const RowId record = recordAt(index.row());
  return record != 0 ? cache_.find(record) : nullptr;
}

QVariant RecordModel::rowData(const RecordRow& row, int role) const {
  switch (role) {
  case RecordRole:
    return qint64(row.record.id);
  case TaskRole:
    return qint64(row.record.task);
  case ErrorRole:
    return row.record.result.verdict != Verdict::Ok;
  default:
    return {};
  }
}

QVariant RecordModel::waitingData(const QModelIndex& index, int role) const {
  if (index.row() >= rows_) return {};
  const auto guess = guesses_.find(index.row());
  if ((role == Qt::DisplayRole || role == ExportRole) &&
      (guess == guesses_.end() || guess->second != 0))
    miss(index.row());
  switch (role) {
  case Qt::DisplayRole:
    return QStringLiteral("…");
  case Qt::TextAlignmentRole:
    return int(column(index.column()).align);
  case Qt::ForegroundRole:
    return colours().faint;
  case RecordRole:
    return qint64(recordAt(index.row()));
  default:
    return {};
  }
}

std::optional<QString> RecordModel::textAt(int row, int column) const {
  const RecordRow* found = cache_.find(recordAt(row));
  return found != nullptr ? std::optional(this->column(column).text(*found)) : std::nullopt;
}

} // namespace nestwright::ui
