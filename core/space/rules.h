#pragma once
/// \file The built-in derivation rules, one file each. Private to this room; `cpuRules`, `gpuRules`
/// and `nestwrightRules` put them in their order.

#include "core/space/sketch.h"

namespace nestwright {

std::shared_ptr<const SketchRule> packedPanelRule();
std::shared_ptr<const SketchRule> inlinePaddingRule();
std::shared_ptr<const SketchRule> winogradRule();
std::shared_ptr<const SketchRule> tensorCoresRule();
std::shared_ptr<const SketchRule> addCacheReadRule();
std::shared_ptr<const SketchRule> specialComputeLocationRule();
std::shared_ptr<const SketchRule> crossThreadReductionRule();
std::shared_ptr<const SketchRule> alwaysInlineRule();
std::shared_ptr<const SketchRule> simplifyConstRule();
std::shared_ptr<const SketchRule> addRfactorRule();
std::shared_ptr<const SketchRule> addCacheStageRule();
std::shared_ptr<const SketchRule> multiLevelTilingWithFusionRule();
std::shared_ptr<const SketchRule> multiLevelTilingRule();
std::shared_ptr<const SketchRule> skipRule();
std::shared_ptr<const SketchRule> splitReductionRule();

/// Whether Always Inline takes the stage; `reason` gets why, or why not.
bool isAlwaysInlined(const State& state, const AccessAnalysis& analysis, int stage,
                     const SpaceOptions& options, std::string& reason);

/// "A along j, B along i": which inputs are read again along which axes. Empty without reuse.
std::string reuseInWords(const AccessAnalysis& analysis, int op);

} // namespace nestwright
