#include "core/support/own_file.h"

#include "core/support/error.h"

#include <fcntl.h>
#include <sys/file.h>
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

/// -1, with errno, when it cannot be made.
int tryToMake(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, kMode);
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
  const int descriptor = tryToMake(path);
  if (descriptor < 0) cannotBeMade(path, errno);
  return descriptor;
}

bool isFileAt(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return fstat(descriptor, &open) == 0 && lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

PartFile::PartFile(const std::string& target) : target_(target), path_(target + ".part") {
  while (descriptor_ < 0) {
    const int descriptor = tryToMake(path_);
    const int error = descriptor < 0 ? errno : 0;
    if (descriptor < 0 && error != EEXIST) cannotBeMade(path_, error);
    const int held = descriptor < 0 ? openOwnFile(path_) : descriptor;
    if (flock(held, LOCK_EX | LOCK_NB) != 0) {
      const int refused = errno;
      close(held);
      if (refused == EWOULDBLOCK)
        throw SystemError(fmt::format("{} is being written by another process; let it end, then "
                                      "try again",
                                      path_));
      throw SystemError(fmt::format("{}: cannot be locked: {}", path_, std::strerror(refused)));
    }
    const bool here = isFileAt(held, path_);
    if (here && descriptor >= 0) {
      descriptor_ = held;
    } else {
      if (here) unlink(path_.c_str()); // nobody holds it: a run that was killed left it
      close(held);
    }
  }
  removeCompanions(); // which a killed run may have left
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  removeCompanions();
  close(descriptor_);
}

void PartFile::finish(Present present) {
  const bool refuse = present == Present::Refuse;
  if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(),
                refuse ? RENAME_NOREPLACE : 0) != 0)
    throw SystemError(fmt::format("{} cannot be written: {}", target_, std::strerror(errno)));
  removeCompanions();
  close(descriptor_);
  descriptor_ = -1;
}

void PartFile::removeCompanions() {
  for (const char* companion : {"-wal", "-shm", "-journal"})
    unlink((path_ + companion).c_str());
}

} // namespace nestwright
