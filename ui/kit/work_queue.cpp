#include "ui/kit/work_queue.h"

#include "ui/kit/text.h"

#include <QPointer>

#include <exception>
#include <utility>

namespace nestwright::ui {

void WorkQueue::run(QObject* receiver, std::function<void()> work,
                    std::function<void(const QString&)> done) {
  thread_.start([this, receiver = QPointer(receiver), work = std::move(work),
                 done = std::move(done)]() mutable {
    QString error;
    try {
      work();
    } catch (const std::exception& problem) {
      error = qs(problem.what());
    }
    work = nullptr; // what it held ends here, not on the GUI thread
    QMetaObject::invokeMethod(
        this,
        [receiver, done = std::move(done), error] {
          if (receiver) done(error);
        },
        Qt::QueuedConnection);
  });
}

} // namespace nestwright::ui

#include "moc_work_queue.cpp"
