/// \file The device on a driver that is made up: what it does when all is well, and what it makes
/// of every error that the driver can give. Nothing is left over afterwards.

#include "plugins/cuda/driver/cuda_device.h"

#include "core/support/error.h"
#include "plugins/cuda/driver/device_report.h"
#include "tests/plugins/cuda/made_up_driver.h"
#include "tests/plugins/cuda/made_up_program.h"
#include "tests/support/device_outcome.h"
#include "tests/support/test_program.h"

#include <dlfcn.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <QtTest>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>

namespace nestwright::test {

MadeUpDriver MadeUpDriver::of(const char* path) {
  MadeUpDriver driver{};
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return driver;
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  get(driver.reset, "made_up_reset");
  get(driver.fail, "made_up_fail");
  get(driver.counts, "made_up_counts");
  get(driver.setFreeBytes, "made_up_set_free_bytes");
  get(driver.takeCalls, "made_up_take_calls");
  get(driver.setHostSeconds, "made_up_set_host_seconds");
  get(driver.fewestBetween, "made_up_fewest_between");
  return driver;
}

} // namespace nestwright::test

namespace nestwright::cuda_device_test {

using cuda::Driver;
using test::artifactOf;
using test::DeviceOutcome;
using test::outcomeOf;

const test::MadeUpDriver& madeUp() {
  static const test::MadeUpDriver driver = test::MadeUpDriver::of(NESTWRIGHT_MADE_UP_DRIVER);
  return driver;
}

const Driver& driver() {
  static const Driver instance(NESTWRIGHT_MADE_UP_DRIVER);
  return instance;
}

/// The device, its two buffers and a kernel, as a runner has them.
struct Setup {
  std::unique_ptr<Device> device;
  std::unique_ptr<Kernel> kernel;
  std::vector<void*> buffers;

  explicit Setup(const std::string& entry, DeviceOptions options = {})
      : device(openCudaDevice(driver(), options)) {
    for (int i = 0; i < 2; ++i)
      buffers.push_back(device->allocate(256));
    kernel = device->load(artifactOf(entry));
  }
  KernelCall call() const { return {*kernel, buffers, nullptr, 1}; }
};

/// Everything that a runner does with a program.
void runWhole(const std::string& entry, int runs = 300) {
  Setup setup(entry, {"", 0, 0.05});
  const std::vector<std::uint8_t> bytes(256, 0);
  setup.device->copyIn(setup.buffers[0], bytes);
  setup.device->fill(setup.buffers[1], 0xff, 256);
  setup.device->run(setup.call());
  (void)setup.device->time(setup.call(), runs);
  (void)setup.device->time(setup.call(), runs);
  std::vector<std::uint8_t> out(256);
  setup.device->copyOut(out, setup.buffers[1]);
  setup.device->checkGuards();
}

bool nothingIsLeft() {
  const test::MadeUpCounts counts = madeUp().counts();
  return counts.contexts == 0 && counts.allocations == 0 && counts.modules == 0 &&
         counts.streams == 0 && counts.events == 0 && counts.graphs == 0 && counts.executables == 0;
}

class CudaDeviceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    QVERIFY(madeUp().reset);
    madeUp().reset();
    qunsetenv("MADE_UP_DEVICES");
  }

  void kernelsComputeWithMemoryOfTheDevice() {
    {
      Setup setup("nw_twice");
      std::vector<float> in(64);
      std::iota(in.begin(), in.end(), 1.f);
      setup.device->copyIn(setup.buffers[0],
                           {reinterpret_cast<const std::uint8_t*>(in.data()), 256});
      setup.device->run(setup.call());
      std::vector<std::uint8_t> out(256);
      setup.device->copyOut(out, setup.buffers[1]);
      float tenth = 0;
      std::memcpy(&tenth, &out[36], 4);
      QCOMPARE(tenth, 20.f);
      setup.device->checkGuards();
      QCOMPARE(madeUp().counts().contextFlags, 4u); // waits leave the processor to others
    }
    QVERIFY(nothingIsLeft());
  }

  void factsAreThoseOfTheDriver() {
    const Setup setup("nw_twice");
    const GpuFacts& gpu = *setup.device->facts().gpu;
    QCOMPARE(gpu.name, std::string("NVIDIA Made-Up 90"));
    QCOMPARE(gpu.architecture.name(), std::string("sm_90"));
    QCOMPARE(gpu.multiprocessors, 132);
    QCOMPARE(gpu.sharedBytesPerBlockOptIn, 232448);
    QCOMPARE(gpu.memoryBytes, std::int64_t{80} << 30);
    QCOMPARE(gpu.driverVersion, 13000);
    QCOMPARE(setup.device->facts().backend, std::string("cuda"));
  }

  void longKernelsAreTimedOneByOneAndShortOnesAsAGraph() {
    {
      Setup setup("nw_twice");
      QVERIFY(std::abs(setup.device->time(setup.call(), 300) - 0.3) < 1e-6);
      QVERIFY(std::abs(setup.device->time(setup.call(), 300) - 0.3) < 1e-6);
      QCOMPARE(madeUp().counts().graphLaunches, 0);
      QCOMPARE(madeUp().counts().launches, 600);
    }
    madeUp().reset();
    {
      Setup setup("nw_short");
      QVERIFY(std::abs(setup.device->time(setup.call(), 1) - 2e-6) < 1e-9);
      QVERIFY(std::abs(setup.device->time(setup.call(), 1000) - 2e-3) < 1e-7);
      QCOMPARE(madeUp().counts().graphLaunches, 7); // of 128 runs each, and 104 one by one
      QCOMPARE(madeUp().counts().launches, 1002);   // one before them, so that the device is awake
      QCOMPARE(madeUp().counts().executables, 1);
      (void)setup.device->time(setup.call(), 1000);
      QCOMPARE(madeUp().counts().executables, 1);
    }
    QVERIFY(nothingIsLeft());
  }

  /// Each call that a run makes, with each kind of error that it can give.
  void everyErrorHasItsKindAndLeavesNothing_data() {
    QTest::addColumn<QString>("function");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("fault");
    const auto row = [](const char* function, int code, DeviceFault fault) {
      QTest::addRow("%s %d", function, code)
          << QString(function) << code << static_cast<int>(fault);
    };
    for (const char* function : {"cuDeviceGetCount",
                                 "cuDeviceGet",
                                 "cuDeviceGetName",
                                 "cuDeviceGetAttribute",
                                 "cuDeviceTotalMem_v2",
                                 "cuDeviceGetPCIBusId",
                                 "cuDevicePrimaryCtxRetain",
                                 "cuCtxSetCurrent",
                                 "cuStreamCreate",
                                 "cuEventCreate",
                                 "cuMemGetInfo_v2",
                                 "cuMemAlloc_v2",
                                 "cuMemsetD8_v2",
                                 "cuMemcpyHtoD_v2",
                                 "cuMemcpyDtoH_v2",
                                 "cuModuleLoadDataEx",
                                 "cuModuleGetFunction",
                                 "cuLaunchKernel",
                                 "cuEventRecord",
                                 "cuEventQuery",
                                 "cuEventElapsedTime",
                                 "cuStreamBeginCapture_v2",
                                 "cuStreamEndCapture",
                                 "cuGraphInstantiateWithFlags",
                                 "cuGraphLaunch"}) {
      row(function, 1, DeviceFault::InvalidCall);
      row(function, 2, DeviceFault::OutOfMemory);
      row(function, 719, DeviceFault::ContextLost);
      row(function, 999, DeviceFault::Other);
    }
    for (const int code : {34, 46, 100, 101, 803})
      row("cuDevicePrimaryCtxRetain", code, DeviceFault::Absent);
    for (const int code : {200, 209, 218, 222, 500})
      row("cuModuleLoadDataEx", code, DeviceFault::CannotLoad);
    row("cuLaunchKernel", 701, DeviceFault::TooManyResources);
    for (const int code : {214, 700, 702, 710, 714, 715, 716, 717, 718})
      row("cuEventQuery", code, DeviceFault::ContextLost);
  }
  void everyErrorHasItsKindAndLeavesNothing() {
    QFETCH(QString, function);
    QFETCH(int, code);
    QFETCH(int, fault);
    const bool asked = function == "cuDeviceGet"; // a few calls are made for the facts first
    madeUp().fail(function.toUtf8(), code, asked ? 2 : 0);
    const DeviceOutcome outcome = outcomeOf([] { runWhole("nw_short"); });
    QVERIFY(outcome.fault);
    QVERIFY2(static_cast<int>(*outcome.fault) == fault, outcome.text.c_str());
    QCOMPARE(outcome.sticky, *outcome.fault == DeviceFault::ContextLost);
    QVERIFY2(outcome.text.find(std::to_string(code)) != std::string::npos, outcome.text.c_str());
    QVERIFY(nothingIsLeft());
    // Where the context was not lost, the next program is none the worse for it.
    QVERIFY(!outcomeOf([] { runWhole("nw_twice", 10); }).fault);
    QVERIFY(nothingIsLeft());
  }

  void aFaultOfAKernelIsToldWithItsNameAndStays() {
    {
      Setup setup("nw_fault_700");
      DeviceOutcome outcome = outcomeOf([&] { setup.device->run(setup.call()); });
      QCOMPARE(outcome.fault, std::optional(DeviceFault::ContextLost));
      QCOMPARE(outcome.name, std::string("CUDA_ERROR_ILLEGAL_ADDRESS"));
      QVERIFY2(outcome.text.find("nw_fault_700") != std::string::npos, outcome.text.c_str());
      const int calls = madeUp().counts().calls;
      outcome = outcomeOf([&] { setup.device->run(setup.call()); });
      QCOMPARE(outcome.fault, std::optional(DeviceFault::ContextLost));
      QCOMPARE(madeUp().counts().calls, calls); // nobody asks a dead context again
    }
    QVERIFY(nothingIsLeft());
  }

  void aKernelThatDoesNotEndIsGivenUp() {
    Setup setup("nw_hang", {"", 0, 0.05});
    const DeviceOutcome outcome = outcomeOf([&] { setup.device->run(setup.call()); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::OutOfTime));
    QVERIFY(outcome.sticky);
    QVERIFY2(outcome.text.find("nw_hang") != std::string::npos &&
                 outcome.text.find("0.05 s") != std::string::npos,
             outcome.text.c_str());
    // Clean-up would wait for the kernel: the process is to end instead.
    const int allocations = madeUp().counts().allocations;
    setup.device->release(setup.buffers[0]);
    QCOMPARE(madeUp().counts().allocations, allocations);
  }

  void writingNextToABufferIsSeen() {
    Setup setup("nw_overrun");
    setup.device->run(setup.call());
    const DeviceOutcome outcome = outcomeOf([&] { setup.device->checkGuards(); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::OutOfBounds));
    QVERIFY2(outcome.text.find("behind a buffer of 256 bytes") != std::string::npos,
             outcome.text.c_str());
    setup.device->checkGuards(); // they are whole again
  }

  void memoryIsRefusedBeforeTheDriverIsAsked() {
    {
      const auto device = openCudaDevice(driver(), {"", 1 << 20, 0});
      (void)device->allocate(600'000);
      const DeviceOutcome outcome = outcomeOf([&] { (void)device->allocate(600'000); });
      QCOMPARE(outcome.fault, std::optional(DeviceFault::OutOfMemory));
      QCOMPARE(madeUp().counts().allocations, 1);
      madeUp().setFreeBytes((1ull << 30) + 1000);
      const DeviceOutcome full = outcomeOf([&] { (void)device->allocate(2000); });
      QCOMPARE(full.fault, std::optional(DeviceFault::OutOfMemory));
      QVERIFY2(full.text.find("free") != std::string::npos, full.text.c_str());
    }
    QVERIFY(nothingIsLeft());
  }

  void kernelsForOthersAreRefused() {
    const auto device = openCudaDevice(driver(), {});
    KernelArtifact artifact = artifactOf("nw_twice");
    artifact.architecture = "sm_80";
    DeviceOutcome outcome = outcomeOf([&] { (void)device->load(artifact); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::CannotLoad));
    QVERIFY2(outcome.text.find("sm_80") != std::string::npos &&
                 outcome.text.find("sm_90") != std::string::npos,
             outcome.text.c_str());
    artifact.architecture = "sm_90";
    artifact.launches[0].block = {2048, 1, 1};
    outcome = outcomeOf([&] { (void)device->load(artifact); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::TooManyResources));
    // A driver that is older than the toolkit says so with both versions.
    artifact.launches[0].block = {64, 1, 1};
    madeUp().fail("cuModuleLoadDataEx", 222, 0);
    outcome = outcomeOf([&] { (void)device->load(artifact); });
    QVERIFY2(outcome.text.find("NVRTC 13.0") != std::string::npos &&
                 outcome.text.find("what CUDA 13.0 and earlier make") != std::string::npos,
             outcome.text.c_str());
  }

  /// The driver that is made up says 32 registers, and nothing else, of every kernel. Tools that
  /// change code as it is loaded make drivers count otherwise than compilers: the kernel runs, and
  /// the log says so.
  void kernelsThatTheDriverCountsOtherwiseRunAndAreNoted() {
    KernelArtifact artifact = artifactOf("nw_twice");
    KernelResources& told = artifact.launches[0].resources;
    const auto loggedWhenLoaded = [&] {
      std::ostringstream log;
      const auto before = spdlog::default_logger();
      spdlog::set_default_logger(std::make_shared<spdlog::logger>(
          "test", std::make_shared<spdlog::sinks::ostream_sink_st>(log)));
      const DeviceOutcome outcome = outcomeOf([&] {
        const auto device = openCudaDevice(driver(), {});
        (void)device->load(artifact);
        (void)device->load(artifact); // once is enough
      });
      spdlog::set_default_logger(before);
      return outcome.fault ? "refused: " + outcome.text : log.str();
    };
    told.registers = 32;
    QCOMPARE(loggedWhenLoaded(), std::string());
    told.registers = 40;
    std::string logged = loggedWhenLoaded();
    QVERIFY2(logged.find("32 registers by the driver and 40 by the compiler") !=
                     std::string::npos &&
                 !logged.starts_with("refused"),
             logged.c_str());
    QCOMPARE(std::ranges::count(logged, '\n'), 1);
    told.registers = 32;
    told.staticSharedBytes = 2048;
    logged = loggedWhenLoaded();
    QVERIFY2(logged.find("bytes of shared memory") != std::string::npos &&
                 !logged.starts_with("refused"),
             logged.c_str());
    // A failing question is an error like others.
    told.staticSharedBytes = 0;
    madeUp().fail("cuFuncGetAttribute", 1, 0);
    QVERIFY2(loggedWhenLoaded().starts_with("refused"), "nothing was refused");
    madeUp().fail("cuFuncGetAttribute", 1, 0);
    const auto device = openCudaDevice(driver(), {});
    QCOMPARE(outcomeOf([&] { (void)device->load(artifact); }).fault,
             std::optional(DeviceFault::InvalidCall));
  }

  /// Caches are overwritten on the stream, right before the one run that is timed, and for longer
  /// than the host takes to launch it.
  void coldCachesAreColdAndTheHostIsNotTimed() {
    Setup setup("nw_short");
    madeUp().setHostSeconds(5e-6);
    (void)setup.device->time(setup.call(), 1); // from now on it is known to be short
    for (int repeat = 0; repeat < 2; ++repeat) {
      (void)madeUp().takeCalls();
      const double seconds = setup.device->timeCold(setup.call());
      QVERIFY2(std::abs(seconds - 2e-6) < 1e-9, std::to_string(seconds * 1e6).c_str());
      QCOMPARE(QString(madeUp().takeCalls()).trimmed(),
               "MemsetD8Async EventRecord LaunchKernel EventRecord EventRecord");
    }
  }

  /// Three copies of the tensors, in graphs and between them: no run comes sooner than its turn.
  void everyRunOfAGraphIsAsColdAsTheOthers() {
    {
      Setup setup("nw_short");
      std::vector<std::vector<void*>> copies(3);
      std::vector<KernelCall> calls;
      for (std::vector<void*>& copy : copies) {
        for (int i = 0; i < 2; ++i)
          copy.push_back(setup.device->allocate(256));
        calls.push_back({*setup.kernel, copy, nullptr, 1});
      }
      for (const int runs : {1, 10, 252, 1000, 7, 500})
        (void)setup.device->time(calls, runs);
      QVERIFY(madeUp().counts().graphLaunches > 10);
      QCOMPARE(madeUp().counts().executables, 1);
      QCOMPARE(madeUp().fewestBetween(), 2);
    }
    QVERIFY(nothingIsLeft());
  }

  /// More calls than a graph has runs otherwise: all of them once.
  void aGraphHasAllCalls() {
    Setup setup("nw_short");
    const std::vector<KernelCall> calls(200, setup.call());
    (void)setup.device->time(calls, 200);
    (void)setup.device->time(calls, 400);
    QCOMPARE(madeUp().counts().graphLaunches, 2);
    QCOMPARE(madeUp().counts().launches, 200 + 200 + 400); // those between wake it
  }

  /// Copies of tensors take turns, one by one and in a graph.
  void callsTakeTurns() {
    {
      Setup setup("nw_short");
      std::vector<void*> others{setup.device->allocate(256), setup.device->allocate(256)};
      setup.device->fill(others[0], 0, 256);
      setup.device->fill(others[1], 0xff, 256);
      const KernelCall calls[] = {setup.call(), {*setup.kernel, others, nullptr, 1}};
      (void)setup.device->time(calls, 2);
      std::vector<std::uint8_t> out(256);
      setup.device->copyOut(out, others[1]);
      QCOMPARE(out, std::vector<std::uint8_t>(256, 0));
      (void)setup.device->time(calls, 256);
      QCOMPARE(madeUp().counts().graphLaunches, 2);
      // Both before them, so that the device is awake and the first one's turn is the next.
      QCOMPARE(madeUp().counts().launches, 260);
      // Other calls are another graph.
      (void)setup.device->time(setup.call(), 128);
      QCOMPARE(madeUp().counts().executables, 1);
      QCOMPARE(madeUp().counts().graphLaunches, 3);
    }
    QVERIFY(nothingIsLeft());
  }

  void muchSharedMemoryIsAskedFor() {
    const auto device = openCudaDevice(driver(), {});
    Setup setup("nw_twice");
    setup.kernel = setup.device->load(artifactOf("nw_twice", 200'000));
    setup.kernel->run(setup.buffers, nullptr, 1);
    madeUp().fail("cuFuncSetAttribute", 1, 0);
    (void)device->load(artifactOf("nw_twice", 48 << 10));
    const DeviceOutcome outcome =
        outcomeOf([&] { (void)device->load(artifactOf("nw_twice", 100'000)); });
    QVERIFY2(outcome.text.find("100000 bytes of shared memory") != std::string::npos,
             outcome.text.c_str());
  }

  void aDeviceIsChosenByNumberOrName() {
    GpuFacts big = gpuPreset({9, 0}), small = gpuPreset({8, 0});
    big.name = "NVIDIA H100", small.name = "NVIDIA A100";
    QCOMPARE(chooseDevice({big, big}, ""), 0);
    QCOMPARE(chooseDevice({big, small}, "1"), 1);
    QCOMPARE(chooseDevice({big, small}, "a100"), 1);
    // A number that no device has may be a part of a name.
    GpuFacts desk = gpuPreset({8, 9});
    desk.name = "NVIDIA GeForce RTX 4090";
    QCOMPARE(chooseDevice({big, desk}, "4090"), 1);
    for (const char* wanted : {"", "2", "-1", "nvidia", "V100"})
      try {
        (void)chooseDevice({big, small}, wanted);
        QFAIL("nothing was refused");
      } catch (const UsageError& error) {
        QVERIFY2(
            std::string(error.what()).find("0 is NVIDIA H100 (sm_90), 1 is NVIDIA A100 (sm_80)") !=
                std::string::npos,
            error.what());
      }
    QCOMPARE(outcomeOf([] { (void)chooseDevice({}, ""); }).fault,
             std::optional(DeviceFault::Absent));
  }

  void twoDevices() {
    qputenv("MADE_UP_DEVICES", "90,80");
    QVERIFY_EXCEPTION_THROWN((void)openCudaDevice(driver(), {}), UsageError);
    const auto device = openCudaDevice(driver(), {"Made-Up 80", 0, 0});
    QCOMPARE(device->facts().gpu->architecture.name(), std::string("sm_80"));
    const cuda::DeviceReport report = cuda::reportDevices(driver());
    QCOMPARE(report.devices.size(), std::size_t{2});
    const cuda::DeviceReport back = cuda::deviceReportFromJson(toJson(report));
    QVERIFY(back.devices[1].facts == report.devices[1].facts);
    QCOMPARE(back.devices[1].pciBusId, std::string("0000:5e:00.0"));
  }

  void aMissingDriverSaysWhatToDo() {
    const Driver none("libno_such_driver.so.1");
    const DeviceOutcome outcome = outcomeOf([&] { (void)openCudaDevice(none, {}); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::Absent));
    QVERIFY2(outcome.text.find("cuda:sm_90") != std::string::npos, outcome.text.c_str());
    const Driver other("libm.so.6");
    QVERIFY2(other.status().reason.find("has no function cuInit") != std::string::npos,
             other.status().reason.c_str());
  }
};

NW_TEST_GUILESS(CudaDeviceTest)

} // namespace nestwright::cuda_device_test

#include "cuda_device.moc"
