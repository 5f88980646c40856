#pragma once
/// \file Features of the program as it is executed: after accumulators were put into registers and
/// loops made vectors, which the paper's 164 features do not see. They follow those in a row, and a
/// cost model can do without them.

#include "core/lower/lower.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

inline constexpr std::size_t kLoweredFeatureCount = 20;

/// What the features assume of the machine.
struct LoweredFeatureOptions {
  LowerOptions lowering; // how the program is lowered, but for unrolling
  double lineBytes = 64;
  double l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 16 << 20;
  int cores = 1; // that the program's parallel loops share
};

using LoweredRow = std::array<float, kLoweredFeatureCount>;

/// Name of each entry, beginning with "lowered.".
const std::array<std::string, kLoweredFeatureCount>& loweredFeatureNames();
/// What each entry counts, in words, before it is put on the logarithmic scale.
const std::array<std::string, kLoweredFeatureCount>& loweredFeatureMeanings();

/// One row for each of the named stages: what the statements that write the stage's buffer, or its
/// accumulators, execute and move. Statements of other buffers count for the stage named last. The
/// function is one that was lowered without unrolling. All entries are on a logarithmic scale, log2(x + 1).
std::vector<LoweredRow> loweredFeatures(const LoopFunction& function,
                                        const std::vector<std::string>& stages,
                                        const LoweredFeatureOptions& options);

} // namespace nestwright
