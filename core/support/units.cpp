#include "core/support/units.h"

#include "core/support/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace nestwright {

namespace {

constexpr const char* kUnknown = "—";

/// `value` with three significant digits, never in exponent form.
std::string threeDigits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

/// The largest of 1, 1000, 1000², ... (or of `base`) that is not above the value as it is written:
/// 999.9 µs are 1.00 ms.
template <std::size_t n>
std::string scaled(double value, const char* const (&units)[n], double base) {
  std::size_t unit = 0;
  while (std::round(value) >= base && unit + 1 < n) {
    value /= base;
    ++unit;
  }
  return fmt::format("{} {}", threeDigits(value), units[unit]);
}

} // namespace

std::string formatSeconds(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return kUnknown;
  constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  return scaled(seconds * 1e9, kUnits, 1000);
}

double parseSeconds(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  while (unit.starts_with(' '))
    unit.remove_prefix(1);
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},     {"s", 1},    {"ms", 1e3},
                                                            {"us", 1e6}, {"µs", 1e6}, {"ns", 1e9}};
  for (const auto& [symbol, perSecond] : kUnits)
    if (error == std::errc() && unit == symbol && number > 0 && std::isfinite(number))
      return number / perSecond;
  throw UsageError(fmt::format("\"{}\" is no time; write it as 10ms, 250us or 1.5s", text));
}

std::string formatFlopRate(double flopsPerSecond) {
  if (!std::isfinite(flopsPerSecond) || flopsPerSecond <= 0) return kUnknown;
  constexpr const char* kUnits[] = {"MFLOP/s", "GFLOP/s", "TFLOP/s"};
  return scaled(flopsPerSecond / 1e6, kUnits, 1000);
}

std::string formatFlops(double flops) {
  constexpr const char* kUnits[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"};
  return scaled(flops, kUnits, 1000);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return kUnknown;
  const auto total = static_cast<long>(std::lround(seconds));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{}:{:02} min", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02} h", total / 3600, total / 60 % 60, total % 60);
}

std::string formatBytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  return scaled(bytes, kUnits, 1024);
}

} // namespace nestwright
