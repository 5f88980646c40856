#pragma once
/// \file A process that is spoken to in lines, each way, and has so much time for each of its own.

#include "core/worker/child_process.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// What came of waiting for a line.
struct HeardLine {
  enum class Kind : std::uint8_t {
    Line,
    Late,    // there was none in time
    Ended,   // it closed its standard output, or ended
    TooLong, // it said more than a line may have
    Stopped  // whoever waited has other things to do
  } kind = Kind::Line;
  std::string text; // without its end; of one that is too long the beginning
};

class LineProcess {
 public:
  /// Starts it. `longest` bytes of a line at most. Throws SystemError, which calls it the `role`.
  LineProcess(const std::vector<std::string>& command, std::size_t longest,
              const std::string& role);

  /// Queues a line, which goes out while it is waited for an answer.
  void say(std::string_view line);
  /// The next line within so many seconds; `stop` becoming true ends the waiting, null never does.
  HeardLine hear(double seconds, const std::atomic<bool>* stop);
  /// Whether it has said something that nobody heard.
  bool hasMore();
  /// Its input ends behind what was said; after so many seconds at most it is killed.
  void finish(double seconds);
  /// Kills it, or waits a moment for one that has ended.
  ProcessEnd end() { return child_.end(); }
  /// What it printed on standard error since the last call, the end of it.
  std::string takePrinted();

 private:
  void read();
  bool hasLine() const { return received_.find('\n') != std::string::npos; }
  /// Waits until something can be read or written, for so many milliseconds at most.
  void await(int milliseconds) const;

  ChildProcess child_;
  const std::size_t longest_;
  std::string received_;
};

} // namespace nestwright
