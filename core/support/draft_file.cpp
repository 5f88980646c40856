#include "core/support/draft_file.h"

#include "core/support/error.h"
#include "core/support/own_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

/// Locks a byte in front of those that SQLite locks in the file (PENDING_BYTE on). flock() would
/// take SQLite's as well on NFS and SMB, where it stands for a lock of the whole file.
bool tryLock(int descriptor) {
  constexpr off_t kByte = 0x3fffffff;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kByte;
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0; // of the open file, not of the process
}

/// Whether tryLock() failed because somebody has the lock, and not because none can be had here.
bool isHeldByOthers(int error) {
  return error == EAGAIN || error == EACCES;
}

void removeWithCompanions(const std::string& path) {
  for (const char* part : {"-wal", "-shm", "-journal", ""})
    unlink((path + part).c_str());
}

fs::path folderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void removeIfAbandoned(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;
  // What is no file, or has a second name, was not made here.
  struct stat status {};
  const bool ours =
      fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
  if (ours && tryLock(descriptor) && isFileAt(descriptor, path)) removeWithCompanions(path);
  close(descriptor);
}

/// Drafts that killed programs left: the beginning of their names, and a number.
void removeAbandoned(const std::string& beginning) {
  const std::string name = fs::path(beginning).filename().string();
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folderOf(beginning), none)) {
    const std::string found = entry.path().filename().string();
    if (!found.starts_with(name) || found.size() == name.size()) continue;
    const bool numbered = std::all_of(found.begin() + std::ptrdiff_t(name.size()), found.end(),
                                      [](char c) { return c >= '0' && c <= '9'; });
    if (numbered) removeIfAbandoned(entry.path().string());
  }
}

} // namespace

DraftFile::DraftFile(const std::string& target, std::string_view kind) : target_(target) {
  const std::string beginning = fmt::format("{}.{}-", target, kind);
  removeAbandoned(beginning);
  path_ = fmt::format("{}{}", beginning, gettid());
  constexpr int kTries = 100;
  for (int i = 0;; ++i) {
    lock_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock_ < 0 && (errno != EEXIST || i == kTries))
      throw SystemError(fmt::format("{}: cannot be made: {}", path_, std::strerror(errno)));
    // Between these two calls somebody may have taken it for abandoned. Where there are no locks,
    // nobody does.
    if (lock_ >= 0 && (tryLock(lock_) || !isHeldByOthers(errno)) && isFileAt(lock_, path_)) return;
    release();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

DraftFile::~DraftFile() {
  removeWithCompanions(path_);
  release();
}

/// Before somebody may open the file in its place: closing it would drop the locks of connections
/// in this process.
void DraftFile::release() {
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
}

void DraftFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(lock_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw SystemError(fmt::format("{} cannot be written: {}", target_,
                                    std::strerror(written < 0 ? errno : ENOSPC)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void DraftFile::takePlace(bool replace) {
  std::error_code none;
  const auto logBytes = fs::file_size(path_ + "-wal", none);
  NW_ASSERT(none || logBytes == 0, "{} still has a log of {} bytes", path_, logBytes);
  if (fsync(lock_) != 0)
    throw SystemError(
        fmt::format("{}: cannot be written to the disk: {}", path_, std::strerror(errno)));
  release();
  if ((replace ? std::rename(path_.c_str(), target_.c_str()) : renameNew(path_, target_)) != 0)
    throw SystemError(fmt::format("{}: cannot be written: {}", target_, std::strerror(errno)));
  syncPath(folderOf(target_).string());
}

} // namespace nestwright
