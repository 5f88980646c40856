#pragma once
/// \file Values of a stored state (ui/kit/view_state.h), which may be missing or of another kind:
/// the file may be of another version, or edited by hand.

#include <nlohmann/json.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace nestwright::ui {

/// Whether the value can be read as a T without a change of meaning: 1 is no bool, 1.5 no int.
template <class T>
bool isStored(const nlohmann::json& value) {
  if constexpr (std::same_as<T, bool>)
    return value.is_boolean();
  else if constexpr (std::integral<T>)
    return value.is_number_integer();
  else if constexpr (std::floating_point<T>)
    return value.is_number();
  else
    return value.is_string();
}

/// What the object has at the key, if it is a T; `otherwise` if not.
template <class T>
T storedValue(const nlohmann::json& state, const char* key, T otherwise) {
  const auto found = state.find(key);
  return found != state.end() && isStored<T>(*found) ? found->get<T>() : otherwise;
}

/// Those of the array at the key that are Ts; none where there is no array.
template <class T>
std::vector<T> storedValues(const nlohmann::json& state, const char* key) {
  std::vector<T> values;
  if (const auto found = state.find(key); found != state.end() && found->is_array())
    for (const nlohmann::json& value : *found)
      if (isStored<T>(value)) values.push_back(value.get<T>());
  return values;
}

/// A text, empty where there is none.
inline std::string storedText(const nlohmann::json& state, const char* key) {
  return storedValue(state, key, std::string());
}

} // namespace nestwright::ui
