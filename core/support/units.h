#pragma once
/// \file Quantities as people read them, on the command line, in sentences and in the window: with
/// a unit and few digits (four significant ones of times, rates, operations and energies), and an
/// en dash for what is not known.

#include <string>
#include <string_view>

namespace nestwright {

/// What stands where there is no value: "–".
inline constexpr const char* kUnknownText = "–";

/// A kernel's time: "1.234 ms", "45.60 µs"; unknown when it is infinite or not positive.
std::string formatSeconds(double seconds);
/// A difference of times: "−1.234 ms", "45.60 µs", "0" below a picosecond, unknown when infinite.
std::string formatDifference(double seconds);
/// A time as people write it, in seconds: "10ms", "1.5 s", "250us", "0.01". Throws UsageError when
/// it is none or not positive.
double parseSeconds(std::string_view text);
/// A rate of floating-point operations: "123.4 GFLOP/s".
std::string formatFlopRate(double flopsPerSecond);
/// A count of floating-point operations: "3.630 GFLOP".
std::string formatFlops(double flops);
/// A waiting time: "12 s", "3 min 5 s", "1 h 2 min", "2 d 4 h"; unknown when it is infinite or
/// negative.
std::string formatDuration(double seconds);
/// A time that somebody chose, with all that it has: "3600 s" is "1 h", 3650 s are "1 h 50 s", half
/// a second is "0.5 s".
std::string formatBudget(double seconds);
/// A size in memory: "64 B", "1.5 MiB".
std::string formatBytes(double bytes);

/// What moves in a second: "38.2 GB/s", "3.35 TB/s".
std::string formatBandwidth(double bytesPerSecond);
/// "12.30 mJ", also below 0: "−1.200 mJ".
std::string formatEnergy(double joules);
/// "310 W", "12.3 W".
std::string formatPower(double watts);
/// A clock: "1.98 GHz".
std::string formatFrequency(double hertz);

} // namespace nestwright
