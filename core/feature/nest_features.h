#pragma once
/// \file The numbers behind a statement's features, before they are scaled and packed.

#include "core/feature/statement.h"

#include <array>
#include <string>
#include <vector>

namespace nestwright {

enum class ReuseType : std::uint8_t { LoopMultipleRead, SerialMultipleReadWrite, None };

/// handbook/ansor.md 6.3
struct BufferFeatures {
  AccessType type = AccessType::Read;
  double bytes = 0, uniqueBytes = 0, lines = 0, uniqueLines = 0;
  ReuseType reuse = ReuseType::None;
  double reuseIterations = 0, reuseBytes = 0, reuseCount = 0;
  double stride = 0;
};

/// Loops of one annotation around a statement.
struct AnnotatedLoops {
  double count = 0;
  double product = 0;   // of their extents; 0 if there are none
  double innermost = 0; // extent; 0 if there are none
};

/// Extents of the thread loops around a statement, by axis (handbook/cuda.md 5). An inner loop on
/// an axis replaces an outer one; virtual threads multiply.
struct ThreadExtents {
  std::array<double, 3> blocks{1, 1, 1}, threads{1, 1, 1};
  double virtualThreads = 1;
};

inline constexpr std::size_t kIntensitySamples = 10;

struct NestFeatures {
  int stage = 0;
  /// The statement adds to what each thread has of a reduction across threads; another row is that
  /// of the store of the result (handbook/cuda.md 5).
  bool isShare = false;
  Statement statement;
  AnnotatedLoops vectorized, unrolled, parallel;
  bool isGpu = false; // the program has opened a thread loop, here or before
  ThreadExtents threads;
  std::vector<BufferFeatures> buffers; // by lines and bytes, most first
  std::array<double, kIntensitySamples> intensity{};
  // Of the memory that the stage makes; all 0 of a share, which is none
  double allocatedBytes = 0, allocatedElements = 0;
  double iterationsOutsideAllocation = 0, iterationsInsideAllocation = 0;
  double iterations = 1;
  double loops = 0;
  double unrollMaxStep = 0;
};

/// The last statement of every stage that has loops of its own, in the order of execution; of a
/// stage whose threads reduce together two, if they have shares. Throws IllegalSchedule when a
/// reduction is inlined.
std::vector<NestFeatures> nestFeatures(const State& state, const Bounds& bounds,
                                       std::int64_t cacheLineBytes);

/// Memory that a loop works on.
struct LoopTraffic {
  int stage = 0, iterator = 0; // of the state
  double runs = 1;             // how often the whole loop is run: the product of extents around it
  /// Bytes of different elements that one run of the loop reads and writes, with all that is inside
  /// of it: the sum over `buffers`.
  double footprintBytes = 0;
  struct Buffer {
    std::string name;
    double bytes = 0;          // of different elements, in one run of the loop
    double iterationBytes = 0; // in one of its iterations
    double accessedBytes = 0;  // in one run, each access counted
    /// How often each element that a run touches is accessed in it.
    double reuse() const { return bytes > 0 ? accessedBytes / bytes : 1; }
  };
  std::vector<Buffer> buffers; // largest first
  /// How often each element of the loop's stage is computed in all, on average: more than once
  /// where a stage that is computed within its reader overlaps itself, or where tiles that do not
  /// divide it reach beyond its end.
  double recomputation = 1;
  /// What has to be moved to and from the loop when nothing stays near between its runs.
  double trafficBytes() const { return runs * footprintBytes; }
  /// How often each element that one run touches is accessed in it, of all buffers.
  double reuse() const;
};

/// One entry for each loop of more than one iteration, in the order of execution. Where several
/// statements touch a buffer, the one that touches most counts. Throws as nestFeatures().
std::vector<LoopTraffic> loopTraffic(const State& state, const Bounds& bounds);

} // namespace nestwright
