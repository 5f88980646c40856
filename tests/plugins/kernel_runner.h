#pragma once
/// \file Memory for kernels under test, and running them.

#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace nestwright::test {

/// 64-byte aligned bytes, filled with a pattern that is no zero.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::int64_t bytes)
      : size_(static_cast<std::size_t>(bytes)),
        data_(std::aligned_alloc(64, (size_ + 127) / 64 * 64), std::free) {
    std::memset(data_.get(), 0xcd, (size_ + 127) / 64 * 64);
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

/// A loaded kernel with memory for all of its parameters.
class RunnableKernel {
 public:
  RunnableKernel(const LoopFunction& function, int threads, const CompileOptions& options = {})
      : artifact_(backend().compile(function, options)), kernel_(backend().load(artifact_)),
        threads_(threads),
        workspace_(artifact_.workspaceBytes + threads * artifact_.threadWorkspaceBytes) {
    for (const std::int64_t bytes : artifact_.parameterBytes) {
      buffers_.emplace_back(bytes);
      pointers_.push_back(buffers_.back().data());
    }
  }

  const KernelArtifact& artifact() const { return artifact_; }
  template <class T>
  T* buffer(std::size_t i) const {
    return buffers_[i].as<T>();
  }
  std::size_t bufferBytes(std::size_t i) const { return buffers_[i].size(); }
  void run() const { kernel_->run(pointers_, workspace_.data(), threads_); }

 private:
  KernelArtifact artifact_;
  std::unique_ptr<Kernel> kernel_;
  int threads_;
  AlignedBytes workspace_;
  std::vector<AlignedBytes> buffers_;
  std::vector<void*> pointers_;
};

} // namespace nestwright::test
