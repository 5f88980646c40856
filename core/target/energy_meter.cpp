#include "core/target/energy_meter.h"

#include "core/support/folder_entries.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

/// A file with a whole number of microjoules, in joules.
std::optional<double> joulesIn(const fs::path& file) {
  const std::string line = firstLineOf(file);
  std::uint64_t microjoules = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), microjoules);
  if (error != std::errc() || end == line.data()) return std::nullopt;
  return static_cast<double>(microjoules) * 1e-6;
}

} // namespace

std::string EnergyMeter::names() const {
  std::vector<std::string> names;
  for (const EnergyZone& zone : zones)
    names.push_back(zone.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

EnergyMeter findEnergyMeter(const fs::path& root) {
  const fs::path folder = root / "sys/class/powercap";
  EnergyMeter meter;
  for (const fs::path& entry : entriesOf(folder)) {
    // "intel-rapl-mmio:0" shows the same packages once more. AMD's are called so, too.
    if (!entry.filename().string().starts_with("intel-rapl:")) continue;
    const std::string name = firstLineOf(entry / "name");
    if (!name.starts_with("package") && name != "dram") continue;
    const fs::path file = entry / "energy_uj";
    if (!joulesIn(file)) {
      meter.whyNot = fmt::format("{} cannot be read: mostly root alone may; chmod a+r lets others "
                                 "until the machine starts again",
                                 file.string());
      meter.zones.clear();
      return meter;
    }
    meter.zones.push_back({name, file, joulesIn(entry / "max_energy_range_uj").value_or(0)});
  }
  if (meter.zones.empty())
    meter.whyNot = fmt::format(
        "this machine shows no energy meter (RAPL): there is no package in {}", folder.string());
  return meter;
}

std::optional<std::vector<double>> readEnergy(const EnergyMeter& meter) {
  std::vector<double> joules;
  for (const EnergyZone& zone : meter.zones) {
    const std::optional<double> read = joulesIn(zone.file);
    if (!read) return std::nullopt;
    joules.push_back(*read);
  }
  return joules;
}

std::optional<double> joulesBetween(const EnergyMeter& meter, const std::vector<double>& before,
                                    const std::vector<double>& after) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double taken = after[i] - before[i];
    if (taken < 0 && meter.zones[i].rangeJoules <= 0) return std::nullopt;
    sum += taken < 0 ? taken + meter.zones[i].rangeJoules : taken;
  }
  return sum;
}

} // namespace nestwright
