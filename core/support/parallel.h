#pragma once
/// \file Independent work on all cores, with results that do not depend on their number.

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nestwright {

/// Calls `f(i)` for every i below `count`, on `threads` threads (0: all cores), this one included.
/// The first exception is thrown again here once all threads have ended.
template <class F>
void parallelFor(std::size_t count, unsigned threads, const F& f) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        f(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads && i < count; ++i)
      helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace nestwright
