#include "ui/kit/work_queue.h"

#include "ui/kit/text.h"

#include <exception>
#include <utility>

namespace nestwright::ui {

WorkQueue::WorkQueue(QObject* parent) : QObject(parent), thread_([this] { loop(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void WorkQueue::run(std::function<void()> work, std::function<void(const QString&)> done) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({std::move(work), std::move(done)});
  }
  wake_.notify_one();
}

void WorkQueue::loop() {
  for (;;) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quit_ || !items_.empty(); });
      if (items_.empty()) return;
      item = std::move(items_.front());
      items_.pop_front();
    }
    QString error;
    try {
      item.work();
    } catch (const std::exception& problem) {
      error = qs(problem.what());
    }
    item.work = nullptr; // what it held ends here, not on the GUI thread
    QMetaObject::invokeMethod(
        this, [done = std::move(item.done), error] { done(error); }, Qt::QueuedConnection);
  }
}

} // namespace nestwright::ui
