#include "core/network/execution/execution_plan.h"

#include "core/support/error.h"

#include <limits>

namespace nestwright {

namespace {

/// Steps between which an arena buffer holds something, both included.
struct Life {
  int first = std::numeric_limits<int>::max();
  int last = -1;
  bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

class Planner {
 public:
  Planner(const Partition& partition, const std::vector<InputLayouts>& layouts,
          std::int64_t alignment)
      : partition_(partition), layouts_(layouts), alignment_(alignment),
        storage_(storageTensors(partition.network)),
        bufferOf_(partition.network.tensors.size(), -1) {}

  ExecutionPlan run() {
    const Network& network = partition_.network;
    for (const TensorId id : network.inputs)
      plan_.inputs.push_back(add(id, PlannedBuffer::Place::Input));
    for (std::size_t g = 0; g < partition_.groups.size(); ++g)
      addStep(static_cast<int>(g));
    for (const TensorId id : network.outputs) {
      const int buffer = use(id);
      plan_.outputs.push_back(buffer);
      lives_[static_cast<std::size_t>(buffer)].last = std::numeric_limits<int>::max();
    }
    placeOwnBuffers();
    placeBuffers();
    return std::move(plan_);
  }

 private:
  TensorId storage(TensorId id) const { return storage_[static_cast<std::size_t>(id)]; }

  int add(TensorId id, PlannedBuffer::Place place) {
    const Tensor& tensor = partition_.network.tensor(id);
    const std::int64_t bytes = elementCount(tensor.shape) * tensor.type.elementBytes();
    int& buffer = bufferOf_[static_cast<std::size_t>(id)];
    buffer = static_cast<int>(plan_.buffers.size());
    plan_.buffers.push_back({place, id, bytes, 0, std::nullopt});
    lives_.emplace_back();
    if (place == PlannedBuffer::Place::Constant) plan_.constantBytes += bytes;
    return buffer;
  }

  /// The buffer of a tensor that exists by now.
  int use(TensorId id) {
    const TensorId at = storage(id);
    const int buffer = bufferOf_[static_cast<std::size_t>(at)];
    if (buffer >= 0) return buffer;
    NW_ASSERT(partition_.network.isConstant(at), "{} is read before it is made",
              partition_.network.tensor(at).name);
    return add(at, PlannedBuffer::Place::Constant);
  }

  /// The buffer of a constant in the order that a kernel wants.
  int usePacked(TensorId id, const PackedLayout& layout) {
    const TensorId at = storage(id);
    const Tensor& tensor = partition_.network.tensor(at);
    if (!partition_.network.isConstant(at))
      throw InputError(fmt::format("{} is no constant and cannot be packed as {}", tensor.name,
                                   toString(layout)));
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].tensor == at && plan_.buffers[b].layout == layout)
        return static_cast<int>(b);
    const std::int64_t bytes = layout.packedElements() * tensor.type.elementBytes();
    plan_.buffers.push_back({PlannedBuffer::Place::Constant, at, bytes, 0, layout});
    plan_.constantBytes += bytes;
    lives_.emplace_back();
    return static_cast<int>(plan_.buffers.size()) - 1;
  }

  const PackedLayout* layoutOf(int task, std::size_t input) const {
    const auto t = static_cast<std::size_t>(task);
    const bool packed = t < layouts_.size() && input < layouts_[t].size() && layouts_[t][input];
    return packed ? &*layouts_[t][input] : nullptr;
  }

  void addStep(int group) {
    const TaskGroup& work = partition_.groups[static_cast<std::size_t>(group)];
    const int now = static_cast<int>(plan_.steps.size());
    ExecutionPlan::Step step{group, work.task, {}};
    for (std::size_t i = 0; i < work.inputs.size(); ++i) {
      const PackedLayout* layout = layoutOf(work.task, i);
      step.buffers.push_back(layout ? usePacked(work.inputs[i], *layout) : use(work.inputs[i]));
    }
    step.buffers.push_back(add(work.output, PlannedBuffer::Place::Arena));
    for (const int buffer : step.buffers) {
      Life& life = lives_[static_cast<std::size_t>(buffer)];
      life.first = std::min(life.first, now);
      life.last = std::max(life.last, now);
    }
    plan_.steps.push_back(std::move(step));
  }

  /// Inputs and constants, one behind the other.
  void placeOwnBuffers() {
    for (PlannedBuffer& buffer : plan_.buffers) {
      if (buffer.place == PlannedBuffer::Place::Arena) continue;
      buffer.offset = plan_.ownBytes;
      plan_.ownBytes = alignedEnd(buffer);
    }
  }

  /// The largest first, each at the lowest place that no buffer of an overlapping life holds.
  void placeBuffers() {
    std::vector<int> order;
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].place == PlannedBuffer::Place::Arena)
        order.push_back(static_cast<int>(b));
    const auto buffer = [this](int b) -> PlannedBuffer& {
      return plan_.buffers[static_cast<std::size_t>(b)];
    };
    const auto life = [this](int b) -> const Life& { return lives_[static_cast<std::size_t>(b)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return buffer(a).bytes > buffer(b).bytes; });
    std::vector<int> placed; // by offset
    for (const int b : order) {
      std::int64_t offset = 0;
      for (const int other : placed)
        if (life(b).meets(life(other)) && buffer(other).offset < offset + buffer(b).bytes)
          offset = std::max(offset, alignedEnd(buffer(other)));
      buffer(b).offset = offset;
      plan_.arenaBytes = std::max(plan_.arenaBytes, alignedEnd(buffer(b)));
      placed.insert(
          std::upper_bound(placed.begin(), placed.end(), offset,
                           [&](std::int64_t value, int p) { return value < buffer(p).offset; }),
          b);
    }
  }

  std::int64_t alignedEnd(const PlannedBuffer& buffer) const {
    const std::int64_t end = buffer.offset + buffer.bytes;
    return (end + alignment_ - 1) / alignment_ * alignment_;
  }

  const Partition& partition_;
  const std::vector<InputLayouts>& layouts_;
  std::int64_t alignment_;
  std::vector<TensorId> storage_;
  std::vector<int> bufferOf_;
  std::vector<Life> lives_; // by buffer
  ExecutionPlan plan_;
};

} // namespace

ExecutionPlan planExecution(const Partition& partition, const std::vector<InputLayouts>& layouts,
                            std::int64_t alignment) {
  return Planner(partition, layouts, alignment).run();
}

} // namespace nestwright
