#pragma once
/// \file Quantities as people read them: three significant digits and a unit.

#include <string>
#include <string_view>

namespace nestwright {

/// A kernel's time: "1.23 ms", "45.6 µs", "—" when it is infinite or not positive.
std::string formatSeconds(double seconds);
/// A time as people write it, in seconds: "10ms", "1.5 s", "250us", "0.01". Throws UsageError when
/// it is none or not positive.
double parseSeconds(std::string_view text);
/// A rate of floating-point operations: "123 GFLOP/s".
std::string formatFlopRate(double flopsPerSecond);
/// A count of floating-point operations: "3.63 GFLOP".
std::string formatFlops(double flops);
/// A waiting time: "12 s", "3:05 min", "1:02:03 h", "—" when unknown.
std::string formatDuration(double seconds);
/// A size in memory: "1.50 MiB".
std::string formatBytes(double bytes);

} // namespace nestwright
