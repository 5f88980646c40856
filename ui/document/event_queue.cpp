#include "ui/document/event_queue.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {

EventQueue::EventQueue(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &EventQueue::ready);
}

void EventQueue::push(const Event& event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  if (!announced_.exchange(true))
    QMetaObject::invokeMethod(this, &EventQueue::schedule, Qt::QueuedConnection);
}

void EventQueue::schedule() {
  const qint64 waited = sinceLast_.isValid() ? sinceLast_.elapsed() : kInterval;
  timer_.start(static_cast<int>(std::clamp<qint64>(kInterval - waited, 0, kInterval)));
}

std::vector<Event> EventQueue::take() {
  sinceLast_.start();
  // Before the swap: an event that arrives after it is announced again.
  announced_ = false;
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

} // namespace nestwright::ui
