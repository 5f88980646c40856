#pragma once
/// \file The parts of a measurement that no query asks for, in few bytes.

#include "core/result/measure_result.h"

#include <string>
#include <string_view>

namespace nestwright {

/// A bit of the code of a forgotten record's verdict. Whatever asks for a verdict in the file, by
/// its code, thereby passes such records over; the indexes hold them apart.
inline constexpr int kForgottenCode = 64;

/// Code of a verdict in the file. Part of the file format.
int codeOf(Verdict verdict);
/// The inverse. Throws InputError for an unknown code.
Verdict verdictOf(std::int64_t code);

/// Repeats, counts, times, failing step: everything of the result but its verdict and error text.
std::string encodeDetails(const MeasureResult& result);
/// The inverse, into `result`. Throws InputError when the bytes are damaged.
void decodeDetails(std::string_view bytes, MeasureResult& result);

} // namespace nestwright
