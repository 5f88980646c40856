#include "core/session/race/racer.h"

#include "core/plugin/plugin.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace nestwright {

namespace {

using nlohmann::json;

/// Settings of the search alone: what is measured, how, and how long is the same for all.
constexpr const char* kSettings[] = {"trials_per_round",
                                     "space",
                                     "rules",
                                     "model",
                                     "features",
                                     "warmup",
                                     "epsilon",
                                     "population",
                                     "generations",
                                     "beam",
                                     "memory",
                                     "pretrained",
                                     "update",
                                     "draft",
                                     "ahead",
                                     "polish",
                                     "stop_gain",
                                     "templates",
                                     "template_features",
                                     "plan",
                                     "chains",
                                     "diversity",
                                     "energy",
                                     "diversity_ratio",
                                     "exploration"};

std::string keyOf(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

bool isMethod(const std::string& name) {
  return std::ranges::any_of(searchMethods(),
                             [&](const SearchMethod& method) { return name == method.name; });
}

template <class Number>
json numberFrom(const std::string& name, const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("a racer's {}={}: a number was expected", name, text));
  return number;
}

/// The text as a value of the kind that the setting has.
json valueFrom(const std::string& name, const std::string& text, const json& now) {
  if (now.is_number_integer()) return numberFrom<std::int64_t>(name, text);
  if (now.is_number()) return numberFrom<double>(name, text);
  if (now.is_array()) return text == "off" ? json::array() : json::array({text});
  return text;
}

/// Where a space of templates is chosen and nothing else is said, what goes with it.
void settleTemplates(SessionConfig& config, const Racer& racer) {
  if (config.space != SearchSpace::Templates || isMethod(racer.policy)) return;
  const auto isGiven = [&](const char* key) {
    return std::ranges::any_of(racer.settings,
                               [&](const auto& setting) { return keyOf(setting.first) == key; });
  };
  if (!isGiven("model")) config.model = usualModel(config);
  if (!isGiven("template_features") && searchPolicy(config.policy).learns)
    config.templateFeatures = usualTemplateFeatures(config);
  if (!isGiven("trials_per_round")) config.trialsPerRound = config.plan;
  if (!isGiven("warmup")) config.warmup = 0;
}

} // namespace

std::vector<std::string> racerSettings() {
  std::vector<std::string> names(std::begin(kSettings), std::end(kSettings));
  for (std::string& name : names)
    std::ranges::replace(name, '_', '-');
  std::ranges::sort(names);
  return names;
}

Racer racerFromText(std::string_view text) {
  Racer racer;
  if (isExecPolicy(text)) {
    racer.launch = policyLaunchFromText(text);
    racer.label = racer.policy = execPolicyName(racer.launch.command);
    return racer;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part(text.substr(begin, end - begin));
    const std::size_t sign = part.find('=');
    if (begin == 0)
      racer.policy = part;
    else if (sign != std::string::npos)
      racer.settings.emplace_back(part.substr(0, sign), part.substr(sign + 1));
    else if (!racer.settings.empty())
      racer.settings.back().second += "," + part;
    else
      throw UsageError(fmt::format("\"{}\": behind the policy's name come settings, as in "
                                   "evolutionary,draft=first",
                                   text));
    begin = end + 1;
  }
  if (racer.policy.empty() || racer.policy.find('=') != std::string::npos)
    throw UsageError(fmt::format("\"{}\": a racer begins with the name of a policy, as in "
                                 "evolutionary,draft=first",
                                 text));
  racer.label = racer.policy;
  for (const auto& [name, value] : racer.settings)
    racer.label += fmt::format(", {}={}", name, value);
  return racer;
}

SessionConfig configOf(const Racer& racer, const SessionConfig& common) {
  SessionConfig config = common;
  if (isMethod(racer.policy))
    config = withMethod(config, racer.policy);
  else
    config.policy = racer.policy;
  searchPolicy(config.policy); // says what there is
  json settings = toJson(config);
  for (const auto& [name, value] : racer.settings) {
    const std::string key = keyOf(name);
    if (std::ranges::find(kSettings, key) == std::end(kSettings))
      throw UsageError(fmt::format("a racer has no setting \"{}\"; there are {}", name,
                                   fmt::join(racerSettings(), ", ")));
    settings[key] = valueFrom(name, value, settings.at(key));
  }
  try {
    config = sessionConfigFromJson(settings);
  } catch (const InputError&) { // which speaks of a file
    throw UsageError(fmt::format("the racer {} has a setting that cannot be", racer.label));
  }
  settleTemplates(config, racer);
  return config;
}

} // namespace nestwright
