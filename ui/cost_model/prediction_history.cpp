#include "ui/cost_model/prediction_history.h"

#include "core/record/store/record_rows.h"
#include "ui/document/document.h"
#include "ui/document/reader.h"
#include "ui/document/replay_mode.h"
#include "ui/document/session_follower.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {

/// Other questions to the file get their turn between pages.
constexpr int kPage = 1000;
constexpr int kReadMilliseconds = 300;

struct Page {
  std::vector<PredictedProgram> programs; // in the order asked for
  int looked = 0;
  RowId first = 0, last = 0; // records
};

using Marks = std::shared_ptr<const OtherMarks>;

Page readPage(const RecordStore& store, RowId session, RecordQuery::Order order, RowId after,
              const Marks& marks) {
  RecordQuery query;
  query.marks = marks;
  query.session = session;
  query.order = order;
  query.limit = kPage;
  query.after = after;
  Page page;
  for (const Record& record : store.records().page(query)) {
    if (page.looked++ == 0) page.first = record.id;
    page.last = record.id;
    if (const std::optional<PredictedProgram> program = predictionOf(record))
      page.programs.push_back(*program);
  }
  return page;
}

} // namespace

PredictionHistory::PredictionHistory(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &PredictionHistory::read);
  connect(&document, &Document::stateChanged, this, &PredictionHistory::restart);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &PredictionHistory::restart);
  connect(&document.follower(), &SessionFollower::jumped, this, &PredictionHistory::restart);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, &PredictionHistory::schedule);
  connect(&document.follower(), &SessionFollower::historyChanged, this,
          &PredictionHistory::schedule);
}

void PredictionHistory::restart() {
  document_.reader().cancel(Reader::Channel::Predictions);
  predictions_.clear();
  older_.clear();
  oldest_ = newest_ = 0;
  looked_ = 0;
  complete_ = cut_ = false;
  reading_ = document_.state() == DocumentState::Ready;
  Q_EMIT changed();
  schedule();
}

void PredictionHistory::schedule() {
  stale_ = true;
  setWanted(wanted_);
}

void PredictionHistory::setWanted(bool wanted) {
  wanted_ = wanted;
  if (wanted_ && stale_ && document_.state() == DocumentState::Ready && !timer_.isActive() &&
      !document_.reader().busy(Reader::Channel::Predictions))
    timer_.start(complete_ ? kReadMilliseconds : 0);
}

void PredictionHistory::read() {
  if (document_.state() != DocumentState::Ready) return;
  stale_ = false;
  if (complete_)
    readNewer();
  else
    readOlder();
}

void PredictionHistory::readOlder() {
  // Later records have not happened yet in a replay.
  const RowId newest = document_.replayMode().newestRecord();
  const bool unbounded = newest == std::numeric_limits<RowId>::max();
  const RowId after = oldest_ != 0 ? oldest_ : unbounded ? 0 : newest + 1;
  document_.reader().ask<Page>(
      this, Reader::Channel::Predictions,
      [session = document_.session().row().id, after,
       marks = document_.replayMode().otherMarks()](const RecordStore& store) {
        return readPage(store, session, RecordQuery::Order::Newest, after, marks);
      },
      [this](const Page& page) {
        if (newest_ == 0) newest_ = page.first;
        oldest_ = page.last;
        looked_ += page.looked;
        older_.insert(older_.end(), page.programs.begin(), page.programs.end());
        if (page.looked == kPage && looked_ < kMaxTrials) return readOlder();
        cut_ = page.looked == kPage;
        complete_ = true;
        std::ranges::reverse(older_);
        predictions_.add(std::exchange(older_, {}));
        finish();
      },
      [this](const QString&) { finish(); });
}

void PredictionHistory::readNewer() {
  document_.reader().ask<Page>(
      this, Reader::Channel::Predictions,
      [session = document_.session().row().id, after = newest_,
       marks = document_.replayMode().otherMarks()](const RecordStore& store) {
        return readPage(store, session, RecordQuery::Order::Oldest, after, marks);
      },
      [this](Page page) {
        const RowId limit = document_.replayMode().newestRecord();
        std::erase_if(page.programs, [&](const PredictedProgram& p) { return p.record > limit; });
        predictions_.add(page.programs);
        const bool more = page.looked == kPage && page.last <= limit;
        newest_ = page.looked == 0 ? newest_ : std::min(page.last, limit);
        finish();
        if (more) schedule();
      },
      [this](const QString&) { finish(); });
}

void PredictionHistory::finish() {
  reading_ = false;
  predictions_.compare(document_.session().history());
  Q_EMIT changed();
  setWanted(wanted_); // what came meanwhile
}

} // namespace nestwright::ui
