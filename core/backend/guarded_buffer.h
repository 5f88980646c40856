#pragma once
/// \file Memory for the tensors of a kernel under measurement.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nestwright {

/// What the pages of large memory hold that a processor looks up at once, where the system has such
/// pages: one in place of 512 small ones.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Memory that ends at an unreadable page, so that a kernel which leaves its tensors faults at once
/// instead of spoiling the measurements after it. 64-byte aligned; from 2 MiB on it begins in the
/// first page of a huge one, and asks for these. Movable value.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// Throws std::bad_alloc.
  explicit GuardedBuffer(std::size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::span<std::uint8_t> bytes() const { return {static_cast<std::uint8_t*>(data_), bytes_}; }
  /// A kernel that writes to its inputs would fool the check.
  void makeReadOnly();
  /// All bits set (NaN in every float type): nobody's left-overs pass for an answer.
  void poison();

 private:
  void* mapping_ = nullptr;
  std::size_t mappingBytes_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace nestwright
