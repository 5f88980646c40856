#pragma once
/// \file A record file of a session that is only measured.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace nestwright::bench {

/// A path for a record file that goes away with this object.
class TemporaryDatabase {
 public:
  /// One of each name may be there at a time.
  explicit TemporaryDatabase(std::string_view name)
      : path_((std::filesystem::temp_directory_path() / fmt::format("{}.{}.nwdb", name, getpid()))
                  .string()) {
    remove();
  }
  ~TemporaryDatabase() { remove(); }
  TemporaryDatabase(const TemporaryDatabase&) = delete;
  TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;
  const std::string& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(path_ + suffix, ignored);
  }
  std::string path_;
};

} // namespace nestwright::bench
