#pragma once
/// \file A device's memory within a budget, with guards around every piece: nothing else would
/// notice a kernel that writes next to its buffers.

#include "plugins/cuda/driver/context.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace nestwright::cuda {

class DeviceMemory {
 public:
  /// `budget` in bytes, guards not counted; 0: only what is free counts.
  DeviceMemory(Context& context, std::int64_t budget) : context_(context), budget_(budget) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Throws DeviceError (OutOfMemory) before anything is asked of the driver when the budget, or
  /// what is free but for a gibibyte that others need, is less.
  CuAddress allocate(std::size_t bytes);
  void release(CuAddress address) noexcept;
  /// Throws DeviceError (OutOfBounds) that says how far something was written outside, and sets the
  /// guards anew.
  void checkGuards();

 private:
  struct Piece {
    CuAddress base = 0; // of the guard before it
    std::size_t bytes = 0;
  };
  void requireRoom(std::size_t bytes);
  void setGuards(const Piece& piece);

  Context& context_;
  std::int64_t budget_ = 0, taken_ = 0;
  std::map<CuAddress, Piece> pieces_;
};

} // namespace nestwright::cuda
