#include "ui/records/record_pages.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

/// In place of one that is not in the file any more.
RecordRow goneRecord(RowId id) {
  RecordRow gone;
  gone.record.id = id;
  gone.record.result.verdict = Verdict::Cancelled;
  return gone;
}

} // namespace

RecordPages::RecordPages(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &RecordPages::want);
}

void RecordPages::keep(std::vector<RecordRow> rows) {
  for (RecordRow& row : rows)
    cache_.add(std::move(row));
}

void RecordPages::miss(int row) {
  if (missingFirst_ < 0 || row < missingFirst_ - kMostAtOnce || row > missingLast_ + kMostAtOnce)
    missingFirst_ = missingLast_ = row; // elsewhere
  missingFirst_ = std::min(missingFirst_, row);
  missingLast_ = std::max(missingLast_, row);
  if (!isBusy() && !timer_.isActive()) timer_.start();
}

void RecordPages::want() {
  if (isBusy() || missingFirst_ < 0) return;
  const int last = std::exchange(missingLast_, -1);
  const int first = std::max(std::exchange(missingFirst_, -1), last - kMostAtOnce);
  Q_EMIT wanted(first, last);
}

void RecordPages::read(const QString& path, const BrowseQuery& query, const Done& done) {
  ask(
      path, [query](RecordBrowser& store) { return rowsOf(store.records(query)); }, done);
}

void RecordPages::readNear(const QString& path, const BrowseQuery& query, double part,
                           const Done& done) {
  ask(
      path,
      [query, part](RecordBrowser& store) {
        BrowseQuery from = query;
        if (const RowId near = store.near(query, part)) from.after = near;
        return rowsOf(store.records(from));
      },
      done);
}

void RecordPages::read(const QString& path, const std::vector<RowId>& records, const Done& done) {
  ask(
      path,
      [records](RecordBrowser& store) {
        Rows rows;
        for (const RowId record : records)
          rows.push_back(goneRecord(record));
        for (RecordRow& row : rowsOf(store.records(records)))
          *std::ranges::find(rows, row.record.id,
                             [](const RecordRow& at) { return at.record.id; }) = std::move(row);
        return rows;
      },
      done);
}

void RecordPages::ask(const QString& path, std::function<Rows(RecordBrowser&)> read,
                      const Done& done) {
  asking_.ask<Rows>(
      [path, read = std::move(read), cache = asking_.connection()](const Job& job) {
        RecordBrowser& store = cache->at(path);
        Rows rows;
        store.interruptible([&job] { return !job.isStopped(); }, [&] { rows = read(store); });
        return rows;
      },
      [this, done](Rows rows) {
        std::vector<RowId> records;
        for (const RecordRow& row : rows)
          records.push_back(row.record.id);
        keep(std::move(rows));
        if (missingFirst_ >= 0) timer_.start();
        done(records);
      },
      [this](const QString& why) { Q_EMIT failed(why); });
}

void RecordPages::cancel() {
  asking_.cancel();
  timer_.stop();
  missingFirst_ = missingLast_ = -1;
}

void RecordPages::clear() {
  cancel();
  cache_.clear();
}

void RecordPages::leave() {
  clear();
  asking_.leave();
}

} // namespace nestwright::ui

#include "moc_record_pages.cpp"
