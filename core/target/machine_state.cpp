#include "core/target/machine_state.h"

#include "core/support/folder_entries.h"
#include "core/support/text.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

/// The number that the text begins with, blanks apart.
std::optional<double> numberIn(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<double> within(std::optional<double> number, double least, double most) {
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// "cpu MHz" of the core in /proc/cpuinfo.
std::optional<double> megahertzInCpuinfo(const fs::path& root, int core) {
  std::ifstream file(root / "proc/cpuinfo");
  const auto valueOf = [](const std::string& line) -> std::string_view {
    const std::size_t colon = line.find(':');
    return colon == std::string::npos ? std::string_view()
                                      : std::string_view(line).substr(colon + 1);
  };
  bool isCore = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("processor")) isCore = numberIn(valueOf(line)) == core;
    if (isCore && line.starts_with("cpu MHz")) return numberIn(valueOf(line));
  }
  return std::nullopt;
}

std::optional<double> clockHertz(const fs::path& root, int core) {
  constexpr double kLeast = 1e7, kMost = 1e11;
  const fs::path kilohertz =
      root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cpufreq/scaling_cur_freq";
  if (const auto number = numberIn(firstLineOf(kilohertz)))
    return within(*number * 1e3, kLeast, kMost);
  if (const auto number = megahertzInCpuinfo(root, core))
    return within(*number * 1e6, kLeast, kMost);
  return std::nullopt;
}

/// The file that tells the processor's temperature, in thousandths of a degree.
fs::path thermometer(const fs::path& root) {
  for (const fs::path& sensor : entriesOf(root / "sys/class/hwmon")) {
    const std::string name = firstLineOf(sensor / "name");
    if (name == "coretemp" || name == "k10temp" || name == "zenpower" || name == "cpu_thermal")
      return sensor / "temp1_input";
  }
  for (const fs::path& zone : entriesOf(root / "sys/class/thermal")) {
    const std::string type = firstLineOf(zone / "type");
    if (type == "x86_pkg_temp" || type.starts_with("cpu")) return zone / "temp";
  }
  return {};
}

std::optional<double> celsiusOf(const fs::path& thermometer) {
  if (thermometer.empty()) return std::nullopt;
  const auto number = numberIn(firstLineOf(thermometer));
  return number ? within(*number / 1e3, -50, 200) : std::nullopt;
}

} // namespace

std::string inWords(const MachineState& state) {
  std::string text;
  if (state.clockHertz) text = formatFrequency(*state.clockHertz);
  const auto add = [&](const std::string& part, const char* between = ", ") {
    text += (text.empty() ? "" : between) + part;
  };
  if (state.celsius) add(fmt::format("{:.0f} °C", *state.celsius));
  if (state.watts) add(formatPower(*state.watts));
  if (!state.slowedBy.empty()) add("slowed by " + state.slowedBy);
  if (state.hasShifted())
    add(fmt::format("{:.0f} % {} than at the start", 100 * std::abs(*state.anchorShift),
                    *state.anchorShift > 0 ? "slower" : "faster"),
        "; ");
  return text;
}

bool MachineState::hasShifted() const {
  constexpr double kSteady = 0.03; // handbook/cuda.md 7.2
  return std::abs(anchorShift.value_or(0)) > kSteady;
}

MachineState readMachineState(int core, const fs::path& root) {
  return {.clockHertz = clockHertz(root, core), .celsius = celsiusOf(thermometer(root))};
}

MachineState machineStateHere() {
  static const fs::path sensor = thermometer("/"); // looking for it takes longer than reading it
  return {.clockHertz = clockHertz("/", std::max(0, sched_getcpu())), .celsius = celsiusOf(sensor)};
}

} // namespace nestwright
