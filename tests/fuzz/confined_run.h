#pragma once
/// \file Running a command that may do anything: bounded in time and memory, and judged afterwards.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nestwright::fuzz {

/// A command line and what goes with it.
struct Command {
  std::vector<std::string> words;         // the program first
  std::filesystem::path input;            // read as standard input; empty: nothing
  std::vector<std::string> environment{}; // "NAME=value", in addition
  double interruptAfter = 0; // seconds after which it is asked to end, as Ctrl+C does; 0: never
  int acceptedSignal = 0;    // one that may end it, since what it was asked for says so
};

/// The command line as a shell takes it.
std::string shellText(const Command& command);

struct Limits {
  double seconds = 10;
  std::int64_t residentBytes = 1ll << 30; // of the largest of its processes
};

/// How a command ended.
struct Outcome {
  bool timedOut = false;
  int exitCode = -1;
  int signal = 0;
  double seconds = 0;
  std::int64_t peakBytes = 0; // of the largest of its processes
  std::string printed;        // the first part of both streams
};

/// Runs the command in `folder`; its standard output and error go to the files `out` and `err`
/// there. A command beyond its time is killed; one that asks for several times the memory is
/// refused it. Throws SystemError when it cannot be started.
Outcome runConfined(const Command& command, const std::filesystem::path& folder,
                    const Limits& limits);

/// What is wrong with how the command ended, in a clause; empty when nothing is: it may succeed
/// (0), fail with its reason (1), or refuse the command line (2).
std::string faultOf(const Command& command, const Outcome& outcome, const Limits& limits);

} // namespace nestwright::fuzz
