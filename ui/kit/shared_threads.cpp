#include "ui/kit/shared_threads.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace nestwright::ui {

QThreadPool* sharedThreads() {
  static QThreadPool* const threads = [] {
    constexpr int kAtOnce = 8; // mostly they wait for files
    static QThreadPool pool;
    pool.setMaxThreadCount(kAtOnce);
    qAddPostRoutine([] { pool.waitForDone(); });
    return &pool;
  }();
  return threads;
}

} // namespace nestwright::ui
