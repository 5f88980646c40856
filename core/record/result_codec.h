#pragma once
/// \file The parts of a measurement that no query asks for, in few bytes.

#include "core/measure/measure.h"

#include <string>
#include <string_view>

namespace nestwright {

/// Code of a verdict in the file. Part of the file format.
int codeOf(Verdict verdict);
/// The inverse. Throws InputError for an unknown code.
Verdict verdictOf(std::int64_t code);

/// Repeats, counts, times, failing step: everything of the result but its verdict and error text.
std::string encodeDetails(const MeasureResult& result);
/// The inverse, into `result`. Throws InputError when the bytes are damaged.
void decodeDetails(std::string_view bytes, MeasureResult& result);

} // namespace nestwright
