#pragma once
/// \file What a command writes where a person said: a file, or whatever else is there.

#include "core/support/draft_file.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// Whether the path leads to standard output: `-`, or a name of it such as /dev/stdout.
bool isStandardOutput(const std::string& path);

/// A file appears under its name when it is complete, in place of one that was there, and behind
/// the links that lead to it. Devices, pipes and standard output are written to as they are.
class OutputFile {
 public:
  /// `kind` as of a DraftFile. Throws SystemError when it cannot be opened for writing.
  OutputFile(const std::string& path, std::string_view kind);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds to it. Throws SystemError that names the path.
  void write(std::string_view text);
  /// Without it a file is as it was before. Throws as write().
  void finish();

 private:
  [[noreturn]] void fail() const;
  std::string path_;
  std::optional<DraftFile> part_; // of a file
  std::FILE* file_ = nullptr;
  bool terminal_ = false; // which must not obey what is written
};

/// What is at the path are these bytes then: whole, or as it was before. Without `replace` a file
/// that is there stays, and is an error. Throws SystemError.
void writeWhole(const std::string& path, std::string_view kind, std::string_view bytes,
                bool replace = true);

} // namespace nestwright
