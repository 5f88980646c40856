#include "ui/document/replay/replay.h"

#include "core/record/store/store.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kFrameMilliseconds = 33;
/// More events than this at once are not told one by one.
constexpr std::size_t kMostTold = 4000;

} // namespace

Replay::Replay(const QString& path, const SessionContents& contents, QObject* parent)
    : QObject(parent) {
  timer_.setTimerType(Qt::PreciseTimer);
  timer_.setInterval(kFrameMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &Replay::tick);
  read(path, contents);
}

Replay::~Replay() {
  *abandoned_ = true;
}

void Replay::read(const QString& path, const SessionContents& contents) {
  auto made = std::make_shared<std::shared_ptr<const ReplayTimeline>>();
  workQueue_.run(
      this,
      [this, made, contents, file = path.toStdString(), abandoned = abandoned_] {
        const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
        *made = std::make_shared<const ReplayTimeline>(store, contents, [&](double share) {
          loaded_ = share;
          QMetaObject::invokeMethod(this, &Replay::loading, Qt::QueuedConnection);
          return !*abandoned;
        });
      },
      [this, made](const QString& error) {
        if (!error.isEmpty()) {
          Q_EMIT failed(error);
        } else if (!*abandoned_) {
          timeline_ = *made;
          Q_EMIT ready();
          seek(0);
        }
      });
}

void Replay::play() {
  if (!isReady() || isPlaying()) return;
  if (atEnd()) seek(0);
  sinceTick_.start();
  timer_.start();
  Q_EMIT changed();
}

void Replay::pause() {
  if (!isPlaying()) return;
  timer_.stop();
  Q_EMIT changed();
}

void Replay::setSpeed(double speed) {
  speed_ = std::clamp(speed, kSlowest, kFastest);
  Q_EMIT changed();
}

void Replay::tick() {
  if (lookingUp_ || wanted_) {
    sinceTick_.start(); // the clock waits for the moment that was asked for
    return;
  }
  time_ = std::min(duration(), time_ + static_cast<double>(sinceTick_.restart()) * 1e-3 * speed_);
  const std::size_t target = timeline_->events().positionAt(time_);
  const double reached = time_;
  if (target > position_) {
    if (target - position_ > kMostTold) {
      wanted_ = target;
      lookUp();
    } else {
      advanceTo(target);
    }
  }
  time_ = reached;
  if (target == size()) timer_.stop();
  Q_EMIT changed();
}

void Replay::advanceTo(std::size_t position) {
  if (timeline_->recountsBetween(position_, position)) {
    wanted_ = position;
    lookUp();
    return;
  }
  const Timeline& timeline = timeline_->events();
  std::vector<Event> events;
  std::vector<std::int64_t> times;
  for (std::size_t i = position_; i < position; ++i) {
    events.push_back(timeline.event(i));
    times.push_back(timeline.at(i));
  }
  position_ = position;
  if (position > 0) time_ = timeline.wallSeconds(position - 1);
  Q_EMIT advanced(events, times);
}

void Replay::seek(std::size_t position) {
  if (!isReady()) return;
  position = std::min(position, size());
  if (!lookingUp_ && !wanted_ && position == position_ + 1) {
    advanceTo(position);
    Q_EMIT changed();
    return;
  }
  wanted_ = position;
  lookUp();
}

void Replay::seekTime(double seconds) {
  if (isReady()) seek(timeline_->events().positionAt(seconds));
}

void Replay::stepBack() {
  const std::size_t from = wanted_.value_or(position_);
  if (from > 0) seek(from - 1);
}

void Replay::nextRound() {
  if (isReady()) seek(timeline_->nextRound(wanted_.value_or(position_)));
}

void Replay::previousRound() {
  if (isReady()) seek(timeline_->previousRound(wanted_.value_or(position_)));
}

void Replay::lookUp() {
  // Of many moments asked for meanwhile, only the last is of interest.
  if (lookingUp_ || !wanted_) return;
  lookingUp_ = true;
  auto moment = std::make_shared<Moment>();
  workQueue_.run(
      this,
      [past = timeline_, moment, position = *std::exchange(wanted_, std::nullopt)] {
        *moment = past->at(position);
      },
      [this, moment](const QString& error) {
        lookingUp_ = false;
        if (!error.isEmpty()) {
          Q_EMIT failed(error);
          return;
        }
        position_ = moment->position;
        time_ = position_ == 0 ? 0 : timeline_->events().wallSeconds(position_ - 1);
        Q_EMIT jumped(*moment);
        Q_EMIT changed();
        lookUp();
      });
}

} // namespace nestwright::ui

#include "moc_replay.cpp"
