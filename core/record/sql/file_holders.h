#pragma once
/// \file Who else has a record file open: what a message names when somebody must wait.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// A process of this machine that has a record file open.
struct FileHolder {
  pid_t process = 0;
  std::string command;        // its command line, cut at some length; empty when not ours to see
  std::int64_t startedAt = 0; // of the process, seconds since the epoch; 0 when unknown
  bool writes = false;        // it is in the middle of a transaction
};

/// The processes with locks on the file, as the kernel lists them, this one included; those that
/// write first. Empty where the system does not tell, and for processes on other machines.
std::vector<FileHolder> fileHolders(const std::string& path);

/// Whether a process, this one included, has a lock on the file itself: not on the index of its
/// log, which may be that of a file that was here before.
bool isHeld(const std::string& path);

/// "process 123 (nestwright tune resnet18, since 2026-11-22 03:10)". For this process itself "this
/// program".
std::string describe(const FileHolder& holder);

/// All of them but this process, or only those that write where some do: "process 1 (…) and process
/// 2 (…)". "another program" when nothing is known.
std::string otherHolders(const std::string& path, bool writersFirst = true);

/// "process 123 on host7 since 2026-11-22 03:10: nestwright tune resnet18": this process, for a
/// lock file that others read.
std::string thisProcessText();

} // namespace nestwright
