#include "core/support/own_file.h"

#include "core/support/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

int withoutReplacing(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

bool isUnknownHere(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
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

int renameNew(const std::string& from, const std::string& to,
              int (*once)(const char* from, const char* to)) {
  if ((once ? once : withoutReplacing)(from.c_str(), to.c_str()) == 0) return 0;
  if (!isUnknownHere(errno)) return -1;
  // NFS, 9P and many FUSE file systems know no such renaming. A second name is as good.
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str());
  if (errno != EPERM && !isUnknownHere(errno)) return -1;
  struct stat status {};
  if (lstat(to.c_str(), &status) == 0) {
    errno = EEXIST;
    return -1;
  }
  return std::rename(from.c_str(), to.c_str());
}

void syncPath(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

} // namespace nestwright
