#pragma once
/// \file Files that a model names, and that must lie beside it: opened without following a link and
/// without waiting, so that a foreign model never makes us read from elsewhere or hang.

#include <cstdint>
#include <filesystem>
#include <string>

namespace nestwright {

/// A regular file in a folder or below it, open for reading.
class FileBeside {
 public:
  /// `location` is relative to `folder`, without "..". Below the folder no part of it may be a
  /// symbolic link, and the file itself must be a regular one. Throws InputError saying what is in
  /// the way and what to do, without the name of who asks.
  FileBeside(const std::filesystem::path& folder, const std::filesystem::path& location);
  ~FileBeside();
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;

  const std::filesystem::path& name() const { return name_; }
  std::int64_t bytes() const { return bytes_; }
  /// Bytes [offset, offset + length) of the file; throws InputError when it ends before.
  std::string read(std::int64_t offset, std::int64_t length) const;

 private:
  std::filesystem::path name_;
  int file_ = -1;
  std::int64_t bytes_ = 0;
};

} // namespace nestwright
