#include "core/schedule/stage_reads.h"

#include <algorithm>

namespace nestwright {

namespace {

bool sameIndices(const ExprNode& a, const ExprNode& b) {
  return std::equal(
      a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
      [](const Expr& x, const Expr& y) { return x.sameAs(y) || equalStructure(x, y); });
}

void collect(const Expr& e, const ComputeDag& dag, std::vector<StageRead>& reads) {
  if (e->kind == ExprKind::Load) {
    const int producer = dag.indexOf(e->buffer.get());
    const auto known = std::ranges::find_if(reads, [&](const StageRead& read) {
      return read.producer == producer && sameIndices(*read.load, *e);
    });
    if (known == reads.end())
      reads.push_back({producer, 1, e.get()});
    else
      ++known->times;
  }
  for (const Expr& operand : e->operands)
    collect(operand, dag, reads);
}

} // namespace

StageReads::StageReads(const State& state)
    : reads_(state.stageCount()), reaches_(state.stageCount()), expanded_(state.stageCount()) {
  for (int id = 0; id < state.stageCount(); ++id) {
    std::vector<bool>& reached = reaches_[id];
    reached.resize(state.stageCount());
    if (state.stage(id).isPlaceholder()) continue;
    collect(state.stage(id).op->body, state.dag(), reads_[id]);
    for (const StageRead& read : reads_[id]) {
      reached[read.producer] = true;
      const bool isInlined = state.stage(read.producer).location == ComputeLocation::Inlined;
      expanded_[id] =
          std::min(kMostExpandedReads + 1,
                   expanded_[id] + read.times * (isInlined ? expanded_[read.producer] : 1));
      if (!isInlined) continue;
      for (int further = 0; further < read.producer; ++further)
        if (reaches_[read.producer][further]) reached[further] = true;
    }
  }
}

} // namespace nestwright
