/// What the processor counts in a program: reasons, figures, the protocol's answers, and counters
/// of threads of this process.

#include "core/backend/host_device.h"
#include "core/measure/count_kernel.h"
#include "core/measure/count_program.h"
#include "core/measure/perf_counters.h"
#include "core/measure/protocol.h"
#include "core/support/error.h"
#include "tests/measure/faulty_workers.h"
#include "tests/support/test_program.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>

namespace nestwright::program_counters_test {

std::chrono::nanoseconds processorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Uses so much time of the processor, however busy that is.
void spin(std::chrono::microseconds length) {
  const auto end = processorTime() + length;
  while (processorTime() < end)
    continue;
}

CounterReading counted(Counter counter, double perRun) {
  return {counter, perRun, 1, {}};
}

/// A run of 1 ms: 2 million operations, 4 million instructions in 2 million cycles of two cores.
ProgramCounts allCounted() {
  ProgramCounts counts;
  counts.seconds = 1e-3;
  counts.runs = 250;
  counts.threads = 3;
  counts.flops = 2e6;
  counts.leastBytes = 16000;
  counts.counters = {counted(Counter::Cycles, 2e6),          counted(Counter::Instructions, 4e6),
                     counted(Counter::Branches, 1e5),        counted(Counter::BranchMisses, 2e3),
                     counted(Counter::L1Loads, 1e6),         counted(Counter::L1LoadMisses, 8e3),
                     counted(Counter::CacheReferences, 2e3), counted(Counter::CacheMisses, 500),
                     counted(Counter::TaskClock, 2e6),       counted(Counter::PageFaults, 0),
                     counted(Counter::ContextSwitches, 0.5)};
  counts.energy = {"package-0", 0.05, 10, {}};
  return counts;
}

std::optional<double> valueOf(const ProgramCounts& counts, CountFigureKind kind) {
  return figuresOf(counts)[static_cast<std::size_t>(kind)].value;
}

bool isClose(std::optional<double> value, double wanted) {
  return value && std::abs(*value - wanted) <= 1e-9 * std::abs(wanted);
}

/// A backend whose only kernel is a function.
class FunctionBackend : public Backend {
 public:
  explicit FunctionBackend(std::function<void()> run) : run_(std::move(run)) {}
  std::string name() const override { return "function"; }
  TargetFacts target(int, const std::string&) const override { return hostTarget(1); }
  KernelArtifact compile(const LoopFunction&, const CompileOptions&) const override { return {}; }
  std::vector<CodeText> texts() const override { return {}; }
  std::string text(const LoopFunction&, CodeForm, const CompileOptions&) const override {
    return {};
  }
  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override {
    return makeHostDevice(*this, options);
  }
  std::unique_ptr<Kernel> load(const KernelArtifact&) const override {
    struct Call final : Kernel {
      explicit Call(const std::function<void()>& run) : run_(run) {}
      void run(std::span<void* const>, void*, int) const override { run_(); }
      const std::function<void()>& run_;
    };
    return std::make_unique<Call>(run_);
  }

 private:
  std::function<void()> run_;
};

class ProgramCounters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void refusalsAreToldInWords_data() {
    QTest::addColumn<int>("counter");
    QTest::addColumn<int>("error");
    QTest::addColumn<int>("paranoid"); // -9: the system does not say
    QTest::addColumn<QString>("part");
    const auto row = [](const char* what, Counter counter, int error, int paranoid,
                        const char* part) {
      QTest::newRow(what) << static_cast<int>(counter) << error << paranoid << QString(part);
    };
    row("no such counter", Counter::Cycles, ENOENT, 2, "virtual machine, has no such counter");
    row("Debian's default", Counter::Cycles, EACCES, 3, "sysctl kernel.perf_event_paranoid=2");
    row("of the kernel", Counter::ContextSwitches, EACCES, 2,
        "is 2, which leaves it to root; as root, sysctl kernel.perf_event_paranoid=1");
    row("a container", Counter::Cycles, EPERM, 1, "seccomp");
    row("a container's own files", Counter::Cycles, EPERM, -9, "seccomp");
    row("no system call", Counter::PageFaults, ENOSYS, -9, "there is no perf_event_open");
    row("many threads", Counter::Cycles, EMFILE, 2, "ulimit -n");
    row("anything else", Counter::Cycles, EIO, 2, "perf_event_open: ");
  }
  void refusalsAreToldInWords() {
    QFETCH(int, counter);
    QFETCH(int, error);
    QFETCH(int, paranoid);
    QFETCH(QString, part);
    const std::string text = whyNotCounted(static_cast<Counter>(counter), error,
                                           paranoid == -9 ? std::nullopt : std::optional(paranoid));
    QVERIFY2(QString::fromStdString(text).contains(part), text.c_str());
  }
  void theSystemSaysWhoMayCount() {
    QTemporaryDir root;
    const std::filesystem::path path = root.path().toStdString();
    QVERIFY(!perfEventParanoid(path));
    QVERIFY(QDir().mkpath(root.path() + "/proc/sys/kernel"));
    std::ofstream(path / "proc/sys/kernel/perf_event_paranoid") << "-1\n";
    QCOMPARE(perfEventParanoid(path), std::optional(-1));
  }

  void figuresFollowFromTheCounts() {
    const ProgramCounts counts = allCounted();
    QVERIFY(isClose(valueOf(counts, CountFigureKind::InstructionsPerCycle), 2));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::FlopsPerCycle), 1));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::Clock), 1e9));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::BusyCores), 2));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::L1MissesPerThousand), 2));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::CacheMissesPerThousand), 0.125));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::MissedBytes), 32000));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::MissedOverLeast), 2));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::BranchMissRate), 0.02));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::JoulesPerRun), 0.05));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::JoulesAboveIdle), 0.04));
    QVERIFY(isClose(valueOf(counts, CountFigureKind::FlopsPerJoule), 4e7));
  }
  /// A figure that lacks a count says which one and why; the others stay.
  void aFigureWithoutItsCountsSaysWhy() {
    ProgramCounts counts = allCounted();
    counts.counters[0] = {Counter::Cycles, std::nullopt, 1, "the machine has none"};
    counts.energy = {{}, std::nullopt, std::nullopt, "no RAPL here"};
    const std::vector<CountFigure> figures = figuresOf(counts);
    const auto of = [&](CountFigureKind kind) { return figures[static_cast<std::size_t>(kind)]; };
    QCOMPARE(of(CountFigureKind::InstructionsPerCycle).whyNot,
             std::string("cycles: the machine has none"));
    QVERIFY(!of(CountFigureKind::InstructionsPerCycle).value);
    QCOMPARE(of(CountFigureKind::FlopsPerJoule).whyNot, std::string("no RAPL here"));
    QVERIFY(of(CountFigureKind::BusyCores).value);
    const std::string text = inWords(counts);
    QVERIFY2(text.find("not known (cycles: the machine has none)") != std::string::npos,
             text.c_str());
    QVERIFY(toJson(counts)["counters"]["cycles"]["per_run"].is_null());
    QCOMPARE(toJson(counts)["counters"]["task-clock"]["per_run"], nlohmann::json(2e6));
    QVERIFY(toJson(counts)["energy"]["joules_per_run"].is_null());
  }

  void countsTravelFromTheWorker() {
    ProgramCounts counts = allCounted();
    counts.counters[5] = {Counter::L1LoadMisses, std::nullopt, 1, "none here"};
    counts.counters[1].counted = 0.5;
    const ProgramCounts arrived = countedIn(countedFrame(counts));
    QCOMPARE(arrived.runs, 250);
    QCOMPARE(arrived.counters.size(), counts.counters.size());
    QCOMPARE(arrived.counters[1].counted, 0.5);
    QCOMPARE(arrived.counters[5].whyNot, std::string("none here"));
    QVERIFY(!arrived.counters[5].perRun);
    QCOMPARE(arrived.energy.joulesPerRun, counts.energy.joulesPerRun);
    QCOMPARE(arrived.energy.zones, counts.energy.zones);
  }
  void answersThatCannotBeAreRefused() {
    const auto refuses = [](const std::function<void(nlohmann::json&)>& change) {
      Frame frame = countedFrame(allCounted());
      change(frame.header);
      try {
        countedIn(frame);
      } catch (const BadFrame&) {
        return true;
      }
      return false;
    };
    QVERIFY(!refuses([](nlohmann::json&) {}));
    QVERIFY(refuses([](nlohmann::json& header) { header["seconds"] = 0; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["runs"] = 0; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["counters"] = 7; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["counters"][0]["counter"] = "wishes"; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["counters"][0]["counter"] = "branches"; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["counters"][0]["per_run"] = -1; }));
    QVERIFY(refuses([](nlohmann::json& header) { header["counters"][0].erase("per_run"); }));
    QVERIFY(refuses([](nlohmann::json& header) { header["energy"]["idle_watts"] = "few"; }));
    QVERIFY(refuses([](nlohmann::json& header) { header.erase("energy"); }));
  }

  /// Counters of hardware, played by a clock of the system; each thread adds to them, also one that
  /// was there before, as a kernel's are.
  void allThreadsAreCounted() {
    requirePerfEvents();
    std::atomic<int> other = 0;
    std::promise<void> begin;
    std::thread worker([&] {
      other = static_cast<int>(syscall(SYS_gettid));
      begin.get_future().wait();
      spin(std::chrono::milliseconds(30));
    });
    while (other == 0)
      std::this_thread::yield();
    const std::vector<int> threads = threadsHere();
    QVERIFY(std::ranges::find(threads, other.load()) != threads.end());
    const std::array pair{static_cast<int>(syscall(SYS_gettid)), other.load()};
    PerfCounters counters(pair, [](perf_event_attr& event, int thread, int group) {
      if (event.type == PERF_TYPE_HW_CACHE) return -ENOENT;
      if (event.type == PERF_TYPE_HARDWARE) {
        event.type = PERF_TYPE_SOFTWARE;
        event.config = PERF_COUNT_SW_TASK_CLOCK;
      }
      return openPerfEvent(event, thread, group);
    });
    spin(std::chrono::milliseconds(30)); // before it counts
    counters.start();
    begin.set_value();
    spin(std::chrono::milliseconds(20));
    worker.join();
    counters.stop();
    spin(std::chrono::milliseconds(30)); // and behind
    const std::vector<CounterReading> readings = counters.readings(10);
    QCOMPARE(readings.size(), std::size_t(kCounters));
    for (const Counter counter : {Counter::Cycles, Counter::BranchMisses, Counter::TaskClock}) {
      const CounterReading& reading = readings[static_cast<std::size_t>(counter)];
      QVERIFY2(reading.perRun, reading.whyNot.c_str());
      // Both threads together spun 50 ms, in ten runs.
      QVERIFY2(*reading.perRun > 4.5e6 && *reading.perRun < 7e6,
               qPrintable(QString::number(*reading.perRun)));
    }
    const CounterReading& cache = readings[static_cast<std::size_t>(Counter::L1LoadMisses)];
    QVERIFY(!cache.perRun);
    QVERIFY(cache.whyNot.find("no such counter") != std::string::npos);
  }
  /// One that cannot be had on a thread is not had: the others' sum would be too little.
  void aCounterThatOneThreadLacksIsMissing() {
    const std::array threads{1, 2, 3};
    PerfCounters counters(threads, [](perf_event_attr&, int thread, int) {
      return thread == 2 ? -EMFILE : -ESRCH; // the others have ended
    });
    for (const CounterReading& reading : counters.readings(1))
      QVERIFY2(!reading.perRun, name(reading.counter));
    QVERIFY(counters.readings(1)[0].whyNot.find("ulimit") != std::string::npos);
  }

  /// A kernel of 1 ms that takes 5 mJ, on a machine that is a folder, whose meter begins again
  /// meanwhile.
  void energyIsThatOfTheCountedRuns() {
    QTemporaryDir root;
    const QString zone = root.path() + "/sys/class/powercap/intel-rapl:0";
    QVERIFY(QDir().mkpath(zone));
    const std::filesystem::path folder = zone.toStdString();
    std::ofstream(folder / "name") << "package-0\n";
    std::ofstream(folder / "max_energy_range_uj") << "20000000\n";
    std::int64_t microjoules = 19'000'000; // 200 runs before it begins again: behind the warm-ups
    const auto show = [&] { std::ofstream(folder / "energy_uj") << microjoules << '\n'; };
    show();
    const FunctionBackend backend([&] {
      spin(std::chrono::milliseconds(1));
      microjoules = (microjoules + 5000) % 20'000'000;
      show();
    });
    const std::unique_ptr<Device> device = backend.openDevice({});
    KernelRunner runner(*device, backend);
    runner.prepare("A = PLACEHOLDER [16]\nB(i) = (A[i]*2f)\n", 1);
    KernelArtifact artifact;
    artifact.inputCount = 1;
    artifact.parameterBytes = {64, 64};
    runner.load(artifact, 1);
    const ProgramCounts counts = countKernel(runner, 0.3, 1, root.path().toStdString());
    QVERIFY(counts.energy.whyNot.empty());
    QCOMPARE(counts.energy.zones, std::string("package-0"));
    QVERIFY(isClose(counts.energy.joulesPerRun, 5e-3));
    QCOMPARE(counts.energy.idleWatts, std::optional(0.0));
    QVERIFY2(counts.seconds * counts.runs >= 0.2,
             qPrintable(QString::number(counts.seconds * counts.runs)));
    // This machine's own reason, without the folder.
    QVERIFY(!countKernel(runner, 0.01, 1, root.path().toStdString() + "/sys").energy.joulesPerRun);
  }

  /// Whatever happens to the program, the reason arrives, and what started the worker goes on.
  void programsThatDoNotRunSayWhy_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("part");
    QTest::newRow("crash") << "run_segfault"
                           << "segmentation fault (signal 11)";
    QTest::newRow("does not compile") << "compile_throw"
                                      << "compile error: first line";
  }
  void programsThatDoNotRunSayWhy();
  void optionsAreThoseOfAMeasurement();
  void countingIsStopped();

 private:
  static void requirePerfEvents() {
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = PERF_TYPE_SOFTWARE;
    event.config = PERF_COUNT_SW_TASK_CLOCK;
    event.exclude_kernel = 1;
    const int descriptor = openPerfEvent(event, 0, -1);
    if (descriptor < 0) QSKIP(whyNotCounted(Counter::TaskClock, -descriptor, {}).c_str());
    close(descriptor);
  }
};

void ProgramCounters::programsThatDoNotRunSayWhy() {
  QFETCH(QString, fault);
  QFETCH(QString, part);
  std::string why;
  try {
    countProgram(test::quickOptions(), test::request(fault.toStdString()), test::faultyWorker());
  } catch (const InputError& e) {
    why = e.what();
  }
  QVERIFY2(QString::fromStdString(why).contains(part), why.c_str());
  // The next program has a worker of its own.
  const ProgramCounts counts =
      countProgram(test::quickOptions(), test::request("fine"), test::faultyWorker());
  QCOMPARE(counts.flops, 16.0);
  QCOMPARE(counts.leastBytes, 128.0);
  QCOMPARE(counts.counters.size(), std::size_t(kCounters));
  QVERIFY(counts.seconds * counts.runs >= 0.1);
  for (const CounterReading& reading : counts.counters)
    QVERIFY2(reading.perRun || !reading.whyNot.empty(), name(reading.counter));
}

/// What no measurement would begin with is refused, and not first a worker started.
void ProgramCounters::optionsAreThoseOfAMeasurement() {
  MeasureOptions options = test::quickOptions();
  options.runTimeoutSeconds = 0;
  const auto why = [&](const auto& run) -> std::string {
    try {
      run();
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  const std::string counting = why([&] { countProgram(options, test::request("fine"), {}); });
  QVERIFY2(counting.find("timeout must be positive") != std::string::npos, counting.c_str());
  QCOMPARE(why([&] { Measurer(options, {}); }), counting);
}

void ProgramCounters::countingIsStopped() {
  const std::atomic<bool> stop = true;
  try {
    countProgram(test::quickOptions(), test::request("fine"), test::faultyWorker(), {}, &stop);
    QFAIL("it was counted");
  } catch (const InputError& e) {
    QVERIFY2(std::string(e.what()).find("cancelled") != std::string::npos, e.what());
  }
}

NW_TEST_GUILESS(ProgramCounters)

} // namespace nestwright::program_counters_test

#include "program_counters.moc"
