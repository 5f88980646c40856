#pragma once
/// \file The generations of a round in few bytes.

#include "core/record/rows/evolution_row.h"

#include <string>
#include <string_view>

namespace nestwright {

/// Part of the file format: what is written today must be readable for ever.
std::string encodeEvolution(const EvolutionRow& row);
/// The inverse, without session, task and round. Throws InputError when the bytes are damaged.
EvolutionRow decodeEvolution(std::string_view bytes);

} // namespace nestwright
