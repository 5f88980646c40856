/// \file Sums of neighbouring products in each lane by the instructions that there are for them.

#include "core/lower/dot_product.h"
#include "plugins/llvm/region_codegen.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace nestwright::llvm_backend {
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

} // namespace

/// Whether the processor has an instruction for what it sums.
bool RegionCodegen::hasDotProduct(DataType sum) const {
  const CodegenOptions& options = module_.options;
  if (!options.vectorise || isPlain()) return false;
  if (sum.isFloat()) return has(options, "avx512bf16") && has(options, "avx512vl");
  return (has(options, "avx512vnni") && has(options, "avx512vl")) ||
         (has(options, "avxvnni") && options.vectorBits <= 256);
}

/// Where a factor's neighbours begin, the lanes' one behind the other's; nothing where they do not
/// lie so.
std::optional<LinearForm> RegionCodegen::neighboursOf(const DotProduct& dot, const Expr& load) {
  std::optional<LinearForm> first;
  for (int i = 0; i < dot.length; ++i) {
    bindVar(dot.along, builder_.getInt64(static_cast<std::uint64_t>(i)), true);
    const auto form = linearIndex(load->buffer, load->operands);
    vars_.erase(dot.along.get());
    if (!form) return std::nullopt;
    if (!first) first = form;
    if (!sameTerms(*first, *form) || form->constant != first->constant + i) return std::nullopt;
  }
  const bool moves = load->type.lanes > 1 && first->laneStride != 0;
  if (moves && first->laneStride != dot.length) return std::nullopt;
  return first;
}

/// The neighbours of all lanes as words of 32 bits, a word a lane.
llvm::Value* RegionCodegen::emitDotFactor(const DotFactor& factor, const LinearForm& at, int length,
                                          int lanes, int width) {
  const DataType element = factor.load->buffer->type.element();
  const bool moves = factor.load->type.lanes > 1 && at.laneStride != 0;
  const int words = moves ? lanes : 1;
  llvm::Type* word = builder_.getInt32Ty();
  const auto loaded = [&]() -> Value* {
    const bool onStack = module_.plan.at(factor.load->buffer).kind == BufferPlace::Kind::Stack;
    Value* all = loadContiguous(emitAddress(factor.load->buffer, at),
                                element.withLanes(words * length), element, onStack);
    if (!moves) return builder_.CreateBitCast(all, word);
    all =
        builder_.CreateBitCast(all, llvm::FixedVectorType::get(word, static_cast<unsigned>(words)));
    return resized(builder_, all, words, width);
  };
  Value* result = nullptr;
  if (factor.conditions.empty()) {
    result = loaded();
  } else {
    Value* inside = emit(factor.conditions[0]);
    for (std::size_t i = 1; i < factor.conditions.size(); ++i)
      inside = builder_.CreateAnd(inside, emit(factor.conditions[i]));
    auto* then = block("inside");
    auto* after = block("loaded");
    auto* before = builder_.GetInsertBlock();
    builder_.CreateCondBr(inside, then, after);
    builder_.SetInsertPoint(then);
    openScope();
    Value* value = loaded();
    closeScope();
    auto* end = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    auto* either = builder_.CreatePHI(value->getType(), 2);
    either->addIncoming(value, end);
    either->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
    result = either;
  }
  return moves ? result : builder_.CreateVectorSplat(static_cast<unsigned>(width), result);
}

bool RegionCodegen::emitDotProduct(const StmtNode& s) {
  const std::optional<DotProduct> dot = dotProduct(s);
  if (!dot || mask_) return false;
  const StmtNode& store = *s.body[0];
  const DataType sum = store.buffer->type.element();
  const Expr& own = (*store.value)[0];
  const int lanes = own->type.lanes;
  const int width = registerLanes(lanes, module_.options.vectorBits);
  if (width == 0 || !hasDotProduct(sum)) return false;
  bindVar(dot->along, builder_.getInt64(0), true);
  const auto sums = linearIndex(store.buffer, store.indices);
  vars_.erase(dot->along.get());
  if (!sums || (lanes > 1 && sums->laneStride != 1)) return false;
  const auto first = neighboursOf(*dot, dot->first.load);
  const auto second = neighboursOf(*dot, dot->second.load);
  if (!first || !second) return false;
  const bool onStack = module_.plan.at(store.buffer).kind == BufferPlace::Kind::Stack;
  Value* before =
      loadContiguous(emitAddress(store.buffer, *sums), sum.withLanes(lanes), sum, onStack);
  if (lanes == 1)
    before = builder_.CreateInsertElement(
        llvm::PoisonValue::get(valueType(module_.llvm(), sum.withLanes(width))), before,
        std::uint64_t{0});
  else
    before = resized(builder_, before, lanes, width);
  Value* a = emitDotFactor(dot->first, *first, dot->length, lanes, width);
  Value* b = emitDotFactor(dot->second, *second, dot->length, lanes, width);
  if (sum.isFloat()) {
    auto* pairs =
        llvm::FixedVectorType::get(builder_.getBFloatTy(), static_cast<unsigned>(2 * width));
    a = builder_.CreateBitCast(a, pairs);
    b = builder_.CreateBitCast(b, pairs);
  }
  Value* after = builder_.CreateIntrinsic(instructionFor(sum.isFloat(), width), {}, {before, a, b});
  after = lanes == 1 ? builder_.CreateExtractElement(after, std::uint64_t{0})
                     : resized(builder_, after, width, lanes);
  storeContiguous(after, emitAddress(store.buffer, *sums), onStack);
  return true;
}

/// Rows are loaded and their lanes interleaved.
bool RegionCodegen::emitDotCopy(const StmtNode& s) {
  const Var along = dotCopy(s);
  if (!along || mask_ || isPlain()) return false;
  const StmtNode& store = *s.body[0];
  const Buffer &from = store.value->buffer, &to = store.buffer;
  const DataType element = from->type.element();
  const auto length = static_cast<int>(s.extent);
  const int lanes = store.value->type.lanes;
  if (lanes == 1 || element != to->type.element() || element.isBool()) return false;
  std::vector<LinearForm> reads;
  std::optional<LinearForm> write;
  for (int i = 0; i < length; ++i) {
    bindVar(along, builder_.getInt64(static_cast<std::uint64_t>(i)), true);
    const auto read = linearIndex(from, store.value->operands);
    const auto at = linearIndex(to, store.indices);
    vars_.erase(along.get());
    if (!read || read->laneStride != 1 || !at || at->laneStride != length) return false;
    if (!write) write = at;
    if (!sameTerms(*write, *at) || at->constant != write->constant + i) return false;
    reads.push_back(*read);
  }
  const auto onStack = [&](const Buffer& buffer) {
    return module_.plan.at(buffer).kind == BufferPlace::Kind::Stack;
  };
  std::vector<Value*> rows;
  for (const LinearForm& read : reads)
    rows.push_back(
        loadContiguous(emitAddress(from, read), element.withLanes(lanes), element, onStack(from)));
  storeContiguous(interleaved(builder_, rows, lanes), emitAddress(to, *write), onStack(to));
  return true;
}

} // namespace nestwright::llvm_backend
