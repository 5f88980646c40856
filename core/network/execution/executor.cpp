#include "core/network/execution/executor.h"

#include "core/backend/device_buffer.h"
#include "core/backend/host_device.h"
#include "core/network/execution/stored_values.h"
#include "core/network/graph/infer.h"
#include "core/network/graph/narrow_integers.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

namespace nestwright {

namespace {

/// Throws InputError when the network needs more memory than there is.
void requireMemory(const ExecutionPlan& plan, const TargetFacts& device) {
  const double needed = static_cast<double>(plan.arenaBytes) + static_cast<double>(plan.ownBytes);
  if (device.memoryBytes <= 0 || needed <= static_cast<double>(device.memoryBytes)) return;
  throw InputError(
      fmt::format("the network needs {} of memory to run, {} of it for what is between "
                  "its operators, and {} has {}; try a smaller batch or image",
                  formatBytes(needed), formatBytes(static_cast<double>(plan.arenaBytes)),
                  device.gpu ? device.modelName : "this machine",
                  formatBytes(static_cast<double>(device.memoryBytes))));
}

/// Has `write` fill `bytes` bytes where they are, or where they are copied to the device from.
template <class Write>
void put(Device& device, void* to, std::int64_t bytes, const Write& write) {
  if (device.isHostMemory()) return write(to);
  std::vector<std::uint8_t> staged(static_cast<std::size_t>(bytes));
  write(staged.data());
  device.copyIn(to, staged);
}

/// Zeroed, so that a run before the inputs are set is at least defined.
DeviceBuffer zeroed(Device& device, std::int64_t bytes, const char* what) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  try {
    DeviceBuffer buffer(device, size);
    device.fill(buffer.data(), 0, size);
    return buffer;
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("there is no memory for the {} of the network's {}",
                                  formatBytes(static_cast<double>(bytes)), what));
  } catch (const DeviceError& error) {
    if (error.fault() != DeviceFault::OutOfMemory) throw;
    throw DeviceError(error.fault(), error.name(),
                      fmt::format("the network's {} need {} on the device: {}; try a smaller batch "
                                  "or image",
                                  what, formatBytes(static_cast<double>(bytes)), error.what()));
  }
}

void* placeIn(const DeviceBuffer& memory, std::int64_t offset) {
  return static_cast<std::byte*>(memory.data()) + offset;
}

/// A function of this process as a kernel of the host.
class FunctionKernel final : public Kernel {
 public:
  explicit FunctionKernel(KernelFunction function) : function_(std::move(function)) {}
  void run(std::span<void* const> buffers, void*, int) const override { function_(buffers); }

 private:
  KernelFunction function_;
};

std::vector<TaskKernel> taskKernels(std::vector<KernelFunction> functions,
                                    const std::vector<InputLayouts>& layouts) {
  std::vector<TaskKernel> kernels;
  for (KernelFunction& function : functions) {
    TaskKernel kernel{std::make_shared<FunctionKernel>(std::move(function)), {}};
    if (kernels.size() < layouts.size()) kernel.layouts = layouts[kernels.size()];
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace

struct Executor::Impl {
  std::shared_ptr<Device> device; // all that follows is gone before it
  ExecutionPlan plan;
  std::vector<TaskKernel> kernels;
  std::vector<Tensor> inputs, outputs;               // shapes and types
  DeviceBuffer arena, own, workspace;                // one for all kernels: they run one at a time
  std::vector<void*> addresses;                      // by buffer
  std::vector<std::vector<void*>> arguments;         // by step
  std::unique_ptr<LaunchSequence> sequence;          // of the steps; null for a network without any
  mutable std::vector<double> inSeconds, outSeconds; // of the last copy, by input and output

  void allocate(int threads);
  void fillConstants(const Network& network);
  void makeSequence(int threads);
};

void Executor::Impl::allocate(int threads) {
  std::int64_t workspaceBytes = 0;
  for (const TaskKernel& kernel : kernels)
    workspaceBytes =
        std::max(workspaceBytes, kernel.workspaceBytes + threads * kernel.threadWorkspaceBytes);
  arena = zeroed(*device, plan.arenaBytes, "activations");
  own = zeroed(*device, plan.ownBytes, "inputs and constants");
  workspace = zeroed(*device, workspaceBytes, "workspace");
  for (const PlannedBuffer& buffer : plan.buffers)
    addresses.push_back(
        placeIn(buffer.place == PlannedBuffer::Place::Arena ? arena : own, buffer.offset));
}

void Executor::Impl::fillConstants(const Network& network) {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlannedBuffer& buffer = plan.buffers[b];
    if (buffer.place != PlannedBuffer::Place::Constant) continue;
    put(*device, addresses[b], buffer.bytes,
        [&](void* memory) { storeConstant(network.tensor(buffer.tensor), buffer, memory); });
  }
}

void Executor::Impl::makeSequence(int threads) {
  for (const ExecutionPlan::Step& step : plan.steps) {
    arguments.emplace_back();
    for (const int buffer : step.buffers)
      arguments.back().push_back(addresses[static_cast<std::size_t>(buffer)]);
  }
  std::vector<KernelCall> calls;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const TaskKernel& task = kernels[static_cast<std::size_t>(plan.steps[s].task)];
    calls.push_back({*task.kernel, arguments[s], workspace.data(), threads});
  }
  if (!calls.empty()) sequence = device->sequence(std::move(calls));
}

Executor::Executor(const Partition& partition, std::shared_ptr<Device> device,
                   std::vector<TaskKernel> kernels, int threads)
    : impl_(std::make_unique<Impl>()) {
  NW_ASSERT(kernels.size() == partition.tasks.size(), "{} kernels for {} tasks", kernels.size(),
            partition.tasks.size());
  impl_->device = std::move(device);
  impl_->kernels = std::move(kernels);
  std::vector<InputLayouts> layouts;
  for (const TaskKernel& kernel : impl_->kernels)
    layouts.push_back(kernel.layouts);
  const TargetFacts& facts = impl_->device->facts();
  impl_->plan = planExecution(partition, layouts, bufferAlignment(facts));
  requireMemory(impl_->plan, facts);
  const Network& network = partition.network;
  impl_->allocate(threads);
  impl_->fillConstants(network);
  impl_->makeSequence(threads);
  for (const TensorId id : network.inputs)
    impl_->inputs.push_back(network.tensor(id));
  for (const TensorId id : network.outputs)
    impl_->outputs.push_back(network.tensor(id));
  impl_->inSeconds.resize(network.inputs.size());
  impl_->outSeconds.resize(network.outputs.size());
}

Executor::Executor(const Partition& partition, std::vector<KernelFunction> kernels,
                   const std::vector<InputLayouts>& layouts)
    : Executor(partition, makeHostDevice(), taskKernels(std::move(kernels), layouts), 1) {}

Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

void Executor::setInput(std::size_t index, const Array& values) {
  if (index >= impl_->inputs.size())
    throw InputError(
        fmt::format("there is no input {}; the network has {}", index, impl_->inputs.size()));
  const Tensor& tensor = impl_->inputs[index];
  if (values.shape != tensor.shape || values.isFloat() != tensor.type.isFloat())
    throw InputError(fmt::format("the input '{}' takes {} of shape {}, not {} of shape {}",
                                 tensor.name, toString(tensor.type), shapeText(tensor.shape),
                                 values.isFloat() ? "floats" : "integers",
                                 shapeText(values.shape)));
  if (const std::optional<std::int64_t> beyond = firstBeyond(values, tensor.type))
    throw InputError(fmt::format("the input '{}' takes {}, which cannot hold {}", tensor.name,
                                 toString(tensor.type), *beyond));
  const auto buffer = static_cast<std::size_t>(impl_->plan.inputs[index]);
  const auto start = std::chrono::steady_clock::now();
  put(*impl_->device, impl_->addresses[buffer], impl_->plan.buffers[buffer].bytes,
      [&](void* memory) { storeValues(values, tensor.type, memory); });
  if (!impl_->device->isHostMemory()) impl_->inSeconds[index] = secondsSince(start);
}

void Executor::run() const {
  if (impl_->sequence) impl_->sequence->run();
}

double Executor::time() const {
  return impl_->sequence ? impl_->sequence->time() : 0;
}

LatencyProfile Executor::profile() const {
  LatencyProfile profile;
  if (!impl_->sequence) return profile;
  const SequenceSeconds seconds = impl_->sequence->timeEach();
  profile.total = seconds.total;
  profile.groups.resize(seconds.calls.size());
  for (std::size_t s = 0; s < seconds.calls.size(); ++s)
    profile.groups[static_cast<std::size_t>(impl_->plan.steps[s].group)] = seconds.calls[s];
  return profile;
}

Array Executor::output(std::size_t index) const {
  NW_ASSERT(index < impl_->outputs.size(), "there is no output {}", index);
  const Tensor& tensor = impl_->outputs[index];
  const auto buffer = static_cast<std::size_t>(impl_->plan.outputs[index]);
  const void* const memory = impl_->addresses[buffer];
  if (impl_->device->isHostMemory()) return loadValues(tensor.shape, tensor.type, memory);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::uint8_t> copied(static_cast<std::size_t>(impl_->plan.buffers[buffer].bytes));
  impl_->device->copyOut(copied, memory);
  Array values = loadValues(tensor.shape, tensor.type, copied.data());
  impl_->outSeconds[index] = secondsSince(start);
  return values;
}

CopySeconds Executor::copySeconds() const {
  const auto sum = [](const std::vector<double>& seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
  };
  return {sum(impl_->inSeconds), sum(impl_->outSeconds)};
}

Device& Executor::device() const {
  return *impl_->device;
}

const ExecutionPlan& Executor::plan() const {
  return impl_->plan;
}

std::vector<Array> execute(Executor& executor, const std::vector<Array>& inputs) {
  if (inputs.size() != executor.plan().inputs.size())
    throw InputError(fmt::format("{} for a network that takes {}",
                                 quantity(std::ssize(inputs), "input"),
                                 executor.plan().inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    executor.setInput(i, inputs[i]);
  executor.run();
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < executor.plan().outputs.size(); ++i)
    outputs.push_back(executor.output(i));
  return outputs;
}

KernelFunction interpretedKernel(const ComputeDag& dag) {
  return [dag](std::span<void* const> buffers) {
    std::map<std::string, TensorValues> inputs;
    std::size_t next = 0;
    for (const Op& input : dag.inputs()) {
      const Array values = loadValues(input->output->shape, input->output->type, buffers[next++]);
      std::visit(
          [&](const auto& elements) {
            inputs[input->name()] = TensorValues(elements.begin(), elements.end());
          },
          values.data);
    }
    const auto results = evaluate(dag, inputs);
    for (const Op& output : dag.outputs()) {
      const TensorValues& values = results.at(output->name());
      const Shape& shape = output->output->shape;
      const Array array =
          output->output->type.isFloat()
              ? Array{shape, std::vector<float>(values.begin(), values.end())}
              : Array{shape, std::vector<std::int64_t>(values.begin(), values.end())};
      storeValues(array, output->output->type, buffers[next++]);
    }
  };
}

std::vector<Array> interpret(const Partition& partition, const std::vector<Array>& inputs) {
  std::vector<KernelFunction> kernels;
  for (const Task& task : partition.tasks)
    kernels.push_back(interpretedKernel(task.dag));
  Executor executor(partition, std::move(kernels));
  return execute(executor, inputs);
}

std::vector<Array> randomInputs(const Network& network, std::uint64_t seed) {
  std::vector<Array> inputs;
  for (const TensorId id : network.inputs) {
    const Tensor& tensor = network.tensor(id);
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    for (const Node& node : network.nodes)
      if (node.kind == OpKind::Gather && node.inputs[1] == id)
        limit =
            std::min(limit, network.tensor(node.inputs[0])
                                .shape[static_cast<std::size_t>(node.as<AxisAttributes>().axis)]);
    const bool isTable = limit != std::numeric_limits<std::int64_t>::max();
    const bool isSteps = isByte(tensor.type) && !isTable;
    const double low = tensor.type.isFloat() ? -1 : isSteps && tensor.type == kInt8 ? -128 : 0;
    const double high = tensor.type.isFloat() ? 1
                        : isTable             ? static_cast<double>(limit)
                        : isSteps             ? low + 256
                                              : 2;
    const Array uniform =
        *uniformConstant(tensor.shape, low, high, seed + inputs.size()).materialise();
    if (tensor.type.isFloat()) {
      inputs.push_back(uniform);
      continue;
    }
    // Rounding to float may reach the limit itself.
    std::vector<std::int64_t> values;
    for (const float value : uniform.floats())
      values.push_back(std::min(saturated(std::floor(value)), static_cast<std::int64_t>(high) - 1));
    inputs.push_back({tensor.shape, std::move(values)});
  }
  return inputs;
}

double relativeError(const Array& a, const Array& b) {
  NW_ASSERT(a.shape == b.shape && a.isFloat() == b.isFloat(), "{} compared with {}",
            shapeText(a.shape), shapeText(b.shape));
  double difference = 0, norm = 0;
  const auto add = [&](double x, double y) {
    difference += (x - y) * (x - y);
    norm += y * y;
  };
  const auto count = static_cast<std::size_t>(elementCount(a.shape));
  for (std::size_t i = 0; i < count; ++i)
    if (a.isFloat())
      add(a.floats()[i], b.floats()[i]);
    else
      add(static_cast<double>(a.ints()[i]), static_cast<double>(b.ints()[i]));
  if (!std::isfinite(difference)) return kInfinity;
  if (difference == 0) return 0;
  return norm == 0 ? kInfinity : std::sqrt(difference / norm);
}

} // namespace nestwright
