#pragma once
/// \file The master's side of one worker process.

#include "core/worker/child_process.h"
#include "core/worker/frame.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// One running worker and its conversation; killed with all its children when it goes. All
/// input and output is non-blocking: `service` does what is possible now.
class WorkerProcess {
 public:
  /// Starts the command in a process group of its own, with the variables ("NAME=value") added to
  /// the environment, and expects a first answer. Throws SystemError when it cannot be started.
  WorkerProcess(const std::vector<std::string>& command,
                const std::vector<std::string>& environment, FrameLimits first);

  int pid() const { return child_.pid(); }
  /// Queues a frame; it leaves in `flush` and `service`.
  void send(const Frame& frame);
  /// Writes as far as the system takes it now.
  void flush() { child_.flush(); }
  /// Reads and writes as far as the system takes it now.
  void service();
  /// How large the next answer may be; until it is taken, no more than that is read.
  void expect(FrameLimits limits) { reader_.allow(limits); }
  /// The next whole answer, if there is one. Throws BadFrame when the worker sent something else.
  std::optional<Frame> receive() { return reader_.next(); }
  /// Whether it said more than was received.
  bool hasUnread() const { return reader_.hasUnread(); }
  /// True once the worker has closed its end: what it sent before can still be received.
  bool hasEnded() const { return child_.hasEnded(); }
  /// Kills the process group and waits for the end. Idempotent.
  ProcessEnd kill() { return child_.kill(); }
  /// How the process ended; to be asked once `hasEnded`. A worker that closed its streams but lives
  /// on is killed.
  ProcessEnd end() { return child_.end(); }
  /// The last few KiB of what it printed since `forgetPrinted`, without the blank end.
  std::string printed() const { return child_.printed(); }
  void forgetPrinted() { child_.forgetPrinted(); }

  int channel() const { return child_.input(); }
  int errorPipe() const { return child_.errorPipe(); }
  bool wantsToWrite() const { return child_.wantsToWrite(); }

 private:
  ChildProcess child_;
  FrameReader reader_;
};

} // namespace nestwright
