#include "core/worker/worker_process.h"

#include <array>

namespace nestwright {

WorkerProcess::WorkerProcess(const std::vector<std::string>& command,
                             const std::vector<std::string>& environment, FrameLimits first)
    : child_(command, environment, ChildStreams::Joined, "worker"), reader_(first) {}

void WorkerProcess::send(const Frame& frame) {
  child_.send(encode(frame));
}

void WorkerProcess::service() {
  child_.flush();
  std::array<char, 64 << 10> chunk;
  while (!reader_.isFull()) {
    const std::string_view bytes = child_.read(chunk);
    if (bytes.empty()) break;
    reader_.append(bytes);
  }
  child_.readErrors();
}

} // namespace nestwright
