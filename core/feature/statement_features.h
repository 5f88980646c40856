#pragma once
/// \file The features of programs that cost models learn from: 164 numbers for each buffer that a
/// program writes (handbook/ansor.md 6): the public implementation's (handbook/deviations.md).

#include "core/schedule/bounds.h"

#include <array>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr std::size_t kFeatureCount = 164;
/// Buffers of a statement that are described; further ones are left out.
inline constexpr std::size_t kFeatureBuffers = 5;

struct FeatureOptions {
  std::int64_t cacheLineBytes = 64;
};

/// The features of one statement. All but the one-hot entries and `is_gpu` are on a logarithmic
/// scale, log2(x + 1).
struct StatementFeatures {
  std::string stage;     // as the loop nest names it
  std::string statement; // the buffer that is written: the stage, or "C.share" of a thread
  std::array<float, kFeatureCount> values{};
};

/// Name of each entry: "float_addsub", "B0.unique_bytes", "arith_intensity_curve_9", ...
const std::array<std::string, kFeatureCount>& featureNames();

/// What each entry counts, in words; all of it before it is put on the logarithmic scale.
const std::array<std::string, kFeatureCount>& featureMeanings();

/// One row for each stage that is neither a placeholder nor inlined, in the order of execution. The
/// program is taken as its loops stand: annotated, but not yet vectorised, unrolled, flattened or
/// repacked. Throws IllegalSchedule when the program is a sketch or has no bounds.
std::vector<StatementFeatures> statementFeatures(const State& state,
                                                 const FeatureOptions& options = {});
std::vector<StatementFeatures> statementFeatures(const State& state, const Bounds& bounds,
                                                 const FeatureOptions& options = {});

} // namespace nestwright
