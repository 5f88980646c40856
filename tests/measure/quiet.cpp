/// Timings and batches of trainings, which wait for one another, and neither for its like.

#include "core/worker/quiet.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <future>

namespace nestwright::quiet_test {

using namespace std::chrono_literals;

class Quiet : public QObject {
  Q_OBJECT

 private:
  template <class Hold>
  std::future<QuietHold> begin(Hold hold) {
    return std::async(std::launch::async, [hold, file = file()] { return hold(file); });
  }
  std::future<QuietHold> timing() {
    return begin([](const std::string& file) { return holdForTiming(file); });
  }
  std::future<QuietHold> batch() {
    return begin([](const std::string& file) { return holdForBatch(file); });
  }
  std::string file() const { return folder_.filePath("quiet").toStdString(); }
  static bool waits(const std::future<QuietHold>& hold) {
    return hold.wait_for(100ms) == std::future_status::timeout;
  }
  static bool comes(const std::future<QuietHold>& hold) {
    return hold.wait_for(10s) == std::future_status::ready;
  }

  QTemporaryDir folder_;

 private Q_SLOTS:
  void noBatchBeginsWhileKernelsAreTimed() {
    QuietHold first = holdForTiming(file());
    QuietHold second = holdForTiming(file()); // timings do not wait for one another
    std::future<QuietHold> waiting = batch();
    QVERIFY(waits(waiting));
    first = QuietHold();
    QVERIFY(waits(waiting));
    second = QuietHold();
    QVERIFY(comes(waiting));
  }

  void aTimingWaitsForBatchesUnderWayAndForNoneBehindIt() {
    QuietHold first = holdForBatch(file()), second = holdForBatch(file());
    std::future<QuietHold> timed = timing();
    QVERIFY(waits(timed));
    std::future<QuietHold> behind = batch();
    first = QuietHold();
    QVERIFY(waits(timed));
    second = QuietHold();
    QVERIFY(comes(timed));
    QVERIFY(waits(behind));
    timed.get() = QuietHold();
    QVERIFY(comes(behind));
  }

  void aBatchThatTakesLongIsNotWaitedFor() {
    const QuietHold hanging = holdForBatch(file());
    QVERIFY(comes(timing()));
  }

  /// As of a training that was stopped by Ctrl+Z: each of hundreds of timings would wait for it.
  void aBatchThatNeverEndsIsWaitedForOnce() {
    QuietHold hanging = holdForBatch(file());
    QVERIFY(comes(timing()));
    for (int i = 0; i < 3; ++i)
      QVERIFY(!waits(timing()));
    hanging = QuietHold();
    QVERIFY(!waits(timing())); // and sees that it has ended
    const QuietHold next = holdForBatch(file());
    QVERIFY(waits(timing()));
  }

  /// Sessions wait for nobody, and nobody for them.
  void sessionsAreSeenAsLongAsOneRuns() {
    QVERIFY(!isSessionRunning(file()));
    QuietHold first = holdForSession(file());
    QuietHold second = holdForSession(file());
    QVERIFY(isSessionRunning(file()));
    QVERIFY(comes(timing()));
    QVERIFY(comes(batch()));
    first = QuietHold();
    QVERIFY(isSessionRunning(file()));
    second = QuietHold();
    QVERIFY(!isSessionRunning(file()));
  }

  void withoutTheFileNobodyWaits() {
    const std::string nowhere = folder_.filePath("no/such/folder").toStdString();
    QVERIFY(!isSessionRunning(nowhere));
    const QuietHold timed = holdForTiming(nowhere), learned = holdForBatch(nowhere);
  }
};

NW_TEST_APPLESS(Quiet)

} // namespace nestwright::quiet_test

#include "quiet.moc"
