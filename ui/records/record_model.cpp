#include "ui/records/record_model.h"

#include "ui/charts/note_marks.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/program_drag.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {

namespace {
constexpr int kHeadMilliseconds = 400; // new records are read this often at most
constexpr int kMostByKey = 20'000;     // rows that are listed before they are counted

/// The file keeps no index with this order.
bool isMade(BrowseOrder order) {
  return order >= BrowseOrder::ByThroughput;
}

} // namespace

RecordModel::RecordModel(Document& document, QObject* parent)
    : ColumnModel(parent), document_(document) {
  setColumns(columns());
  headTimer_.setSingleShot(true);
  headTimer_.setInterval(kHeadMilliseconds);
  connect(&headTimer_, &QTimer::timeout, this, &RecordModel::refresh);
  connect(&ranking_, &RecordRanking::counted, this, &RecordModel::takeCount);
  connect(&ranking_, &RecordRanking::ranked, this, &RecordModel::takeRanking);
  connect(&ranking_, &RecordRanking::failed, this, &RecordModel::failed);
  connect(&ranking_, &RecordRanking::progressChanged, this, &RecordModel::progressChanged);
  connect(&pages_, &RecordPages::wanted, this, &RecordModel::readRows);
  connect(&pages_, &RecordPages::failed, this, &RecordModel::failed);
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
  loading_ = false, counted_ = headEnds_ = true;
  problem_ = why;
  Q_EMIT loaded();
}

void RecordModel::reload() {
  headTimer_.stop();
  headTimer_.setInterval(kHeadMilliseconds);
  const bool ready = document_.state() == DocumentState::Ready;
  beginResetModel();
  rows_ = 0;
  sequence_ = {};
  pages_.clear();
  problem_.clear();
  stopped_ = false;
  loading_ = ready, counted_ = headEnds_ = !ready;
  endResetModel();
  ranking_.cancel();
  if (ready) {
    if (!isMade(listing_.order)) readHead();
    return rank(false);
  }
  pages_.leave();
  ranking_.close();
  Q_EMIT loaded();
}

// --- the first rows, by key

/// After those that are there.
void RecordModel::readHead() {
  BrowseQuery query = this->query();
  if (!sequence_.head().empty()) query.after = sequence_.head().back();
  pages_.read(document_.file().path(), query,
              [this](const std::vector<RowId>& records) { takeHead(records); });
}

void RecordModel::takeHead(const std::vector<RowId>& records) {
  loading_ = false;
  headEnds_ = records.size() < kPage;
  const int first = int(sequence_.head().size());
  sequence_.append(records);
  if (!counted_) {
    setRows(std::ssize(sequence_.head()));
    counted_ = headEnds_;
  }
  tellRead(first, rows_ - 1);
  Q_EMIT loaded();
}

bool RecordModel::canFetchMore(const QModelIndex& parent) const {
  return !parent.isValid() && !counted_ && !loading_ && !pages_.isBusy() && !headEnds_ &&
         !sequence_.head().empty() && sequence_.head().size() < kMostByKey;
}

void RecordModel::fetchMore(const QModelIndex& parent) {
  if (canFetchMore(parent)) readHead();
}

// --- all of them, by rank

void RecordModel::rank(bool again) {
  ++round_;
  ranking_.ask(document_.file().path(), query(), again ? ranks() : nullptr);
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
  if (isRanked()) return;
  counted_ = true;
  setRows(count);
  Q_EMIT loaded();
}

void RecordModel::takeRanking(const Ranking& ranking) {
  // In a file of millions the machine is not kept busy with that.
  headTimer_.setInterval(std::max<int>(kHeadMilliseconds, 20 * ranking.milliseconds));
  if (!isRanked()) pages_.cancel(); // rows by key and guesses
  pages_.keep(ranking.first);
  const std::int64_t count = ranking.ranks->size();
  const bool grows = isRanked() && ranking.change.place >= 0;
  const bool fits = !isRanked() && sequence_.beginsAlike(*ranking.ranks);
  if (isRanked() && ranking.change.same) {
    sequence_.setRanks(ranking.ranks);
  } else if (grows) {
    beginInsertRows({}, int(ranking.change.place),
                    int(ranking.change.place + ranking.change.count - 1));
    sequence_.setRanks(ranking.ranks);
    rows_ = int(count);
    endInsertRows();
  } else if (fits) {
    sequence_.setRanks(ranking.ranks);
    setRows(count);
    tellChanged();
  } else {
    beginResetModel();
    sequence_.setRanks(ranking.ranks);
    rows_ = int(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
    endResetModel();
  }
  loading_ = stopped_ = false;
  counted_ = headEnds_ = true;
  Q_EMIT loaded();
}

void RecordModel::stop() {
  if (isRanked()) return;
  ++round_;
  ranking_.cancel();
  pages_.cancel();
  loading_ = false;
  stopped_ = true;
  Q_EMIT loaded();
}

void RecordModel::refresh() {
  if (document_.state() != DocumentState::Ready) return;
  if (!isRanked() || ranking_.isBusy()) return headTimer_.start();
  rank(true);
}

// --- rows that someone looks at

RowId RecordModel::recordAt(int row) const {
  return row < rows_ ? sequence_.at(row) : 0;
}

void RecordModel::readRows(int first, int last) {
  last = std::min(last, rows_ - 1);
  if (first > last || document_.state() != DocumentState::Ready) return;
  std::vector<RowId> records;
  for (int row = first; row <= last; ++row)
    if (const RowId record = recordAt(row); record != 0 && !pages_.find(record))
      records.push_back(record);
  if (!records.empty())
    // Some more, because rows may have come above them meanwhile.
    pages_.read(document_.file().path(), records, [this, first](const std::vector<RowId>&) {
      tellRead(first, std::min(rows_ - 1, first + 2 * RecordPages::kMostAtOnce));
    });
  else if (!isRanked() && !stopped_)
    guessRows(first, last);
}

/// While the order is being made: beside rows that are there, or about where these should be.
void RecordModel::guessRows(int first, int last) {
  const int count = last - first + 1;
  const auto done = [this, first, last, count, round = round_](const std::vector<RowId>& records) {
    if (round != round_) return;
    sequence_.guess(first, count, records);
    tellRead(first, last);
  };
  BrowseQuery query = this->query();
  query.limit = count;
  const QString& path = document_.file().path();
  if (const RowId before = recordAt(first - 1)) {
    query.after = before;
    pages_.read(path, query, done);
  } else if (const RowId after = recordAt(last + 1)) {
    query.after = after, query.backwards = true;
    pages_.read(path, query, done);
  } else {
    pages_.readNear(path, query, double(first) / std::max(1, rows_ - 1), done);
  }
}

void RecordModel::tellRead(int first, int last) {
  if (last >= first) Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1));
  Q_EMIT rowsRead();
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
  return int(sequence_.rowOf(record));
}

int RecordModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

// --- cells

RecordModel::Columns RecordModel::columns() const {
  Columns columns;
  for (const RecordColumn& column : recordColumns())
    columns.push_back(tableColumn(column, document_));
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

QVariant RecordModel::part(const RecordRow& row) const {
  if (row.record.result.verdict != Verdict::Ok || !(best_ > 0) || !(worst_ > best_)) return {};
  return std::clamp(std::log(row.seconds / best_) / std::log(worst_ / best_), 0.0, 1.0);
}

const RecordRow* RecordModel::rowAt(const QModelIndex& index) const {
  const RowId record = recordAt(index.row());
  return record != 0 ? pages_.find(record) : nullptr;
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
  if ((role == Qt::DisplayRole || role == ExportRole) && !sequence_.isVoid(index.row()))
    pages_.miss(index.row());
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
  const RecordRow* found = pages_.find(recordAt(row));
  return found != nullptr ? std::optional(this->column(column).text(*found)) : std::nullopt;
}

} // namespace nestwright::ui

#include "moc_record_model.cpp"
