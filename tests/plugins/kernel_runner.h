#pragma once
/// \file Memory for kernels under test, and running them.

#include "core/backend/guarded_buffer.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::test {

/// 64-byte aligned bytes, filled with a pattern that is no zero. Large ones have huge pages, as
/// those of a device have (core/backend/guarded_buffer.h).
class AlignedBytes {
 public:
  explicit AlignedBytes(std::int64_t bytes)
      : size_(static_cast<std::size_t>(bytes)), data_(nullptr, std::free) {
    const bool isLarge = size_ >= kHugePageBytes;
    const std::size_t unit = isLarge ? kHugePageBytes : 64;
    const std::size_t taken = (size_ + 63 + unit) / unit * unit;
    data_.reset(std::aligned_alloc(unit, taken));
    if (isLarge) madvise(data_.get(), taken, MADV_HUGEPAGE);
    std::memset(data_.get(), 0xcd, taken);
  }
  void* data() const { return data_.get(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<void, void (*)(void*)> data_;
};

/// With vectors or, as the naive program, without.
inline CompileOptions compiledAs(bool vectorised) {
  CompileOptions options;
  options.vectorise = vectorised;
  return options;
}

/// A loaded kernel with memory for all of its parameters, in the order of the DAG. Inputs that the
/// kernel wants packed are packed before a run when somebody asked for their memory since the last.
class RunnableKernel {
 public:
  RunnableKernel(const LoopFunction& function, int threads, const CompileOptions& options = {})
      : artifact_(backend("llvm").compile(function, options)),
        kernel_(backend("llvm").load(artifact_)), threads_(threads),
        workspace_(artifact_.workspaceBytes + threads * artifact_.threadWorkspaceBytes) {
    for (std::size_t i = 0; i < artifact_.parameterBytes.size(); ++i) {
      const PackedLayout* layout = layoutOf(i);
      const std::int64_t bytes = artifact_.parameterBytes[i];
      buffers_.emplace_back(bytes);
      pointers_.push_back(buffers_.back().data());
      elementBytes_.push_back(
          static_cast<std::size_t>(function.parameters[i]->type.elementBytes()));
      given_.push_back(layout ? std::optional<AlignedBytes>(givenBytes(*layout, i)) : std::nullopt);
      stale_.push_back(layout != nullptr);
    }
  }

  const KernelArtifact& artifact() const { return artifact_; }
  template <class T>
  T* buffer(std::size_t i) const {
    stale_[i] = given_[i].has_value();
    return memory(i).as<T>();
  }
  std::size_t bufferBytes(std::size_t i) const { return memory(i).size(); }
  void run() const {
    for (std::size_t i = 0; i < stale_.size(); ++i)
      if (stale_[i]) {
        layoutOf(i)->pack(given_[i]->data(), pointers_[i], elementBytes_[i]);
        stale_[i] = false;
      }
    kernel_->run(pointers_, workspace_.data(), threads_);
  }

 private:
  const PackedLayout* layoutOf(std::size_t i) const {
    const bool packed = i < artifact_.layouts.size() && artifact_.layouts[i];
    return packed ? &*artifact_.layouts[i] : nullptr;
  }
  std::int64_t givenBytes(const PackedLayout& layout, std::size_t i) const {
    auto bytes = static_cast<std::int64_t>(elementBytes_[i]);
    for (const std::int64_t extent : layout.shape)
      bytes *= extent;
    return bytes;
  }
  const AlignedBytes& memory(std::size_t i) const { return given_[i] ? *given_[i] : buffers_[i]; }

  KernelArtifact artifact_;
  std::unique_ptr<Kernel> kernel_;
  int threads_;
  AlignedBytes workspace_;
  std::vector<AlignedBytes> buffers_; // as the kernel takes them
  std::vector<void*> pointers_;
  std::vector<std::size_t> elementBytes_;
  std::vector<std::optional<AlignedBytes>> given_; // of packed inputs: as the DAG has them
  mutable std::vector<bool> stale_;                // given_ is newer than what the kernel takes
};

} // namespace nestwright::test
