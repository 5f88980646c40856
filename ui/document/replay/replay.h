#pragma once
/// \file Plays a session's past to a document: a position in time, a speed, and seeking both ways.
/// Reading the past and looking moments up happen off the GUI thread; small steps are told as the
/// events that a live session would tell.

#include "core/story/replay_timeline.h"
#include "ui/kit/work_queue.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <memory>

namespace nestwright::ui {

class Replay : public QObject {
  Q_OBJECT
 public:
  static constexpr double kSlowest = 1, kFastest = 1000;

  /// Begins to read the session of `contents`.
  Replay(const QString& path, const SessionContents& contents, QObject* parent = nullptr);
  ~Replay() override;

  /// False until the past is read; then ready() is emitted.
  bool isReady() const { return timeline_ != nullptr; }
  /// Share that is read, 0 to 1.
  double loaded() const { return loaded_; }
  std::shared_ptr<const ReplayTimeline> timeline() const { return timeline_; }

  std::size_t position() const { return position_; }
  std::size_t size() const { return timeline_ ? timeline_->events().size() : 0; }
  /// Seconds on the session's own clock.
  double time() const { return time_; }
  double duration() const { return timeline_ ? timeline_->events().duration() : 0; }
  bool isPlaying() const { return timer_.isActive(); }
  double speed() const { return speed_; }
  bool atEnd() const { return isReady() && position_ == size(); }

  void play();
  void pause();
  void setSpeed(double speed);
  void seek(std::size_t position);
  void seekTime(double seconds);
  /// One event on or back.
  void stepForward() { seek(position_ + 1); }
  void stepBack();
  void nextRound();
  void previousRound();

 Q_SIGNALS:
  void ready();
  void failed(const QString& why);
  /// Reading goes on; see loaded().
  void loading();
  /// Events happened one after the other, told at these microseconds since the epoch.
  void advanced(const std::vector<Event>& events, const std::vector<std::int64_t>& times);
  /// Another moment altogether; its owner may move from it.
  void jumped(nestwright::Moment& moment);
  /// Position, speed, or whether it plays.
  void changed();

 private:
  void read(const QString& path, const SessionContents& contents);
  void tick();
  /// Tells the events up to there.
  void advanceTo(std::size_t position);
  void lookUp();

  std::shared_ptr<const ReplayTimeline> timeline_;
  std::size_t position_ = 0;
  double time_ = 0;
  double speed_ = 10;
  QTimer timer_;
  QElapsedTimer sinceTick_;
  std::optional<std::size_t> wanted_; // a moment that is to be looked up
  bool lookingUp_ = false;
  std::atomic<double> loaded_ = 0;
  std::shared_ptr<std::atomic<bool>> abandoned_ = std::make_shared<std::atomic<bool>>(false);
  WorkQueue workQueue_; // last: its work is waited for first
};

} // namespace nestwright::ui
