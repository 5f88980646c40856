#pragma once
/// \file A worker's side of the conversation: frames in, frames out, one after another.

#include "core/worker/frame.h"

#include <optional>
#include <string_view>

namespace nestwright {

/// The two ends of the conversation, moved away from where kernels and libraries print and read.
struct Channel {
  int in = -1, out = -1;
};

/// Takes standard input and output for the conversation: afterwards whatever is printed goes to
/// standard error, and there is nothing to read. Throws SystemError when they are not open.
Channel takeStandardStreams();

/// False when the other end is gone.
bool writeAll(int descriptor, std::string_view bytes);

/// The next frame; nothing at the end of input. Throws BadFrame as FrameReader does.
std::optional<Frame> readFrame(int descriptor, FrameReader& reader);

} // namespace nestwright
