#pragma once
/// \file A record file of which a part cannot be read.

#include "core/support/error.h"

namespace nestwright {

/// Damage in a file that is one of ours: salvageDocument()
/// (core/session/insight/salvage_document.h) may copy the rest of it into a new one. The text says
/// how.
class DamagedFile : public InputError {
 public:
  using InputError::InputError;
};

} // namespace nestwright
