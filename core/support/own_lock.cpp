#include "core/support/own_lock.h"

#include "core/support/own_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace nestwright {

namespace {

constexpr std::size_t kMaxTextBytes = 400;

std::string textOf(int descriptor) {
  std::array<char, kMaxTextBytes> text{};
  const ssize_t read = pread(descriptor, text.data(), text.size(), 0);
  if (read <= 0) return "another process"; // it has not written its name yet
  return {text.data(), static_cast<std::size_t>(read)};
}

} // namespace

LockTaken::LockTaken(const std::string& path, std::string holder)
    : SystemError(fmt::format("{} is held by {}", path, holder)), holder_(std::move(holder)) {}

OwnLock::OwnLock(std::string path, std::string_view owner) : path_(std::move(path)) {
  while (true) {
    descriptor_ = openOwnFile(path_);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      std::string holder = textOf(descriptor_);
      close(descriptor_);
      if (error != EWOULDBLOCK)
        throw SystemError(fmt::format("{}: cannot be locked: {}", path_, std::strerror(error)));
      throw LockTaken(path_, std::move(holder));
    }
    if (isFileAt(descriptor_, path_)) break; // else its last holder has removed it
    close(descriptor_);
  }
  const std::string_view text = owner.substr(0, kMaxTextBytes);
  // On a full disk the lock holds all the same, without a name.
  if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    (void)ftruncate(descriptor_, 0);
}

OwnLock::~OwnLock() {
  unlink(path_.c_str()); // before the lock goes, so that nobody else's is removed
  close(descriptor_);
}

std::optional<std::string> lockHolder(const std::string& path) {
  // Whatever else has the name is no lock that we took.
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::string> holder;
  if (flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    holder = textOf(descriptor);
  close(descriptor); // gives the shared lock back
  return holder;
}

} // namespace nestwright
