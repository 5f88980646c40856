#pragma once
/// \file The one place where the session's thread meets the GUI thread: events go in from any
/// thread and come out in batches, so that a fast session costs the window one update per frame.

#include "core/session/run/events.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <mutex>
#include <vector>

namespace nestwright::ui {

class EventQueue : public QObject {
  Q_OBJECT
 public:
  /// At most one batch in this many milliseconds (30 per second).
  static constexpr int kInterval = 33;

  explicit EventQueue(QObject* parent = nullptr);

  /// Thread-safe, never blocks for long, never waits for the window.
  void push(const Event& event);
  /// Takes what has arrived so far; on the GUI thread.
  std::vector<Event> take();

 Q_SIGNALS:
  /// On the GUI thread: there is something to take.
  void ready();

 private:
  void schedule();

  std::mutex mutex_;
  std::vector<Event> events_;
  std::atomic<bool> announced_ = false;
  QTimer timer_;
  QElapsedTimer sinceLast_;
};

} // namespace nestwright::ui
