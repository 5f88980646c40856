#include "core/network/execution/executor.h"

#include "core/network/execution/aligned_memory.h"
#include "core/network/graph/infer.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/units.h"
#include "core/tensor/evaluate.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace nestwright {

namespace {

/// Throws InputError when the network needs more memory than the machine has.
void requireMemory(const ExecutionPlan& plan) {
  double needed = static_cast<double>(plan.arenaBytes);
  for (const PlannedBuffer& buffer : plan.buffers)
    if (buffer.place != PlannedBuffer::Place::Arena) needed += static_cast<double>(buffer.bytes);
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed > there)
    throw InputError(fmt::format("the network needs {} of memory to run, {} of it for what is "
                                 "between its operators, and this machine has {}; try a smaller "
                                 "batch or image",
                                 formatBytes(needed),
                                 formatBytes(static_cast<double>(plan.arenaBytes)),
                                 formatBytes(there)));
}

void store(const Array& values, DataType type, void* memory) {
  if (type == kFloat32) {
    std::ranges::copy(values.floats(), static_cast<float*>(memory));
  } else if (type == kInt64) {
    std::ranges::copy(values.ints(), static_cast<std::int64_t*>(memory));
  } else {
    NW_ASSERT(type.isBool(), "a network holds no {}", toString(type));
    std::transform(values.ints().begin(), values.ints().end(), static_cast<std::uint8_t*>(memory),
                   [](std::int64_t value) { return static_cast<std::uint8_t>(value != 0); });
  }
}

/// A constant as its buffer has it.
void storeConstant(const Tensor& tensor, const PlannedBuffer& buffer, void* memory) {
  const Array values = *tensor.constant.materialise();
  if (!buffer.layout) return store(values, tensor.type, memory);
  const AlignedMemory given =
      allocateZeroed(elementCount(tensor.shape) * tensor.type.elementBytes());
  store(values, tensor.type, given.get());
  buffer.layout->pack(given.get(), memory, static_cast<std::size_t>(tensor.type.elementBytes()));
}

Array fetch(const Shape& shape, DataType type, const void* memory) {
  const std::int64_t count = elementCount(shape);
  const auto copy = [&](const auto* from, auto element) {
    return Array{shape, std::vector<decltype(element)>(from, from + count)};
  };
  if (type == kFloat32) return copy(static_cast<const float*>(memory), float{});
  if (type == kInt64) return copy(static_cast<const std::int64_t*>(memory), std::int64_t{});
  NW_ASSERT(type.isBool(), "a network holds no {}", toString(type));
  return copy(static_cast<const std::uint8_t*>(memory), std::int64_t{});
}

} // namespace

struct Executor::Impl {
  ExecutionPlan plan;
  std::vector<KernelFunction> kernels;
  std::vector<Tensor> inputs, outputs; // shapes and types
  AlignedMemory arena;
  std::vector<AlignedMemory> own;            // inputs and constants
  std::vector<void*> addresses;              // by buffer
  std::vector<std::vector<void*>> arguments; // by step
};

Executor::Executor(const Partition& partition, std::vector<KernelFunction> kernels,
                   const std::vector<InputLayouts>& layouts)
    : impl_(std::make_unique<Impl>()) {
  NW_ASSERT(kernels.size() == partition.tasks.size(), "{} kernels for {} tasks", kernels.size(),
            partition.tasks.size());
  impl_->plan = planExecution(partition, layouts);
  impl_->kernels = std::move(kernels);
  requireMemory(impl_->plan);
  impl_->arena = allocateZeroed(impl_->plan.arenaBytes);
  const Network& network = partition.network;
  for (const PlannedBuffer& buffer : impl_->plan.buffers) {
    if (buffer.place == PlannedBuffer::Place::Arena) {
      impl_->addresses.push_back(impl_->arena.get() + buffer.offset);
      continue;
    }
    impl_->own.push_back(allocateZeroed(buffer.bytes));
    impl_->addresses.push_back(impl_->own.back().get());
    const Tensor& tensor = network.tensor(buffer.tensor);
    if (buffer.place == PlannedBuffer::Place::Constant)
      storeConstant(tensor, buffer, impl_->addresses.back());
  }
  for (const ExecutionPlan::Step& step : impl_->plan.steps) {
    impl_->arguments.emplace_back();
    for (const int buffer : step.buffers)
      impl_->arguments.back().push_back(impl_->addresses[static_cast<std::size_t>(buffer)]);
  }
  for (const TensorId id : network.inputs)
    impl_->inputs.push_back(network.tensor(id));
  for (const TensorId id : network.outputs)
    impl_->outputs.push_back(network.tensor(id));
}

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
  const auto buffer = static_cast<std::size_t>(impl_->plan.inputs[index]);
  store(values, tensor.type, impl_->addresses[buffer]);
}

void Executor::run() const {
  for (std::size_t s = 0; s < impl_->plan.steps.size(); ++s)
    impl_->kernels[static_cast<std::size_t>(impl_->plan.steps[s].task)](impl_->arguments[s]);
}

std::vector<double> Executor::runTimed() const {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds(impl_->plan.steps.size());
  auto before = Clock::now();
  for (std::size_t s = 0; s < seconds.size(); ++s) {
    impl_->kernels[static_cast<std::size_t>(impl_->plan.steps[s].task)](impl_->arguments[s]);
    const auto now = Clock::now();
    seconds[static_cast<std::size_t>(impl_->plan.steps[s].group)] =
        std::chrono::duration<double>(now - before).count();
    before = now;
  }
  return seconds;
}

Array Executor::output(std::size_t index) const {
  NW_ASSERT(index < impl_->outputs.size(), "there is no output {}", index);
  const auto buffer = static_cast<std::size_t>(impl_->plan.outputs[index]);
  return fetch(impl_->outputs[index].shape, impl_->outputs[index].type, impl_->addresses[buffer]);
}

const ExecutionPlan& Executor::plan() const {
  return impl_->plan;
}

std::vector<Array> execute(Executor& executor, const std::vector<Array>& inputs) {
  if (inputs.size() != executor.plan().inputs.size())
    throw InputError(fmt::format("{} inputs for a network that takes {}", inputs.size(),
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
      const Array values = fetch(input->output->shape, input->output->type, buffers[next++]);
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
      store(array, output->output->type, buffers[next++]);
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
    const double high = isTable ? static_cast<double>(limit) : 2;
    const Array uniform = *uniformConstant(tensor.shape, tensor.type.isFloat() ? -1 : 0,
                                           tensor.type.isFloat() ? 1 : high, seed + inputs.size())
                               .materialise();
    if (tensor.type.isFloat()) {
      inputs.push_back(uniform);
      continue;
    }
    // Rounding to float may reach the limit itself.
    std::vector<std::int64_t> values;
    for (const float value : uniform.floats())
      values.push_back(
          std::min(static_cast<std::int64_t>(value), static_cast<std::int64_t>(high) - 1));
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
