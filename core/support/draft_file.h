#pragma once
/// \file A file while it is written, before it takes its place.

#include <string>
#include <string_view>

namespace nestwright {

/// An empty file beside its target, under a name of this thread. It is locked as long as this
/// lives, so that what a killed program left behind is told from what somebody is writing: drafts
/// of the same target and kind that nobody holds are removed first. Goes, with what SQLite put
/// beside it, unless it took its place.
class DraftFile {
 public:
  /// `kind` says what it is for, as in "a.nwdb.compact-1234". Throws SystemError when it cannot be
  /// made.
  DraftFile(const std::string& target, std::string_view kind);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  const std::string& path() const { return path_; }

  /// Adds to it. Throws SystemError that names the target.
  void write(std::string_view bytes) const;
  /// Puts the file in the target's place, in one go and on the disk; no connection may have it
  /// open. Throws SystemError when it cannot, also when there is a target and `replace` is false.
  void takePlace(bool replace);

 private:
  void release();
  std::string target_, path_;
  int lock_ = -1;
};

} // namespace nestwright
