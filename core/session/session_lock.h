#pragma once
/// \file One process at a time runs a session. Readers of the file are never held up.

#include "core/record/store.h"

#include <string>

namespace nestwright {

/// Held while a session is loaded to be run. It is a lock of the operating system on a small file
/// beside the record file, so it ends with its process however that ends.
class SessionLock {
 public:
  /// Throws SystemError that names the process which holds it, or says why the file cannot be made.
  SessionLock(const std::string& databasePath, RowId session);
  ~SessionLock();
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

} // namespace nestwright
