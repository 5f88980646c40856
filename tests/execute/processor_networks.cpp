/// Networks on this machine's processor, by programs that nobody tuned: what they give.

#include "core/execute/network_runner.h"
#include "core/network/partition/partition.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/plugin.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::processor_networks_test {

class ProcessorNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// With programs that are parallel, on two threads.
  void largerBatchesGiveTheRightAnswer() {
    const NetworkPlace place = openPlace(backend("llvm"), 2);
    const Network network = parseNetworkSpec("resnet18:batch=8,image=32");
    const Partition parts = optimisedPartition(network);
    std::vector<KernelPlan> plans;
    for (int task = 0; task < int(parts.tasks.size()); ++task)
      plans.push_back({task, ProgramKind::Sampled});
    const std::vector<BuiltKernel> kernels = buildKernels(parts, plans, place);
    for (const BuiltKernel& kernel : kernels)
      QCOMPARE(kernel.program, ProgramKind::Sampled);
    const std::vector<Array> inputs = randomInputs(network, 1);
    Executor executor = assemble(parts, kernels, 2, place);
    BuiltNetwork naive = buildNaive(parts);
    const Array answer = execute(executor, inputs).front();
    QCOMPARE(answer.shape.front(), std::int64_t{8});
    const double error = relativeError(answer, execute(naive.executor, inputs).front());
    QVERIFY2(error < 1e-4, qPrintable(QString::number(error)));
  }
};

NW_TEST_GUILESS(ProcessorNetworks)

} // namespace nestwright::processor_networks_test

#include "processor_networks.moc"
