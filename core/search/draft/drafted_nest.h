#pragma once
/// \file What a draft reads off a stage: the loops around its statement, and the buffers that the
/// statement touches (handbook/ansor.md 4.10).

#include "core/schedule/bounds.h"
#include "core/schedule/stage_reads.h"
#include "core/schedule/state.h"

#include <cstdint>
#include <vector>

namespace nestwright {

struct DraftedLoop {
  int stage = 0, iterator = 0; // that it is of
  std::int64_t extent = 1;
  Annotation annotation = Annotation::None;
  bool isOwn = false; // or of a stage around it
  bool isReduction = false;
  std::vector<std::int64_t> reach; // how far it goes along each axis of the stage
};

/// A buffer that a statement reads or writes.
struct DraftedAccess {
  int stage = 0;                          // that makes it
  std::vector<std::vector<double>> index; // for each dimension what one step of each axis adds
  std::vector<std::int64_t> shape;
  int bytes = 4; // of an element
  bool isWritten = false;
  std::size_t around = 0; // loops outside of the buffer, each of whose iterations has it anew
};

/// The axes of a stage are those of its result, then those of its reduction.
struct DraftedNest {
  std::vector<DraftedLoop> loops;      // all around its statement, outermost first
  std::vector<DraftedAccess> accesses; // that of its result first
  std::size_t axes = 0;
  double unrollLimit = 0; // what the schedule asks to write out, in statements

  /// How often its statement is executed.
  double points() const;
};

/// Reads the nests of a program's stages, inlined ones seen through. Throws IllegalSchedule where
/// the program has no bounds.
class NestReader {
 public:
  explicit NestReader(const State& program);
  DraftedNest nestOf(int stage) const;

 private:
  void addLoops(int stage, int upTo, int of, std::vector<DraftedLoop>& loops) const;
  std::vector<DraftedLoop> loopsOf(int stage) const;
  std::size_t loopsAround(int stage, const std::vector<DraftedLoop>& loops) const;
  void addReads(int stage, const std::vector<std::vector<double>>& axisSteps,
                std::vector<DraftedAccess>& accesses, int depth) const;
  std::vector<DraftedAccess> accessesOf(int stage) const;
  double unrollLimitOf(int stage) const;

  const State& program_;
  const Bounds bounds_;
  const StageReads reads_;
};

/// Extent of each axis.
using Box = std::vector<double>;

/// What the loops from `first` on run over.
Box boxOf(const DraftedNest& nest, std::size_t first);

/// Elements of one dimension that a box has, from its steps along the axes.
double along(const std::vector<double>& steps, const Box& box);
double elementsOf(const DraftedAccess& access, const Box& box);
/// What the loops from `first` on touch, in whole cache lines of the last dimension. A buffer of
/// loops further inside is the same memory in all iterations of those around it.
double bytesOf(const DraftedAccess& access, const DraftedNest& nest, std::size_t first,
               double line);

/// Whether the loop takes other elements at each iteration.
bool moves(const DraftedAccess& access, const DraftedLoop& loop);

/// How often what is inside loop `first` is brought anew: loops around that do not move it, right
/// outside, find it where it was.
double times(const DraftedAccess& access, const std::vector<DraftedLoop>& loops, std::size_t first);

} // namespace nestwright
