#pragma once
/// \file What a file is opened for.

#include <cstdint>

namespace nestwright {

enum class OpenMode : std::uint8_t { ReadOnly, ReadWrite, Create };

} // namespace nestwright
