#pragma once
/// \file The master's side of one worker process.

#include "core/worker/frame.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// How a process ended.
struct ProcessEnd {
  int exitCode = 0; // when no signal ended it
  int signal = 0;
};

/// "segmentation fault (signal 11)", "exit code 3".
std::string inWords(const ProcessEnd& end);
/// True for signals that a program does not raise by itself: somebody, or the kernel for want of
/// memory, killed it.
bool killedFromOutside(const ProcessEnd& end);

/// One running worker and its conversation; killed with all its children when it goes. All
/// input and output is non-blocking: `service` does what is possible now.
class WorkerProcess {
 public:
  /// Starts the command in a process group of its own, with the variables ("NAME=value") added to
  /// the environment, and expects a first answer. Throws SystemError when it cannot be started.
  WorkerProcess(const std::vector<std::string>& command,
                const std::vector<std::string>& environment, FrameLimits first);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int pid() const { return pid_; }
  /// Queues a frame; it leaves in `flush` and `service`.
  void send(const Frame& frame);
  /// Writes as far as the system takes it now.
  void flush();
  /// Reads and writes as far as the system takes it now.
  void service();
  /// How large the next answer may be; until it is taken, no more than that is read.
  void expect(FrameLimits limits) { reader_.allow(limits); }
  /// The next whole answer, if there is one. Throws BadFrame when the worker sent something else.
  std::optional<Frame> receive() { return reader_.next(); }
  /// Whether it said more than was received.
  bool hasUnread() const { return reader_.hasUnread(); }
  /// True once the worker has closed its end: what it sent before can still be received.
  bool hasEnded() const { return ended_; }
  /// Kills the process group and waits for the end. Idempotent.
  ProcessEnd kill();
  /// How the process ended; to be asked once `hasEnded`. A worker that closed its streams but lives
  /// on is killed.
  ProcessEnd end();
  /// The last few KiB of what it printed since `forgetPrinted`, without the blank end.
  std::string printed() const;
  void forgetPrinted() { printed_.clear(); }

  int channel() const { return channel_; }
  int errorPipe() const { return errors_; }
  bool wantsToWrite() const { return !toWrite_.empty(); }

 private:
  void spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
             int workerChannel, int workerErrors);
  void readAnswers();
  void readErrors();
  void reap(bool wait);
  void close();

  int pid_ = -1;
  int channel_ = -1; // both directions
  int errors_ = -1;  // its standard error
  std::string toWrite_;
  FrameReader reader_;
  std::string printed_;
  bool ended_ = false;
  std::optional<ProcessEnd> end_;
};

} // namespace nestwright
