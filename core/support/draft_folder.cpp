#include "core/support/draft_folder.h"

#include "core/support/error.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

/// Without the slash at its end.
std::string trimmed(const std::string& path) {
  fs::path place(path);
  if (!place.has_filename()) place = place.parent_path();
  return place.string();
}

} // namespace

DraftFolder::DraftFolder(const std::string& target) : target_(trimmed(target)) {
  path_ = target_ + ".draft-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw SystemError(
        fmt::format("{}: a folder cannot be made here: {}", target_, std::strerror(errno)));
  const mode_t mask = umask(0);
  umask(mask);
  chmod(path_.c_str(), 0777 & ~mask); // as other folders are
}

DraftFolder::~DraftFolder() {
  std::error_code none;
  if (!path_.empty()) fs::remove_all(path_, none);
}

void DraftFolder::takePlace(bool replace) {
  std::string before;
  std::error_code none;
  if (fs::symlink_status(target_, none).type() != fs::file_type::not_found) {
    if (!replace) throw SystemError(fmt::format("{} is there already", target_));
    before = path_ + ".before";
    if (std::rename(target_.c_str(), before.c_str()) != 0)
      throw SystemError(fmt::format("{} cannot be moved aside: {}", target_, std::strerror(errno)));
  }
  if (std::rename(path_.c_str(), target_.c_str()) != 0) {
    const int problem = errno;
    if (!before.empty()) std::rename(before.c_str(), target_.c_str());
    throw SystemError(
        fmt::format("{} cannot be put in its place: {}", target_, std::strerror(problem)));
  }
  path_.clear();
  if (!before.empty()) fs::remove_all(before, none);
}

} // namespace nestwright
