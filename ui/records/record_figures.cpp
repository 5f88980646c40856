#include "ui/records/record_figures.h"

#include "core/record/store/record_rows.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {
RecordFigures::RecordFigures(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  grown_.setSingleShot(true);
  grown_.setInterval(kCountAgainMilliseconds);
  const auto again = [this] {
    recount();
    refigure();
  };
  connect(&grown_, &QTimer::timeout, this, again);
  connect(&document.follower(), &SessionFollower::recordsReread, this, again);
  connect(&document.follower(), &SessionFollower::jumped, this, again);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!grown_.isActive()) grown_.start();
  });
  connect(&document, &Document::stateChanged, this, [this, again] {
    chosen_.clear();
    forget();
    again();
  });
}

void RecordFigures::forget() {
  count_.reset();
  statistics_.reset();
  problem_.clear();
}

void RecordFigures::setListing(const RecordListing& listing) {
  if (sameRecords(listing, listing_)) return;
  listing_ = listing;
  chosen_.clear();
  forget();
  recount();
  refigure();
}

void RecordFigures::setChosen(std::vector<RowId> records) {
  if (records.size() < 2) records.clear();
  if (records == chosen_) return;
  chosen_ = std::move(records);
  statistics_.reset();
  refigure();
}

void RecordFigures::setWanted(bool wanted) {
  if (std::exchange(wanted_, wanted) != wanted && wanted && stale_) refigure();
}

void RecordFigures::recount() {
  if (document_.state() != DocumentState::Ready) {
    counting_.leave();
    Q_EMIT countChanged();
    return;
  }
  counting_.ask<std::int64_t>(
      [query = queryOf(document_, listing_), path = document_.file().path(),
       cache = counting_.connection()](const Job& job) {
        const RecordStore& store = cache->at(path);
        std::int64_t count = 0;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] { count = store.records().count(query); });
        return count;
      },
      [this](std::int64_t count) {
        count_ = count;
        Q_EMIT countChanged();
      },
      [this](const QString& why) {
        problem_ = why;
        Q_EMIT countChanged();
      });
  Q_EMIT countChanged();
}

void RecordFigures::refigure() {
  stale_ = true;
  const bool ready = document_.state() == DocumentState::Ready;
  if (!wanted_ || !ready) {
    ready ? figuring_.cancel() : figuring_.leave();
    Q_EMIT statisticsChanged();
    return;
  }
  stale_ = false;
  since_.start();
  figuring_.ask<RecordStatistics>(
      [query = queryOf(document_, listing_), chosen = chosen_, path = document_.file().path(),
       cache = figuring_.connection()](const Job& job) {
        const RecordStore& store = cache->at(path);
        RecordStatistics figures;
        store.interruptible([&job] { return !job.isStopped(); },
                            [&] {
                              figures = chosen.empty() ? store.records().statistics(query)
                                                       : store.records().statistics(chosen);
                            });
        return figures;
      },
      [this](RecordStatistics figures) {
        statistics_ = std::move(figures);
        // In a file of millions the machine is not kept busy with that.
        grown_.setInterval(std::max(kCountAgainMilliseconds, int(20 * since_.elapsed())));
        Q_EMIT statisticsChanged();
      },
      [this](const QString& why) {
        problem_ = why;
        Q_EMIT statisticsChanged();
      });
  Q_EMIT statisticsChanged();
}

} // namespace nestwright::ui

#include "moc_record_figures.cpp"
