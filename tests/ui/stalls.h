#pragma once
/// \file How late the GUI thread answers.

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace nestwright::ui::testing {

/// Runs the event loop as the application does; QTest::qWait would poll instead of waiting.
inline void spin(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

/// Looks every few milliseconds how late the GUI thread is: the time between posting an event to it
/// and its being handled.
class Stalls {
 public:
  Stalls() : thread_([this] { loop(); }) {}
  ~Stalls() {
    stop_ = true;
    thread_.join();
    QCoreApplication::removePostedEvents(&receiver_);
  }
  void report(const char* what) {
    std::sort(late_.begin(), late_.end());
    if (late_.empty()) return;
    qInfo("%s: longest stall %.1f ms (wanted: 50), 99th percentile %.2f ms (wanted: 16), %d looks",
          what, late_.back(), late_[late_.size() * 99 / 100], int(late_.size()));
  }

 private:
  void loop() {
    while (!stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      if (waiting_.exchange(true)) continue; // one at a time
      QElapsedTimer posted;
      posted.start();
      QMetaObject::invokeMethod(
          &receiver_,
          [this, posted] {
            late_.push_back(double(posted.nsecsElapsed()) / 1e6);
            waiting_ = false;
          },
          Qt::QueuedConnection);
    }
  }
  QObject receiver_;
  std::vector<double> late_; // GUI thread only
  std::atomic<bool> stop_ = false, waiting_ = false;
  std::thread thread_;
};

} // namespace nestwright::ui::testing
