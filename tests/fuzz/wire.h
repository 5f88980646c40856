#pragma once
/// \file Frames as they come, without the limits that the product has for them.

#include "core/worker/frame.h"

#include <optional>
#include <string>

namespace nestwright::fuzz {

/// Takes the first whole frame off the bytes; nothing when there is none yet.
std::optional<Frame> takeFrame(std::string& bytes);

} // namespace nestwright::fuzz
