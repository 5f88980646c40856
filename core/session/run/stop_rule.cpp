#include "core/session/run/stop_rule.h"

#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nestwright {

std::optional<std::string> causeToPause(std::span<const TrialEnd> newest, const StopRule& rule) {
  if (rule.failures <= 0) return std::nullopt;
  const std::span<const TrialEnd> window =
      newest.first(std::min(newest.size(), static_cast<std::size_t>(std::max(0, rule.window))));
  std::map<Verdict, std::map<std::string, int>> sentences;
  std::map<Verdict, int> failures;
  for (const TrialEnd& trial : window) {
    if (trial.verdict == Verdict::Ok || saysNothing(trial.verdict)) continue;
    ++failures[trial.verdict];
    ++sentences[trial.verdict][trial.sentence];
  }
  const auto most =
      std::ranges::max_element(failures, {}, [](const auto& entry) { return entry.second; });
  if (most == failures.end() || most->second < rule.failures) return std::nullopt;
  const auto& texts = sentences[most->first];
  const auto common =
      std::ranges::max_element(texts, {}, [](const auto& entry) { return entry.second; });
  return fmt::format("{} of its last {} ended with \"{}\", most often so: {}", most->second,
                     quantity(std::ssize(window), "program"), name(most->first), common->first);
}

} // namespace nestwright
