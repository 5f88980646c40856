#pragma once
/// \file What writing to a file ends with that this program only reads.

#include "core/support/error.h"

namespace nestwright {

/// The file is of a newer version, or has objects that are not ours, or it or its folder cannot be
/// written, as the text says with what to do. It can be opened for reading.
class ReadOnlyFile : public InputError {
 public:
  using InputError::InputError;
};

} // namespace nestwright
