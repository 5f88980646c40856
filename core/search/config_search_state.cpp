#include "core/search/config_search_state.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

template <class Io>
void fields(Io& io, PlannedConfig& planned) {
  io("config", planned.config);
  io.named("reason", planned.reason, pickReasonFromName);
}
template <class Io>
void fields(Io& io, ConfigSearchState& state) {
  io("passed_over", state.passedOver);
  io.each("plan", state.plan);
  io("chains", state.chains);
  io("population", state.population);
  io("parents", state.parents);
  io("elites", state.elites);
}

std::string toText(const ConfigSearchState& state) {
  return toFields(state).dump();
}

ConfigSearchState configSearchStateFromText(const std::string& text, std::int64_t spaceSize) {
  ConfigSearchState state;
  if (text.empty()) return state;
  try {
    readFields(nlohmann::json::parse(text), state);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("the stored state of a search over configurations cannot be read: "
                                 "{}",
                                 error.what()));
  }
  const auto isThere = [&](std::int64_t config) { return config >= 0 && config < spaceSize; };
  bool possible = std::ranges::all_of(state.plan, isThere, &PlannedConfig::config);
  for (const auto* configs :
       {&state.passedOver, &state.chains, &state.population, &state.parents, &state.elites})
    possible = possible && std::ranges::all_of(*configs, isThere);
  if (!possible)
    throw InputError(fmt::format("the stored state of a search over configurations is impossible "
                                 "in a space of {}; the file was altered or is damaged",
                                 spaceSize));
  return state;
}

} // namespace nestwright
