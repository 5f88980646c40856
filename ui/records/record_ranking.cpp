#include "ui/records/record_ranking.h"

#include "core/record/query/quick_count.h"

#include <QElapsedTimer>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kToldMilliseconds = 100; // progress is told this often at most
constexpr int kMostAtTop = 60;         // rows that are read with the order

bool isByAge(BrowseOrder order) {
  return order == BrowseOrder::Newest || order == BrowseOrder::Oldest;
}
Ranking rankingOf(RecordBrowser& store, const BrowseQuery& query,
                  const RecordRanking::Ranks& before, const std::function<void(double)>& progress) {
  Ranking ranking;
  ranking.ranks = std::make_shared<const RecordRanks>(store.ranks(query, progress));
  std::vector<RowId> top;
  for (std::int64_t rank = 0; rank < std::min<std::int64_t>(kMostAtTop, ranking.ranks->size());
       ++rank)
    top.push_back(ranking.ranks->at(rank));
  ranking.first = rowsOf(store.records(top));
  if (!before) return ranking;
  ranking.change = changeOf(*before, *ranking.ranks);
  return ranking;
}

} // namespace

RecordRanking::RecordRanking(QObject* parent) : QObject(parent) {}

void RecordRanking::ask(const QString& path, const BrowseQuery& query, const Ranks& before) {
  const std::uint64_t round = ++round_;
  QElapsedTimer since;
  since.start();
  background_.ask<Ranking>(
      [this, round, query, before, path, cache = background_.connection()](const Job& job) {
        RecordBrowser& store = cache->at(path);
        const auto tell = [this, round](const std::function<void()>& what) {
          QMetaObject::invokeMethod(
              this,
              [this, round, what] {
                if (round == round_) what();
              },
              Qt::QueuedConnection);
        };
        QElapsedTimer told;
        told.start();
        Ranking ranking;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] {
                              BrowseQuery ages = query;
                              ages.order = BrowseOrder::Newest;
                              if (countsWithoutReading(query.records.filter) &&
                                  !isByAge(query.order) && !before) {
                                const std::int64_t count = store.ranks(ages).size();
                                tell([this, count] { Q_EMIT counted(count); });
                              }
                              ranking = rankingOf(store, query, before, [&](double part) {
                                if (told.elapsed() < kToldMilliseconds) return;
                                told.restart();
                                tell([this, part] { setProgress(part); });
                              });
                            });
        return ranking;
      },
      [this, since](Ranking ranking) {
        ranking.milliseconds = int(since.elapsed());
        setProgress({});
        Q_EMIT ranked(ranking);
      },
      [this](const QString& why) {
        setProgress({});
        Q_EMIT failed(why);
      });
}

void RecordRanking::cancel() {
  ++round_;
  background_.cancel();
  setProgress({});
}

void RecordRanking::close() {
  cancel();
  background_.close();
}

void RecordRanking::setProgress(std::optional<double> progress) {
  if (progress == progress_) return;
  progress_ = progress;
  Q_EMIT progressChanged();
}

} // namespace nestwright::ui

#include "moc_record_ranking.cpp"
