/// \file Copies that transpose: blocks of rows in whole vectors, turned in registers, instead of
/// gathers that take one element at a time.

#include "core/lower/dot_product.h"
#include "plugins/llvm/unrolled_loops.h"

#include <array>

namespace nestwright::llvm_backend {
namespace {

constexpr int kSide = 16; // rows and columns of a block: 32-bit elements of a 512-bit vector
using Block = std::array<llvm::Value*, kSide>;

/// Swaps the off-diagonal quarters of every square of 2 * distance rows.
Block swappedQuarters(llvm::IRBuilderBase& builder, const Block& rows, int distance) {
  std::vector<int> upper, lower; // lanes of the lower row are numbered from kSide on
  for (int lane = 0; lane < kSide; ++lane) {
    const bool right = (lane & distance) != 0;
    upper.push_back(right ? kSide + lane - distance : lane);
    lower.push_back(right ? kSide + lane : lane + distance);
  }
  Block result;
  for (int row = 0; row < kSide; ++row) {
    if ((row & distance) != 0) continue;
    const auto at = static_cast<std::size_t>(row), below = static_cast<std::size_t>(row + distance);
    result[at] = builder.CreateShuffleVector(rows[at], rows[below], upper);
    result[below] = builder.CreateShuffleVector(rows[at], rows[below], lower);
  }
  return result;
}

/// The copy in each iteration of a loop: of one element to each lane, or of neighbours that make up
/// 32 bits.
struct RowCopy {
  const StmtNode& store;
  Var along; // over the neighbours; null where there is one
  int length = 1;
};

RowCopy rowCopyIn(const StmtNode& loop) {
  const StmtNode& body = *loop.body[0];
  if (Var along = dotCopy(body))
    return {*body.body[0], std::move(along), static_cast<int>(body.extent)};
  return {body, nullptr, 1};
}

struct TransposedRows {
  Buffer from, to;
  int lanes = 0, length = 1;             // neighbours that are moved together
  std::vector<LinearForm> reads, writes; // of the first lane's first neighbour, per row
};

std::optional<TransposedRows> transposedRows(ExprCodegen& code, const StmtNode& s) {
  llvm::IRBuilder<>& builder = code.builder();
  const RowCopy copy = rowCopyIn(s);
  const StmtNode& store = copy.store;
  if (s.extent != kSide || !isConst(s.min, 0) || code.memory().isMasked() ||
      store.kind != StmtKind::Store || store.value->kind != ExprKind::Load ||
      store.buffer == store.value->buffer)
    return std::nullopt;
  const Buffer &from = store.value->buffer, &to = store.buffer;
  const int lanes = store.value->type.lanes;
  if (lanes % kSide != 0 || from->type.elementBytes() * copy.length != 4 || to->type != from->type)
    return std::nullopt;
  TransposedRows rows{from, to, lanes, copy.length, {}, {}};
  for (std::int64_t i = 0; i < std::int64_t{kSide} * copy.length; ++i) {
    const std::int64_t neighbour = i % copy.length;
    code.scopes().bind(s.var, builder.getInt64(static_cast<std::uint64_t>(i / copy.length)), true);
    if (copy.along)
      code.scopes().bind(copy.along, builder.getInt64(static_cast<std::uint64_t>(neighbour)), true);
    const auto read = code.addresses().linearIndex(from, store.value->operands);
    const auto write = code.addresses().linearIndex(to, store.indices);
    code.scopes().unbind(s.var);
    if (copy.along) code.scopes().unbind(copy.along);
    if (!read || !write || write->laneStride != copy.length) return std::nullopt;
    if (neighbour == 0) {
      rows.reads.push_back(*read);
      rows.writes.push_back(*write);
    }
    if (!sameTerms(rows.reads[0], *read) || read->constant != rows.reads[0].constant + i ||
        !sameTerms(rows.writes[0], *write) ||
        write->constant != rows.writes.back().constant + neighbour)
      return std::nullopt;
  }
  return rows;
}

} // namespace

bool emitTransposed(ExprCodegen& code, const StmtNode& s) {
  llvm::IRBuilder<>& builder = code.builder();
  const std::optional<TransposedRows> rows = transposedRows(code, s);
  if (!rows) return false;
  const DataType element = rows->from->type.element();
  const DataType row = element.withLanes(kSide * rows->length);
  auto* words = llvm::FixedVectorType::get(builder.getInt32Ty(), kSide);
  for (int first = 0; first < rows->lanes; first += kSide) {
    Block block;
    for (int i = 0; i < kSide; ++i) {
      LinearForm form = rows->reads[0];
      form.constant += (first + i) * form.laneStride;
      llvm::Value* loaded =
          code.memory().load(code.addresses().at(rows->from, form), row, element, false);
      block[static_cast<std::size_t>(i)] = builder.CreateBitCast(loaded, words);
    }
    for (int distance = kSide / 2; distance > 0; distance /= 2)
      block = swappedQuarters(builder, block, distance);
    for (int i = 0; i < kSide; ++i) {
      LinearForm form = rows->writes[static_cast<std::size_t>(i)];
      form.constant += std::int64_t{first} * rows->length;
      llvm::Value* value = builder.CreateBitCast(block[static_cast<std::size_t>(i)],
                                                 memoryType(code.module().llvm(), row));
      code.memory().store(value, code.addresses().at(rows->to, form), false);
    }
  }
  return true;
}

} // namespace nestwright::llvm_backend
