#include "core/target/cpu_quota.h"

#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace nestwright {
namespace {

constexpr const char* kRoot = "/sys/fs/cgroup";

/// A whole number above 0.
std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

/// Of a group of version 2 that folder's cpu.max, of one of version 1 the same made of its files.
std::string quotaIn(const std::string& folder) {
  if (const std::string quota = firstLineOf(folder + "/cpu.max"); !quota.empty()) return quota;
  return fmt::format("{} {}", firstLineOf(folder + "/cpu.cfs_quota_us"),
                     firstLineOf(folder + "/cpu.cfs_period_us"));
}

} // namespace

std::optional<int> coresOfQuota(std::string_view cpuMax) {
  const std::size_t blank = cpuMax.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto quota = numberOf(cpuMax.substr(0, blank)), period = numberOf(cpuMax.substr(blank + 1));
  if (!quota || !period) return std::nullopt;
  constexpr std::int64_t kMost = 1 << 20; // cores that no machine has
  return static_cast<int>(std::min(kMost, *quota / *period + (*quota % *period > 0)));
}

std::vector<std::string> quotaFolders(std::string_view groups) {
  std::vector<std::string> folders;
  for (const std::string& line : splitLines(groups)) { // "4:cpu,cpuacct:/path", or "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool isSecond = controllers == ",,";
    if (!isSecond && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string root = isSecond ? kRoot : fmt::format("{}/cpu", kRoot);
    std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    for (; path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back(root + path);
    folders.push_back(root);
  }
  return folders;
}

std::optional<int> quotaHere() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  std::optional<int> least;
  for (const std::string& folder : quotaFolders(groups))
    if (const std::optional<int> cores = coresOfQuota(quotaIn(folder)))
      least = std::min(least.value_or(*cores), *cores);
  return least;
}

} // namespace nestwright
