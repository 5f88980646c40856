#include "core/worker/channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace nestwright {

Channel takeStandardStreams() {
  constexpr int kFirstFree = 3;
  const Channel channel{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, kFirstFree),
                        fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFirstFree)};
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (channel.in < 0 || channel.out < 0 || null < 0)
    throw SystemError("the worker needs an open standard input and standard output");
  dup2(null, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close(null);
  return channel;
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::optional<Frame> readFrame(int descriptor, FrameReader& reader) {
  std::array<char, 64 << 10> chunk;
  for (;;) {
    if (std::optional<Frame> frame = reader.next()) return frame;
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    reader.append({chunk.data(), static_cast<std::size_t>(got)});
  }
}

} // namespace nestwright
