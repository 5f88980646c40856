#include "core/network/onnx/file_beside.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace nestwright {

namespace {

using std::filesystem::path;

/// A file descriptor that is closed in time.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

[[noreturn]] void cannotRead(const path& file, int error) {
  throw InputError(fmt::format("'{}' cannot be read ({}); the file belongs beside the model",
                               file.string(), std::generic_category().message(error)));
}

/// Stays inside the folder by its text alone. The system ends a name at a zero byte, so that one
/// with more behind it would be another name than the one looked at.
bool isBelow(const path& location) {
  return !location.empty() && location.is_relative() &&
         location.native().find('\0') == std::string::npos &&
         std::none_of(location.begin(), location.end(),
                      [](const path& part) { return part == ".."; });
}

/// What `name` in the open folder is; nothing is opened for it, so no device and no pipe notices.
struct stat look(const Descriptor& folder, const path& name, const path& whole) {
  struct stat what {};
  if (fstatat(folder.get(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
    cannotRead(whole, errno);
  if (S_ISLNK(what.st_mode))
    throw InputError(
        fmt::format("'{}' leads through the symbolic link '{}', which is not followed; "
                    "put the file itself beside the model",
                    whole.string(), name.string()));
  return what;
}

Descriptor enter(const Descriptor& folder, const path& name, const path& whole) {
  look(folder, name, whole);
  Descriptor next(
      openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (next.get() < 0) cannotRead(whole, errno);
  return next;
}

} // namespace

FileBeside::FileBeside(const path& folder, const path& location) : name_(folder / location) {
  if (!isBelow(location))
    throw InputError(fmt::format("'{}' is not beside the model", location.c_str()));
  const path start = folder.empty() ? path(".") : folder;
  Descriptor at(open(start.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) cannotRead(name_, errno);
  for (const path& part : location.parent_path())
    at = enter(at, part, name_);
  const path name = location.filename().empty() ? path(".") : location.filename();
  const auto refuseOthers = [this](const struct stat& what) {
    if (!S_ISREG(what.st_mode))
      throw InputError(fmt::format("'{}' is no regular file and cannot be read; the file with the "
                                   "weights belongs beside the model",
                                   name_.string()));
  };
  refuseOthers(look(at, name, name_));
  // Between the look and the opening it may have been exchanged: not followed, not waited for.
  Descriptor file(openat(at.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat what {};
  if (file.get() < 0 || fstat(file.get(), &what) != 0) cannotRead(name_, errno);
  refuseOthers(what);
  bytes_ = what.st_size;
  file_ = file.release();
}

FileBeside::~FileBeside() {
  close(file_);
}

std::string FileBeside::read(std::int64_t offset, std::int64_t length) const {
  if (offset > bytes_ || length > bytes_ - offset)
    throw InputError(fmt::format("'{}' is too short: what is needed is {} from byte {} on, and it "
                                 "has {}; it may be cut off",
                                 name_.string(), quantity(length, "byte"), offset, bytes_));
  std::string content(static_cast<std::size_t>(length), '\0');
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t got = pread(file_, content.data() + done, content.size() - done,
                              offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) cannotRead(name_, got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
  return content;
}

} // namespace nestwright
