/// \file Kernels in a row on a driver that is made up: launched one by one at first, captured, and
/// replayed from then on. Nothing is left over, whatever fails.

#include "core/support/error.h"
#include "plugins/cuda/driver/cuda_device.h"
#include "tests/plugins/cuda/made_up_driver.h"
#include "tests/plugins/cuda/made_up_program.h"
#include "tests/support/device_outcome.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cstring>
#include <numeric>

namespace nestwright::cuda_sequence_test {

using cuda::Driver;
using test::artifactOf;
using test::DeviceOutcome;
using test::outcomeOf;

const test::MadeUpDriver& madeUp() {
  static const test::MadeUpDriver driver = test::MadeUpDriver::of(NESTWRIGHT_MADE_UP_DRIVER);
  return driver;
}

/// Kernels of which each reads what the one before has written.
struct Chain {
  std::unique_ptr<Device> device;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<void*> buffers;
  std::unique_ptr<LaunchSequence> sequence;

  explicit Chain(const std::vector<std::string>& entries) {
    static const Driver driver(NESTWRIGHT_MADE_UP_DRIVER);
    device = openCudaDevice(driver, {"", 0, 0.05});
    for (std::size_t i = 0; i <= entries.size(); ++i)
      buffers.push_back(device->allocate(256));
    std::vector<float> ones(64, 1);
    device->copyIn(buffers[0], {reinterpret_cast<const std::uint8_t*>(ones.data()), 256});
    std::vector<KernelCall> calls;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      kernels.push_back(device->load(artifactOf(entries[i])));
      calls.push_back({*kernels.back(), std::span(buffers).subspan(i, 2)});
    }
    sequence = device->sequence(std::move(calls));
  }

  float answer() {
    std::vector<std::uint8_t> bytes(256);
    device->copyOut(bytes, buffers.back());
    device->fill(buffers.back(), 0, 256); // the next run has to write it again
    float value = 0;
    std::memcpy(&value, &bytes[128], 4);
    return value;
  }
};

QString callsMade() {
  return QString(madeUp().takeCalls()).trimmed();
}

bool nothingIsLeft() {
  const test::MadeUpCounts counts = madeUp().counts();
  return counts.contexts == 0 && counts.allocations == 0 && counts.modules == 0 &&
         counts.streams == 0 && counts.events == 0 && counts.graphs == 0 && counts.executables == 0;
}

class CudaSequenceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    QVERIFY(madeUp().reset);
    madeUp().reset();
  }

  void theFirstRunLaunchesAndLaterOnesReplay() {
    {
      Chain chain({"nw_twice", "nw_short", "nw_twice"});
      (void)callsMade();
      chain.sequence->run();
      QCOMPARE(chain.answer(), 8.f);
      // Each is waited for, by an event behind it.
      QCOMPARE(callsMade(), "LaunchKernel EventRecord LaunchKernel EventRecord LaunchKernel "
                            "EventRecord");
      chain.sequence->run();
      QCOMPARE(chain.answer(), 8.f);
      QCOMPARE(callsMade(), "StreamBeginCapture LaunchKernel LaunchKernel LaunchKernel "
                            "StreamEndCapture GraphInstantiate GraphLaunch EventRecord");
      chain.sequence->run();
      QCOMPARE(chain.answer(), 8.f);
      QCOMPARE(callsMade(), "GraphLaunch EventRecord");
      QCOMPARE(madeUp().counts().graphs, 0); // only what can be launched is kept
      QCOMPARE(madeUp().counts().executables, 1);
      QCOMPARE(madeUp().counts().launches, 9);
    }
    QVERIFY(nothingIsLeft());
  }

  void timesAreTheDevices() {
    {
      Chain chain({"nw_twice", "nw_short", "nw_twice"});
      chain.sequence->run();
      (void)callsMade();
      QVERIFY(std::abs(chain.sequence->time() - 2.002e-3) < 1e-7);
      // The device is at work when the graph that is timed is started.
      QCOMPARE(callsMade(), "StreamBeginCapture LaunchKernel LaunchKernel LaunchKernel "
                            "StreamEndCapture GraphInstantiate GraphLaunch EventRecord GraphLaunch "
                            "EventRecord EventRecord");
      for (int run = 0; run < 2; ++run) {
        const SequenceSeconds seconds = chain.sequence->timeEach();
        QCOMPARE(seconds.calls.size(), std::size_t(3));
        const double expected[] = {1e-3, 2e-6, 1e-3};
        for (std::size_t i = 0; i < 3; ++i)
          QVERIFY(std::abs(seconds.calls[i] - expected[i]) < 1e-8);
        const double sum = std::accumulate(seconds.calls.begin(), seconds.calls.end(), 0.0);
        QVERIFY(std::abs(seconds.total - sum) < 1e-8);
        // Marks are part of the graph, so that nothing waits for the host between two kernels.
        QCOMPARE(callsMade(),
                 run == 0 ? "StreamBeginCapture EventRecordWithFlags LaunchKernel "
                            "EventRecordWithFlags LaunchKernel EventRecordWithFlags LaunchKernel "
                            "EventRecordWithFlags StreamEndCapture GraphInstantiate GraphLaunch "
                            "EventRecord"
                          : "GraphLaunch EventRecord");
      }
      QCOMPARE(chain.answer(), 8.f);
    }
    QVERIFY(nothingIsLeft());
  }

  /// Behind a run of which nothing is timed, and which has each kernel's name where it fails.
  void theFirstRunTellsTimesOfEachCall() {
    Chain chain({"nw_short", "nw_twice"});
    const SequenceSeconds seconds = chain.sequence->timeEach();
    QCOMPARE(seconds.calls.size(), std::size_t(2));
    QVERIFY(std::abs(seconds.calls[0] - 2e-6) < 1e-9);
    QVERIFY(std::abs(seconds.calls[1] - 1e-3) < 1e-8);
    QCOMPARE(madeUp().counts().launches, 4);
    QCOMPARE(madeUp().counts().graphLaunches, 1);
  }

  /// Starting a graph takes the host longer than these kernels take the device.
  void whatTheHostTakesIsNotInTheTime() {
    Chain chain({"nw_short", "nw_twice"});
    madeUp().setHostSeconds(20e-6);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const double seconds = chain.sequence->time();
      QVERIFY2(std::abs(seconds - 1.002e-3) < 1e-8, std::to_string(seconds * 1e3).c_str());
      const SequenceSeconds each = chain.sequence->timeEach();
      QVERIFY2(std::abs(each.calls[0] - 2e-6) < 1e-8, std::to_string(each.calls[0]).c_str());
      QVERIFY(std::abs(each.total - 1.002e-3) < 1e-8);
    }
  }

  /// Each call that a sequence makes, with each kind of error that it can give.
  void everyErrorHasItsKindAndLeavesNothing_data() {
    QTest::addColumn<QString>("function");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("fault");
    for (const char* function :
         {"cuLaunchKernel", "cuEventCreate", "cuEventRecord", "cuEventRecordWithFlags",
          "cuEventQuery", "cuEventElapsedTime", "cuStreamBeginCapture_v2", "cuStreamEndCapture",
          "cuGraphInstantiateWithFlags", "cuGraphLaunch"})
      for (const auto& [code, fault] : {std::pair{1, DeviceFault::InvalidCall},
                                        {2, DeviceFault::OutOfMemory},
                                        {700, DeviceFault::ContextLost},
                                        {999, DeviceFault::Other}})
        QTest::addRow("%s %d", function, code)
            << QString(function) << code << static_cast<int>(fault);
  }
  void everyErrorHasItsKindAndLeavesNothing() {
    QFETCH(QString, function);
    QFETCH(int, code);
    QFETCH(int, fault);
    const auto runAll = [&](bool failing) {
      Chain chain({"nw_twice", "nw_short"});
      chain.sequence->run();
      // From here on: while a graph is captured, too.
      if (failing) madeUp().fail(function.toUtf8(), code, 0);
      chain.sequence->run();
      (void)chain.sequence->time();
      (void)chain.sequence->timeEach();
    };
    const DeviceOutcome outcome = outcomeOf([&] { runAll(true); });
    QVERIFY2(outcome.fault == std::optional(DeviceFault(fault)), outcome.text.c_str());
    QVERIFY(nothingIsLeft());
    QVERIFY(!outcomeOf([&] { runAll(false); }).fault);
    QVERIFY(nothingIsLeft());
  }

  void aFaultInTheFirstRunHasItsKernelsName() {
    {
      Chain chain({"nw_twice", "nw_fault_700", "nw_twice"});
      const DeviceOutcome outcome = outcomeOf([&] { chain.sequence->run(); });
      QCOMPARE(outcome.fault, std::optional(DeviceFault::ContextLost));
      QVERIFY2(outcome.text.find("finish nw_fault_700") != std::string::npos, outcome.text.c_str());
      const int calls = madeUp().counts().calls;
      QCOMPARE(outcomeOf([&] { chain.sequence->run(); }).fault,
               std::optional(DeviceFault::ContextLost));
      QCOMPARE(madeUp().counts().calls, calls); // nobody asks a dead context again
    }
    QVERIFY(nothingIsLeft());
  }

  void aFaultInAReplayNamesTheRow() {
    {
      Chain chain({"nw_twice", "nw_short"});
      chain.sequence->run();
      chain.sequence->run();
      madeUp().fail("cuEventQuery", 719, 0);
      const DeviceOutcome outcome = outcomeOf([&] { chain.sequence->run(); });
      QCOMPARE(outcome.fault, std::optional(DeviceFault::ContextLost));
      QVERIFY2(outcome.text.find("2 kernels in a row, nw_twice to nw_short") != std::string::npos,
               outcome.text.c_str());
    }
    QVERIFY(nothingIsLeft());
  }

  void aKernelThatDoesNotEndIsGivenUp() {
    Chain chain({"nw_twice", "nw_hang"});
    const DeviceOutcome outcome = outcomeOf([&] { chain.sequence->run(); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::OutOfTime));
    QVERIFY2(outcome.text.find("nw_hang") != std::string::npos, outcome.text.c_str());
  }
};

NW_TEST_GUILESS(CudaSequenceTest)

} // namespace nestwright::cuda_sequence_test

#include "cuda_sequence.moc"
