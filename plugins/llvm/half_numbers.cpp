#include "plugins/llvm/half_numbers.h"

namespace nestwright::llvm_backend {
namespace {

using llvm::Value;

/// The operations on bits that rounding is made of, for scalars and vectors alike.
class Bits {
 public:
  Bits(llvm::IRBuilder<>& builder, const Value* like) : b_(builder) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
    lanes_ = vector ? vector->getNumElements() : 0;
  }

  llvm::Type* of(llvm::Type* scalar) const {
    return lanes_ == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes_);
  }
  llvm::Type* words() const { return of(b_.getInt32Ty()); }
  llvm::Type* halves() const { return of(b_.getInt16Ty()); }
  llvm::Type* floats() const { return of(b_.getFloatTy()); }
  Value* word(std::uint32_t value) const { return llvm::ConstantInt::get(words(), value); }

  Value* words(Value* value) const { return b_.CreateBitCast(value, words()); }
  Value* floats(Value* word) const { return b_.CreateBitCast(word, floats()); }
  Value* widened(Value* half) const { return b_.CreateZExt(half, words()); }
  Value* narrowed(Value* word) const { return b_.CreateTrunc(word, halves()); }
  Value* masked(Value* word, std::uint32_t mask) const {
    return b_.CreateAnd(word, this->word(mask));
  }
  /// The digit at this place of the word.
  Value* digit(Value* value, unsigned place) const {
    return masked(b_.CreateLShr(value, word(place)), 1);
  }

 private:
  llvm::IRBuilder<>& b_;
  unsigned lanes_ = 0;
};

Value* fromBrain(llvm::IRBuilder<>& b, Value* half) {
  const Bits bits(b, half);
  return bits.floats(b.CreateShl(bits.widened(half), bits.word(16)));
}

Value* toBrain(llvm::IRBuilder<>& b, Value* value) {
  const Bits bits(b, value);
  Value* all = bits.words(value);
  Value* half = b.CreateAdd(all, b.CreateAdd(bits.word(0x7fff), bits.digit(all, 16)));
  Value* sign = bits.masked(all, 0x8000'0000);
  Value* none = b.CreateOr(sign, bits.word(0x7fc0'0000));
  half = b.CreateSelect(b.CreateFCmpUNO(value, value), none, half);
  return bits.narrowed(b.CreateLShr(half, bits.word(16)));
}

// As in core/tensor/half.cpp, which says why.

Value* fromHalf(llvm::IRBuilder<>& b, Value* half) {
  const Bits bits(b, half);
  constexpr std::uint32_t kExponent = 0x0f80'0000;
  Value* wide = bits.widened(half);
  Value* sign = b.CreateShl(bits.masked(wide, 0x8000), bits.word(16));
  Value* magnitude = b.CreateShl(bits.masked(wide, 0x7fff), bits.word(13));
  Value* exponent = bits.masked(magnitude, kExponent);
  Value* normal = b.CreateAdd(magnitude, bits.word(112u << 23));
  Value* infinite = b.CreateOr(bits.masked(magnitude, ~kExponent), bits.word(0x7f80'0000));
  Value* denormal =
      bits.words(b.CreateFSub(bits.floats(b.CreateAdd(magnitude, bits.word(113u << 23))),
                              llvm::ConstantFP::get(bits.floats(), 0x1p-14)));
  Value* value = b.CreateSelect(b.CreateICmpEQ(exponent, bits.word(0)), denormal, normal);
  value = b.CreateSelect(b.CreateICmpEQ(exponent, bits.word(kExponent)), infinite, value);
  return bits.floats(b.CreateOr(sign, value));
}

Value* toHalf(llvm::IRBuilder<>& b, Value* value) {
  const Bits bits(b, value);
  Value* all = bits.words(value);
  Value* sign = b.CreateLShr(bits.masked(all, 0x8000'0000), bits.word(16));
  Value* magnitude = bits.masked(all, 0x7fff'ffff);
  Value* odd = b.CreateAdd(bits.digit(magnitude, 13), bits.word(0xfff));
  Value* half =
      b.CreateLShr(b.CreateSub(b.CreateAdd(magnitude, odd), bits.word(112u << 23)), bits.word(13));
  Value* shifted = b.CreateFAdd(bits.floats(magnitude), llvm::ConstantFP::get(bits.floats(), 0.5));
  Value* denormal = b.CreateSub(bits.words(shifted), bits.word(0x3f00'0000));
  half = b.CreateSelect(b.CreateICmpULT(magnitude, bits.word(113u << 23)), denormal, half);
  half = b.CreateSelect(b.CreateICmpUGE(magnitude, bits.word(143u << 23)), bits.word(0x7c00), half);
  half =
      b.CreateSelect(b.CreateICmpUGT(magnitude, bits.word(0x7f80'0000)), bits.word(0x7e00), half);
  return bits.narrowed(b.CreateOr(sign, half));
}

/// The naive program does without the processor's instructions, too: it is what others are compared
/// with.
bool convertsHalves(const CodegenOptions& options) {
  return options.vectorise && options.features.find("+f16c") != std::string::npos;
}

} // namespace

Value* widened(llvm::IRBuilder<>& builder, const CodegenOptions& options, Value* value,
               DataType type) {
  if (!type.isHalf()) return value;
  if (type.code == DataType::Code::BFloat) return fromBrain(builder, value);
  if (!convertsHalves(options)) return fromHalf(builder, value);
  const Bits bits(builder, value);
  return builder.CreateFPExt(builder.CreateBitCast(value, bits.of(builder.getHalfTy())),
                             bits.floats());
}

Value* narrowed(llvm::IRBuilder<>& builder, const CodegenOptions& options, Value* value,
                DataType type) {
  if (!type.isHalf()) return value;
  const Bits bits(builder, value);
  if (value->getType()->getScalarType()->isDoubleTy())
    value = builder.CreateFPTrunc(value, bits.floats());
  if (type.code == DataType::Code::BFloat) return toBrain(builder, value);
  if (!convertsHalves(options)) return toHalf(builder, value);
  return builder.CreateBitCast(builder.CreateFPTrunc(value, bits.of(builder.getHalfTy())),
                               bits.halves());
}

} // namespace nestwright::llvm_backend
