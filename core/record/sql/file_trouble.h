#pragma once
/// \file What keeps a sound record file from being written for a while.

#include "core/support/error.h"

namespace nestwright {

/// The disk is full, another program holds the file, or it is no longer in its place. What was
/// stored before is safe; the same work can go on once that is mended, as the text says.
class FileTrouble : public SystemError {
 public:
  using SystemError::SystemError;
};

/// The file is not the one that was opened under its name.
class FileMoved : public FileTrouble {
 public:
  explicit FileMoved(const std::string& path)
      : FileTrouble(
            fmt::format("{}: the file was moved, deleted or replaced while it was open; put "
                        "it back under this name and go on",
                        path)) {}
};

} // namespace nestwright
