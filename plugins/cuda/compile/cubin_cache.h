#pragma once
/// \file Compilations that this process has made, by the hash of their text and options: a search
/// that comes back to a program, and a window that shows one again, do not compile it again.

#include "plugins/cuda/compile/nvrtc.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace nestwright::cuda {

/// May be used from several threads; forgets the entry that was used longest ago.
class CubinCache {
 public:
  explicit CubinCache(std::size_t mostBytes = std::size_t{64} << 20) : mostBytes_(mostBytes) {}

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
  mutable std::mutex mutex_;
  std::list<Entry> entries_; // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> byKey_;
  std::size_t bytes_ = 0, hits_ = 0;
};

} // namespace nestwright::cuda
