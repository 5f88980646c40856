/// \file Copies that transpose: blocks of rows in whole vectors, turned in registers, instead of
/// gathers that take one element at a time.

#include "plugins/llvm/region_codegen.h"

#include <algorithm>
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

bool sameTerms(const LinearForm& a, const LinearForm& b) {
  return a.laneStride == b.laneStride &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const LinearForm::Term& x, const LinearForm::Term& y) {
                      return x.coefficient == y.coefficient && equalStructure(x.atom, y.atom);
                    });
}

} // namespace

bool RegionCodegen::emitTransposed(const StmtNode& s) {
  const StmtNode& store = *s.body[0];
  if (s.extent != kSide || !isConst(s.min, 0) || mask_ || store.kind != StmtKind::Store ||
      store.value->kind != ExprKind::Load || store.buffer == store.value->buffer)
    return false;
  const Buffer &from = store.value->buffer, &to = store.buffer;
  const int lanes = store.value->type.lanes;
  if (lanes % kSide != 0 || from->type.elementBytes() != 4 || to->type != from->type) return false;
  std::vector<LinearForm> reads, writes;
  for (std::int64_t i = 0; i < kSide; ++i) {
    bindVar(s.var, builder_.getInt64(i), true);
    const auto read = linearIndex(from, store.value->operands);
    const auto write = linearIndex(to, store.indices);
    vars_.erase(s.var.get());
    if (!read || !write || write->laneStride != 1) return false;
    reads.push_back(*read);
    writes.push_back(*write);
    if (!sameTerms(reads[0], *read) || read->constant != reads[0].constant + i ||
        !sameTerms(writes[0], *write))
      return false;
  }
  const DataType row = from->type.element().withLanes(kSide);
  for (int first = 0; first < lanes; first += kSide) {
    Block block;
    for (int i = 0; i < kSide; ++i) {
      LinearForm form = reads[0];
      form.constant += (first + i) * form.laneStride;
      block[static_cast<std::size_t>(i)] =
          loadContiguous(emitAddress(from, form), row, from->type.element(), false);
    }
    for (int distance = kSide / 2; distance > 0; distance /= 2)
      block = swappedQuarters(builder_, block, distance);
    for (int i = 0; i < kSide; ++i) {
      LinearForm form = writes[static_cast<std::size_t>(i)];
      form.constant += first;
      storeContiguous(block[static_cast<std::size_t>(i)], emitAddress(to, form), false);
    }
  }
  return true;
}

} // namespace nestwright::llvm_backend
