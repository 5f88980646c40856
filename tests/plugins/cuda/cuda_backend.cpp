/// \file The plugin as the program has it: artifacts, texts, devices that a process of their own
/// asks for, and what is said where something is missing. The driver is made up.

#include "core/backend/device_error.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/device_report.h"
#include "tests/plugins/cuda/gpu_programs.h"
#include "tests/plugins/cuda/needs_nvrtc.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

namespace nestwright::cuda_backend_test {

using test::messageOf;

CompileOptions forHopper() {
  CompileOptions options;
  options.gpu = gpuPreset({9, 0});
  return options;
}

class CudaBackendTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The plugin asks for its devices once in a process: here, those of the driver that is made up.
  void initTestCase() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVML", "/no/such/library");
    qputenv("MADE_UP_DEVICES", "90");
  }

  /// The first of all: from then on the process knows its devices.
  void devicesThatWereNotFoundAreLookedForAgain() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    QVERIFY_EXCEPTION_THROWN((void)backend("cuda").target(0), DeviceError);
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    QCOMPARE(backend("cuda").target(0).gpu->name, std::string("NVIDIA Made-Up 90"));
  }

  void devicesAreAskedForByAnotherProcess() {
    const TargetFacts target = backend("cuda").target(0);
    QCOMPARE(target.backend, std::string("cuda"));
    QCOMPARE(target.gpu->name, std::string("NVIDIA Made-Up 90"));
    QCOMPARE(target.gpu->multiprocessors, 132);
    QCOMPARE(target.cores, 132);
    // Nothing of the driver was loaded into this process.
    QFile maps("/proc/self/maps");
    QVERIFY(maps.open(QIODevice::ReadOnly));
    QVERIFY(!maps.readAll().contains("made_up_driver"));
  }

  void reportsOfOtherMachines() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const cuda::DeviceReport none = cuda::askForDevices();
    QVERIFY(none.devices.empty() && none.driverVersion == 0);
    QVERIFY2(none.problem.find("was not found") != std::string::npos, none.problem.c_str());
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_INIT", "100");
    const cuda::DeviceReport asleep = cuda::askForDevices();
    QCOMPARE(asleep.driverVersion, 13000);
    QVERIFY2(asleep.problem.find("CUDA_ERROR_NO_DEVICE") != std::string::npos,
             asleep.problem.c_str());
    qunsetenv("MADE_UP_INIT");
    qputenv("MADE_UP_DEVICES", "90,80");
    QCOMPARE(cuda::askForDevices().devices.size(), std::size_t{2});
    qputenv("MADE_UP_DEVICES", "90");
  }

  void artifactsSayHowToStartAndWhatTheyTake() {
    NEEDS_NVRTC;
    const test::GpuProgram program = test::tiledProduct();
    const KernelArtifact artifact = backend("cuda").compile(program.function, forHopper());
    QCOMPARE(artifact.launches.size(), std::size_t{1});
    QCOMPARE(artifact.architecture, std::string("sm_90"));
    QVERIFY2(artifact.compiler.starts_with("NVRTC 1"), artifact.compiler.c_str());
    QCOMPARE(artifact.parameterBytes, (std::vector<std::int64_t>{8192, 8192, 16384}));
    QCOMPARE(artifact.inputCount, 2);
    const KernelResources& resources = artifact.launches[0].resources;
    QVERIFY(resources.registers > 16 && resources.registers < 128);
    QCOMPARE(resources.staticSharedBytes, 2048);
    QCOMPARE(resources.barriers, 1);
    QCOMPARE(resources.occupancy.mostWarps, 64);
    QVERIFY(resources.occupancy.warps > 0);
    QVERIFY(backend("cuda").compile(program.function, forHopper()).code == artifact.code);
  }

  void occupancyNamesItsLimit() {
    const GpuFacts gpu = gpuPreset({9, 0});
    QCOMPARE(inWords(occupancyOf(gpu, {256, 32, 0})),
             std::string("64 of 64 warps, 8 blocks; limited by threads"));
    QCOMPARE(inWords(occupancyOf(gpu, {256, 127, 4096})),
             std::string("16 of 64 warps, 2 blocks; limited by registers"));
    QCOMPARE(inWords(occupancyOf(gpu, {256, 32, 100 << 10})),
             std::string("16 of 64 warps, 2 blocks; limited by shared memory"));
    QCOMPARE(inWords(occupancyOf(gpu, {32, 32, 0})),
             std::string("32 of 64 warps, 32 blocks; limited by blocks"));
    QCOMPARE(occupancyOf(gpu, {1024, 80, 0}).blocks, 0); // 701 at the launch
    QCOMPARE(occupancyOf(gpu, {96, 104, 0}).blocks, 5);  // four warps in each of the register files
  }

  void textsAreNamedByTheBackend() {
    const std::vector<CodeText> texts = backend("cuda").texts();
    QCOMPARE(texts.size(), std::size_t{3});
    QCOMPARE(texts[0].name, std::string("CUDA C"));
    QVERIFY(texts[0].missing.empty());
    QCOMPARE(texts[1].form, CodeForm::Ptx);
    QCOMPARE(texts[2].name, std::string("SASS"));
    const test::GpuProgram program = test::tiledProduct();
    QVERIFY(backend("cuda").text(program.function, CodeForm::CudaC).find("nw_C(") !=
            std::string::npos);
    QVERIFY_EXCEPTION_THROWN(
        (void)backend("cuda").text(program.function, CodeForm::LlvmIr, forHopper()), UsageError);
    NEEDS_NVRTC;
    QVERIFY(
        backend("cuda").text(program.function, CodeForm::Ptx, forHopper()).find(".target sm_90") !=
        std::string::npos);
    if (!texts[2].missing.empty())
      QVERIFY_EXCEPTION_THROWN(
          (void)backend("cuda").text(program.function, CodeForm::Sass, forHopper()), SystemError);
    QCOMPARE(backend("llvm").texts().size(), std::size_t{2});
    QCOMPARE(backend("llvm").texts()[0].name, std::string("LLVM IR"));
  }

  void kernelsAreLoadedByTheirDevice() {
    const auto device = backend("cuda").openDevice();
    QCOMPARE(device->facts().gpu->name, std::string("NVIDIA Made-Up 90"));
    QVERIFY_EXCEPTION_THROWN((void)backend("cuda").load({}), UsageError);
  }

  /// The processor is a device, too.
  void theHostIsADevice() {
    const auto device = backend("llvm").openDevice({"", 1 << 20, 0});
    const LoopFunction function = lowerNaive(parseTaskSpec("matmul:m=8,n=8,k=8").dag);
    const auto kernel = device->load(backend("llvm").compile(function));
    std::vector<void*> buffers;
    for (int i = 0; i < 3; ++i)
      buffers.push_back(device->allocate(256));
    const std::vector<float> ones(64, 1.f);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(ones.data()), 256);
    device->copyIn(buffers[0], bytes);
    device->copyIn(buffers[1], bytes);
    const KernelCall call{*kernel, buffers, nullptr, 1};
    QVERIFY(device->time(call, 3) > 0);
    std::vector<float> sums(64);
    device->copyOut({reinterpret_cast<std::uint8_t*>(sums.data()), 256}, buffers[2]);
    QCOMPARE(sums, std::vector<float>(64, 8.f));
    device->checkGuards();
    QVERIFY_EXCEPTION_THROWN((void)device->allocate(2 << 20), DeviceError);
    QVERIFY_EXCEPTION_THROWN((void)backend("llvm").openDevice({"H100", 0, 0}), UsageError);
  }

  void whatDoesNotFitTheGpuIsIllegal() {
    const Buffer out = makeBuffer("out", {4096});
    const Var thread = makeVar("threadIdx.x", kInt32);
    Launch launch;
    launch.kernel = "out";
    launch.threads[0] = {thread, 2048};
    LoopFunction function;
    function.parameters = {out};
    function.body = makeLaunch(launch, makeStore(out, {Expr(thread)}, floatImm(1)));
    const auto compile = [&] { (void)backend("cuda").compile(function, forHopper()); };
    QVERIFY_EXCEPTION_THROWN(compile(), IllegalSchedule);
    QVERIFY(messageOf(compile).find("2048 threads in a block; 1024 at most") != std::string::npos);
  }

  void anArchitectureThatNobodyCompilesForIsRefused() {
    NEEDS_NVRTC;
    CompileOptions options;
    options.gpu = gpuPreset({3, 7});
    const std::string message =
        messageOf([&] { (void)backend("cuda").compile(test::tiledProduct().function, options); });
    QVERIFY2(message.find("does not compile for sm_37") != std::string::npos, message.c_str());
  }

  /// C33: what is worth knowing before anything is measured.
  void theDevicesStateIsPartOfTheEnvironment() {
    qputenv("NESTWRIGHT_NVML", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_OTHERS", "2");
    const std::vector<EnvironmentFinding> findings = backend("cuda").environment();
    QCOMPARE(findings.size(), std::size_t{3});
    QCOMPARE(findings[0].fact, std::string("NVIDIA Made-Up 90: 1.75 GHz, 54 °C, 310 W, slowed by "
                                           "power cap, 2 other processes"));
    QCOMPARE(findings[1].fact, std::string("2 other processes compute on the GPU"));
    QVERIFY(!findings[1].advice.empty());
    QCOMPARE(findings[2].fact, std::string("the GPU's clock is held down: power cap"));
    // Of a part of a card only the whole is known.
    qputenv("MADE_UP_MIG", "1");
    const std::vector<EnvironmentFinding> divided = backend("cuda").environment();
    QVERIFY2(divided[0].fact.find("the whole card, which is divided") != std::string::npos,
             divided[0].fact.c_str());
    QVERIFY2(divided[1].fact.ends_with("on this or another of its instances (MIG)"),
             divided[1].fact.c_str());
    qunsetenv("MADE_UP_MIG");
    qputenv("MADE_UP_DEVICES", "90,80");
    const std::string of80 = backend("cuda").environment("Up 80")[0].fact;
    QVERIFY2(of80.starts_with("NVIDIA Made-Up 80"), of80.c_str());
    qputenv("MADE_UP_DEVICES", "90");
    qputenv("NESTWRIGHT_NVML", "/no/such/library");
    qunsetenv("MADE_UP_OTHERS");
    QVERIFY(backend("cuda").environment().empty());
    QVERIFY(backend("llvm").environment().empty());
  }

  void aClockThatIsLowForGoodReasonsIsNoWarning() {
    qputenv("NESTWRIGHT_NVML", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_LIMITS", "263"); // being idle, application clocks, power cap, display clocks
    const std::vector<EnvironmentFinding> findings = backend("cuda").environment();
    qunsetenv("MADE_UP_LIMITS");
    qputenv("NESTWRIGHT_NVML", "/no/such/library");
    QCOMPARE(findings.size(), std::size_t{2});
    QVERIFY2(findings[0].fact.ends_with(
                 "slowed by being idle, application clocks, power cap, display clocks"),
             findings[0].fact.c_str());
    QCOMPARE(findings[1].fact, std::string("the GPU's clock is held down: power cap"));
  }

  void theSurveySaysWhatIsHere() {
    const BackendSurvey survey = backend("cuda").survey();
    const auto find = [&](const std::string& what) {
      for (const BackendFinding& finding : survey)
        if (finding.what == what) return finding;
      return BackendFinding();
    };
    QCOMPARE(find("NVRTC").details.at("found").get<bool>(), find("NVRTC").advice.empty());
    QCOMPARE(find("driver").details.at("version").get<std::string>(), std::string("13.0"));
    QVERIFY2(find("device 0").fact.starts_with("NVIDIA Made-Up 90 (sm_90), 132 multiprocessors"),
             find("device 0").fact.c_str());
    QVERIFY(backend("llvm").survey().empty());
  }
};

NW_TEST_GUILESS(CudaBackendTest)

} // namespace nestwright::cuda_backend_test

#include "cuda_backend.moc"
