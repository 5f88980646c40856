#pragma once
/// \file The processor's own meter of the energy that it takes (RAPL), as Linux shows it in
/// /sys/class/powercap.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A counter of energy that begins again from 0 when it has reached its range.
struct EnergyZone {
  std::string name; // "package-0", "dram"
  std::filesystem::path file;
  double rangeJoules = 0; // 0: not known
};

struct EnergyMeter {
  std::vector<EnergyZone> zones; // of which none is a part of another
  std::string whyNot;            // where it cannot be read

  /// "package-0, dram".
  std::string names() const;
};

/// The packages and the memory below `root` ("/"); a package's cores are a part of it, and left
/// out.
EnergyMeter findEnergyMeter(const std::filesystem::path& root = "/");

/// What each zone shows, joules; nothing where one cannot be read any more.
std::optional<std::vector<double>> readEnergy(const EnergyMeter& meter);

/// What all zones together took from one reading to a later one, joules. Each may have begun again
/// once; nothing where one did whose range is not known.
std::optional<double> joulesBetween(const EnergyMeter& meter, const std::vector<double>& before,
                                    const std::vector<double>& after);

} // namespace nestwright
