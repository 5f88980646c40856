#pragma once
/// \file What reading ends with when it was told to stop.

#include "core/support/error.h"

namespace nestwright {

/// Nobody wants the answer any more; see RecordStore::interruptible.
class QueryStopped : public Error {
 public:
  using Error::Error;
};

} // namespace nestwright
