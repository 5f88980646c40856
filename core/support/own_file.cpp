#include "core/support/own_file.h"

#include "core/support/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace nestwright {

namespace {

constexpr int kMode = 0666; // less the process's mask, as for any file

[[noreturn]] void inTheWay(const std::string& path, const char* what) {
  throw SystemError(fmt::format("{} is {}, which is not written to; see who made it, and move it "
                                "out of the way",
                                path, what));
}

[[noreturn]] void cannotBeMade(const std::string& path, int error) {
  if (error == ELOOP) inTheWay(path, "a symbolic link");
  if (error == EISDIR) inTheWay(path, "a folder");
  if (error == ENXIO) inTheWay(path, "a socket or a device");
  throw SystemError(fmt::format("{}: cannot be made or opened: {}; make it and its folder writable",
                                path, std::strerror(error)));
}

/// Closes the descriptor and throws unless it is a regular file without a second name.
void requireOwn(int descriptor, const std::string& path) {
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode) && status.st_nlink <= 1) return;
  const int error = errno;
  close(descriptor);
  if (!known) cannotBeMade(path, error);
  inTheWay(path, S_ISFIFO(status.st_mode)  ? "a pipe"
                 : S_ISREG(status.st_mode) ? "a file that has a second name (a hard link)"
                                           : "no regular file");
}

} // namespace

int openOwnFile(const std::string& path) {
  // O_NONBLOCK: a pipe is found out, not waited for.
  const int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kMode);
  if (descriptor < 0) cannotBeMade(path, errno);
  requireOwn(descriptor, path);
  return descriptor;
}

int makeOwnFile(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, kMode);
  if (descriptor < 0) cannotBeMade(path, errno);
  return descriptor;
}

bool isFileAt(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return fstat(descriptor, &open) == 0 && lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

} // namespace nestwright
