#include "plugins/cuda/compile/compile_log.h"

#include "core/support/text.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace nestwright::cuda {
namespace {

/// The number that stands before `words`: 26 in "Used 26 registers".
std::optional<std::int64_t> numberBefore(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(line.data() + begin, line.data() + end, number);
  return error == std::errc() && rest == line.data() + end ? std::optional(number) : std::nullopt;
}

/// "nw_C" in "Compiling entry function 'nw_C' for 'sm_90'".
std::string entryIn(std::string_view line) {
  constexpr std::string_view kWords = "Compiling entry function '";
  const std::size_t at = line.find(kWords);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + kWords.size());
  return std::string(rest.substr(0, rest.find('\'')));
}

} // namespace

std::map<std::string, KernelResources> resourcesInLog(const std::string& log) {
  std::map<std::string, KernelResources> kernels;
  KernelResources* kernel = nullptr;
  for (const std::string& line : splitLines(log)) {
    if (const std::string entry = entryIn(line); !entry.empty()) kernel = &kernels[entry];
    if (!kernel) continue;
    if (const auto stack = numberBefore(line, " bytes stack frame")) {
      kernel->stackBytes = *stack;
      kernel->spillStoreBytes = numberBefore(line, " bytes spill stores").value_or(0);
      kernel->spillLoadBytes = numberBefore(line, " bytes spill loads").value_or(0);
    }
    if (const auto registers = numberBefore(line, " registers")) {
      kernel->registers = static_cast<int>(*registers);
      kernel->barriers = static_cast<int>(numberBefore(line, " barriers").value_or(0));
      kernel->staticSharedBytes = numberBefore(line, " bytes smem").value_or(0);
    }
  }
  return kernels;
}

} // namespace nestwright::cuda
