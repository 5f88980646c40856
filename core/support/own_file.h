#pragma once
/// \file Small files that we make beside a person's file: locks, and what is not complete yet. The
/// folder may come from somebody else, so whatever lies there under such a name is looked at before
/// it is trusted: nothing is written through a link, and nothing waits for a pipe.

#include <cstdint>
#include <string>

namespace nestwright {

/// Opens the file at `path` for reading and writing, making it when there is none, and changes
/// nothing in it. It is a regular file that has this one name. Throws SystemError that says what is
/// in the way: a symbolic link, a folder, a pipe, a device, a file with a second name.
int openOwnFile(const std::string& path);

/// Makes an empty file of this name, open for reading and writing. Throws SystemError when anything
/// has the name already.
int makeOwnFile(const std::string& path);

/// True while the open file is the one of this name: others may have removed or replaced it.
bool isFileAt(int descriptor, const std::string& path);

/// A file that appears under its name when it is complete. Until then it is TARGET.part, which
/// nobody else writes meanwhile; what a killed run left of it is removed first.
class PartFile {
 public:
  /// What finish() does when something has the name by then.
  enum class Present : std::uint8_t { Replace, Refuse };

  /// Makes the empty part. Throws SystemError as openOwnFile() does, and when another process is
  /// writing it.
  explicit PartFile(const std::string& target);
  /// Removes it, and what SQLite may have put beside it, unless it was finished.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& path() const { return path_; }
  /// Of the empty part, open for writing; it stays this object's.
  int descriptor() const { return descriptor_; }
  /// Gives it its name; to be called when whoever wrote it has closed it. Throws SystemError.
  void finish(Present present = Present::Replace);

 private:
  void removeCompanions();
  std::string target_, path_;
  int descriptor_ = -1; // with the lock that tells a part in the making from one that was left
};

} // namespace nestwright
