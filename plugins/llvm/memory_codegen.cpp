/// \file Loads and stores: contiguous, broadcast, gathered, masked.

#include "core/support/error.h"
#include "plugins/llvm/region_codegen.h"

#include <algorithm>

namespace nestwright::llvm_backend {
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

/// Lanes of the widest index.
int laneCount(const std::vector<Expr>& indices) {
  int lanes = 1;
  for (const Expr& index : indices)
    lanes = std::max<int>(lanes, index->type.lanes);
  return lanes;
}

/// Takes the first lanes of a vector, or widens it with undefined ones.
std::vector<int> laneSequence(int from, int to) {
  std::vector<int> lanes(static_cast<std::size_t>(to), -1);
  for (int i = 0; i < std::min(from, to); ++i)
    lanes[static_cast<std::size_t>(i)] = i;
  return lanes;
}

} // namespace

llvm::Constant* RegionCodegen::laneMask(int lanes, int padded) {
  std::vector<llvm::Constant*> bits;
  for (int i = 0; i < padded; ++i)
    bits.push_back(builder_.getInt1(i < lanes));
  return llvm::ConstantVector::get(bits);
}

llvm::Value* RegionCodegen::loadContiguous(Value* pointer, DataType type, DataType element,
                                           bool onStack) {
  const llvm::Align align(static_cast<std::uint64_t>(element.elementBytes()));
  const int lanes = type.lanes, padded = roundedUp(lanes);
  llvm::Type* memory = memoryType(module_.llvm(), type);
  // A constant mask keeps 12 or 14 lanes one instruction; a plain load of them is cut into pieces.
  // On the stack it would stand in the way of promotion to registers, as it would anywhere in a
  // plain program, whose sums nobody else keeps in them.
  if (!mask_ && (isPowerOfTwo(lanes) || onStack || isPlain()))
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

void RegionCodegen::storeContiguous(Value* value, Value* pointer, bool onStack) {
  llvm::Type* scalar = value->getType()->getScalarType();
  const llvm::Align align(std::max<std::uint64_t>(1, scalar->getScalarSizeInBits() / 8));
  const int lanes = laneCount(value), padded = roundedUp(lanes);
  if (!mask_ && (isPowerOfTwo(lanes) || onStack || isPlain())) {
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

llvm::Value* RegionCodegen::loadLanes(Value* pointers, DataType element, int lanes, bool onStack) {
  Value* value = llvm::PoisonValue::get(memoryType(module_.llvm(), element.withLanes(lanes)));
  for (int lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::uint64_t>(lane);
    Value* one =
        loadContiguous(builder_.CreateExtractElement(pointers, at), element, element, onStack);
    value = builder_.CreateInsertElement(value, one, at);
  }
  return value;
}

void RegionCodegen::storeLanes(Value* value, Value* pointers, bool onStack) {
  for (int lane = 0; lane < laneCount(value); ++lane) {
    const auto at = static_cast<std::uint64_t>(lane);
    storeContiguous(builder_.CreateExtractElement(value, at),
                    builder_.CreateExtractElement(pointers, at), onStack);
  }
}

bool RegionCodegen::isPlain() const {
  return nestwright::isPlain(module_.options.lowering);
}

llvm::Value* RegionCodegen::emitLoad(const Expr& e) {
  const Buffer& buffer = e->buffer;
  const int lanes = e->type.lanes;
  const bool onStack = module_.plan.at(buffer).kind == BufferPlace::Kind::Stack;
  const DataType element = buffer->type.element();
  const auto form = linearIndex(buffer, e->operands);
  Value* value = nullptr;
  if (form && (form->laneStride == 0 || lanes == 1)) {
    value = loadContiguous(emitAddress(buffer, *form), element, element, onStack);
  } else if (form && form->laneStride == 1) {
    value = loadContiguous(emitAddress(buffer, *form), element.withLanes(lanes), element, onStack);
  } else if (isPlain() && !mask_) {
    value = loadLanes(emitPointers(buffer, e->operands, lanes), element, lanes, onStack);
  } else {
    Value* mask = mask_ ? mask_ : laneMask(lanes, lanes);
    auto* type = memoryType(module_.llvm(), element.withLanes(lanes));
    value =
        builder_.CreateMaskedGather(type, emitPointers(buffer, e->operands, lanes),
                                    llvm::Align(static_cast<std::uint64_t>(element.elementBytes())),
                                    mask, llvm::Constant::getNullValue(type));
  }
  if (element.isBool())
    value = builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  return splat(value, lanes);
}

void RegionCodegen::emitStore(const StmtNode& s) {
  const int lanes = std::max<int>(laneCount(s.indices), s.value->type.lanes);
  const auto form = linearIndex(s.buffer, s.indices);
  const Expr& value = s.value;
  // Only the addition that ends a reduction may be reordered, so that LLVM can vectorise it;
  // reordering inside of formulas would cost accuracy and register pressure.
  // Accumulators in registers are already arranged as they should be.
  const BufferPlace& place = module_.plan.at(s.buffer);
  const bool onStack = place.kind == BufferPlace::Kind::Stack;
  const bool arranged = onStack && place.scope != MemoryScope::Global;
  associative_ = module_.options.vectorise && !isPlain() && lanes == 1 && !arranged &&
                 value->kind == ExprKind::Add && value->type.isFloat() &&
                 (*value)[0]->kind == ExprKind::Load && (*value)[0]->buffer == s.buffer;
  Value* stored = emitScalarOrSplat(value, lanes);
  associative_ = false;
  if (s.buffer->type.isBool())
    stored = builder_.CreateZExt(stored, memoryType(module_.llvm(), kBool.withLanes(lanes)));
  if (form && (lanes == 1 || form->laneStride == 1))
    return storeContiguous(stored, emitAddress(s.buffer, *form), onStack);
  if (isPlain() && !mask_)
    return storeLanes(stored, emitPointers(s.buffer, s.indices, lanes), onStack);
  Value* mask = mask_ ? mask_ : laneMask(lanes, lanes);
  builder_.CreateMaskedScatter(
      stored, emitPointers(s.buffer, s.indices, lanes),
      llvm::Align(static_cast<std::uint64_t>(s.buffer->type.elementBytes())), mask);
}

} // namespace nestwright::llvm_backend
