/// \file How many runs a GPU's kernel gets before its times count, on a device whose clock is made
/// up.

#include "core/measure/kernel_runner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <deque>

namespace nestwright::steady_timing_test {

class NoKernel : public Kernel {
 public:
  void run(std::span<void* const>, void*, int) const override {}
};

/// Runs take what the script says, in its order; behind its end the last.
class ScriptedDevice : public Device {
 public:
  std::deque<double> script;
  int runs = 0;

  const TargetFacts& facts() const override { return facts_; }
  void* allocate(std::size_t bytes) override { return ::operator new(bytes + 1); }
  void release(void* memory) noexcept override { ::operator delete(memory); }
  void copyIn(void* to, std::span<const std::uint8_t> from) override {
    std::ranges::copy(from, static_cast<std::uint8_t*>(to));
  }
  void copyOut(std::span<std::uint8_t> to, const void* from) override {
    std::copy_n(static_cast<const std::uint8_t*>(from), to.size(), to.data());
  }
  void fill(void* memory, std::uint8_t value, std::size_t bytes) override {
    std::fill_n(static_cast<std::uint8_t*>(memory), bytes, value);
  }
  std::unique_ptr<Kernel> load(const KernelArtifact&) override {
    return std::make_unique<NoKernel>();
  }
  void run(const KernelCall&) override {}
  using Device::time;
  double time(std::span<const KernelCall>, int count) override {
    double seconds = 0;
    for (int i = 0; i < count; ++i) {
      seconds += script.front();
      if (script.size() > 1) script.pop_front();
    }
    runs += count;
    return seconds;
  }
  std::unique_ptr<LaunchSequence> sequence(std::vector<KernelCall> calls) override {
    return callsInTurn(*this, std::move(calls));
  }
  double timeCold(const KernelCall& call) override { return time(call, 1); }
  void checkGuards() override {}
  DeviceState state() override { return {}; }

 private:
  TargetFacts facts_ = cudaTarget(gpuPreset({9, 0}));
};

class NoBackend : public Backend {
 public:
  std::string name() const override { return "none"; }
  TargetFacts target(int, const std::string&) const override { return {}; }
  KernelArtifact compile(const LoopFunction&, const CompileOptions&) const override { return {}; }
  std::vector<CodeText> texts() const override { return {}; }
  std::string text(const LoopFunction&, CodeForm, const CompileOptions&) const override {
    return {};
  }
  std::unique_ptr<Device> openDevice(const DeviceOptions&) const override { return nullptr; }
};

struct Setup {
  ScriptedDevice device;
  NoBackend backend;
  KernelRunner runner{device, backend};

  explicit Setup(std::deque<double> script) {
    device.script = std::move(script);
    runner.prepare("A = PLACEHOLDER [16]\nB(i) = (A[i]*2f)\n", 1);
    KernelArtifact artifact;
    artifact.inputCount = 1;
    artifact.parameterBytes = {64, 64};
    runner.load(artifact, 1);
  }
};

TimingOptions options() {
  TimingOptions options;
  options.minRepeatSeconds = 0;
  options.repeats = 3;
  options.maxTotalSeconds = 10;
  options.wakeSeconds = 0.05;
  options.steadyWithin = 0.03;
  return options;
}

class SteadyTiming : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Runs of 20 ms: three of them, then the warm-up, and repeats that agree at once.
  void aDeviceIsWokenFirst() {
    Setup setup({0.02});
    const Timing timing = setup.runner.time(options());
    QCOMPARE(timing.seconds, (std::vector<double>{0.02, 0.02, 0.02}));
    QCOMPARE(timing.warmups, 4);
    // It is awake now.
    QCOMPARE(setup.runner.time(options()).warmups, 1);
  }

  /// While the clock rises each repeat is faster than the one before.
  void repeatsCountOnceTheyAgree() {
    Setup setup({0.06, 0.05, 0.050, 0.040, 0.030, 0.0297, 0.0299, 0.0300});
    const Timing timing = setup.runner.time(options());
    QCOMPARE(timing.seconds, (std::vector<double>{0.030, 0.0297, 0.0299}));
    QCOMPARE(timing.warmups, 4); // one woke it, one was asked for, two were too far apart
  }

  /// A device that never settles is measured all the same: the spread of its repeats tells.
  void itDoesNotWaitForEver() {
    std::deque<double> script;
    for (int i = 0; i < 100; ++i)
      script.push_back(i % 2 == 0 ? 0.01 : 0.02);
    Setup setup(std::move(script));
    const Timing timing = setup.runner.time(options());
    QCOMPARE(timing.seconds.size(), std::size_t{3});
    QVERIFY(setup.device.runs < 20);
  }

  /// Of a processor, and of a run that is only compared, nothing of the kind is asked.
  void nothingOfItUnlessAsked() {
    Setup setup({0.05, 0.04, 0.03, 0.02});
    TimingOptions plain = options();
    plain.wakeSeconds = plain.steadyWithin = 0;
    QCOMPARE(setup.runner.time(plain).seconds, (std::vector<double>{0.04, 0.03, 0.02}));
  }
};

NW_TEST_GUILESS(SteadyTiming)

} // namespace nestwright::steady_timing_test

#include "steady_timing.moc"
