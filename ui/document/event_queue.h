#pragma once
/// \file The one place where a thread of core meets the GUI thread: events go in from any thread
/// and come out in batches, so that a fast session costs the window one update per frame.

#include "core/session/run/events.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace nestwright::ui {

/// Says when a batch is to be taken.
class BatchSignal : public QObject {
  Q_OBJECT
 public:
  /// At most one batch in this many milliseconds (30 per second).
  static constexpr int kInterval = 33;

 Q_SIGNALS:
  /// On the GUI thread: there is something to take.
  void ready();

 protected:
  explicit BatchSignal(QObject* parent);
  /// From any thread.
  void announce();
  /// Before a batch is taken: what comes after it is announced again.
  void begin();

 private:
  void schedule();

  std::atomic<bool> announced_ = false;
  QTimer timer_;
  QElapsedTimer sinceLast_;
};

template <class Told>
class BatchQueue : public BatchSignal {
 public:
  explicit BatchQueue(QObject* parent = nullptr) : BatchSignal(parent) {}

  /// Thread-safe, never blocks for long, never waits for the window.
  void push(const Told& event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    }
    announce();
  }
  /// Takes what has arrived so far; on the GUI thread.
  std::vector<Told> take() {
    begin();
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Told> events_;
};

using EventQueue = BatchQueue<Event>;

} // namespace nestwright::ui
