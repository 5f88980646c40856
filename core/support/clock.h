#pragma once
/// \file The two clocks: the calendar's for what is stored, the steady one for how long it took.

#include <chrono>
#include <cstdint>

namespace nestwright {

inline constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;

/// The calendar's time now, in microseconds since 1970-01-01 UTC.
inline std::int64_t nowMicroseconds() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

/// The time from `start` until now, in seconds.
inline double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace nestwright
