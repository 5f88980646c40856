#pragma once
/// \file What a target text of public records says: "llvm -keys=cpu -mcpu=core-avx2
/// -model=e5-2673".

#include "core/target/target.h"

#include <string_view>
#include <vector>

namespace nestwright {

/// The facts that the text and the eight hardware numbers of a record (or none) tell; all others
/// keep their defaults. Takes any text but one with a lowering or an instruction set that is not
/// known, which says of another target than any here: then it throws InputError.
TargetFacts targetFromText(std::string_view text, const std::vector<std::int64_t>& hardware);

} // namespace nestwright
