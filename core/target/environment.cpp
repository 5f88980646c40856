#include "core/target/environment.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace nestwright {

namespace {

namespace fs = std::filesystem;
using Findings = std::vector<EnvironmentFinding>;

constexpr NameTable<EnvironmentKind, 8> kEnvironmentNames{
    {"governor", "boost", "load", "threads", "power", "memory", "host", "GPU"}};

/// "cpu0", "cpu1", …: the folders of the processors.
std::vector<std::string> processors(const std::string& root) {
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root + "/sys/devices/system/cpu", none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("cpu") && name.size() > 3 && std::isdigit(name[3]) != 0)
      folders.push_back(entry.path());
  }
  return folders;
}

void checkGovernor(const std::string& root, Findings& findings) {
  std::map<std::string, int> governors;
  for (const std::string& folder : processors(root))
    if (const std::string governor = firstLineOf(folder + "/cpufreq/scaling_governor");
        !governor.empty())
      ++governors[governor];
  if (governors.empty()) return;
  EnvironmentFinding finding{EnvironmentKind::Governor, "", ""};
  for (const auto& [governor, count] : governors)
    finding.fact += (finding.fact.empty() ? "" : ", ") + fmt::format("{} ({})", governor, count);
  finding.fact = "governors of the processors' clocks: " + finding.fact;
  if (governors.size() > 1 || governors.begin()->first != "performance")
    finding.advice = "The clock may follow the load, so equal programs can differ; "
                     "'cpupower frequency-set -g performance' holds it up.";
  findings.push_back(finding);
}

void checkBoost(const std::string& root, Findings& findings) {
  const std::string cpu = root + "/sys/devices/system/cpu/";
  const std::string noTurbo = firstLineOf(cpu + "intel_pstate/no_turbo");
  std::string boost = firstLineOf(cpu + "cpufreq/boost");
  if (boost.empty() && !noTurbo.empty()) boost = noTurbo == "0" ? "1" : "0";
  if (boost.empty()) return;
  const bool on = boost == "1";
  findings.push_back({EnvironmentKind::Boost,
                      on ? "the clock may rise above its nominal rate (boost)"
                         : "the clock stays at its nominal rate (no boost)",
                      on ? "A cool processor runs faster than a warm one; for figures to publish, "
                           "switch boost off (/sys/devices/system/cpu/cpufreq/boost)."
                         : ""});
}

void checkThreads(const std::string& root, Findings& findings) {
  const std::string active = firstLineOf(root + "/sys/devices/system/cpu/smt/active");
  if (active.empty()) return;
  findings.push_back(
      {EnvironmentKind::Threads,
       active == "1" ? "cores run two threads each (SMT)" : "each core runs one thread (no SMT)",
       active == "1" ? "Two kernel threads may share a core; give --threads the "
                       "number of cores, not of threads."
                     : ""});
}

void checkLoad(const std::string& root, Findings& findings) {
  std::istringstream line(firstLineOf(root + "/proc/loadavg"));
  double load = 0, skipped = 0;
  int running = 0; // this program among them
  if (!(line >> load >> skipped >> skipped >> running)) return;
  constexpr double kQuiet = 0.5; // the desktop itself
  // The average alone may be our own doing, when a session goes on after a pause.
  const bool busy = load > kQuiet && running > 1;
  findings.push_back({EnvironmentKind::Load,
                      fmt::format("{} running now, {:.1f} on average over the last minute",
                                  quantity(std::max(running - 1, 0), "other program"), load),
                      busy ? "They take time and caches from what is measured; end them, or wait "
                             "until they have ended."
                           : ""});
}

void checkMemory(const std::string& root, Findings& findings) {
  std::ifstream file(root + "/proc/meminfo");
  std::map<std::string, std::int64_t> kilobytes;
  std::string key, unit;
  for (std::int64_t value = 0; file >> key >> value; std::getline(file, unit))
    kilobytes[key] = value;
  if (!kilobytes.contains("MemAvailable:") || kilobytes["MemTotal:"] <= 0) return;
  const double share = double(kilobytes["MemAvailable:"]) / double(kilobytes["MemTotal:"]);
  constexpr double kLittle = 0.1;
  findings.push_back({EnvironmentKind::Memory,
                      fmt::format("{:.0f} % of the memory is free", 100 * share),
                      share < kLittle ? "The machine may begin to swap, which no measurement "
                                        "survives; close something large."
                                      : ""});
}

void checkPower(const std::string& root, Findings& findings) {
  std::error_code none;
  bool mains = false, online = false;
  for (const auto& entry : fs::directory_iterator(root + "/sys/class/power_supply", none)) {
    if (firstLineOf(entry.path() / "type") != "Mains") continue;
    mains = true;
    online |= firstLineOf(entry.path() / "online") == "1";
  }
  if (!mains) return;
  findings.push_back({EnvironmentKind::Power,
                      online ? "the machine runs on mains" : "the machine runs on battery",
                      online ? "" : "Laptops slow down on battery; plug it in."});
}

void checkHost(const std::string& root, Findings& findings) {
  std::ifstream file(root + "/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    if (line.find(" hypervisor") == std::string::npos) return;
    findings.push_back({EnvironmentKind::Host, "this is a virtual machine",
                        "What else its host runs cannot be seen from here; compare programs only "
                        "within one session, where they are measured in turns."});
    return;
  }
}

} // namespace

const char* name(EnvironmentKind kind) {
  return kEnvironmentNames.of(kind);
}

EnvironmentKind environmentKindFromName(std::string_view text) {
  if (const auto kind = kEnvironmentNames.find(text)) return *kind;
  throw InputError(fmt::format("\"{}\" is no kind of fact about a machine", text));
}

std::vector<EnvironmentFinding> checkEnvironment(const std::string& root) {
  Findings findings;
  checkGovernor(root, findings);
  checkBoost(root, findings);
  checkThreads(root, findings);
  checkLoad(root, findings);
  checkMemory(root, findings);
  checkPower(root, findings);
  checkHost(root, findings);
  return findings;
}

std::vector<std::string> environmentAdvice(const std::vector<EnvironmentFinding>& findings) {
  std::vector<std::string> advice;
  for (const EnvironmentFinding& finding : findings)
    if (!finding.advice.empty()) advice.push_back(finding.fact + ". " + finding.advice);
  return advice;
}

} // namespace nestwright
