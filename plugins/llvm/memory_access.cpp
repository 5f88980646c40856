#include "plugins/llvm/memory_access.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

bool isPowerOfTwo(int n) {
  return (n & (n - 1)) == 0;
}

int roundedUp(int lanes) {
  int padded = 1;
  while (padded < lanes)
    padded *= 2;
  return padded;
}

int laneCount(const llvm::Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

/// Takes the first lanes of a vector, or widens it with undefined ones.
std::vector<int> laneSequence(int from, int to) {
  std::vector<int> lanes(static_cast<std::size_t>(to), -1);
  for (int i = 0; i < std::min(from, to); ++i)
    lanes[static_cast<std::size_t>(i)] = i;
  return lanes;
}

} // namespace

llvm::Constant* MemoryAccess::laneMask(int lanes, int padded) {
  std::vector<llvm::Constant*> bits;
  for (int i = 0; i < padded; ++i)
    bits.push_back(builder_.getInt1(i < lanes));
  return llvm::ConstantVector::get(bits);
}

Value* MemoryAccess::load(Value* pointer, DataType type, DataType element, bool onStack) {
  const llvm::Align align(static_cast<std::uint64_t>(element.elementBytes()));
  const int lanes = type.lanes, padded = roundedUp(lanes);
  llvm::Type* memory = memoryType(module_.llvm(), type);
  // A constant mask keeps 12 or 14 lanes one instruction; a plain load of them is cut into pieces.
  // On the stack it would stand in the way of promotion to registers, as it would anywhere in a
  // plain program, whose sums nobody else keeps in them.
  if (!mask_ && (isPowerOfTwo(lanes) || onStack || module_.isPlain()))
    return builder_.CreateAlignedLoad(memory, pointer, align);
  if (mask_ && lanes == 1) {
    auto* one = llvm::FixedVectorType::get(memory, 1);
    Value* any = builder_.CreateVectorSplat(1, builder_.CreateOrReduce(mask_));
    Value* value =
        builder_.CreateMaskedLoad(one, pointer, align, any, llvm::Constant::getNullValue(one));
    return builder_.CreateExtractElement(value, std::uint64_t{0});
  }
  auto* wide = llvm::FixedVectorType::get(memory->getScalarType(), static_cast<unsigned>(padded));
  Value* mask = laneMask(lanes, padded);
  if (mask_) {
    Value* widened = builder_.CreateShuffleVector(mask_, laneSequence(lanes, padded));
    mask = isPowerOfTwo(lanes) ? mask_ : builder_.CreateSelect(mask, widened, laneMask(0, padded));
  }
  Value* value =
      builder_.CreateMaskedLoad(wide, pointer, align, mask, llvm::Constant::getNullValue(wide));
  return padded == lanes ? value : builder_.CreateShuffleVector(value, laneSequence(padded, lanes));
}

void MemoryAccess::store(Value* value, Value* pointer, bool onStack) {
  llvm::Type* scalar = value->getType()->getScalarType();
  const llvm::Align align(std::max<std::uint64_t>(1, scalar->getScalarSizeInBits() / 8));
  const int lanes = laneCount(value), padded = roundedUp(lanes);
  if (!mask_ && (isPowerOfTwo(lanes) || onStack || module_.isPlain())) {
    builder_.CreateAlignedStore(value, pointer, align);
    return;
  }
  Value* mask = mask_ ? mask_ : laneMask(lanes, padded);
  if (padded != lanes) {
    value = builder_.CreateShuffleVector(value, laneSequence(lanes, padded));
    if (mask_)
      mask = builder_.CreateSelect(laneMask(lanes, padded),
                                   builder_.CreateShuffleVector(mask_, laneSequence(lanes, padded)),
                                   laneMask(0, padded));
  }
  builder_.CreateMaskedStore(value, pointer, align, mask);
}

Value* MemoryAccess::gather(Value* pointers, DataType element, int lanes, bool onStack) {
  llvm::Type* type = memoryType(module_.llvm(), element.withLanes(lanes));
  if (!goesLaneByLane())
    return builder_.CreateMaskedGather(
        type, pointers, llvm::Align(static_cast<std::uint64_t>(element.elementBytes())),
        mask_ ? mask_ : laneMask(lanes, lanes), llvm::Constant::getNullValue(type));
  Value* value = llvm::PoisonValue::get(type);
  for (int lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::uint64_t>(lane);
    Value* one = load(builder_.CreateExtractElement(pointers, at), element, element, onStack);
    value = builder_.CreateInsertElement(value, one, at);
  }
  return value;
}

void MemoryAccess::scatter(Value* value, Value* pointers, DataType element, bool onStack) {
  const int lanes = laneCount(value);
  if (!goesLaneByLane()) {
    builder_.CreateMaskedScatter(value, pointers,
                                 llvm::Align(static_cast<std::uint64_t>(element.elementBytes())),
                                 mask_ ? mask_ : laneMask(lanes, lanes));
    return;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::uint64_t>(lane);
    store(builder_.CreateExtractElement(value, at), builder_.CreateExtractElement(pointers, at),
          onStack);
  }
}

} // namespace nestwright::llvm_backend
