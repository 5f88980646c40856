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

namespace {

[[noreturn]] void throwImpossible(std::int64_t spaceSize) {
  throw InputError(fmt::format("the stored state of a search over configurations is impossible "
                               "in a space of {}; the file was altered or is damaged",
                               spaceSize));
}

/// Ascending numbers as runs, each as its distance from the end of the one before and its length:
/// a session stores them several times a round, and a space may be full of them.
std::vector<std::int64_t> runsOf(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  std::vector<std::int64_t> runs;
  std::int64_t end = 0;
  for (const std::int64_t number : numbers) {
    if (runs.empty() || number != end) {
      runs.push_back(number - end);
      runs.push_back(0);
    }
    ++runs.back();
    end = number + 1;
  }
  return runs;
}

/// The inverse. Throws InputError for what no space of this size has.
std::vector<std::int64_t> numbersOf(const std::vector<std::int64_t>& runs, std::int64_t size) {
  constexpr std::int64_t kMost = 1 << 24; // more than any search comes by; a damaged length may ask
  std::vector<std::int64_t> numbers;
  std::int64_t end = 0;
  if (runs.size() % 2 != 0) throwImpossible(size);
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const std::int64_t gap = runs[i], length = runs[i + 1];
    if (gap < 0 || length < 1 || gap > size - end || length > size - end - gap ||
        length > kMost - std::ssize(numbers))
      throwImpossible(size);
    end += gap;
    for (const std::int64_t stop = end + length; end < stop; ++end)
      numbers.push_back(end);
  }
  return numbers;
}

} // namespace

template <class Io>
void fields(Io& io, ConfigSearchState& state) {
  io.each("plan", state.plan);
  io("chains", state.chains);
  io("population", state.population);
  io("parents", state.parents);
  io("elites", state.elites);
}

std::string toText(const ConfigSearchState& state) {
  nlohmann::json json = toFields(state);
  json["passed_over"] = runsOf(state.passedOver);
  return json.dump();
}

ConfigSearchState configSearchStateFromText(const std::string& text, std::int64_t spaceSize) {
  ConfigSearchState state;
  if (text.empty()) return state;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    readFields(json, state);
    state.passedOver =
        numbersOf(json.at("passed_over").get<std::vector<std::int64_t>>(), spaceSize);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("the stored state of a search over configurations cannot be read: "
                                 "{}",
                                 error.what()));
  }
  const auto isThere = [&](std::int64_t config) { return config >= 0 && config < spaceSize; };
  bool possible = std::ranges::all_of(state.plan, isThere, &PlannedConfig::config);
  for (const auto* configs : {&state.chains, &state.population, &state.parents, &state.elites})
    possible = possible && std::ranges::all_of(*configs, isThere);
  if (!possible) throwImpossible(spaceSize);
  return state;
}

} // namespace nestwright
