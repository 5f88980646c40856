#include "core/target/bandwidth.h"

#include "core/target/target.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

/// One thread's part of the arrays, touched first by the thread itself.
struct Part {
  explicit Part(std::size_t count)
      : size(count), a(std::make_unique<double[]>(count)), b(std::make_unique<double[]>(count)),
        c(std::make_unique<double[]>(count)) {
    std::fill_n(b.get(), count, 1.0);
    std::fill_n(c.get(), count, 2.0);
  }
  void triad(double s) {
    double* __restrict to = a.get();
    const double* __restrict first = b.get();
    const double* __restrict second = c.get();
    for (std::size_t i = 0; i < size; ++i)
      to[i] = first[i] + s * second[i];
    // Nobody reads what was stored, and a compiler that sees it would store nothing.
    asm volatile("" : : "r"(to) : "memory");
  }
  std::size_t size;
  std::unique_ptr<double[]> a, b, c;
};

} // namespace

double measureBandwidth(int threads) {
  constexpr int kPasses = 8;
  const TargetFacts host = hostTarget(threads);
  // Each array is four times the last-level cache, but takes no more than a small machine has.
  const std::int64_t bytes = std::clamp<std::int64_t>(4 * host.l3Bytes, 64 << 20, 256 << 20);
  const auto count =
      static_cast<std::size_t>(bytes) / sizeof(double) / static_cast<std::size_t>(host.cores);
  std::vector<double> seconds(kPasses);
  Clock::time_point start;
  int pass = -1; // the first one is no measurement: it waits for all threads to be ready
  std::barrier round(host.cores, [&]() noexcept {
    const Clock::time_point now = Clock::now();
    if (pass >= 0)
      seconds[static_cast<std::size_t>(pass)] = std::chrono::duration<double>(now - start).count();
    ++pass;
    start = Clock::now();
  });
  std::vector<std::jthread> workers;
  for (int i = 0; i < host.cores; ++i)
    workers.emplace_back([&] {
      Part part(count);
      part.triad(0.5);
      round.arrive_and_wait();
      for (int k = 0; k < kPasses; ++k) {
        part.triad(1 + k);
        round.arrive_and_wait();
      }
    });
  workers.clear();
  const double moved =
      3.0 * sizeof(double) * static_cast<double>(count) * static_cast<double>(host.cores);
  return moved / *std::ranges::min_element(seconds);
}

} // namespace nestwright
