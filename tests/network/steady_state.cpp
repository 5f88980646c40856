/// \file What a run of a network costs beside its kernels: nothing is allocated, packed or moved.

#include "core/lower/lower.h"
#include "core/network/execution/executor.h"
#include "core/plugin/plugin.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace nestwright::steady_state_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NW_COUNTS_ALLOCATIONS 0
#else
#define NW_COUNTS_ALLOCATIONS 1
#endif

std::atomic<int> allocations = 0;

#if NW_COUNTS_ALLOCATIONS
// These stand before the C library's own in every library of the process, `operator new` included.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}
#endif

constexpr int kThreads = 2;

struct Program {
  KernelFunction kernel;
  InputLayouts layouts;
};

/// A program as a search makes it, for two threads.
Program sampled(const Task& task, const SpaceOptions& space) {
  const std::vector<Sketch> sketches = generateSketches(task.dag, space);
  SampledProgram program;
  for (std::uint64_t i = 0; !program.state && i < 100; ++i) {
    Random random = Random::stream(7, task.key, i);
    program = sampleProgram(sketches, space, random);
  }
  const LoopFunction function =
      program.state ? lower(*program.state, lowerOptionsFor(space.target)) : lowerNaive(task.dag);
  const KernelArtifact artifact = backend("llvm").compile(function);
  const std::shared_ptr<Kernel> kernel = backend("llvm").load(artifact);
  const std::int64_t bytes = artifact.workspaceBytes + kThreads * artifact.threadWorkspaceBytes;
  const std::shared_ptr<void> workspace(
      std::aligned_alloc(64, static_cast<std::size_t>((bytes + 64) / 64 * 64)), std::free);
  return {[kernel, workspace](std::span<void* const> buffers) {
            kernel->run(buffers, workspace.get(), kThreads);
          },
          function.layouts};
}

class SteadyState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAllocateNothing_data();
  void runsAllocateNothing();
  void constantsStayWhereTheyAre();
};

void SteadyState::runsAllocateNothing_data() {
  QTest::addColumn<int>("network");
  QTest::newRow("resnet") << 0;
  QTest::newRow("mobilenet") << 1;
  QTest::newRow("bert") << 2;
}

void SteadyState::runsAllocateNothing() {
  if (!NW_COUNTS_ALLOCATIONS) QSKIP("a sanitizer has the allocator");
  QFETCH(int, network);
  const Partition parts = optimisedPartition(network == 0   ? tinyResnet()
                                             : network == 1 ? tinyMobilenet()
                                                            : tinyBert(2));
  SpaceOptions space;
  space.target = backend("llvm").target(kThreads);
  std::vector<KernelFunction> kernels;
  std::vector<InputLayouts> layouts;
  for (const Task& task : parts.tasks) {
    Program program = sampled(task, space);
    kernels.push_back(std::move(program.kernel));
    layouts.push_back(std::move(program.layouts));
  }
  const int before = allocations;
  Executor executor(parts, std::move(kernels), layouts);
  QVERIFY(allocations > before); // the counter counts
  const std::vector<Array> inputs = randomInputs(parts.network, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    executor.setInput(i, inputs[i]);
  executor.run(); // starts the threads
  const int afterFirst = allocations;
  for (int i = 0; i < 20; ++i)
    executor.run();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    executor.setInput(i, inputs[i]);
  const int afterAll = allocations;
  QCOMPARE(afterAll, afterFirst);
}

// Packed before the first run, and read from the same place in each.
void SteadyState::constantsStayWhereTheyAre() {
  NetworkBuilder b("dense");
  const TensorId x = b.input("x", {1, 3});
  const TensorId w = b.constant("w", {3, 2}, floatConstant({3, 2}, {1, 2, 3, 4, 5, 6}));
  b.output(b.node(OpKind::MatMul, {x, w}, MatMulAttributes{}));
  const Partition parts = optimisedPartition(b.finish());
  const PackedLayout transposed{{3, 2}, {"k", "j"}, {{1, 2, 1}, {0, 3, 1}}};
  std::vector<const float*> places;
  std::vector<float> seen;
  std::vector<KernelFunction> kernels{[&](std::span<void* const> buffers) {
    places.push_back(static_cast<const float*>(buffers[1]));
    seen.assign(places.back(), places.back() + 6);
    static_cast<float*>(buffers[1])[0] = 100; // stays: nothing is packed again
  }};
  const Executor executor(parts, std::move(kernels), {{std::nullopt, transposed}});
  executor.run();
  QVERIFY((seen == std::vector<float>{1, 3, 5, 2, 4, 6}));
  executor.run();
  QVERIFY((seen == std::vector<float>{100, 3, 5, 2, 4, 6}));
  QCOMPARE(places[1], places[0]);
}

NW_TEST_GUILESS(SteadyState)

} // namespace nestwright::steady_state_test

#include "steady_state.moc"
