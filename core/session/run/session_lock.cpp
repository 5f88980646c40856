#include "core/session/run/session_lock.h"

#include "core/record/sql/file_holders.h"
#include "core/support/error.h"
#include "core/support/own_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace nestwright {

namespace {

constexpr std::size_t kMaxTextBytes = 400;
constexpr const char* kLockNames[] = {"session", "recombination", "import"};

/// "session 3", or "import": there is one at a time of a file.
std::string nameOf(SessionLock::What what, RowId id) {
  const char* name = kLockNames[static_cast<int>(what)];
  return id == 0 ? std::string(name) : fmt::format("{} {}", name, id);
}

/// What the lock keeps others from, who is told.
std::string refusal(SessionLock::What what, RowId id, const std::string& databasePath,
                    const std::string& holder) {
  if (what == SessionLock::What::Import)
    return fmt::format("logs are being imported into {} by {}; wait until that has ended, or stop "
                       "it, and start again",
                       databasePath, holder);
  return fmt::format("{} of {} is in use by {}; let it end or close it, then start again",
                     nameOf(what, id), databasePath, holder);
}

std::string lockPath(const std::string& databasePath, RowId id, SessionLock::What what) {
  // By its real name: a link to the file leads to the same session.
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(databasePath, unknown);
  return fmt::format("{}-{}{}.lock", unknown ? databasePath : real.string(),
                     kLockNames[static_cast<int>(what)],
                     id == 0 ? std::string() : std::to_string(id));
}

/// What this process writes into its locks.
std::string ownText() {
  return thisProcessText().substr(0, kMaxTextBytes);
}

LockHolder holderOf(int descriptor) {
  std::array<char, kMaxTextBytes> text{};
  const ssize_t read = pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  if (holder.empty()) return {false, "another process"}; // it has not written its name yet
  if (holder == ownText()) return {true, "this program"};
  return {false, std::move(holder)};
}

} // namespace

SessionLock::SessionLock(const std::string& databasePath, RowId id, What what) {
  path_ = lockPath(databasePath, id, what);
  while (true) {
    descriptor_ = openOwnFile(path_);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string holder = holderOf(descriptor_).text;
      close(descriptor_);
      if (error != EWOULDBLOCK)
        throw SystemError(fmt::format("{}: cannot be locked: {}", path_, std::strerror(error)));
      throw SessionInUse(refusal(what, id, databasePath, holder));
    }
    if (isFileAt(descriptor_, path_)) break; // else its last holder has removed it
    close(descriptor_);
  }
  const std::string text = ownText();
  // On a full disk the lock holds all the same, without a name.
  if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    (void)ftruncate(descriptor_, 0);
}

SessionLock::~SessionLock() {
  unlink(path_.c_str()); // before the lock goes, so that nobody else's is removed
  close(descriptor_);
}

namespace {

std::optional<LockHolder> holderOf(const std::string& databasePath, RowId id,
                                   SessionLock::What what) {
  const std::string path = lockPath(databasePath, id, what);
  // Whatever else has the name is no lock that we took.
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::optional<LockHolder> holder;
  if (flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    holder = holderOf(descriptor);
  close(descriptor); // gives the shared lock back
  return holder;
}

} // namespace

std::optional<LockHolder> sessionHolder(const std::string& databasePath, RowId session) {
  return holderOf(databasePath, session, SessionLock::What::Session);
}

std::optional<LockHolder> importHolder(const std::string& databasePath) {
  return holderOf(databasePath, 0, SessionLock::What::Import);
}

} // namespace nestwright
