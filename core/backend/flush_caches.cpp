#include "core/backend/flush_caches.h"

#include "core/support/openmp.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::size_t kLine = 64; // bytes

/// What all threads walk through together.
struct Walk {
  std::uint8_t* memory;
  std::size_t lines;
};

/// The share of the calling thread, which is one of a region's.
void walkShare(void* data) {
  const auto& walk = *static_cast<const Walk*>(data);
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  // Stores of whole lines at once would go past the caches.
  for (std::size_t i = walk.lines * thread / threads; i < walk.lines * (thread + 1) / threads; ++i)
    ++walk.memory[i * kLine];
}

} // namespace

std::size_t bytesToFlush(const TargetFacts& machine, int threads) {
  constexpr std::int64_t kLeast = 32ll << 20, kMost = 1ll << 30;
  const std::int64_t shared = machine.l3Bytes * 3 / 2, own = machine.l2Bytes * 2 * threads;
  return static_cast<std::size_t>(std::clamp(std::max(shared, own), kLeast, kMost));
}

void CacheFlusher::flush(int threads) {
  if (const std::size_t bytes = bytesToFlush(machine_, threads); memory_.size() < bytes)
    memory_.resize(bytes);
  Walk walk{memory_.data(), memory_.size() / kLine};
  GOMP_parallel(walkShare, &walk, static_cast<unsigned>(threads), 0);
}

} // namespace nestwright
