#include "core/measure/kernel_runner.h"

#include "core/lower/lower.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <chrono>
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
  for (const Op& op : dag_.inputs()) {
    GuardedBuffer& input = inputs_.emplace_back(op->output->bytes());
    fillRandom(input.bytes(), op->output->type, seed, inputs_.size() - 1);
    input.makeReadOnly();
  }
  for (const Op& op : dag_.outputs())
    outputs_.emplace_back(op->output->bytes());
  dagText_ = dag;
  seed_ = seed;
}

void KernelRunner::load(const KernelArtifact& artifact, int threads) {
  kernel_.reset();
  requireFit(artifact, dag_);
  workspace_ = GuardedBuffer(); // the old one goes first: only one has to fit
  workspace_ = GuardedBuffer(workspaceBytes(artifact, threads));
  workspace_.poison();
  for (GuardedBuffer& output : outputs_)
    output.poison();
  packInputs(artifact);
  kernel_ = backend_.load(artifact);
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
    GuardedBuffer& packed =
        packedInputs_.emplace_back(static_cast<std::size_t>(artifact.parameterBytes[i]));
    layout->pack(inputs_[i].data(), packed.data(),
                 static_cast<std::size_t>(ops[i]->output->type.elementBytes()));
    packed.makeReadOnly();
    parameters_.push_back(packed.data());
  }
  for (const GuardedBuffer& output : outputs_)
    parameters_.push_back(output.data());
}

double KernelRunner::runSeconds(int runs, int threads) const {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i)
    kernel_->run(parameters_, workspace_.data(), threads);
  return secondsSince(start);
}

void KernelRunner::flushCache() {
  if (flushMemory_.empty()) {
    const auto bytes =
        std::clamp<std::int64_t>(backend_.target(0).l3Bytes * 3 / 2, 32ll << 20, 1ll << 30);
    flushMemory_.resize(static_cast<std::size_t>(bytes));
  }
  for (std::size_t i = 0; i < flushMemory_.size(); i += 64)
    ++flushMemory_[i];
}

Timing KernelRunner::time(const TimingOptions& options) {
  if (!kernel_) throw InputError("there is no kernel to run: none was loaded before");
  Timing timing;
  const auto run = [&](int runs) {
    const double seconds = runSeconds(runs, options.threads);
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
    if (options.flushCache) flushCache();
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
  for (const GuardedBuffer& output : outputs_)
    kept.outputs.emplace_back(output.bytes().begin(), output.bytes().end());
}

KernelRunner::Reference KernelRunner::naiveOutputs(double& kernelSeconds) const {
  const KernelArtifact artifact = backend_.compile(lowerNaive(dag_), naiveCompileOptions());
  requireFit(artifact, dag_);
  const std::unique_ptr<Kernel> kernel = backend_.load(artifact);
  GuardedBuffer workspace(workspaceBytes(artifact, 1));
  std::vector<GuardedBuffer> outputs;
  std::vector<void*> parameters;
  for (const GuardedBuffer& input : inputs_)
    parameters.push_back(input.data());
  for (const GuardedBuffer& output : outputs_)
    parameters.push_back(outputs.emplace_back(output.bytes().size()).data());
  const auto start = std::chrono::steady_clock::now();
  kernel->run(parameters, workspace.data(), 1);
  kernelSeconds += secondsSince(start);
  Reference result;
  for (const GuardedBuffer& output : outputs)
    result.outputs.emplace_back(output.bytes().begin(), output.bytes().end());
  return result;
}

const KernelRunner::Reference& KernelRunner::reference(double& kernelSeconds) {
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

CheckOutcome KernelRunner::check(const Tolerance& tolerance) {
  if (!kernel_) throw InputError("there is no kernel to check: none was loaded before");
  CheckOutcome outcome;
  outcome.agrees = true;
  const Reference& expected = reference(outcome.kernelSeconds);
  const std::vector<Op> ops = dag_.outputs();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Buffer& tensor = ops[i]->output;
    const Difference difference =
        compareElements(outputs_[i].bytes(), expected.outputs[i], tensor->type, tolerance);
    outcome.maxRelativeError = std::max(outcome.maxRelativeError, difference.maxRelativeError);
    if (difference.elements == 0 || !outcome.agrees) continue;
    outcome.agrees = false;
    outcome.error = inWords(difference, tensor->name, tensor->shape, tolerance);
  }
  return outcome;
}

} // namespace nestwright
