#pragma once
/// \file An example of a user-defined sketch rule.
///
/// A plugin with rules of its own is this much: a folder in plugins/ (or a shared object
/// nestwright_NAME.so built against core's headers, in a folder of $NESTWRIGHT_PLUGIN_PATH) that
/// exports `nestwright_plugin` (plugin.cpp) and one class for each rule (vector_strips.cpp). It is
/// switched on by its name, in front of the built-in rules or behind them:
///
///     nestwright sketches softmax:m=64,n=128 --rules example_rule,paper
///     nestwright tune     softmax:m=64,n=128 --rules example_rule,paper
///
/// Sketches are derived stage by stage, from the last stage to the first. For every stage the rules
/// are asked in their order. A rule whose condition says Apply adds its results beside those of
/// later rules; ApplyAndSkipRest keeps later rules from the stage. Each result is a state with some
/// more steps, and the stage to go on with: `stage - 1`, or `stage` to look at it again.

#include "core/space/sketch.h"

namespace nestwright::example_rule {

/// Vector Strips: an element-wise stage that is worth loops of its own (an exponential, a padded
/// copy, a final scaling) is cut into strips as wide as one vector register, and each strip becomes
/// one vector operation. The paper's rules leave such a stage as it is, and then vectorise it only
/// if its innermost loop has at most 16 iterations.
std::shared_ptr<const SketchRule> vectorStripsRule();

} // namespace nestwright::example_rule
