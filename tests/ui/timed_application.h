#pragma once
/// \file How long the GUI thread is busy with any single event.

#include <QApplication>
#include <QElapsedTimer>
#include <QMetaEnum>
#include <QTest>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

namespace nestwright::ui::testing {

/// An application that times every event that the loop delivers.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override {
    const QEvent::Type type = event->type(); // both may be gone afterwards
    const QMetaObject* of = receiver->metaObject();
    if (depth_++ == 0) clock_.start();
    const double begin = cpuMilliseconds(), outside = std::exchange(within_, 0);
    const bool result = QApplication::notify(receiver, event);
    const double all = cpuMilliseconds() - begin;
    if (all - within_ > longestCpu_) {
      longestCpu_ = all - within_;
      longestCpuAt_ = {of, type};
    }
    within_ = outside + all;
    if (--depth_ > 0) return result;
    busy_.push_back(double(clock_.nsecsElapsed()) / 1e6);
    if (busy_.back() > longest_) {
      longest_ = busy_.back();
      longestAt_ = {of, type};
    }
    return result;
  }

  /// Forgets what was timed so far.
  void restart() {
    busy_.clear();
    longest_ = longestCpu_ = 0;
    longestAt_ = longestCpuAt_ = {};
  }
  double longest() const { return longest_; }
  /// Which event that was: "MetaCall of RecordModel".
  QString longestAt() const { return words(longestAt_); }
  /// The same in time of the processor, which other programs on a busy machine do not take part in,
  /// and without the events that a dialog or another loop delivers within the event.
  double longestCpu() const { return longestCpu_; }
  QString longestCpuAt() const { return words(longestCpuAt_); }
  void report(const char* what) {
    std::sort(busy_.begin(), busy_.end());
    const auto over = std::count_if(busy_.begin(), busy_.end(), [](double ms) { return ms > 16; });
    qInfo("%s: longest event %.1f ms (%s), 99th percentile %.2f ms, %d of %d above 16 ms", what,
          longest_, qPrintable(longestAt()), busy_.empty() ? 0 : busy_[busy_.size() * 99 / 100],
          int(over), int(busy_.size()));
  }

 private:
  using EventOf = std::pair<const QMetaObject*, QEvent::Type>; // of what class

  static QString words(const EventOf& event) {
    const auto& [of, type] = event;
    return of ? QStringLiteral("%1 of %2")
                    .arg(QLatin1String(QMetaEnum::fromType<QEvent::Type>().valueToKey(type)),
                         QLatin1String(of->className()))
              : QString();
  }
  static double cpuMilliseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
  }

  QElapsedTimer clock_;
  double within_ = 0; // processor time of events within the one at hand
  double longestCpu_ = 0;
  EventOf longestCpuAt_;
  int depth_ = 0;
  double longest_ = 0;
  EventOf longestAt_;
  std::vector<double> busy_;
};

} // namespace nestwright::ui::testing
