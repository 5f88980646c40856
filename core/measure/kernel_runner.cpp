#include "core/measure/kernel_runner.h"

#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

// Rounds go from task to task and come back; beyond this, memory is worth more than a second.
constexpr std::size_t kMaxReferences = 32;
constexpr std::size_t kMaxReferenceBytes = 512u << 20;
// A loop of more runs than this only measures the clock's patience.
constexpr double kMaxRunsPerRepeat = 1e6;
constexpr int kMaxCalibrations = 6;

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
      fmt::format("the kernel has {} inputs and parameters of [{}] bytes, the task has "
                  "{} inputs and tensors of [{}] bytes",
                  artifact.inputCount, fmt::join(artifact.parameterBytes, ", "),
                  dag.inputs().size(), fmt::join(expected, ", ")));
}

std::size_t workspaceBytes(const KernelArtifact& artifact, int threads) {
  return static_cast<std::size_t>(artifact.workspaceBytes +
                                  threads * artifact.threadWorkspaceBytes);
}

int runsFor(double repeatSeconds, double secondsPerRun) {
  const double runs = std::ceil(repeatSeconds / std::max(secondsPerRun, 1e-9));
  return static_cast<int>(std::clamp(runs, 1.0, kMaxRunsPerRepeat));
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
  parameters_.clear();
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
  dagText_ = dag;
}

KernelRunner::Bytes KernelRunner::inputBytes(std::size_t input) const {
  const Buffer& tensor = dag_.inputs()[input]->output;
  Bytes bytes(static_cast<std::size_t>(tensor->bytes()));
  fillRandom(bytes, tensor->type, seed_, input);
  return bytes;
}

KernelRunner::Bytes KernelRunner::bytesOf(const DeviceBuffer& buffer) const {
  Bytes bytes(buffer.bytes());
  device_.copyOut(bytes, buffer.data());
  return bytes;
}

void KernelRunner::load(const KernelArtifact& artifact, int threads) {
  kernel_.reset();
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

Timing KernelRunner::time(const TimingOptions& options) {
  if (!kernel_) throw InputError("there is no kernel to run: none was loaded before");
  Timing timing;
  threads_ = options.threads;
  const auto run = [&](int runs) {
    const double seconds = device_.time(call(options.threads), runs);
    timing.kernelSeconds += seconds;
    return seconds;
  };
  // The first runs are slower than the later ones (page faults, cold code), so a batch that turns
  // out shorter than a repeat has to be becomes a warm-up, and the next one is larger.
  const double goal = options.flushCache ? 0 : options.minRepeatSeconds;
  for (; timing.warmups < options.warmups; ++timing.warmups) {
    const double seconds = run(1);
    if (seconds >= options.maxTotalSeconds) { // another run would tell nothing more
      timing.seconds.push_back(seconds);
      return timing;
    }
    timing.runsPerRepeat = runsFor(goal, seconds);
  }
  double total = 0;
  int calibrations = 0;
  while (static_cast<int>(timing.seconds.size()) < std::max(1, options.repeats)) {
    const auto done = static_cast<double>(timing.seconds.size());
    if (done > 0 && total + total / done > options.maxTotalSeconds) break;
    if (options.flushCache) device_.flushCaches();
    const double seconds = run(timing.runsPerRepeat);
    if (done == 0 && seconds < 0.9 * goal && calibrations++ < kMaxCalibrations) {
      timing.warmups += timing.runsPerRepeat;
      timing.runsPerRepeat = runsFor(goal, seconds / timing.runsPerRepeat);
      continue;
    }
    timing.seconds.push_back(seconds / timing.runsPerRepeat);
    total += seconds;
  }
  return timing;
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
  Reference& kept = addReference();
  for (const DeviceBuffer& output : outputs_)
    kept.outputs.push_back(bytesOf(output));
}

KernelRunner::Reference KernelRunner::naiveOutputs(double& kernelSeconds) const {
  Device& device = referenceDevice_;
  const std::optional<GpuFacts>& gpu = device.facts().gpu;
  CompileOptions options = naiveCompileOptions();
  options.gpu = gpu;
  const KernelArtifact artifact =
      reference_.compile(gpu ? lowerNaive(dag_, *gpu) : lowerNaive(dag_), options);
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
  for (const DeviceBuffer& output : outputs_)
    parameters.push_back(buffers.emplace_back(device, output.bytes()).data());
  kernelSeconds += device.time({*kernel, parameters, workspace.data(), 1}, 1);
  Reference result;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    device.copyOut(result.outputs.emplace_back(outputs_[i].bytes()), parameters[firstOutput + i]);
  return result;
}

const KernelRunner::Reference& KernelRunner::expected(double& kernelSeconds) {
  for (auto it = references_.begin(); it != references_.end(); ++it) {
    if (it->seed != seed_ || it->dag != dagText_) continue;
    references_.splice(references_.begin(), references_, it);
    return references_.front();
  }
  Reference computed = naiveOutputs(kernelSeconds);
  Reference& added = addReference();
  added.outputs = std::move(computed.outputs);
  return added;
}

std::string KernelRunner::changedInput() const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (bytesOf(inputs_[i]) != inputBytes(i))
      return fmt::format("the kernel has changed its input {}", dag_.inputs()[i]->output->name);
  return {};
}

std::string KernelRunner::changedOutput(const std::vector<Bytes>& outputs) {
  for (DeviceBuffer& output : outputs_)
    output.poison();
  device_.run(call(threads_));
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (bytesOf(outputs_[i]) != outputs[i])
      return fmt::format("output {} is another one when the kernel runs again: its threads do not "
                         "wait for one another",
                         dag_.outputs()[i]->output->name);
  return {};
}

CheckOutcome KernelRunner::check(const Tolerance& tolerance) {
  if (!kernel_) throw InputError("there is no kernel to check: none was loaded before");
  CheckOutcome outcome;
  device_.checkGuards();
  const bool isGpu = device_.facts().gpu.has_value(); // elsewhere inputs are protected
  if (isGpu) outcome.error = changedInput();
  outcome.agrees = outcome.error.empty();
  if (!outcome.agrees) return outcome;
  std::vector<Bytes> outputs;
  for (const DeviceBuffer& output : outputs_)
    outputs.push_back(bytesOf(output));
  const Reference& wanted = expected(outcome.kernelSeconds);
  const std::vector<Op> ops = dag_.outputs();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Buffer& tensor = ops[i]->output;
    const Tolerance allowed = toleranceFor(tensor->type, tolerance);
    const Difference difference =
        compareElements(outputs[i], wanted.outputs[i], tensor->type, allowed);
    outcome.maxRelativeError = std::max(outcome.maxRelativeError, difference.maxRelativeError);
    if (difference.elements == 0 || !outcome.agrees) continue;
    outcome.agrees = false;
    outcome.error = inWords(difference, tensor->name, tensor->shape, allowed);
  }
  if (outcome.agrees && isGpu) {
    outcome.error = changedOutput(outputs);
    outcome.agrees = outcome.error.empty();
  }
  return outcome;
}

} // namespace nestwright
