#pragma once
/// \file Which files of what was named are logs.

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct LogFile {
  std::string path; // absolute
  std::int64_t bytes = 0;
};

/// A file of a folder that is no log.
struct PassedOver {
  std::string path;
  std::string reason;
};

struct LogFiles {
  std::vector<LogFile> logs; // each once, in the order of the inputs; those of a folder by path
  std::vector<PassedOver> others;
};

/// Files are taken as they are named; of folders, all files below whose first lines hold a record.
/// Throws InputError when an input is not there or cannot be read.
LogFiles findLogs(const std::vector<std::string>& inputs);

/// Hash of the first bytes of the unpacked file; of all of it when it is shorter.
std::uint64_t headHash(const std::string& path, std::int64_t bytes);
/// As many bytes of a log are looked at to know it again: up to 4096, and those that are there.
std::int64_t headSize(const std::string& path);

} // namespace nestwright
