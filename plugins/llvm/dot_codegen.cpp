/// \file Sums of neighbouring products in each lane by the instructions that there are for them.

#include "core/lower/dot_product.h"
#include "plugins/llvm/unrolled_loops.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace nestwright::llvm_backend {

using llvm::Value;

namespace {

bool has(const CodegenOptions& options, std::string_view feature) {
  const std::string all = "," + options.features + ",";
  return all.find(fmt::format(",+{},", feature)) != std::string::npos;
}

/// The instruction for so many lanes of 32 bits: 4, 8 or 16.
llvm::Intrinsic::ID instructionFor(bool isFloat, int lanes) {
  if (isFloat)
    return lanes == 4   ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128
           : lanes == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256
                        : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512;
  return lanes == 4   ? llvm::Intrinsic::x86_avx512_vpdpbusd_128
         : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                      : llvm::Intrinsic::x86_avx512_vpdpbusd_512;
}

/// The width of the narrowest register that so many lanes of 32 bits fit into; 0 for none.
int registerLanes(int lanes, int vectorBits) {
  for (const int width : {4, 8, 16})
    if (lanes <= width && 32 * width <= vectorBits) return width;
  return 0;
}

/// A vector with so many lanes: the first ones of this one, or all of it and undefined ones.
llvm::Value* resized(llvm::IRBuilderBase& builder, llvm::Value* value, int from, int to) {
  std::vector<int> lanes(static_cast<std::size_t>(to), -1);
  for (int i = 0; i < std::min(from, to); ++i)
    lanes[static_cast<std::size_t>(i)] = i;
  return from == to ? value : builder.CreateShuffleVector(value, lanes);
}

/// The first lane of each row, then the second of each, and so on. Of 2 or 4 rows.
llvm::Value* interleaved(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> rows, int lanes) {
  // Pairs of rows that are half of the rows apart, so that two passes put four in order.
  while (rows.size() > 1) {
    std::vector<int> order;
    for (int lane = 0; lane < lanes; ++lane)
      order.insert(order.end(), {lane, lanes + lane});
    const std::size_t half = rows.size() / 2;
    for (std::size_t i = 0; i < half; ++i)
      rows[i] = builder.CreateShuffleVector(rows[i], rows[i + half], order);
    rows.resize(half);
    lanes *= 2;
  }
  return rows[0];
}

/// What adds the products of four neighbouring bytes, or of two numbers of bfloat16, in each lane.
enum class Means : std::uint8_t {
  Loop,        // none that the processor has
  Instruction, // one
  Widened      // two multiplications of wider numbers
};

Means meansFor(const CodegenOptions& options, DataType sum) {
  const bool is = sum.isFloat() ? has(options, "avx512bf16") && has(options, "avx512vl")
                                : (has(options, "avx512vnni") && has(options, "avx512vl")) ||
                                      (has(options, "avxvnni") && options.vectorBits <= 256);
  if (is) return Means::Instruction;
  // LLVM's list for a level of x86-64 names no SSE2, which all of them have.
  const char* const wholeVectors = options.vectorBits > 256   ? "avx512bw"
                                   : options.vectorBits > 128 ? "avx2"
                                                              : "sse";
  return has(options, wholeVectors) ? Means::Widened : Means::Loop;
}

/// sums + the products of each lane, whose factors are words of 32 bits.
Value* sumsByInstruction(llvm::IRBuilderBase& builder, Value* sums, Value* a, Value* b, int width) {
  const bool isFloat = sums->getType()->isFPOrFPVectorTy();
  if (isFloat) {
    auto* pairs =
        llvm::FixedVectorType::get(builder.getBFloatTy(), static_cast<unsigned>(2 * width));
    a = builder.CreateBitCast(a, pairs);
    b = builder.CreateBitCast(b, pairs);
  }
  return builder.CreateIntrinsic(instructionFor(isFloat, width), {}, {sums, a, b});
}

/// sums + two products a lane of bfloat16, as float32: the lower half of each word and the upper
/// one.
Value* sumsByFloats(llvm::IRBuilderBase& builder, Value* sums, Value* a, Value* b) {
  const auto lower = [&](Value* words) {
    return builder.CreateBitCast(builder.CreateShl(words, 16), sums->getType());
  };
  const auto upper = [&](Value* words) {
    return builder.CreateBitCast(builder.CreateAnd(words, 0xffff0000), sums->getType());
  };
  const auto added = [&](Value* to, Value* x, Value* y) {
    return builder.CreateFAdd(to, builder.CreateFMul(x, y));
  };
  return added(added(sums, lower(a), lower(b)), upper(a), upper(b));
}

/// sums + four products a lane of unsigned and signed bytes, exactly: bytes with even and with odd
/// places apart, each as a number of 16 bits.
Value* sumsByWords(llvm::IRBuilderBase& builder, Value* sums, Value* unsignedBytes,
                   Value* signedBytes, int width) {
  const auto id = width == 4   ? llvm::Intrinsic::x86_sse2_pmadd_wd
                  : width == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                               : llvm::Intrinsic::x86_avx512_pmaddw_d_512;
  auto* words = llvm::FixedVectorType::get(builder.getInt16Ty(), static_cast<unsigned>(2 * width));
  Value* a = builder.CreateBitCast(unsignedBytes, words);
  Value* b = builder.CreateBitCast(signedBytes, words);
  Value* even = builder.CreateIntrinsic(
      id, {}, {builder.CreateAnd(a, 255), builder.CreateAShr(builder.CreateShl(b, 8), 8)});
  Value* odd =
      builder.CreateIntrinsic(id, {}, {builder.CreateLShr(a, 8), builder.CreateAShr(b, 8)});
  return builder.CreateAdd(builder.CreateAdd(sums, even), odd);
}

/// Where a factor's neighbours begin, the lanes' one behind the other's; nothing where they do not
/// lie so.
std::optional<LinearForm> neighboursOf(ExprCodegen& code, const DotProduct& dot, const Expr& load) {
  llvm::IRBuilder<>& builder = code.builder();
  std::optional<LinearForm> first;
  for (int i = 0; i < dot.length; ++i) {
    code.scopes().bind(dot.along, builder.getInt64(static_cast<std::uint64_t>(i)), true);
    const auto form = code.addresses().linearIndex(load->buffer, load->operands);
    code.scopes().unbind(dot.along);
    if (!form) return std::nullopt;
    if (!first) first = form;
    if (!sameTerms(*first, *form) || form->constant != first->constant + i) return std::nullopt;
  }
  const bool moves = load->type.lanes > 1 && first->laneStride != 0;
  if (moves && first->laneStride != dot.length) return std::nullopt;
  return first;
}

/// The neighbours of all lanes as words of 32 bits, a word a lane.
Value* emitDotFactor(ExprCodegen& code, const DotFactor& factor, const LinearForm& at, int length,
                     int lanes, int width) {
  llvm::IRBuilder<>& builder = code.builder();
  const DataType element = factor.load->buffer->type.element();
  const bool moves = factor.load->type.lanes > 1 && at.laneStride != 0;
  const int words = moves ? lanes : 1;
  llvm::Type* word = builder.getInt32Ty();
  const auto loaded = [&]() -> Value* {
    const bool onStack = code.module().isOnStack(factor.load->buffer);
    Value* all = code.memory().load(code.addresses().at(factor.load->buffer, at),
                                    element.withLanes(words * length), element, onStack);
    if (!moves) return builder.CreateBitCast(all, word);
    all =
        builder.CreateBitCast(all, llvm::FixedVectorType::get(word, static_cast<unsigned>(words)));
    return resized(builder, all, words, width);
  };
  Value* result = nullptr;
  if (factor.conditions.empty()) {
    result = loaded();
  } else {
    Value* inside = code.emit(factor.conditions[0]);
    for (std::size_t i = 1; i < factor.conditions.size(); ++i)
      inside = builder.CreateAnd(inside, code.emit(factor.conditions[i]));
    auto* then = newBlock(builder, "inside");
    auto* after = newBlock(builder, "loaded");
    auto* before = builder.GetInsertBlock();
    builder.CreateCondBr(inside, then, after);
    builder.SetInsertPoint(then);
    code.scopes().open();
    Value* value = loaded();
    code.scopes().close();
    auto* end = builder.GetInsertBlock();
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
    auto* either = builder.CreatePHI(value->getType(), 2);
    either->addIncoming(value, end);
    either->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
    result = either;
  }
  return moves ? result : builder.CreateVectorSplat(static_cast<unsigned>(width), result);
}

} // namespace

bool emitDotProduct(ExprCodegen& code, const StmtNode& s) {
  llvm::IRBuilder<>& builder = code.builder();
  const std::optional<DotProduct> dot = dotProduct(s);
  if (!dot || code.memory().isMasked()) return false;
  const StmtNode& store = *s.body[0];
  const DataType sum = store.buffer->type.element();
  const Expr& own = (*store.value)[0];
  const int lanes = own->type.lanes;
  const CodegenOptions& options = code.module().options;
  const int width = registerLanes(lanes, options.vectorBits);
  if (width == 0 || !options.vectorise || code.module().isPlain()) return false;
  const Means means = meansFor(options, sum);
  if (means == Means::Loop) return false;
  code.scopes().bind(dot->along, builder.getInt64(0), true);
  const auto sums = code.addresses().linearIndex(store.buffer, store.indices);
  code.scopes().unbind(dot->along);
  if (!sums || (lanes > 1 && sums->laneStride != 1)) return false;
  const auto first = neighboursOf(code, *dot, dot->first.load);
  const auto second = neighboursOf(code, *dot, dot->second.load);
  if (!first || !second) return false;
  const bool onStack = code.module().isOnStack(store.buffer);
  Value* before = code.memory().load(code.addresses().at(store.buffer, *sums), sum.withLanes(lanes),
                                     sum, onStack);
  if (lanes == 1)
    before = builder.CreateInsertElement(
        llvm::PoisonValue::get(valueType(code.module().llvm(), sum.withLanes(width))), before,
        std::uint64_t{0});
  else
    before = resized(builder, before, lanes, width);
  Value* a = emitDotFactor(code, dot->first, *first, dot->length, lanes, width);
  Value* b = emitDotFactor(code, dot->second, *second, dot->length, lanes, width);
  Value* after = means == Means::Instruction ? sumsByInstruction(builder, before, a, b, width)
                 : sum.isFloat()             ? sumsByFloats(builder, before, a, b)
                                             : sumsByWords(builder, before, a, b, width);
  after = lanes == 1 ? builder.CreateExtractElement(after, std::uint64_t{0})
                     : resized(builder, after, width, lanes);
  code.memory().store(after, code.addresses().at(store.buffer, *sums), onStack);
  return true;
}

/// Rows are loaded and their lanes interleaved.
bool emitDotCopy(ExprCodegen& code, const StmtNode& s) {
  llvm::IRBuilder<>& builder = code.builder();
  const Var along = dotCopy(s);
  if (!along || code.memory().isMasked() || code.module().isPlain()) return false;
  const StmtNode& store = *s.body[0];
  const Buffer &from = store.value->buffer, &to = store.buffer;
  const DataType element = from->type.element();
  const auto length = static_cast<int>(s.extent);
  const int lanes = store.value->type.lanes;
  if (lanes == 1 || element != to->type.element() || element.isBool()) return false;
  std::vector<LinearForm> reads;
  std::optional<LinearForm> write;
  for (int i = 0; i < length; ++i) {
    code.scopes().bind(along, builder.getInt64(static_cast<std::uint64_t>(i)), true);
    const auto read = code.addresses().linearIndex(from, store.value->operands);
    const auto at = code.addresses().linearIndex(to, store.indices);
    code.scopes().unbind(along);
    if (!read || read->laneStride != 1 || !at || at->laneStride != length) return false;
    if (!write) write = at;
    if (!sameTerms(*write, *at) || at->constant != write->constant + i) return false;
    reads.push_back(*read);
  }
  const auto onStack = [&](const Buffer& buffer) { return code.module().isOnStack(buffer); };
  std::vector<Value*> rows;
  for (const LinearForm& read : reads)
    rows.push_back(code.memory().load(code.addresses().at(from, read), element.withLanes(lanes),
                                      element, onStack(from)));
  code.memory().store(interleaved(builder, rows, lanes), code.addresses().at(to, *write),
                      onStack(to));
  return true;
}

} // namespace nestwright::llvm_backend
