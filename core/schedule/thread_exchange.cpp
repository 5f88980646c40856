#include "core/schedule/thread_exchange.h"

#include "core/schedule/tensor_instruction.h"

namespace nestwright {

ThreadExchange threadExchange(std::size_t axis, std::int64_t extent, std::int64_t threadsPerBlock) {
  const bool alone = threadsPerBlock == extent;
  if (axis != 0) return ThreadExchange::AllInBlock;
  if (kLanes % extent == 0 || (extent <= kLanes && alone)) return ThreadExchange::Shuffles;
  return extent % kLanes == 0 || alone ? ThreadExchange::WarpsInBlock : ThreadExchange::AllInBlock;
}

std::int64_t exchangedValues(std::size_t axis, std::int64_t extent, std::int64_t threadsPerBlock) {
  switch (threadExchange(axis, extent, threadsPerBlock)) {
  case ThreadExchange::Shuffles:
    return 0;
  case ThreadExchange::WarpsInBlock:
    return (extent + kLanes - 1) / kLanes * (threadsPerBlock / extent);
  case ThreadExchange::AllInBlock:
    break;
  }
  return threadsPerBlock;
}

} // namespace nestwright
