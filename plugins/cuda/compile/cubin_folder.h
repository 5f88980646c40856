#pragma once
/// \file Compilations on the disk, so that the builders of a session, which are processes of their
/// own, and the next session do not compile again what one of them has compiled.

#include "plugins/cuda/compile/nvrtc.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nestwright::cuda {

/// A folder with a file for each compilation, bounded in size: what was used longest ago goes.
/// Files appear whole or not at all, and one that is damaged is as good as none; so any number of
/// processes may use the folder, and it may be removed at any time. Errors of the disk are never
/// anybody's failure: compiling again is. Thread-safe.
class CubinFolder {
 public:
  explicit CubinFolder(std::string path, std::int64_t mostBytes = 256ll << 20)
      : path_(std::move(path)), mostBytes_(mostBytes) {}

  /// $NESTWRIGHT_CUBIN_CACHE, where an empty text means none; else nestwright/cubins in the folder
  /// that the person's caches are in ($XDG_CACHE_HOME, ~/.cache).
  static std::optional<CubinFolder> ofPerson();

  std::optional<Compiled> read(const std::string& key) const;
  void write(const std::string& key, const Compiled& compiled) const;
  /// Removes what is too much; write() does every now and then.
  void sweep() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::int64_t mostBytes_;
};

} // namespace nestwright::cuda
