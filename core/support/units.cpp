#include "core/support/units.h"

#include "core/support/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

namespace nestwright {

namespace {

struct Scale {
  double factor;
  const char* symbol;
};

/// Decimals so that `value` shows four significant digits; values are below 1000 by choice of unit.
int decimalsOf(double value) {
  if (value >= 999.95) return 0;
  if (value >= 99.995) return 1;
  if (value >= 9.9995) return 2;
  return 3;
}

template <std::size_t n>
std::string scaled(double value, const Scale (&scales)[n]) {
  if (!std::isfinite(value) || value <= 0) return kUnknownText;
  const Scale* scale = &scales[n - 1];
  for (const Scale& candidate : scales) {
    // 999.96 would be shown as 1000.0, so the next unit takes over just before.
    if (value / candidate.factor < 999.95) {
      scale = &candidate;
      break;
    }
  }
  const double shown = value / scale->factor;
  if (shown >= 1e6 || shown < 1e-3) // beyond anything sensible, but still short
    return fmt::format("{:.4g} {}", shown, scale->symbol);
  return fmt::format("{:.{}f} {}", shown, decimalsOf(shown), scale->symbol);
}

} // namespace

std::string formatSeconds(double seconds) {
  static constexpr Scale kScales[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}};
  return scaled(seconds, kScales);
}

std::string formatDifference(double seconds) {
  if (std::abs(seconds) < 1e-12) return "0"; // of times that are equal
  if (!std::isfinite(seconds)) return kUnknownText;
  return seconds < 0 ? "−" + formatSeconds(-seconds) : formatSeconds(seconds);
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
  static constexpr Scale kScales[] = {{1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}};
  return scaled(flopsPerSecond, kScales);
}

std::string formatFlops(double flops) {
  static constexpr Scale kScales[] = {
      {1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}};
  return flops == 0 ? "0 FLOP" : scaled(flops, kScales); // of what only moves elements
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return kUnknownText;
  const long long total = std::llround(seconds);
  const long long days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (days > 0) return fmt::format("{} d {} h", days, hours);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, total % 60);
  return fmt::format("{} s", total);
}

std::string formatBudget(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return kUnknownText;
  std::string text;
  const double whole = std::floor(seconds / 60) * 60;
  auto minutes = static_cast<long long>(whole / 60);
  for (const auto& [size, symbol] :
       {std::pair(1440LL, "d"), std::pair(60LL, "h"), std::pair(1LL, "min")})
    if (const long long count = minutes / size; count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : " ", count, symbol);
      minutes %= size;
    }
  if (const double rest = seconds - whole; rest > 0 || text.empty())
    text += fmt::format("{}{:.6g} s", text.empty() ? "" : " ", rest);
  return text;
}

std::string formatBytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  // 1023.95 KiB would be shown as 1024 KiB.
  while (std::round(bytes) >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::string formatBandwidth(double bytesPerSecond) {
  if (!std::isfinite(bytesPerSecond) || bytesPerSecond <= 0) return kUnknownText;
  const bool tera = bytesPerSecond >= 999.5e9;
  const double shown = bytesPerSecond / (tera ? 1e12 : 1e9);
  const int decimals = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", shown, decimals, tera ? "TB/s" : "GB/s");
}

std::string formatEnergy(double joules) {
  static constexpr Scale kScales[] = {{1e-6, "µJ"}, {1e-3, "mJ"}, {1, "J"}};
  if (joules == 0) return "0 J";
  if (!std::isfinite(joules)) return kUnknownText;
  return joules < 0 ? "−" + scaled(-joules, kScales) : scaled(joules, kScales);
}

std::string formatPower(double watts) {
  if (!std::isfinite(watts) || watts < 0) return kUnknownText;
  return fmt::format("{:.{}f} W", watts, watts >= 99.95 ? 0 : watts >= 9.995 ? 1 : 2);
}

std::string formatFrequency(double hertz) {
  return std::isfinite(hertz) && hertz > 0 ? fmt::format("{:.2f} GHz", hertz / 1e9) : kUnknownText;
}

} // namespace nestwright
