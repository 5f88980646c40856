/// \file Tensor instructions: what the lanes of a warp do together, by the layout of the
/// instruction's fragments.

#include "core/emulate/kernel_run.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Where the threads' fragments of one matrix begin; the same in all lanes of a warp.
class Fragment {
 public:
  Fragment(ThreadAddress& address, const ThreadSet& threads, std::int64_t elements)
      : memory_(&address.memory()), positions_(&address.positions(threads)),
        uniform_(address.isUniform()) {
    for (const int thread : threads.ids) {
      if (at(thread) != at(thread / kLanes * kLanes))
        throw Fault{EmulationFault::DivergentInstruction,
                    fmt::format("the lanes of a warp name different elements of {}",
                                memory_->buffer().name)};
      if (at(thread) + elements > memory_->buffer().elements())
        throw Fault{EmulationFault::OutOfBounds,
                    fmt::format("{} of {} from {} on", quantity(elements, "element"),
                                memory_->buffer().name, at(thread))};
    }
  }

  std::int64_t at(int thread) const {
    return (*positions_)[uniform_ ? 0 : static_cast<std::size_t>(thread)];
  }
  ThreadMemory& memory() const { return *memory_; }
  double read(int thread, int element) const { return memory_->read(at(thread) + element, thread); }
  void write(int thread, int element, double value) const {
    memory_->write(at(thread) + element, thread, value);
  }

 private:
  ThreadMemory* memory_;
  const std::vector<std::int64_t>* positions_;
  bool uniform_;
};

void requireWarps(const ThreadSet& threads, int all) {
  if (!threads.all || all % kLanes != 0)
    throw Fault{EmulationFault::DivergentInstruction,
                fmt::format("{} of {} threads come to a tensor instruction", threads.size(), all)};
}

/// What ldmatrix loads: rows of so many neighbours of 16 bits each in the memory of the block, all
/// of them aligned.
void requireWholeRows(const FragmentLoad& load, const ThreadMemory& memory, int neighbours) {
  const bool fits = std::min(load.rowStride, load.columnStride) == 1 &&
                    std::max(load.rowStride, load.columnStride) % neighbours == 0 &&
                    memory.scope() == MemoryScope::Block &&
                    memory.buffer().type.elementBytes() == 2;
  if (!fits)
    throw Fault{EmulationFault::Misaligned,
                fmt::format("rows of {} are loaded whole, {} by {} apart, in memory that does not "
                            "have them so",
                            memory.buffer().name, load.rowStride, load.columnStride)};
}

/// A matrix as the lanes of the warp that begins with this thread hold it, row by row.
std::vector<double> matrixOf(const Fragment& fragment, const TensorInstruction& instruction,
                             TensorOperand operand, int first, int rows, int columns) {
  std::vector<double> matrix(static_cast<std::size_t>(rows * columns));
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < fragmentElements(instruction, operand); ++i) {
      const TileElement element = fragmentElement(instruction, operand, lane, i);
      matrix[static_cast<std::size_t>(element.row * columns + element.column)] =
          fragment.read(first + lane, i);
    }
  return matrix;
}

} // namespace

void KernelRun::loadFragment(Step& step, const ThreadSet& threads) {
  requireWarps(threads, static_cast<int>(moment_.threads()));
  const TensorInstruction& instruction = *step.source->instruction;
  const FragmentLoad& load = step.source->fragment;
  const int held = fragmentElements(instruction, load.operand);
  const Fragment to(step.targets[0], threads, held), from(step.targets[1], threads, 1);
  constexpr int kWhole = 8;
  if (load.whole) requireWholeRows(load, from.memory(), kWhole);
  for (const int thread : threads.ids) {
    if (load.whole && from.at(thread) % kWhole != 0)
      throw Fault{EmulationFault::Misaligned,
                  fmt::format("{} elements of {} are loaded at {}, which is no multiple", kWhole,
                              from.memory().buffer().name, from.at(thread))};
    for (int i = 0; i < held; ++i) {
      const TileElement element = fragmentElement(instruction, load.operand, thread % kLanes, i);
      const std::int64_t position =
          from.at(thread) + element.row * load.rowStride + element.column * load.columnStride;
      if (position >= from.memory().buffer().elements())
        throw Fault{EmulationFault::OutOfBounds,
                    fmt::format("a tile of {} reaches to element {}", from.memory().buffer().name,
                                position)};
      const double value = from.memory().read(position, thread);
      to.write(thread, i,
               instruction.input == kFloat32 ? roundedToTf32(static_cast<float>(value)) : value);
    }
  }
}

void KernelRun::multiplyTiles(Step& step, const ThreadSet& threads) {
  requireWarps(threads, static_cast<int>(moment_.threads()));
  const TensorInstruction& instruction = *step.source->instruction;
  const auto [name, input, m, n, k] = instruction;
  const int held = fragmentElements(instruction, TensorOperand::Sums);
  const Fragment sums(step.targets[0], threads, held),
      a(step.targets[1], threads, fragmentElements(instruction, TensorOperand::A)),
      b(step.targets[2], threads, fragmentElements(instruction, TensorOperand::B));
  for (int first = 0; first < moment_.threads(); first += kLanes) {
    const std::vector<double> left = matrixOf(a, instruction, TensorOperand::A, first, m, k);
    const std::vector<double> right = matrixOf(b, instruction, TensorOperand::B, first, k, n);
    for (int lane = 0; lane < kLanes; ++lane)
      for (int i = 0; i < held; ++i) {
        const TileElement element = fragmentElement(instruction, TensorOperand::Sums, lane, i);
        double sum = sums.read(first + lane, i);
        for (int along = 0; along < k; ++along)
          sum += left[static_cast<std::size_t>(element.row * k + along)] *
                 right[static_cast<std::size_t>(along * n + element.column)];
        sums.write(first + lane, i, static_cast<float>(sum));
      }
  }
}

} // namespace nestwright
