/// Whole networks on a GPU, which is made up: what they are built from, where they lie, what they
/// give, and what becomes of them when the device fails.

#include "core/execute/network_runner.h"
#include "core/plugin/plugin.h"
#include "core/record/store/record_rows.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"
#include "tests/execute/emulated_gpu.h"
#include "tests/network/tiny_networks.h"
#include "tests/record/samples.h"
#include "tests/support/device_outcome.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <numeric>

namespace nestwright::gpu_networks_test {

using test::DeviceOutcome;
using test::EmulatedFaults;
using test::EmulatedGpuBackend;
using test::outcomeOf;

/// A network on the GPU without any record, as fallbackPlan() has it, or all of it naive.
struct Built {
  std::vector<BuiltKernel> kernels;
  Executor executor;
};

Built build(const Partition& parts, const NetworkPlace& place, bool naive = false) {
  std::vector<KernelPlan> plans;
  for (std::size_t task = 0; task < parts.tasks.size(); ++task) {
    const int number = static_cast<int>(task);
    plans.push_back(naive ? KernelPlan{number} : fallbackPlan(parts, number, place.target));
  }
  std::vector<BuiltKernel> kernels = buildKernels(parts, plans, place);
  Executor executor = assemble(parts, kernels, place.target.cores, place);
  return {std::move(kernels), std::move(executor)};
}

std::vector<Array> naiveAnswer(const Partition& parts, const std::vector<Array>& inputs) {
  BuiltNetwork naive = buildNaive(parts);
  return execute(naive.executor, inputs);
}

Network networkNamed(const QString& name) {
  if (name == "resnet") return tinyResnet();
  if (name == "bert") return tinyBert(1);
  if (name == "decoder") return tinyDecoder();
  return tinyMobilenet();
}

/// A legal program of the task for the target.
Steps sampledSteps(const Task& task, const TargetFacts& target) {
  const SpaceOptions space = spaceOptionsFor(target);
  const std::vector<Sketch> sketches = generateSketches(task.dag, space);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Random random = Random::stream(11, task.key, i);
    if (const SampledProgram program = sampleProgram(sketches, space, random); program.state)
      return program.state->steps();
  }
  throw Error("nothing is legal");
}

class GpuNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void answersAreThoseOfTheProcessor_data();
  void answersAreThoseOfTheProcessor();
  void memoryIsTheDevicesAndPlannedOnce();
  void tasksWithoutARecordRunOnTheDevice();
  void whatDoesNotCompileRunsNaive();
  void recordsOfTheTargetAreUsedAndNoOthers();
  void aProfileIsOfOneRun();
  void copiesAreToldBesideTheLatency();
  void faultsAreToldInASentence_data();
  void faultsAreToldInASentence();
  void anArchitectureIsNoDevice();
};

void GpuNetworks::answersAreThoseOfTheProcessor_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<bool>("naive");
  for (const char* network : {"mobilenet", "bert", "decoder"})
    for (const bool naive : {false, true})
      QTest::addRow("%s%s", network, naive ? ", naive" : "") << network << naive;
}

/// Numbers of tokens (int64) and truth values among them.
void GpuNetworks::answersAreThoseOfTheProcessor() {
  QFETCH(QString, network);
  QFETCH(bool, naive);
  const EmulatedGpuBackend gpu;
  const Partition parts = optimisedPartition(networkNamed(network));
  Built built = build(parts, openPlace(gpu, 0), naive);
  const std::vector<Array> inputs = randomInputs(parts.network, 3);
  const std::vector<Array> expected = naiveAnswer(parts, inputs);
  const std::vector<Array> actual = execute(built.executor, inputs);
  QCOMPARE(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error = relativeError(actual[i], expected[i]);
    QVERIFY2(error < 1e-5, qPrintable(QString("output %1: %2").arg(i).arg(error)));
  }
  QCOMPARE(gpu.log().runs, static_cast<int>(parts.groups.size()));
}

void GpuNetworks::memoryIsTheDevicesAndPlannedOnce() {
  const EmulatedGpuBackend gpu;
  const Partition parts = optimisedPartition(tinyMobilenet());
  {
    Built built = build(parts, openPlace(gpu, 0));
    const ExecutionPlan& plan = built.executor.plan();
    int constants = 0;
    for (const PlannedBuffer& buffer : plan.buffers) {
      QCOMPARE(buffer.offset % 256, std::int64_t(0));
      constants += buffer.place == PlannedBuffer::Place::Constant;
    }
    const std::vector<std::size_t>& pieces = gpu.log().allocations;
    QCOMPARE(pieces.size(), std::size_t(3));
    QCOMPARE(static_cast<std::int64_t>(pieces[0]), plan.arenaBytes);
    QCOMPARE(static_cast<std::int64_t>(pieces[1]), plan.ownBytes);
    QCOMPARE(gpu.log().copiesIn, constants); // once
    const std::vector<Array> inputs = randomInputs(parts.network, 1);
    for (int run = 0; run < 3; ++run)
      (void)execute(built.executor, inputs);
    QCOMPARE(gpu.log().allocations.size(), std::size_t(3));
    QCOMPARE(gpu.log().copiesIn, constants + 3 * static_cast<int>(inputs.size()));
    QCOMPARE(gpu.log().copiesOut, 3);
  }
  QCOMPARE(gpu.log().allocated, std::size_t(0));
}

void GpuNetworks::tasksWithoutARecordRunOnTheDevice() {
  const EmulatedGpuBackend gpu;
  const Partition parts = optimisedPartition(tinyBert(1));
  const Built built = build(parts, openPlace(gpu, 0));
  int sampled = 0, naive = 0;
  for (std::size_t task = 0; task < parts.tasks.size(); ++task) {
    QCOMPARE(built.kernels[task].program,
             parts.tasks[task].tunable ? ProgramKind::Sampled : ProgramKind::Naive);
    ++(parts.tasks[task].tunable ? sampled : naive);
  }
  QVERIFY(sampled > 0 && naive > 0);
  // The same each time.
  const EmulatedGpuBackend other;
  (void)build(parts, openPlace(other, 0));
  QVERIFY(other.compiled() == gpu.compiled());
  QVERIFY(gpu.compiled().size() >= parts.tasks.size());
}

void GpuNetworks::whatDoesNotCompileRunsNaive() {
  const EmulatedGpuBackend gpu(EmulatedFaults{.refusesSampled = true, .whileRunning = {}});
  const Partition parts = optimisedPartition(tinyMobilenet());
  Built built = build(parts, openPlace(gpu, 0));
  for (const BuiltKernel& kernel : built.kernels)
    QCOMPARE(kernel.program, ProgramKind::Naive);
  const std::vector<Array> inputs = randomInputs(parts.network, 3);
  QVERIFY(relativeError(execute(built.executor, inputs)[0], naiveAnswer(parts, inputs)[0]) < 1e-5);
}

/// One task has a record of this GPU, another one of this machine's processor (C28, C36).
void GpuNetworks::recordsOfTheTargetAreUsedAndNoOthers() {
  const EmulatedGpuBackend gpu;
  const NetworkPlace place = openPlace(gpu, 0);
  const Partition parts = optimisedPartition(tinyResnet());
  const samples::Folder folder;
  RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
  const TargetFacts processor = backend("llvm").target(0);
  samples::Ground ground;
  SessionRow session;
  session.config = "{}";
  ground.session = store.sessions().add(session);
  const auto add = [&](std::size_t task, const TargetFacts& target) {
    const RowId on = store.targets().add({0, target.id(), target.text(), toJson(target).dump()});
    const Task& what = parts.tasks[task];
    ground.tasks = {store.tasks().add(
        {0, 0, on, 0, what.key, what.description, print(what.dag), 1, what.flops})};
    Record record = samples::record(ground, static_cast<std::int64_t>(task) + 1, 1e-3);
    record.steps = sampledSteps(what, target);
    return store.records().add(record);
  };
  add(1, processor);
  QVERIFY_EXCEPTION_THROWN(buildTuned(parts, store, place), InputError);
  const RowId own = add(0, place.target);
  BuiltNetwork built = buildTuned(parts, store, place);
  QCOMPARE(built.tasks[0].record, own);
  QCOMPARE(built.tasks[0].origin, KernelOrigin::Tuned);
  QCOMPARE(built.tasks[0].program, ProgramKind::Tuned);
  QCOMPARE(built.tasks[1].record, RowId(0));
  QCOMPARE(built.tasks[1].origin, KernelOrigin::Fallback);
  QCOMPARE(built.tasks[1].program, ProgramKind::Sampled);
  QVERIFY(built.tasks[1].tunedElsewhere);
  const std::vector<Array> inputs = randomInputs(parts.network, 3);
  QVERIFY(relativeError(execute(built.executor, inputs)[0], naiveAnswer(parts, inputs)[0]) < 1e-5);
}

void GpuNetworks::aProfileIsOfOneRun() {
  const EmulatedGpuBackend gpu;
  const Partition parts = optimisedPartition(tinyMobilenet());
  const Built built = build(parts, openPlace(gpu, 0));
  const LatencyProfile profile = profileRun(built.executor, {0, 1, 1});
  QCOMPARE(profile.groups.size(), parts.groups.size());
  double sum = 0;
  for (const double seconds : profile.groups) {
    QVERIFY(seconds > 0);
    sum += seconds;
  }
  QVERIFY(sum <= profile.total);
  QCOMPARE(gpu.log().runs, static_cast<int>(parts.groups.size()));
}

void GpuNetworks::copiesAreToldBesideTheLatency() {
  const EmulatedGpuBackend gpu;
  const Partition parts = optimisedPartition(tinyMobilenet());
  Built built = build(parts, openPlace(gpu, 0));
  QCOMPARE(built.executor.copySeconds().in, 0.0);
  (void)execute(built.executor, randomInputs(parts.network, 1));
  QVERIFY(built.executor.copySeconds().in > 0);
  QVERIFY(built.executor.copySeconds().out > 0);
  BuiltNetwork naive = buildNaive(parts);
  (void)execute(naive.executor, randomInputs(parts.network, 1));
  QCOMPARE(naive.executor.copySeconds().in, 0.0); // the host's memory is the device's
  QCOMPARE(naive.executor.copySeconds().out, 0.0);
}

void GpuNetworks::faultsAreToldInASentence_data() {
  QTest::addColumn<int>("fault");
  QTest::addColumn<QString>("mentions");
  const auto row = [](const char* name, DeviceFault fault, const char* mentions) {
    QTest::newRow(name) << static_cast<int>(fault) << mentions;
  };
  row("no memory", DeviceFault::OutOfMemory, "try a smaller batch or image");
  row("lost in the middle", DeviceFault::ContextLost, "did not finish kernel 4");
  row("no end", DeviceFault::OutOfTime, "did not finish kernel 4");
}

void GpuNetworks::faultsAreToldInASentence() {
  QFETCH(int, fault);
  QFETCH(QString, mentions);
  const DeviceFault expected{static_cast<std::uint8_t>(fault)};
  EmulatedFaults faults;
  faults.faultyRun = 4;
  if (expected == DeviceFault::OutOfMemory)
    faults.memoryBytes = 1000;
  else
    faults.whileRunning = expected;
  const EmulatedGpuBackend gpu(faults);
  const Partition parts = optimisedPartition(tinyMobilenet());
  const DeviceOutcome outcome = outcomeOf([&] {
    Built built = build(parts, openPlace(gpu, 0));
    (void)execute(built.executor, randomInputs(parts.network, 1));
  });
  QCOMPARE(outcome.fault, std::optional(expected));
  QVERIFY2(QString::fromStdString(outcome.text).contains(mentions), outcome.text.c_str());
  QCOMPARE(gpu.log().allocated, std::size_t(0));
}

void GpuNetworks::anArchitectureIsNoDevice() {
  try {
    (void)backendToRunOn("cuda:sm_90");
    QFAIL("accepted");
  } catch (const UsageError& error) {
    QVERIFY2(QString(error.what()).contains("names an architecture and no device"), error.what());
  }
  QCOMPARE(backendToRunOn("llvm").name(), std::string("llvm"));
}

NW_TEST_GUILESS(GpuNetworks)

} // namespace nestwright::gpu_networks_test

#include "gpu_networks.moc"
