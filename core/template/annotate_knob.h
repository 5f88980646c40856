#pragma once
/// \file Knobs that say what is done to loops, and knobs of any other choice.

#include "core/template/config_space.h"

#include <string>
#include <vector>

namespace nestwright {

/// Each loop gets one of the annotations ("none", "unroll", "vec"), of which at most one is "vec":
/// all combinations, the last loop's varying fastest.
Knob annotations(std::string name, int loops, const std::vector<std::string>& each);
/// The loops bound to a grid and its threads: the outer ones fused, then as many block and thread
/// axes as there are loops for, x innermost. Throws InputError for a single loop.
Knob boundToGpu(std::string name, int loops);
/// The same with virtual threads between blocks and threads. Throws InputError for fewer than three
/// loops.
Knob boundToGpuWithVirtualThreads(std::string name, int loops);
/// A choice among values.
Knob options(std::string name, std::vector<OptionEntity> values);

} // namespace nestwright
