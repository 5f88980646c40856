#include "ui/kit/work_queue.h"

#include "ui/kit/text.h"

#include <exception>
#include <utility>

namespace nestwright::ui {

void WorkQueue::run(std::function<void()> work, std::function<void(const QString&)> done) {
  thread_.start([this, work = std::move(work), done = std::move(done)]() mutable {
    QString error;
    try {
      work();
    } catch (const std::exception& problem) {
      error = qs(problem.what());
    }
    work = nullptr; // what it held ends here, not on the GUI thread
    QMetaObject::invokeMethod(
        this, [done = std::move(done), error] { done(error); }, Qt::QueuedConnection);
  });
}

} // namespace nestwright::ui
