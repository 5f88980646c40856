#include "core/session/run/command.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <type_traits>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr std::array kOptionKeys = {"policy",     "scheduler",   "trials_per_round", "epsilon",
                                    "population", "generations", "task_epsilon"};

/// Calls `f` with each member and its key; does not compile unless there is one key a member.
template <std::size_t count, class T, class F>
void eachMember(T& value, const std::array<const char*, count>& keys, const F& f) {
  const auto all = [&](auto&... members) {
    std::size_t i = 0;
    (f(keys[i++], members), ...);
  };
  if constexpr (count == 1) {
    auto& [a] = value;
    all(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    all(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    all(a, b, c);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = value;
    all(a, b, c, d, e, g, h);
  } else {
    static_assert(count == 0 && std::is_empty_v<T>);
  }
}

template <class T>
json writeMember(const T& value) {
  return value;
}
json writeMember(TaskMode mode) {
  return name(mode);
}
json writeMember(const std::optional<SearchPhase>& phase) {
  return phase ? json(name(*phase)) : json(nullptr);
}
json writeMember(const Objective& objective) {
  return toJson(objective);
}
json writeMember(const NamedProgram& program) {
  return toJson(program);
}
json writeMember(const SearchOptions& options) {
  json j;
  eachMember(options, kOptionKeys,
             [&](const char* key, const auto& value) { j[key] = writeMember(value); });
  return j;
}

template <class T>
void readMember(const json& j, T& value) {
  j.get_to(value);
}
void readMember(const json& j, TaskMode& mode) {
  mode = taskModeFromName(j.get<std::string>());
}
void readMember(const json& j, std::optional<SearchPhase>& phase) {
  if (!j.is_null()) phase = searchPhaseFromName(j.get<std::string>());
}
void readMember(const json& j, Objective& objective) {
  objective = objectiveFromJson(j);
}
void readMember(const json& j, NamedProgram& program) {
  program = namedProgramFromJson(j);
}
void readMember(const json& j, SearchOptions& options) {
  eachMember(options, kOptionKeys,
             [&](const char* key, auto& value) { readMember(j.at(key), value); });
}

template <std::size_t index = 0>
Command readNamed(const std::string& wanted, const json& j) {
  if constexpr (index == std::variant_size_v<Command>) {
    throw InputError(
        fmt::format("unknown command \"{}\"; was the file written by a newer version?", wanted));
  } else {
    using Kind = std::variant_alternative_t<index, Command>;
    if (wanted != Kind::kForm.name) return readNamed<index + 1>(wanted, j);
    Kind command;
    eachMember(command, Kind::kForm.keys,
               [&](const char* key, auto& value) { readMember(j.at(key), value); });
    return command;
  }
}

template <std::size_t... index>
bool isAnyName(std::string_view name, std::index_sequence<index...>) {
  return ((name == std::variant_alternative_t<index, Command>::kForm.name) || ...);
}

} // namespace

const char* name(const Command& command) {
  return std::visit([](const auto& c) { return c.kForm.name; }, command);
}

const char* words(const Command& command) {
  return std::visit([](const auto& c) { return c.kForm.words; }, command);
}

json toJson(const Command& command) {
  json j{{"command", name(command)}};
  std::visit(
      [&](const auto& c) {
        eachMember(c, c.kForm.keys,
                   [&](const char* key, const auto& value) { j[key] = writeMember(value); });
      },
      command);
  return j;
}

bool isCommandName(std::string_view name) {
  return isAnyName(name, std::make_index_sequence<std::variant_size_v<Command>>());
}

Command commandFromJson(const json& j) {
  try {
    return readNamed(j.at("command").get<std::string>(), j);
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the stored command is damaged: {}", e.what()));
  }
}

} // namespace nestwright
