#pragma once
/// \file A line of a log as it stands there, to be looked at.

#include <cstdint>
#include <functional>
#include <string>

namespace nestwright {

/// The line that begins at this byte of the unpacked file, without its end, and no more than
/// `longest` bytes of it. Reads a packed file from its beginning; ends early, with what it has,
/// when `goOn` says no. Throws InputError when the file cannot be read, or has become shorter.
std::string lineText(const std::string& path, std::int64_t offset, std::size_t longest,
                     const std::function<bool()>& goOn);

} // namespace nestwright
