#pragma once
/// \file Compilations by the hash of their text and options, in memory and on the disk: a search
/// that comes back to a program, and a window that shows one again, do not compile it again.

#include "plugins/cuda/compile/cubin_folder.h"
#include "plugins/cuda/compile/nvrtc.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace nestwright::cuda {

/// May be used from several threads; forgets the entry that was used longest ago. What is not in
/// memory is looked for in the folder, if there is one.
class CubinCache {
 public:
  explicit CubinCache(std::size_t mostBytes = std::size_t{64} << 20,
                      std::optional<CubinFolder> folder = {})
      : mostBytes_(mostBytes), folder_(std::move(folder)) {}

  /// Compiles when it has to. Throws as Nvrtc::compile(); failures are not kept.
  std::shared_ptr<const Compiled> get(const Nvrtc& nvrtc, const std::string& source,
                                      const NvrtcOptions& options);
  std::size_t hits() const;
  std::size_t bytes() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Compiled> compiled;
    std::size_t bytes = 0;
  };
  std::shared_ptr<const Compiled> find(const std::string& key);
  void add(Entry entry);

  const std::size_t mostBytes_;
  const std::optional<CubinFolder> folder_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_; // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> byKey_;
  std::size_t bytes_ = 0, hits_ = 0;
};

} // namespace nestwright::cuda
