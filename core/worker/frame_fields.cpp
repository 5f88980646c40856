#include "core/worker/frame_fields.h"

#include <cmath>

namespace nestwright {

using nlohmann::json;

namespace {

/// What stands in the field, short enough for a sentence.
std::string shown(const json& value) {
  constexpr std::size_t kShown = 40;
  if (value.is_structured())
    return fmt::format("{} with {} entries", value.type_name(), value.size());
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= kShown ? text : std::string(value.type_name());
}

[[noreturn]] void throwNot(const char* name, const std::string& wanted, const json& value) {
  throw BadFrame(fmt::format("\"{}\" must be {}, not {}", name, wanted, shown(value)));
}

} // namespace

const json& fieldOf(const json& object, const char* name) {
  if (!object.is_object()) throw BadFrame(fmt::format("\"{}\" is missing", name));
  const auto found = object.find(name);
  if (found == object.end()) throw BadFrame(fmt::format("\"{}\" is missing", name));
  return *found;
}

std::string textField(const json& object, const char* name) {
  const json& value = fieldOf(object, name);
  if (!value.is_string()) throwNot(name, "a text", value);
  return value.get<std::string>();
}

bool flagField(const json& object, const char* name) {
  const json& value = fieldOf(object, name);
  if (!value.is_boolean()) throwNot(name, "true or false", value);
  return value.get<bool>();
}

std::int64_t wholeField(const json& object, const char* name, std::int64_t least,
                        std::int64_t most) {
  return wholeValue(fieldOf(object, name), name, least, most);
}

std::int64_t wholeValue(const json& value, const char* name, std::int64_t least,
                        std::int64_t most) {
  const auto throwRange = [&] {
    throwNot(name, fmt::format("a whole number from {} to {}", least, most), value);
  };
  if (!value.is_number_integer()) throwRange();
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) throwRange();
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) throwRange();
  return number;
}

int intField(const json& object, const char* name, int least) {
  return static_cast<int>(wholeField(object, name, least, std::numeric_limits<int>::max()));
}

double finiteField(const json& object, const char* name) {
  const json& value = fieldOf(object, name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) throwNot(name, "a number", value);
  return value.get<double>();
}

double amountField(const json& object, const char* name) {
  const json& value = fieldOf(object, name);
  const double number = value.is_number() ? value.get<double>() : -1;
  if (!std::isfinite(number) || number < 0) throwNot(name, "a number that is not negative", value);
  return number;
}

const json& listField(const json& object, const char* name) {
  const json& value = fieldOf(object, name);
  if (!value.is_array()) throwNot(name, "a list", value);
  return value;
}

std::vector<double> timesIn(const json& list, const char* name, std::size_t least,
                            std::size_t most) {
  if (!list.is_array() || list.size() < least || list.size() > most)
    throwNot(name, fmt::format("{} to {} times", least, most), list);
  std::vector<double> times;
  times.reserve(list.size());
  for (const json& value : list) {
    const double seconds = value.is_number() ? value.get<double>() : 0;
    if (!std::isfinite(seconds) || !(seconds > 0))
      throw BadFrame(
          fmt::format("\"{}\" contains {}, which cannot be a time in seconds", name, shown(value)));
    times.push_back(seconds);
  }
  return times;
}

std::vector<double> timesField(const json& object, const char* name, std::size_t least,
                               std::size_t most) {
  return timesIn(fieldOf(object, name), name, least, most);
}

} // namespace nestwright
