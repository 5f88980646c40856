#include "core/search/exec/exec_policy_name.h"

#include "core/support/printable.h"
#include "core/support/text_limit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace nestwright {

namespace {

constexpr std::string_view kPrefix = "exec:";

} // namespace

bool isExecPolicy(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::string execPolicyName(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) {
    const bool isPath = !word.starts_with('-') && word.find('/') != std::string::npos;
    words.push_back(isPath ? std::filesystem::path(word).filename().string() : word);
  }
  std::string name = printableLine(fmt::format("{}{}", kPrefix, fmt::join(words, " ")));
  constexpr std::size_t kMostBytes = 80; // it stands in tables
  if (name.size() <= kMostBytes) return name;
  return std::string(beginning(name, kMostBytes - 3)) + "...";
}

} // namespace nestwright
