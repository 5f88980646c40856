/// Emptying caches: of all processors, by the threads of the kernels.

#include "core/backend/flush_caches.h"

#include "core/backend/host_device.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QtTest>

namespace nestwright::flush_caches_test {

/// Counts the threads of this process as it runs.
class CountingKernel final : public Kernel {
 public:
  void run(std::span<void* const>, void*, int) const override {
    threads = QDir(QStringLiteral("/proc/self/task")).entryList(QDir::NoDotAndDotDot | QDir::Dirs);
  }
  mutable QStringList threads;
};

class FlushCaches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void moreThanAllCachesHold_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<qint64>("l2");
    QTest::addColumn<qint64>("l3");
    QTest::addColumn<qint64>("bytes");
    constexpr qint64 kMega = 1 << 20;
    QTest::newRow("a large last level") << 2 << kMega << 48 * kMega << 72 * kMega;
    QTest::newRow("many second levels") << 64 << 2 * kMega << 48 * kMega << 256 * kMega;
    QTest::newRow("small caches") << 1 << kMega / 4 << 4 * kMega << 32 * kMega;
    QTest::newRow("a gigabyte at most") << 1 << kMega << 1024 * kMega << 1024 * kMega;
  }

  void moreThanAllCachesHold() {
    QFETCH(int, threads);
    QFETCH(qint64, l2);
    QFETCH(qint64, l3);
    QFETCH(qint64, bytes);
    TargetFacts machine;
    machine.l2Bytes = l2, machine.l3Bytes = l3;
    QCOMPARE(qint64(bytesToFlush(machine, threads)), bytes);
  }

  void everyLineIsWrittenByOneThread() {
    constexpr std::size_t kLine = 64;
    CacheFlusher flusher{TargetFacts()};
    flusher.flush(1);
    flusher.flush(3); // which divides the lines unevenly
    QCOMPARE(flusher.memory().size(), bytesToFlush(TargetFacts(), 3));
    std::size_t others = 0;
    for (std::size_t i = 0; i < flusher.memory().size(); i += kLine)
      others += flusher.memory()[i] != 2;
    QCOMPARE(others, std::size_t(0));
  }

  /// A kernel that is timed finds the threads of its parallel regions begun.
  void aColdKernelFindsItsThreads() {
    constexpr int kThreads = 7;
    const CountingKernel kernel;
    makeHostDevice()->timeCold({kernel, {}, nullptr, kThreads});
    QVERIFY2(kernel.threads.size() >= kThreads, qPrintable(kernel.threads.join(u' ')));
  }
};

NW_TEST_APPLESS(FlushCaches)

} // namespace nestwright::flush_caches_test

#include "flush_caches.moc"
