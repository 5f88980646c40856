#include "ui/kit/background.h"

#include "ui/kit/text.h"

#include <QtConcurrentRun>

#include <exception>
#include <utility>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace nestwright::ui {
namespace {

/// Does not take the processor from the thread that has just asked, whose event is not over.
void waitForTurns() {
#ifdef __linux__
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
#endif
}

/// A kernel may be being timed meanwhile; it comes first.
void yieldToOthers() {
#ifdef __linux__
  constexpr int kNiceness = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
#endif
}

} // namespace

Job::Job()
    : promise_([]() -> QPromise<Said>& {
        static QPromise<Said> nobody = [] {
          QPromise<Said> finished;
          finished.start();
          finished.finish();
          return finished;
        }();
        return nobody;
      }()) {}

Background::Background(QObject* parent, QThreadPool* threads)
    : QObject(parent), threads_(threads ? threads : &own_.emplace()) {
  connect(&watcher_, &QFutureWatcherBase::finished, this, &Background::finish);
  connect(&watcher_, &QFutureWatcherBase::resultReadyAt, this, &Background::tell);
}

Background::~Background() {
  watcher_.cancel();
}

void Background::start(std::function<Job::Answer(const Job&)> work, Fail fail) {
  watcher_.cancel();
  busy_ = true;
  // Its continuations would do without the watcher; but they may come before ask() returns, and
  // must not come after their receiver.
  watcher_.setFuture(
      QtConcurrent::run(threads_, [yields = own_.has_value(), work = std::move(work),
                                   fail = std::move(fail)](QPromise<Job::Said>& promise) {
        waitForTurns();
        if (yields) yieldToOthers();
        try {
          promise.addResult(work(Job(promise)));
        } catch (const Stopped&) {
        } catch (const std::exception& problem) {
          promise.addResult([fail, text = qs(problem.what())] {
            if (fail) fail(text);
          });
        }
      }));
  Q_EMIT busyChanged();
}

void Background::cancel() {
  if (!busy_) return;
  watcher_.cancel();
  busy_ = false;
  Q_EMIT busyChanged();
}

void Background::tell(int result) {
  const Job::Said said = watcher_.resultAt(result);
  if (const auto* what = std::get_if<QString>(&said)) Q_EMIT progress(*what);
}

void Background::finish() {
  if (!busy_) return;
  busy_ = false;
  // The last thing that was said is the answer, if it came to that.
  const QFuture<Job::Said> future = watcher_.future();
  const int count = future.resultCount();
  const Job::Said last = count > 0 ? future.resultAt(count - 1) : QString();
  if (const auto* answer = std::get_if<Job::Answer>(&last)) (*answer)();
  Q_EMIT busyChanged();
}

} // namespace nestwright::ui

#include "moc_background.cpp"
