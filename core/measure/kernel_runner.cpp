#include "core/measure/kernel_runner.h"

#include "core/lower/lower.h"
#include "core/measure/micro_batches.h"
#include "core/measure/sampled_answer.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

// Rounds go from task to task and come back; beyond this, memory is worth more than a second.
constexpr std::size_t kMaxReferences = 32;
constexpr std::size_t kMaxReferenceBytes = 512u << 20;
// Inputs that take more are made again whenever they are compared.
constexpr std::int64_t kMaxMadeBytes = 1ll << 30;
// A loop of more runs than this only measures the clock's patience.
constexpr double kMaxRunsPerRepeat = 1e6;
constexpr int kMaxCalibrations = 6;
constexpr int kMaxUnsteady = 8;
// The processor's naive program makes about 1e9 operations a second: half a minute.
constexpr double kMostProcessorFlops = 3e10;
// More copies of the tensors than this take longer to make than to time.
constexpr std::int64_t kMostCopies = 64;
// A GPU's clock falls when it has nothing to do.
constexpr std::chrono::milliseconds kFallsAsleep{200};

/// Makes so many runs, and gives their seconds together.
using RunTimer = std::function<double(int)>;

const PackedLayout* layoutOf(const KernelArtifact& artifact, std::size_t input) {
  const bool packed = input < artifact.layouts.size() && artifact.layouts[input];
  return packed ? &*artifact.layouts[input] : nullptr;
}

std::vector<std::int64_t> tensorBytes(const ComputeDag& dag, const KernelArtifact& artifact) {
  std::vector<std::int64_t> bytes;
  for (const Op& op : dag.inputs()) {
    const PackedLayout* layout = layoutOf(artifact, bytes.size());
    bytes.push_back(layout && layout->shape == op->output->shape
                        ? layout->packedElements() * op->output->type.elementBytes()
                        : op->output->bytes());
  }
  for (const Op& op : dag.outputs())
    bytes.push_back(op->output->bytes());
  return bytes;
}

void requireFit(const KernelArtifact& artifact, const ComputeDag& dag) {
  const std::vector<std::int64_t> expected = tensorBytes(dag, artifact);
  if (artifact.inputCount == static_cast<int>(dag.inputs().size()) &&
      artifact.parameterBytes == expected)
    return;
  throw InputError(
      fmt::format("the kernel has {} and parameters of [{}] bytes, the task has "
                  "{} and tensors of [{}] bytes",
                  quantity(artifact.inputCount, "input"), fmt::join(artifact.parameterBytes, ", "),
                  quantity(std::ssize(dag.inputs()), "input"), fmt::join(expected, ", ")));
}

std::size_t workspaceBytes(const KernelArtifact& artifact, int threads) {
  return static_cast<std::size_t>(artifact.workspaceBytes +
                                  threads * artifact.threadWorkspaceBytes);
}

int runsFor(double repeatSeconds, double secondsPerRun) {
  const double runs = std::ceil(repeatSeconds / std::max(secondsPerRun, 1e-9));
  return static_cast<int>(std::clamp(runs, 1.0, kMaxRunsPerRepeat));
}

/// Repeats of as many runs as it takes. `runCold`: one run with cold caches, where that is wanted.
void timeRepeats(const TimingOptions& options, const RunTimer& run, const RunTimer& runCold,
                 Timing& timing) {
  // The first runs are slower than the later ones (page faults, cold code), so a batch that turns
  // out shorter than a repeat has to be becomes a warm-up, and the next one is larger.
  const bool flushes = runCold != nullptr;
  const double goal = flushes ? 0 : options.minRepeatSeconds;
  for (int i = 0; timing.seconds.empty() && i < options.warmups; ++i) {
    const double seconds = run(1);
    if (seconds >= options.maxTotalSeconds) {
      timing.seconds.push_back(seconds);
      continue;
    }
    ++timing.warmups;
    timing.runsPerRepeat = runsFor(goal, seconds);
  }
  const bool isDone = !timing.seconds.empty();
  double total = 0;
  int calibrations = 0, unsteady = 0;
  while (!isDone && static_cast<int>(timing.seconds.size()) < std::max(1, options.repeats)) {
    const auto done = static_cast<double>(timing.seconds.size());
    if (done > 0 && total + total / done > options.maxTotalSeconds) break;
    const double seconds = flushes ? runCold(1) : run(timing.runsPerRepeat);
    if (done == 0 && seconds < 0.9 * goal && calibrations++ < kMaxCalibrations) {
      timing.warmups += timing.runsPerRepeat;
      timing.runsPerRepeat = runsFor(goal, seconds / timing.runsPerRepeat);
      continue;
    }
    timing.seconds.push_back(seconds / timing.runsPerRepeat);
    total += seconds;
    // With cold caches a repeat is one short run: those never agree so well.
    const bool looks = options.steadyWithin > 0 && !flushes && unsteady < kMaxUnsteady;
    if (!looks || timing.seconds.size() != 2) continue;
    const double before = timing.seconds[0], after = timing.seconds[1];
    if (std::abs(after - before) <= options.steadyWithin * std::max(before, after)) continue;
    ++unsteady; // the earlier one was still a warm-up
    timing.seconds.erase(timing.seconds.begin());
    timing.warmups += timing.runsPerRepeat;
    total = seconds;
  }
}

} // namespace

CompileOptions naiveCompileOptions() {
  CompileOptions options;
  options.optimisationLevel = 1;
  options.vectorise = false;
  return options;
}

std::size_t KernelRunner::Reference::bytes() const {
  std::size_t sum = 0;
  for (const auto& output : outputs)
    sum += output.size();
  return sum;
}

void KernelRunner::prepare(const std::string& dag, std::uint64_t seed) {
  if (dag == dagText_ && seed == seed_ && !outputs_.empty()) return;
  kernel_.reset();
  dagText_.clear();
  inputs_.clear();
  outputs_.clear();
  packedInputs_.clear();
  copies_.clear();
  copySets_.clear();
  parameters_.clear();
  madeInputs_.clear();
  answer_.clear();
  made_ = read_ = Bytes();
  workspace_ = DeviceBuffer(); // of the former task's kernel: both need not fit
  ranUnchecked_ = inputsDoubtful_ = false;
  dag_ = parseDag(dag);
  seed_ = seed;
  for (const Op& op : dag_.inputs()) {
    const DeviceBuffer& input =
        inputs_.emplace_back(device_, static_cast<std::size_t>(op->output->bytes()));
    device_.copyIn(input.data(), inputBytes(inputs_.size() - 1));
    device_.protect(input.data());
  }
  for (const Op& op : dag_.outputs())
    outputs_.emplace_back(device_, static_cast<std::size_t>(op->output->bytes()));
  made_ = Bytes();
  dagText_ = dag;
}

const KernelRunner::Bytes& KernelRunner::inputBytes(std::size_t input) {
  const std::vector<Op> ops = dag_.inputs();
  const Buffer& tensor = ops[input]->output;
  std::int64_t all = 0;
  for (const Op& op : ops)
    all += op->output->bytes();
  // Elsewhere inputs are protected, so that nobody asks again.
  const bool keeps = isGpu() && all <= kMaxMadeBytes;
  if (keeps) madeInputs_.resize(ops.size());
  Bytes& bytes = keeps ? madeInputs_[input] : made_;
  if (keeps && !bytes.empty()) return bytes;
  bytes.resize(static_cast<std::size_t>(tensor->bytes()));
  fillRandom(bytes, tensor->type, seed_, input);
  return bytes;
}

const KernelRunner::Bytes& KernelRunner::bytesOf(const DeviceBuffer& buffer) {
  read_.resize(buffer.bytes());
  device_.copyOut(read_, buffer.data());
  return read_;
}

void KernelRunner::load(const KernelArtifact& artifact, int threads) {
  kernel_.reset();
  inputsDoubtful_ = inputsDoubtful_ || ranUnchecked_;
  ranUnchecked_ = false;
  requireFit(artifact, dag_);
  workspace_ = DeviceBuffer(); // the old one goes first: only one has to fit
  workspace_ = DeviceBuffer(device_, workspaceBytes(artifact, threads));
  workspace_.poison();
  for (DeviceBuffer& output : outputs_)
    output.poison();
  packInputs(artifact);
  kernel_ = device_.load(artifact);
}

void KernelRunner::packInputs(const KernelArtifact& artifact) {
  parameters_.clear();
  packedInputs_.clear();
  const std::vector<Op> ops = dag_.inputs();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const PackedLayout* layout = layoutOf(artifact, i);
    if (!layout) {
      parameters_.push_back(inputs_[i].data());
      continue;
    }
    // Only what runs on the host wants its inputs packed (LoopFunction::layouts).
    NW_ASSERT(device_.isHostMemory(), "inputs are packed in the host's memory");
    const DeviceBuffer& packed =
        packedInputs_.emplace_back(device_, static_cast<std::size_t>(artifact.parameterBytes[i]));
    layout->pack(inputs_[i].data(), packed.data(),
                 static_cast<std::size_t>(ops[i]->output->type.elementBytes()));
    device_.protect(packed.data());
    parameters_.push_back(packed.data());
  }
  for (const DeviceBuffer& output : outputs_)
    parameters_.push_back(output.data());
}

KernelCall KernelRunner::call(int threads) const {
  return {*kernel_, parameters_, workspace_.data(), threads};
}

bool KernelRunner::makeCopies() {
  if (!copySets_.empty()) return true;
  std::int64_t bytes = 0;
  for (const auto* tensors : {&inputs_, &outputs_})
    for (const DeviceBuffer& tensor : *tensors)
      bytes += static_cast<std::int64_t>(tensor.bytes());
  const std::int64_t wanted = 2 * device_.facts().gpu->l2Bytes;
  if (bytes == 0 || wanted / bytes >= kMostCopies) return false;
  for (std::int64_t copied = 0; copied < wanted; copied += bytes) {
    std::vector<void*>& set = copySets_.emplace_back();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const DeviceBuffer& copy = copies_.emplace_back(device_, inputs_[i].bytes());
      device_.copyIn(copy.data(), inputBytes(i));
      set.push_back(copy.data());
    }
    for (const DeviceBuffer& output : outputs_)
      set.push_back(copies_.emplace_back(device_, output.bytes()).data());
  }
  return true;
}

void KernelRunner::wake(const TimingOptions& options, Timing& timing) {
  const auto now = std::chrono::steady_clock::now();
  const bool sleeps = !lastTimed_ || now - *lastTimed_ > kFallsAsleep;
  if (options.wakeSeconds <= 0 || !sleeps) return;
  double worked = 0;
  for (int runs = 1; worked < options.wakeSeconds && timing.warmups < kMaxRunsPerRepeat;) {
    const double seconds = device_.time(call(options.threads), runs);
    worked += seconds;
    timing.kernelSeconds += seconds;
    if (runs == 1 && seconds >= options.maxTotalSeconds) // another run would tell nothing more
      return timing.seconds.push_back(seconds);
    timing.warmups += runs;
    runs = runsFor(options.wakeSeconds / 4, seconds / runs);
  }
}

Timing KernelRunner::time(const TimingOptions& options) {
  if (!kernel_) throw InputError("there is no kernel to run: none was loaded before");
  Timing timing;
  threads_ = options.threads;
  ranUnchecked_ = true;
  const bool rotates = options.flushCache && isGpu() && makeCopies();
  std::vector<KernelCall> calls{call(options.threads)};
  if (rotates)
    for (const std::vector<void*>& set : copySets_)
      calls.push_back({*kernel_, set, workspace_.data(), options.threads});
  const RunTimer run = [&](int runs) {
    const double seconds = device_.time(calls, runs);
    timing.kernelSeconds += seconds;
    return seconds;
  };
  const RunTimer runCold = [&](int) {
    const double seconds = device_.timeCold(calls.front());
    timing.kernelSeconds += seconds;
    return seconds;
  };
  wake(options, timing);
  if (options.evaluator.hasBatches())
    timeBatches(options, run, timing);
  else
    timeRepeats(options, run, options.flushCache && !rotates ? runCold : RunTimer(), timing);
  lastTimed_ = std::chrono::steady_clock::now();
  return timing;
}

RepeatedRuns KernelRunner::repeat(double seconds, int threads, const std::function<void()>& begin,
                                  const std::function<void()>& end) {
  if (!kernel_) throw InputError("there is no kernel to run: none was loaded before");
  threads_ = threads;
  ranUnchecked_ = true;
  const KernelCall once = call(threads);
  // A single short run says little of how long many of them take.
  constexpr double kTelling = 0.02, kMostRuns = 1e8;
  RepeatedRuns tried{1, device_.time(once, 1)};
  double fastest = tried.seconds; // of a run: a busy moment must not make the counted ones few
  for (int warmUp = 0; warmUp < 2 || (tried.seconds < kTelling && tried.runs < kMostRuns);
       ++warmUp) {
    if (tried.seconds >= seconds) break; // it is long enough alone
    if (warmUp > 0) tried.runs = std::min(4 * tried.runs, static_cast<int>(kMostRuns));
    tried.seconds = device_.time(once, tried.runs);
    fastest = std::min(fastest, tried.seconds / tried.runs);
  }
  const double wanted = std::ceil(seconds / std::max(fastest, 1e-9));
  RepeatedRuns made{static_cast<int>(std::clamp(wanted, 1.0, kMostRuns)), 0};
  begin();
  made.seconds = device_.time(once, made.runs);
  end();
  lastTimed_ = std::chrono::steady_clock::now();
  return made;
}

KernelRunner::Reference& KernelRunner::addReference() {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (auto it = references_.begin(); it != references_.end();) {
    bytes += it->bytes();
    const bool keep = ++count < kMaxReferences && bytes <= kMaxReferenceBytes;
    it = keep ? std::next(it) : references_.erase(it);
  }
  Reference& added = references_.emplace_front();
  added.dag = dagText_;
  added.seed = seed_;
  return added;
}

void KernelRunner::keepOutputsAsReference() {
  if (isGpu()) return;
  Reference& kept = addReference();
  for (const DeviceBuffer& output : outputs_)
    kept.outputs.push_back(bytesOf(output));
}

bool KernelRunner::asksProcessor() const {
  return !isGpu() || (processor_.backend && flops(dag_) <= kMostProcessorFlops);
}

KernelRunner::Reference KernelRunner::naiveOutputs(const Backend& backend, Device& device,
                                                   double& kernelSeconds) {
  CompileOptions options = naiveCompileOptions();
  options.gpu = device.facts().gpu;
  const KernelArtifact artifact = backend.compile(lowerNaive(dag_, options.gpu), options);
  requireFit(artifact, dag_);
  const std::unique_ptr<Kernel> kernel = device.load(artifact);
  const DeviceBuffer workspace(device, workspaceBytes(artifact, 1));
  std::vector<DeviceBuffer> buffers;
  std::vector<void*> parameters;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (&device == &device_) {
      parameters.push_back(inputs_[i].data());
      continue;
    }
    const DeviceBuffer& input = buffers.emplace_back(device, inputs_[i].bytes());
    device.copyIn(input.data(), inputBytes(i));
    parameters.push_back(input.data());
  }
  const std::size_t firstOutput = parameters.size();
  for (const DeviceBuffer& output : outputs_) {
    DeviceBuffer& own = buffers.emplace_back(device, output.bytes());
    own.poison();
    parameters.push_back(own.data());
  }
  kernelSeconds += device.time({*kernel, parameters, workspace.data(), 1}, 1);
  Reference result;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    device.copyOut(result.outputs.emplace_back(outputs_[i].bytes()), parameters[firstOutput + i]);
  return result;
}

void KernelRunner::requireRight(const Reference& reference, const Tolerance& tolerance) {
  std::vector<Bytes> inputs;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    inputs.push_back(inputBytes(i));
  const std::string error = sampleError(dag_, inputs, reference.outputs, tolerance);
  if (!error.empty())
    throw Error(fmt::format("nothing can be compared with the naive program on {}: {}",
                            device_.facts().gpu->name, error));
}

const KernelRunner::Reference& KernelRunner::expected(const Tolerance& tolerance,
                                                      double& kernelSeconds) {
  for (auto it = references_.begin(); it != references_.end(); ++it) {
    if (it->seed != seed_ || it->dag != dagText_) continue;
    references_.splice(references_.begin(), references_, it);
    return references_.front();
  }
  Reference computed;
  if (isGpu() && asksProcessor()) {
    computed = naiveOutputs(*processor_.backend, *processor_.device, kernelSeconds);
  } else {
    computed = naiveOutputs(backend_, device_, kernelSeconds);
    if (isGpu()) requireRight(computed, tolerance);
  }
  Reference& added = addReference();
  added.outputs = std::move(computed.outputs);
  return added;
}

void KernelRunner::refillInputs() {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    device_.copyIn(inputs_[i].data(), inputBytes(i));
}

std::string KernelRunner::changedInput() {
  std::string changed = findChangedInput();
  if (!changed.empty()) refillInputs();
  if (!changed.empty() && inputsDoubtful_) {
    for (DeviceBuffer& output : outputs_)
      output.poison();
    device_.run(call(threads_));
    changed = findChangedInput();
    if (!changed.empty()) refillInputs();
  }
  ranUnchecked_ = inputsDoubtful_ = false;
  return changed;
}

std::string KernelRunner::findChangedInput() {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (bytesOf(inputs_[i]) != inputBytes(i))
      return fmt::format("the kernel has changed its input {}", dag_.inputs()[i]->output->name);
  return {};
}

std::string KernelRunner::changedOutput() {
  for (DeviceBuffer& output : outputs_)
    output.poison();
  try {
    device_.run(call(threads_));
    device_.checkGuards();
  } catch (const DeviceError& e) {
    if (e.isSticky()) throw;
    return e.what(); // the kernel's own fault, and not that of what it is compared with
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (bytesOf(outputs_[i]) != answer_[i])
      return fmt::format("output {} is another one when the kernel runs again: its threads do not "
                         "wait for one another",
                         dag_.outputs()[i]->output->name);
  return {};
}

CheckOutcome KernelRunner::check(const Tolerance& tolerance) {
  if (!kernel_) throw InputError("there is no kernel to check: none was loaded before");
  CheckOutcome outcome;
  device_.checkGuards();
  if (isGpu()) outcome.error = changedInput(); // elsewhere inputs are protected
  outcome.agrees = outcome.error.empty();
  if (!outcome.agrees) return outcome;
  answer_.resize(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    answer_[i].resize(outputs_[i].bytes());
    device_.copyOut(answer_[i], outputs_[i].data());
  }
  const Reference& wanted = expected(tolerance, outcome.kernelSeconds);
  const std::vector<Op> ops = dag_.outputs();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Buffer& tensor = ops[i]->output;
    const Tolerance allowed = toleranceFor(tensor->type, tolerance);
    const Difference difference =
        compareElements(answer_[i], wanted.outputs[i], tensor->type, allowed);
    outcome.maxRelativeError = std::max(outcome.maxRelativeError, difference.maxRelativeError);
    if (difference.elements == 0 || !outcome.agrees) continue;
    outcome.agrees = false;
    outcome.error = inWords(difference, tensor->name, tensor->shape, allowed);
  }
  if (outcome.agrees && isGpu()) {
    outcome.error = changedOutput();
    outcome.agrees = outcome.error.empty();
  }
  return outcome;
}

} // namespace nestwright
