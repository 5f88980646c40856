#pragma once
/// \file A folder while it is filled, before it takes its place.

#include <string>

namespace nestwright {

/// An empty folder beside its target. Goes, with all that is in it, unless it took its place.
class DraftFolder {
 public:
  /// Throws SystemError when it cannot be made.
  explicit DraftFolder(const std::string& target);
  ~DraftFolder();
  DraftFolder(const DraftFolder&) = delete;
  DraftFolder& operator=(const DraftFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Puts the folder in the target's place. What is there is removed, once the new one is there in
  /// its stead; without `replace` nothing may be there. Throws SystemError when it cannot, and all
  /// is as before.
  void takePlace(bool replace);

 private:
  std::string target_, path_;
};

} // namespace nestwright
