#pragma once
/// \file A process that this one starts and talks to: bytes in, bytes out, and what it prints on
/// standard error.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Whether its standard input and output are one socket or two things. Of one, closing the output
/// alone is not noticed.
enum class ChildStreams : std::uint8_t { Joined, Apart };

/// One running process; killed with all its children when it goes. All input and output is
/// non-blocking.
class ChildProcess {
 public:
  /// Starts the command in a process group of its own, with the variables ("NAME=value") added to
  /// the environment. `role` is what errors call it. Throws SystemError when it cannot be started.
  ChildProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment,
               ChildStreams streams, const std::string& role);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  /// Queues bytes; they leave in `flush`.
  void send(std::string_view bytes) { toWrite_ += bytes; }
  /// Writes as far as the system takes it now.
  void flush();
  bool wantsToWrite() const { return !toWrite_.empty(); }
  /// Its standard input ends behind what was flushed.
  void closeInput();
  /// What it said, as much as fits into `chunk`; empty when there is nothing now.
  std::string_view read(std::span<char> chunk);
  /// True once it has closed its output and all of it was read.
  bool hasEnded() const { return ended_; }
  /// Takes over what it printed on standard error.
  void readErrors();
  /// The last few KiB of that since `forgetPrinted`, without the blank end.
  std::string printed() const;
  void forgetPrinted() { printed_.clear(); }
  /// Kills the process group and waits for the end. Idempotent.
  ProcessEnd kill();
  /// How the process ended; to be asked once `hasEnded`. One that closed its output but lives on is
  /// killed.
  ProcessEnd end();

  int input() const { return input_; }
  int output() const { return output_; }
  int errorPipe() const { return errors_; }

 private:
  void spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
             const std::array<int, 3>& streams);
  void reap(bool wait);
  void close();

  const std::string role_;
  int pid_ = -1;
  int input_ = -1, output_ = -1; // its standard input and output, which may be one
  int errors_ = -1;              // its standard error
  std::string toWrite_, printed_;
  bool ended_ = false;
  std::optional<ProcessEnd> end_;
};

} // namespace nestwright
