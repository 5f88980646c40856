#pragma once
/// \file What a view wants of every record of the session, read page by page beside everything
/// else and kept up to date while the session runs or is replayed.

#include "core/record/store/record_rows.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"

#include <QObject>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace nestwright::ui {

/// An Item is made of a record, whose number is its member `record`.
template <class Item>
class RecordTrail {
 public:
  /// Of longer sessions the newest trials are looked at.
  static constexpr int kMaxTrials = 20'000;

  struct Use {
    /// Nothing for a record that is not wanted. On the reader's thread.
    std::function<std::optional<Item>(const Record&)> read;
    /// Everything begins anew: what was added is void.
    std::function<void()> begin;
    /// In the order of their records.
    std::function<void(std::vector<Item>)> add;
    /// What was asked for has been added, or could not be read.
    std::function<void()> told;
  };

  RecordTrail(Document& document, Reader::Channel channel, Use use)
      : document_(document), channel_(channel), use_(std::move(use)) {
    timer_.setSingleShot(true);
    const auto restart = [this] { this->restart(); };
    const auto schedule = [this] { this->schedule(); };
    QObject::connect(&timer_, &QTimer::timeout, &context_, [this] { read(); });
    QObject::connect(&document, &Document::stateChanged, &context_, restart);
    const SessionFollower& follower = document.follower();
    QObject::connect(&follower, &SessionFollower::recordsReread, &context_, restart);
    QObject::connect(&follower, &SessionFollower::jumped, &context_, restart);
    QObject::connect(&follower, &SessionFollower::recordsAdded, &context_, schedule);
    QObject::connect(&follower, &SessionFollower::historyChanged, &context_, schedule);
  }

  /// True until the session's records were looked through once.
  bool isReading() const { return reading_; }
  /// True when older trials were left out.
  bool isCut() const { return cut_; }
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted) {
    wanted_ = wanted;
    if (wanted_ && stale_ && document_.state() == DocumentState::Ready && !timer_.isActive() &&
        !document_.reader().busy(channel_))
      timer_.start(complete_ ? kReadMilliseconds : 0);
  }

 private:
  /// Other questions to the file get their turn between pages.
  static constexpr int kPage = 1000;
  static constexpr int kReadMilliseconds = 300;

  struct Page {
    std::vector<Item> items; // in the order asked for
    int looked = 0;
    RowId first = 0, last = 0; // records
  };

  void restart() {
    document_.reader().cancel(channel_);
    older_.clear();
    oldest_ = newest_ = 0;
    looked_ = 0;
    complete_ = cut_ = false;
    reading_ = document_.state() == DocumentState::Ready;
    use_.begin();
    schedule();
  }

  void schedule() {
    stale_ = true;
    setWanted(wanted_);
  }

  void read() {
    if (document_.state() != DocumentState::Ready) return;
    stale_ = false;
    if (complete_)
      readNewer();
    else
      readOlder();
  }

  void ask(RecordQuery::Order order, RowId after, std::function<void(Page)> done) {
    document_.reader().ask<Page>(
        &context_, channel_,
        [session = document_.session().row().id, order, after, read = use_.read,
         marks = document_.replayMode().otherMarks()](const RecordStore& store) {
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
            if (std::optional<Item> item = read(record)) page.items.push_back(std::move(*item));
          }
          return page;
        },
        std::move(done), [this](const QString&) { finish(); });
  }

  void readOlder() {
    // Later records have not happened yet in a replay.
    const RowId newest = document_.replayMode().newestRecord();
    const bool unbounded = newest == std::numeric_limits<RowId>::max();
    const RowId after = oldest_ != 0 ? oldest_ : unbounded ? 0 : newest + 1;
    ask(RecordQuery::Order::Newest, after, [this](Page page) {
      if (newest_ == 0) newest_ = page.first;
      oldest_ = page.last;
      looked_ += page.looked;
      std::ranges::move(page.items, std::back_inserter(older_));
      if (page.looked == kPage && looked_ < kMaxTrials) return readOlder();
      cut_ = page.looked == kPage;
      complete_ = true;
      std::ranges::reverse(older_);
      use_.add(std::exchange(older_, {}));
      finish();
    });
  }

  void readNewer() {
    ask(RecordQuery::Order::Oldest, newest_, [this](Page page) {
      const RowId limit = document_.replayMode().newestRecord();
      std::erase_if(page.items, [&](const Item& item) { return item.record > limit; });
      use_.add(std::move(page.items));
      const bool more = page.looked == kPage && page.last <= limit;
      newest_ = page.looked == 0 ? newest_ : std::min(page.last, limit);
      finish();
      if (more) schedule();
    });
  }

  void finish() {
    reading_ = false;
    use_.told();
    setWanted(wanted_); // what came meanwhile
  }

  Document& document_;
  Reader::Channel channel_;
  Use use_;
  std::vector<Item> older_;       // newest first, while they are read
  RowId oldest_ = 0, newest_ = 0; // records that were looked at
  int looked_ = 0;
  bool wanted_ = false, stale_ = true, reading_ = false, complete_ = false, cut_ = false;
  QTimer timer_;
  QObject context_; // last: no answer comes once it has gone
};

} // namespace nestwright::ui
