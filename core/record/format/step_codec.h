#pragma once
/// \file Steps in few bytes. The programs of a sketch share everything but their numbers, so a
/// program is kept as a shape, which many records share, and its own short list of values.

#include "core/schedule/step.h"

#include <set>
#include <string>
#include <string_view>

namespace nestwright {

struct EncodedSteps {
  std::string shape;  // kinds of steps, stages, loop orders, numbers of tiles
  std::string values; // tile sizes, fused loops, annotations, places, pragma numbers
};

/// Part of the file format: what is written today must be readable for ever.
EncodedSteps encodeSteps(const Steps& steps);
/// The inverse. Throws InputError when the bytes are damaged.
Steps decodeSteps(std::string_view shape, std::string_view values);
/// Codes in the file of the kinds of steps that a shape has. Throws InputError when the bytes are
/// damaged.
std::set<int> stepKinds(std::string_view shape);
/// The code of the kind with this name in filters, as "rfactor" or "cache-write". Throws
/// InputError for any other.
int stepKindNamed(std::string_view word);

} // namespace nestwright
