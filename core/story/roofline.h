#pragma once
/// \file Where programs stand under the machine's roof: operations per byte that they move, and
/// operations per second. Plain values, computed in the background.

#include "core/record/rows/record_query.h"
#include "core/target/target.h"
#include "core/tensor/compute_dag.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// Which bytes count: those that come from memory, or those that move between caches. L1 is the
/// shared memory of a GPU.
enum class Traffic : std::uint8_t { Memory, L2, L1 };
inline constexpr int kTrafficKinds = 3;

/// Estimated bytes that a program moves in one execution, by Traffic.
using MovedBytes = std::array<double, kTrafficKinds>;
/// Of these steps; zeros when they cannot be lowered.
MovedBytes movedBytes(const ComputeDag& dag, const Steps& steps, const TargetFacts& target);

struct RooflinePoint {
  RowId record = 0;
  std::int64_t trial = 0;
  double seconds = 0;
  MovedBytes bytes{};
  bool best = false;    // it was its task's best in its time
  bool dragged = false; // the user put it here
};

/// A bound on operations per second that only some programs can go beyond the usual one to.
struct Ceiling {
  /// Tensor cores of a GPU, and instructions of a processor that add several products, by what they
  /// multiply.
  enum class Unit : std::uint8_t { TensorTf32, TensorHalf, DotBFloat16, DotInt8 };
  Unit unit = Unit::TensorTf32;
  double flops = 0;
  bool operator==(const Ceiling&) const = default;
};

/// What bounds the programs of a target; they are never shown under that of another one.
struct Roofs {
  bool isGpu = false;
  double peakFlops = 0;          // per second, of all cores, fp32; an upper bound; 0 when unknown
  std::vector<Ceiling> ceilings; // lowest first
  /// Bytes per second by Traffic, as the target's facts bound them; 0 where that is not known and
  /// may be measured. L1 is the shared memory of a GPU.
  std::array<double, kTrafficKinds> bandwidths{};
};
Roofs roofsOf(const TargetFacts& target);
/// The lowest ceiling that so many operations per second do not exceed, of what exceeds the usual
/// peak; nothing for others, and where no ceiling is so high.
std::optional<Ceiling> ceilingOver(const Roofs& roofs, double flops);

struct Roofline {
  RowId task = 0;
  double flops = 0;           // of one execution
  double compulsoryBytes = 0; // inputs and outputs once: no program moves less
  Roofs roofs;
  std::string target; // TargetFacts::id()
  std::string targetText;
  bool here = false;                 // the target is this machine
  std::vector<RooflinePoint> points; // by record
  int left = 0; // programs of which no traffic can be told: they cannot be lowered
};

/// What to look at.
struct RooflineQuery {
  RowId session = 0; // 0: all of the file
  RowId task = 0;
  RowId newest = 0;                             // record; later ones have not happened
  std::shared_ptr<const OtherMarks> marks = {}; // of that moment
  std::vector<RowId> bests;                     // records
  std::vector<RowId> dragged;                   // records; those of other tasks are passed over
  int programs = 300;                           // the newest ones that ran, beside the bests
};

/// What was estimated before, by record of one file: lowering a program takes a millisecond.
struct TrafficCache {
  std::string path;
  std::map<RowId, MovedBytes> moved;
};

/// Throws InputError when the file does not know the task or its target. `progress` is told how
/// many programs of how many are done, and may throw to end the reading.
Roofline readRoofline(const RecordStore& store, const RooflineQuery& query, TrafficCache& cache,
                      const std::function<void(std::size_t done, std::size_t all)>& progress = {});

} // namespace nestwright
