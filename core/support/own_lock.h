#pragma once
/// \file One process at a time: a lock of the operating system on a small file of our own, which
/// ends with its process however that ends.

#include "core/support/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// Somebody has the lock.
class LockTaken : public SystemError {
 public:
  LockTaken(const std::string& path, std::string holder);
  /// What the one that has it said of itself, or the beginning of that; or "another process".
  const std::string& holder() const { return holder_; }

 private:
  std::string holder_;
};

/// Held as long as it lives. Whoever finds it taken is told by the file who has it.
class OwnLock {
 public:
  /// Of a long `owner` the beginning is kept. Throws LockTaken, or SystemError that says why the
  /// file cannot be made or trusted, as openOwnFile() does.
  OwnLock(std::string path, std::string_view owner);
  ~OwnLock();
  OwnLock(const OwnLock&) = delete;
  OwnLock& operator=(const OwnLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// The same of whoever has the lock of this name, if anybody does.
std::optional<std::string> lockHolder(const std::string& path);

} // namespace nestwright
