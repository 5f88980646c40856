#include "plugins/llvm/float_math.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <initializer_list>
#include <limits>
#include <numeric>

namespace nestwright::llvm_backend {
namespace {

using llvm::Value;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

llvm::Constant* real(Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Type* integerTypeOf(const Value* x) {
  llvm::Type* integer = llvm::Type::getInt32Ty(x->getContext());
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    return llvm::FixedVectorType::get(integer, vector->getNumElements());
  return integer;
}

/// Horner's scheme; the coefficient of the highest power first.
Value* polynomial(llvm::IRBuilder<>& b, Value* x, std::initializer_list<double> coefficients) {
  Value* sum = nullptr;
  for (const double c : coefficients)
    sum = sum ? b.CreateFAdd(b.CreateFMul(sum, x), real(x, c)) : real(x, c);
  return sum;
}

/// 2^n for integers -126 <= n <= 127.
Value* powerOfTwo(llvm::IRBuilder<>& b, Value* n, llvm::Type* floatType) {
  Value* biased = b.CreateAdd(n, llvm::ConstantInt::get(n->getType(), 127));
  return b.CreateBitCast(b.CreateShl(biased, llvm::ConstantInt::get(n->getType(), 23)), floatType);
}

/// x * 2^n for integral n between -252 and 254.
Value* scaledInWords(llvm::IRBuilder<>& b, Value* x, Value* n) {
  // A NaN has no integer; the frozen arbitrary one does not matter, since x is NaN too.
  Value* exponent = b.CreateFreeze(b.CreateFPToSI(n, integerTypeOf(x)));
  Value* half = b.CreateAShr(exponent, llvm::ConstantInt::get(exponent->getType(), 1));
  Value* scaled = b.CreateFMul(x, powerOfTwo(b, half, x->getType()));
  return b.CreateFMul(scaled, powerOfTwo(b, b.CreateSub(exponent, half), x->getType()));
}

constexpr int kScaleLanes = 16; // of AVX-512's VSCALEFPS

bool hasScaleInstruction(const llvm::IRBuilder<>& b) {
  const llvm::StringRef features =
      b.GetInsertBlock()->getParent()->getFnAttribute("target-features").getValueAsString();
  llvm::SmallVector<llvm::StringRef> names;
  features.split(names, ',');
  return llvm::is_contained(names, "+avx512f");
}

/// As `scaledInWords`, by one instruction for each 16 lanes.
Value* scaledByInstruction(llvm::IRBuilder<>& b, Value* x, Value* n, int lanes) {
  llvm::SmallVector<Value*> parts;
  for (int first = 0; first < lanes; first += kScaleLanes) {
    llvm::SmallVector<int> taken;
    for (int lane = first; lane < first + kScaleLanes; ++lane)
      taken.push_back(lane < lanes ? lane : -1);
    Value* part = b.CreateShuffleVector(x, taken);
    Value* power = b.CreateShuffleVector(n, taken);
    parts.push_back(b.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
        {part, power, part, b.getInt16(0xffff), b.getInt32(4 /* rounding as it is set */)}));
  }
  llvm::SmallVector<int> all(static_cast<std::size_t>(lanes));
  std::iota(all.begin(), all.end(), 0);
  return b.CreateShuffleVector(llvm::concatenateVectors(b, parts), all);
}

Value* scaledByPowerOfTwo(llvm::IRBuilder<>& b, Value* x, Value* n) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  // LLVM vectorises scalar code only while it knows every instruction in it.
  if (!vector || !hasScaleInstruction(b)) return scaledInWords(b, x, n);
  return scaledByInstruction(b, x, n, static_cast<int>(vector->getNumElements()));
}

Value* absolute(llvm::IRBuilder<>& b, Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

Value* withSignOf(llvm::IRBuilder<>& b, Value* magnitude, Value* sign) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

} // namespace

Value* emitExp(llvm::IRBuilder<>& b, Value* x) {
  // exp(x) = 2^n exp(r) with |r| <= ln 2 / 2. The clamps keep n in the range of two factors 2^(n/2)
  // and let NaN through, since every comparison with NaN is false.
  Value* low = b.CreateSelect(b.CreateFCmpOLT(x, real(x, -104.0)), real(x, -104.0), x);
  Value* clamped = b.CreateSelect(b.CreateFCmpOGT(low, real(x, 89.0)), real(x, 89.0), low);
  Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::rint,
                                    b.CreateFMul(clamped, real(x, 1.4426950408889634)));
  // ln 2 in two parts: the first has few enough bits for n * part to be exact.
  Value* r = b.CreateFSub(clamped, b.CreateFMul(n, real(x, 0.693359375)));
  r = b.CreateFSub(r, b.CreateFMul(n, real(x, -0.000212194440055)));
  Value* p = polynomial(
      b, r,
      {0.001394215983, 0.008375968226, 0.04166634014, 0.166664053, 0.500000005, 1.00000004, 1.0});
  return scaledByPowerOfTwo(b, p, n);
}

Value* emitLog(llvm::IRBuilder<>& b, Value* x) {
  llvm::Type* integer = integerTypeOf(x);
  const auto bits = [&](std::uint64_t value) { return llvm::ConstantInt::get(integer, value); };
  // Subnormal numbers are brought into the normal range first.
  Value* tiny = b.CreateFCmpOLT(x, real(x, 1.17549435e-38));
  Value* normal = b.CreateSelect(tiny, b.CreateFMul(x, real(x, 8388608.0)), x);
  Value* raw = b.CreateBitCast(normal, integer);
  // The mantissa in [sqrt(1/2), sqrt(2)): then the polynomial's argument is around zero.
  Value* shifted = b.CreateSub(raw, bits(0x3f3504f3));
  Value* exponent = b.CreateAShr(shifted, bits(23));
  Value* mantissa = b.CreateSub(raw, b.CreateShl(exponent, bits(23)));
  Value* f = b.CreateFSub(b.CreateBitCast(mantissa, x->getType()), real(x, 1.0));
  Value* e = b.CreateSIToFP(exponent, x->getType());
  e = b.CreateFSub(e, b.CreateSelect(tiny, real(x, 23.0), real(x, 0.0)));
  Value* p = polynomial(b, f,
                        {0.06971611471, -0.1147973385, 0.1168541992, -0.1242568733, 0.1424905765,
                         -0.1666780232, 0.2000071575, -0.2499999696, 0.3333333118});
  Value* square = b.CreateFMul(f, f);
  Value* tail = b.CreateFMul(b.CreateFMul(f, square), p);
  tail = b.CreateFAdd(tail, b.CreateFMul(e, real(x, -0.000212194440055)));
  tail = b.CreateFSub(tail, b.CreateFMul(square, real(x, 0.5)));
  Value* result = b.CreateFAdd(b.CreateFAdd(f, tail), b.CreateFMul(e, real(x, 0.693359375)));
  result = b.CreateSelect(b.CreateFCmpOEQ(x, real(x, kInfinity)), x, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, real(x, 0.0)), real(x, -kInfinity), result);
  // Below zero, and NaN itself.
  Value* undefined = b.CreateFCmpULT(x, real(x, 0.0));
  return b.CreateSelect(undefined, llvm::ConstantFP::getNaN(x->getType()), result);
}

Value* emitTanh(llvm::IRBuilder<>& b, Value* x) {
  Value* magnitude = absolute(b, x);
  Value* square = b.CreateFMul(x, x);
  Value* small = b.CreateFMul(x, polynomial(b, square,
                                            {-0.005599785037, 0.020536972, -0.05370427744,
                                             0.1333091717, -0.3333325145, 0.9999999955}));
  Value* e = emitExp(b, b.CreateFAdd(magnitude, magnitude));
  Value* quotient = b.CreateFDiv(real(x, 2.0), b.CreateFAdd(e, real(x, 1.0)));
  Value* large = withSignOf(b, b.CreateFSub(real(x, 1.0), quotient), x);
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, real(x, 0.625)), small, large);
}

Value* emitErf(llvm::IRBuilder<>& b, Value* x) {
  Value* magnitude = absolute(b, x);
  Value* square = b.CreateFMul(x, x);
  Value* small = b.CreateFMul(
      x, polynomial(b, square,
                    {-9.667044571e-6, 0.0001126595903, -0.0008484080406, 0.005221031808,
                     -0.02686543073, 0.112837825, -0.3761263847, 1.128379167}));
  // 1 - erf(t) = exp(p(t)); beyond 4 the result is 1 in float32.
  Value* t = b.CreateSelect(b.CreateFCmpOGT(magnitude, real(x, 4.0)), real(x, 4.0), magnitude);
  Value* p =
      polynomial(b, t,
                 {1.639938016e-6, -4.611291391e-5, 0.0005972644331, -0.004761717236, 0.02642704377,
                  -0.1100901975, -0.6318156996, -1.130239201, 0.0003214710264});
  Value* large = withSignOf(b, b.CreateFSub(real(x, 1.0), emitExp(b, p)), x);
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, real(x, 1.0)), small, large);
}

Value* emitSigmoid(llvm::IRBuilder<>& b, Value* x) {
  Value* e = emitExp(b, b.CreateFNeg(x));
  return b.CreateFDiv(real(x, 1.0), b.CreateFAdd(real(x, 1.0), e));
}

} // namespace nestwright::llvm_backend
