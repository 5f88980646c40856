#include "core/network/graph/spec.h"

#include "core/support/error.h"

#include <charconv>

namespace nestwright {

namespace {

std::vector<std::string_view> splitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

std::int64_t parseValue(std::string_view value, std::string_view key, std::string_view whole) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    throw InputError(
        fmt::format("'{}': the value '{}' of '{}' is no whole number", whole, value, key));
  return number;
}

} // namespace

Spec parseSpec(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Spec spec;
  if (colon == std::string_view::npos || text.find('=', colon) == std::string_view::npos) {
    if (text.ends_with(':'))
      text.remove_suffix(1);
    else if (colon != std::string_view::npos && text.find_first_of("/\\", colon) == text.npos)
      throw InputError(
          fmt::format("'{}': after ':' parameters are expected, like 'batch=1,image=224'", text));
    spec.name = text;
  } else {
    spec.name = text.substr(0, colon);
    for (std::string_view item : splitAt(text.substr(colon + 1), ',')) {
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos || equals == 0)
        throw InputError(fmt::format("'{}': '{}' is no 'name=value'", text, item));
      const std::string key(item.substr(0, equals));
      if (!spec.parameters.emplace(key, parseValue(item.substr(equals + 1), key, text)).second)
        throw InputError(fmt::format("'{}': the parameter '{}' is given twice", text, key));
    }
  }
  if (spec.name.empty()) throw InputError(fmt::format("'{}': the name is missing", text));
  return spec;
}

std::map<std::string, std::int64_t> resolveParameters(const Spec& spec,
                                                      const std::vector<ParameterInfo>& known) {
  std::map<std::string, std::int64_t> values;
  for (const ParameterInfo& parameter : known)
    values[parameter.name] = parameter.byDefault;
  for (const auto& [key, value] : spec.parameters) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&key = key](const ParameterInfo& p) { return p.name == key; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& parameter : known)
        names.push_back(parameter.name);
      throw InputError(fmt::format("'{}' has no parameter '{}'; it has: {}", spec.name, key,
                                   fmt::join(names, ", ")));
    }
    if (value < found->lowest || value > found->highest)
      throw InputError(fmt::format("'{}': {}={} is out of range; it must be from {} to {}",
                                   spec.name, key, value, found->lowest, found->highest));
    values[key] = value;
  }
  return values;
}

std::string specText(const std::string& name, const std::vector<ParameterInfo>& known,
                     const std::map<std::string, std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const ParameterInfo& parameter : known)
    if (const std::int64_t value = values.at(parameter.name);
        !parameter.quiet || value != parameter.byDefault)
      parts.push_back(fmt::format("{}={}", parameter.name, value));
  return parts.empty() ? name : fmt::format("{}:{}", name, fmt::join(parts, ","));
}

} // namespace nestwright
