#pragma once
/// \file Random annotation: fills a sketch's open decisions (handbook/ansor.md 3).

#include "core/space/legality.h"
#include "core/space/sketch.h"
#include "core/support/random.h"

#include <map>
#include <optional>
#include <string>

namespace nestwright {

/// A complete program, or why the attempt failed.
struct SampledProgram {
  std::optional<State> state;           // bounds inferred; empty when invalid
  int sketch = 0;                       // which sketch it came from
  std::string failure;                  // one sentence when invalid
  std::string reason;                   // the same in general words (generalReason())
  Refusal refusal = Refusal::Undecided; // its kind
};

/// One attempt: a uniformly chosen sketch, then for a CPU tile sizes, compute locations, parallel,
/// unroll and vectorize in this order, for a GPU tile sizes, threads, unroll and kernels; then the
/// validity checks. The result depends on `random` alone.
SampledProgram sampleProgram(const std::vector<Sketch>& sketches, const SpaceOptions& options,
                             Random& random);

/// The sentence of illegality(), or nothing when the program may be compiled.
std::optional<std::string> illegalReason(const State& state, const SpaceOptions& options);

} // namespace nestwright
