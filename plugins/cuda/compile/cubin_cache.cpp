#include "plugins/cuda/compile/cubin_cache.h"

#include "core/support/hash.h"

#include <fmt/ranges.h>

namespace nestwright::cuda {

std::shared_ptr<const Compiled> CubinCache::get(const Nvrtc& nvrtc, const std::string& source,
                                                const NvrtcOptions& options) {
  const std::string key =
      hashHex(fmt::format("{} {}\n{}\n{}", nvrtc.status().version, nvrtc.status().path,
                          fmt::join(nvrtcArguments(options, nvrtc.status().version), " "), source));
  if (auto found = find(key)) return found;
  std::optional<Compiled> stored = folder_ ? folder_->read(key) : std::nullopt;
  const bool isNew = !stored;
  if (isNew) stored = nvrtc.compile(source, options);
  if (isNew && folder_) folder_->write(key, *stored);
  auto compiled = std::make_shared<const Compiled>(std::move(*stored));
  add({key, compiled, compiled->cubin.size() + compiled->ptx.size() + compiled->log.size()});
  return compiled;
}

std::shared_ptr<const Compiled> CubinCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = byKey_.find(key);
  if (found == byKey_.end()) return nullptr;
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->compiled;
}

void CubinCache::add(Entry entry) {
  const std::lock_guard lock(mutex_);
  if (byKey_.contains(entry.key)) return; // two threads compiled the same
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  byKey_[entries_.front().key] = entries_.begin();
  while (bytes_ > mostBytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes;
    byKey_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

std::size_t CubinCache::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

std::size_t CubinCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

} // namespace nestwright::cuda
