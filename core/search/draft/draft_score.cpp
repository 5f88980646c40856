#include "core/search/draft/draft_score.h"

#include "core/search/draft/drafted_nest.h"
#include "core/search/draft/gpu_draft.h"
#include "core/search/draft/register_draft.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

double DraftedStage::cycles() const {
  // Parts overlap, but never wholly.
  constexpr double kOverlap = 0.3;
  const double parts[] = {arithmetic, loads, l2, l3, memory};
  double slowest = 0, sum = 0;
  for (const double part : parts) {
    slowest = std::max(slowest, part);
    sum += part;
  }
  return (slowest + kOverlap * (sum - slowest) + overhead) / parallel;
}

namespace {

// As those of register_draft.cpp.
constexpr double kL2BytesPerCycle = 32, kL3BytesPerCycle = 12, kMemoryBytesPerCycle = 4;
constexpr double kCacheShare = 0.7;      // of a cache that a tile can count on
constexpr double kParallelCycles = 8000; // to start and end a parallel loop

/// Bytes that all executions bring into a cache of this size.
double traffic(const DraftedNest& nest, double line, double cache) {
  std::size_t first = 0;
  for (; first < nest.loops.size(); ++first) {
    double bytes = 0;
    for (const DraftedAccess& access : nest.accesses)
      bytes += bytesOf(access, nest, first, line);
    if (bytes <= kCacheShare * cache) break;
  }
  if (first == 0) return 0; // it is there since the stage before, or the run before
  double sum = 0;
  for (const DraftedAccess& access : nest.accesses)
    if (access.around < first) // else it stays in the cache
      sum += bytesOf(access, nest, first, line) * times(access, nest.loops, first) *
             (access.isWritten ? 2 : 1);
  return sum;
}

void addParallel(DraftedStage& draft, const std::vector<DraftedLoop>& loops, double cores) {
  double iterations = 1, starts = 1;
  bool isParallel = false;
  for (const DraftedLoop& loop : loops) {
    if (loop.annotation == Annotation::Parallel) {
      iterations *= double(loop.extent);
      isParallel = true;
    } else if (!isParallel) {
      starts *= double(loop.extent);
    }
  }
  if (!isParallel || cores == 1) return;
  draft.parallel = iterations / std::ceil(iterations / cores);
  draft.overhead += starts * kParallelCycles * draft.parallel;
}

DraftedStage drafted(const Stage& stage, const DraftedNest& nest, const TargetFacts& target) {
  DraftedStage draft{draftedRegisters(*stage.op, nest, target), stage.name(), nest.points()};
  const auto bytes = [&](std::int64_t cache) {
    return traffic(nest, double(target.cacheLineBytes), double(cache));
  };
  draft.l2 = bytes(target.l1Bytes) / kL2BytesPerCycle;
  draft.l3 = bytes(target.l2Bytes) / kL3BytesPerCycle;
  if (target.l3Bytes > 0) draft.memory = bytes(target.l3Bytes) / kMemoryBytesPerCycle;
  addParallel(draft, nest.loops, std::max(1, target.cores));
  return draft;
}

} // namespace

std::vector<DraftedStage> draftedStages(const State& program, const TargetFacts& target) {
  const NestReader reader(program);
  std::vector<DraftedStage> stages;
  for (int i = 0; i < program.stageCount(); ++i) {
    const Stage& stage = program.stage(i);
    if (!stage.isPlaceholder() && stage.location != ComputeLocation::Inlined)
      stages.push_back(drafted(stage, reader.nestOf(i), target));
  }
  return stages;
}

double draftScore(const State& program, const TargetFacts& target) {
  try {
    double cycles = 0;
    if (target.gpu)
      for (const KernelTime& kernel : draftedKernels(program, target))
        cycles += draftedClocks(kernel);
    else
      for (const DraftedStage& stage : draftedStages(program, target))
        cycles += stage.cycles();
    return -std::log2(std::max(cycles, 1.0));
  } catch (const IllegalSchedule&) {
    return -kInfinity;
  }
}

ProgramDraft draftOf(const TargetFacts& target) {
  ProgramDraft draft{[target](const State& program) { return draftScore(program, target); }};
  // A GPU's comes near the seconds themselves, and there are more kinds of programs.
  if (target.gpu) draft.drawsForEach = 64, draft.breeds = draft.isCoarse = true;
  return draft;
}

} // namespace nestwright
