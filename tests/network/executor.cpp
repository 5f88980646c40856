#include "core/network/execution/executor.h"

#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <set>

namespace nestwright::executor_test {

class ExecutorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void buffersThatLiveTogetherAreApart_data();
  void buffersThatLiveTogetherAreApart();
  void whatIsNotSharedIsApart_data();
  void whatIsNotSharedIsApart();
  void memoryIsReused();
  void runsGiveTheSameAgain();
  void constantsArePackedPerUse();
  void onlyConstantsArePacked();
  void constantsLieInTheOrderOfTheirSteps();
  void runTimedCoversEveryGroup();
  void outputsMayBeInputsOrConstants();
  void wrongInputsAreRefused();
  void whatNoMachineHoldsIsRefused();
  void randomTokensAreInTheVocabulary();
  void relativeErrorNoticesWhatIsNoNumber();
};

void ExecutorTest::buffersThatLiveTogetherAreApart_data() {
  QTest::addColumn<QString>("text");
  for (const ZooEntry& entry : zoo())
    QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
}

// Replays the plan: every buffer must still hold what was written into it when it is read.
void ExecutorTest::buffersThatLiveTogetherAreApart() {
  QFETCH(QString, text);
  const Partition parts = optimisedPartition(parseNetworkSpec(text.toStdString()));
  const ExecutionPlan plan = planExecution(parts);
  QCOMPARE(plan.steps.size(), parts.groups.size());
  std::vector<int> owner(static_cast<std::size_t>(plan.arenaBytes / kBufferAlignment), -1);
  const auto lines = [&](const PlannedBuffer& buffer) {
    const auto first = static_cast<std::size_t>(buffer.offset / kBufferAlignment);
    const auto last =
        static_cast<std::size_t>((buffer.offset + buffer.bytes - 1) / kBufferAlignment);
    return std::pair(first, last);
  };
  const auto holds = [&](int b) {
    const PlannedBuffer& buffer = plan.buffers[static_cast<std::size_t>(b)];
    if (buffer.place != PlannedBuffer::Place::Arena) return true;
    const auto [first, last] = lines(buffer);
    return std::all_of(owner.begin() + static_cast<std::ptrdiff_t>(first),
                       owner.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                       [b](int who) { return who == b; });
  };
  for (const ExecutionPlan::Step& step : plan.steps) {
    const int output = step.buffers.back();
    const PlannedBuffer& buffer = plan.buffers[static_cast<std::size_t>(output)];
    QCOMPARE(buffer.offset % kBufferAlignment, std::int64_t(0));
    QVERIFY(buffer.offset + buffer.bytes <= plan.arenaBytes);
    const auto [first, last] = lines(buffer);
    std::fill(owner.begin() + static_cast<std::ptrdiff_t>(first),
              owner.begin() + static_cast<std::ptrdiff_t>(last) + 1, output);
    // Inputs are looked at after the output was placed: a kernel reads while it writes.
    for (const int b : step.buffers)
      QVERIFY(holds(b));
  }
  for (const int b : plan.outputs)
    QVERIFY(holds(b));
}

void ExecutorTest::whatIsNotSharedIsApart_data() {
  QTest::addColumn<int>("alignment");
  QTest::newRow("of the host") << 64;
  QTest::newRow("of a GPU") << 256;
}

void ExecutorTest::whatIsNotSharedIsApart() {
  QFETCH(int, alignment);
  const Partition parts = optimisedPartition(parseNetworkSpec("mobilenet_v2"));
  const ExecutionPlan plan = planExecution(parts, {}, alignment);
  std::int64_t end = 0, constants = 0; // of the one before
  for (const PlannedBuffer& buffer : plan.buffers) {
    QCOMPARE(buffer.offset % alignment, std::int64_t(0));
    if (buffer.place == PlannedBuffer::Place::Arena) continue;
    QVERIFY(buffer.offset >= end && buffer.offset < end + alignment);
    end = buffer.offset + buffer.bytes;
    if (buffer.place == PlannedBuffer::Place::Constant) constants += buffer.bytes;
  }
  QVERIFY(end <= plan.ownBytes && plan.ownBytes < end + alignment);
  QCOMPARE(plan.constantBytes, constants);
}

void ExecutorTest::memoryIsReused() {
  const Partition parts = optimisedPartition(parseNetworkSpec("resnet50"));
  const ExecutionPlan plan = planExecution(parts);
  std::int64_t all = 0;
  for (const PlannedBuffer& buffer : plan.buffers)
    all += buffer.place == PlannedBuffer::Place::Arena ? buffer.bytes : 0;
  QVERIFY2(plan.arenaBytes < all / 5,
           qPrintable(QString("%1 of %2").arg(plan.arenaBytes).arg(all)));
  // 25.5 million weights and folded biases of 4 bytes.
  QVERIFY(plan.constantBytes > 100'000'000 && plan.constantBytes < 105'000'000);
}

void ExecutorTest::runsGiveTheSameAgain() {
  const Partition parts = optimisedPartition(tinyResnet());
  std::vector<KernelFunction> kernels;
  for (const Task& task : parts.tasks)
    kernels.push_back(interpretedKernel(task.dag));
  Executor executor(parts, kernels);
  const std::vector<Array> inputs = randomInputs(parts.network, 3);
  const std::vector<Array> first = execute(executor, inputs);
  const std::vector<Array> other = execute(executor, randomInputs(parts.network, 4));
  const std::vector<Array> again = execute(executor, inputs);
  QVERIFY(first[0].floats() == again[0].floats());
  QVERIFY(first[0].floats() != other[0].floats());
}

// One weight read by two tasks, one of which wants it packed.
void ExecutorTest::constantsArePackedPerUse() {
  NetworkBuilder b("shared");
  const TensorId x = b.input("x", {2, 3}), y = b.input("y", {5, 3});
  const TensorId w =
      b.constant("w", {3, 4}, floatConstant({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  b.output(b.node(OpKind::MatMul, {x, w}, MatMulAttributes{}));
  b.output(b.node(OpKind::MatMul, {y, w}, MatMulAttributes{}));
  const Partition parts = optimisedPartition(b.finish());
  QCOMPARE(parts.tasks.size(), std::size_t(2));
  const PackedLayout transposed{{3, 4}, {"k", "j"}, {{1, 4, 1}, {0, 3, 1}}};
  std::vector<std::vector<float>> seen(2);
  std::vector<KernelFunction> kernels;
  for (std::size_t t = 0; t < 2; ++t)
    kernels.push_back([&seen, t](std::span<void* const> buffers) {
      const auto* weight = static_cast<const float*>(buffers[1]);
      seen[t].assign(weight, weight + 12);
    });
  Executor executor(parts, kernels, {{}, {std::nullopt, transposed}});
  executor.run();
  QVERIFY((seen[0] == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  QVERIFY((seen[1] == std::vector<float>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  QCOMPARE(executor.plan().constantBytes, std::int64_t(2 * 12 * 4));
  const Executor same(parts, kernels, {{std::nullopt, transposed}, {std::nullopt, transposed}});
  QCOMPARE(same.plan().constantBytes, std::int64_t(12 * 4));
}

// One behind the other: what a kernel's hints name behind the end of its weights is what the next
// kernel reads first.
void ExecutorTest::constantsLieInTheOrderOfTheirSteps() {
  const ExecutionPlan plan = planExecution(optimisedPartition(parseNetworkSpec("resnet18")));
  std::set<int> placed;
  std::int64_t next = -1;
  for (const ExecutionPlan::Step& step : plan.steps)
    for (const int b : step.buffers) {
      const PlannedBuffer& buffer = plan.buffers[static_cast<std::size_t>(b)];
      if (buffer.place != PlannedBuffer::Place::Constant || !placed.insert(b).second) continue;
      QVERIFY(next < 0 || (buffer.offset >= next && buffer.offset < next + kBufferAlignment));
      next = buffer.offset + buffer.bytes;
    }
  QVERIFY(placed.size() > 40);
}

void ExecutorTest::onlyConstantsArePacked() {
  const Partition parts = optimisedPartition(tinyMobilenet());
  const std::vector<KernelFunction> kernels(parts.tasks.size());
  std::vector<InputLayouts> layouts(parts.tasks.size());
  const Buffer image = parts.tasks[0].dag.inputs()[0]->output;
  PackedLayout layout{image->shape, {}, {}};
  for (std::size_t d = image->shape.size(); d-- > 0;)
    layout.parts.push_back({static_cast<int>(d), image->shape[d], 1});
  layouts[0] = {layout};
  QVERIFY_EXCEPTION_THROWN(Executor(parts, kernels, layouts), InputError);
}

void ExecutorTest::runTimedCoversEveryGroup() {
  const Partition parts = optimisedPartition(tinyMobilenet());
  std::vector<int> calls(parts.tasks.size(), 0);
  std::vector<KernelFunction> kernels;
  for (std::size_t t = 0; t < parts.tasks.size(); ++t)
    kernels.push_back([&calls, t](std::span<void* const>) { ++calls[t]; });
  const Executor executor(parts, kernels);
  QCOMPARE(executor.profile().groups.size(), parts.groups.size());
  for (std::size_t t = 0; t < parts.tasks.size(); ++t)
    QCOMPARE(calls[t], parts.tasks[t].weight);
}

void ExecutorTest::outputsMayBeInputsOrConstants() {
  NetworkBuilder b("odd");
  const TensorId x = b.input("x", {2, 3});
  b.output(x);
  b.output(b.reshape(x, {6}));
  b.output(b.constant("c", {2}, floatConstant({2}, {1, 2})));
  const Partition parts = optimisedPartition(b.finish());
  const std::vector<Array> inputs = randomInputs(parts.network, 1);
  const std::vector<Array> outputs = interpret(parts, inputs);
  QVERIFY(outputs[0].floats() == inputs[0].floats());
  QCOMPARE(outputs[1].shape, Shape{6});
  QVERIFY(outputs[1].floats() == inputs[0].floats());
  QVERIFY((outputs[2].floats() == std::vector<float>{1, 2}));
}

void ExecutorTest::wrongInputsAreRefused() {
  const Partition parts = optimisedPartition(tinyResnet());
  std::vector<KernelFunction> kernels(parts.tasks.size());
  Executor executor(parts, kernels);
  const Array small{{1}, std::vector<float>{1}};
  QVERIFY_EXCEPTION_THROWN(executor.setInput(0, small), InputError);
  QVERIFY_EXCEPTION_THROWN(executor.setInput(1, small), InputError);
  QVERIFY_EXCEPTION_THROWN(execute(executor, {}), InputError);
  const Shape shape = parts.network.tensor(parts.network.inputs[0]).shape;
  const Array integers{shape,
                       std::vector<std::int64_t>(static_cast<std::size_t>(elementCount(shape)), 0)};
  QVERIFY_EXCEPTION_THROWN(executor.setInput(0, integers), InputError);
}

// Four times a tebibyte.
void ExecutorTest::whatNoMachineHoldsIsRefused() {
  NetworkBuilder b("huge");
  const TensorId x = b.input("x", {std::int64_t{1} << 40});
  b.output(b.node(OpKind::Relu, {b.node(OpKind::Neg, {x})}));
  const Partition parts = optimisedPartition(b.finish());
  try {
    const Executor executor(parts, std::vector<KernelFunction>(parts.tasks.size()));
    QFAIL("accepted");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains("this machine has"), error.what());
  }
}

void ExecutorTest::randomTokensAreInTheVocabulary() {
  const Network network = parseNetworkSpec("bert_tiny:batch=4,sequence=512");
  const std::vector<Array> inputs = randomInputs(network, 5);
  const auto [low, high] = std::minmax_element(inputs[0].ints().begin(), inputs[0].ints().end());
  QVERIFY(*low >= 0 && *high < 30522 && *high > 20000);
}

void ExecutorTest::relativeErrorNoticesWhatIsNoNumber() {
  const Array one{{2}, std::vector<float>{3, 4}};
  const Array off{{2}, std::vector<float>{3, 4.05F}};
  const Array bad{{2}, std::vector<float>{3, std::nanf("")}};
  QCOMPARE(relativeError(one, one), 0.0);
  QVERIFY(std::abs(relativeError(off, one) - 0.01) < 1e-6);
  QVERIFY(std::isinf(relativeError(bad, one)));
}

NW_TEST_APPLESS(ExecutorTest)

} // namespace nestwright::executor_test

#include "executor.moc"
