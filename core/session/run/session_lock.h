#pragma once
/// \file One process at a time runs a session or a recombination, and one at a time imports into a
/// file. No session starts beside an import, and an import waits for a session that runs
/// (awaitNoSession), unless its user does not mind that kernels which are timed beside it seem
/// slow. Readers of the file are never held up.

#include "core/support/error.h"
#include "core/support/own_lock.h"
#include "core/support/row_id.h"

#include <optional>
#include <string>

namespace nestwright {

/// Another process, which the text names, has what was to be locked.
class SessionInUse : public SystemError {
 public:
  using SystemError::SystemError;
};

/// Held while a session is loaded to be run, or an import (id 0) goes on: a lock on a small file
/// beside the record file.
class SessionLock {
 public:
  enum class What : std::uint8_t { Session, Recombination, Import };
  /// Throws SessionInUse, or SystemError that says why the file cannot be made or trusted, as
  /// openOwnFile() does.
  /// Imports have the id 0.
  SessionLock(const std::string& databasePath, RowId id, What what = What::Session);

 private:
  OwnLock lock_;
};

struct LockHolder {
  bool isThisProcess = false;
  /// "process 123 on host7 since 2026-11-22 03:10: nestwright tune resnet18", or "this program".
  std::string text;
};

/// Who holds the session's lock, if anybody does.
std::optional<LockHolder> sessionHolder(const std::string& databasePath, RowId session);
/// The same of an import into the file.
std::optional<LockHolder> importHolder(const std::string& databasePath);

} // namespace nestwright
