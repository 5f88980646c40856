#include "ui/kit/errands.h"

#include "ui/kit/text.h"

#include <exception>
#include <utility>

namespace nestwright::ui {

Errands::Errands(QObject* parent) : QObject(parent), thread_([this] { loop(); }) {}

Errands::~Errands() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Errands::run(std::function<void()> work, std::function<void(const QString&)> done) {
  {
    const std::lock_guard lock(mutex_);
    errands_.push_back({std::move(work), std::move(done)});
  }
  wake_.notify_one();
}

void Errands::loop() {
  for (;;) {
    Errand errand;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quit_ || !errands_.empty(); });
      if (errands_.empty()) return;
      errand = std::move(errands_.front());
      errands_.pop_front();
    }
    QString error;
    try {
      errand.work();
    } catch (const std::exception& problem) {
      error = qs(problem.what());
    }
    errand.work = nullptr; // what it held ends here, not on the GUI thread
    QMetaObject::invokeMethod(
        this, [done = std::move(errand.done), error] { done(error); }, Qt::QueuedConnection);
  }
}

} // namespace nestwright::ui
