#include "ui/document/event_queue.h"

#include <algorithm>

namespace nestwright::ui {

BatchSignal::BatchSignal(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &BatchSignal::ready);
}

void BatchSignal::announce() {
  if (!announced_.exchange(true))
    QMetaObject::invokeMethod(this, &BatchSignal::schedule, Qt::QueuedConnection);
}

void BatchSignal::schedule() {
  const qint64 waited = sinceLast_.isValid() ? sinceLast_.elapsed() : kInterval;
  timer_.start(static_cast<int>(std::clamp<qint64>(kInterval - waited, 0, kInterval)));
}

void BatchSignal::begin() {
  sinceLast_.start();
  announced_ = false;
}

} // namespace nestwright::ui

#include "moc_event_queue.cpp"
