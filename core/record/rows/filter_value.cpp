#include "core/record/rows/filter_value.h"

#include "core/record/sql/regular_expression.h"
#include "core/support/infinity.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

struct Unit {
  std::string_view symbol;
  double seconds;   // that one of it has, when it is a second or more
  double perSecond; // otherwise; kept apart because 1e-3 is no binary fraction and 1e3 is
};
constexpr Unit kUnits[] = {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"µs", 1, 1e6}, {"ms", 1, 1e3},
                           {"s", 1, 1},    {"min", 60, 1}, {"h", 3600, 1}, {"d", 86400, 1}};

[[noreturn]] void refuse(const FilterFieldInfo& field, std::string_view text,
                         std::string_view wanted) {
  throw InputError(fmt::format("\"{}\" is no {} for \"{}\"; write for example {}", text, wanted,
                               field.name, field.example));
}

double toNumber(const FilterFieldInfo& field, std::string_view text) {
  const bool time = field.kind == FilterKind::Time;
  const char* const wanted = time ? "time" : "number";
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || stop == text.data())
    refuse(field, text, wanted);
  if (number == 0) number = 0; // there is one zero
  const std::string_view unit(stop, std::size_t(end - stop));
  if (!time) {
    if (!unit.empty()) refuse(field, text, wanted);
    constexpr double kMostWhole = 9'007'199'254'740'992; // beyond, whole numbers are not exact
    if (std::abs(number) > kMostWhole)
      throw InputError(
          fmt::format("\"{}\" is beyond every {} that there can be", text, field.name));
    return number;
  }
  if (number < 0) refuse(field, text, wanted);
  if (unit.empty() && number == 0) return 0;
  if (unit.empty())
    throw InputError(
        fmt::format("\"{}\" lacks its unit; write {}ms, {}us or {}s", text, text, text, text));
  for (const Unit& known : kUnits)
    if (unit == known.symbol) {
      const double seconds = number * known.seconds / known.perSecond;
      if (!std::isfinite(seconds)) refuse(field, text, wanted);
      return seconds;
    }
  throw InputError(
      fmt::format("\"{}\" is no unit of time; there are ns, us, ms, s, min, h and d", unit));
}

FilterValue toRange(const FilterFieldInfo& field, std::string_view text) {
  FilterValue value;
  const auto rest = [&](std::size_t from) { return toNumber(field, text.substr(from)); };
  if (text.starts_with("<=")) {
    value.high = rest(2);
  } else if (text.starts_with(">=")) {
    value.low = rest(2);
  } else if (text.starts_with('<')) {
    value.high = rest(1);
    value.highOpen = true;
  } else if (text.starts_with('>')) {
    value.low = rest(1);
    value.lowOpen = true;
  } else if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    if (text.size() == 2) refuse(field, text, "range");
    if (dots > 0) value.low = toNumber(field, text.substr(0, dots));
    if (dots + 2 < text.size()) value.high = rest(dots + 2);
    if (value.low > value.high)
      throw InputError(fmt::format("the range \"{}\" ends before it begins; write the smaller "
                                   "number first",
                                   text));
  } else {
    value.low = value.high = rest(text.starts_with('=') ? 1 : 0);
  }
  return value;
}

/// The word of the list that the text stands for: "Run Error", "run_error" and "run-error" are one.
FilterValue toWord(const FilterFieldInfo& field, std::string_view text) {
  std::string word = lowerCase(text);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  std::string all;
  for (const std::string_view known : field.words) {
    if (word == known) return {.text = word};
    all += all.empty() ? "" : ", ";
    all += known;
  }
  throw InputError(
      fmt::format("\"{}\" is nothing that \"{}\" knows; it can be {}", text, field.name, all));
}

/// Whether it can only be meant as a number: "3", ">2", "1..5".
bool looksNumeric(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.<>=-+eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

/// The shortest text of seconds with a unit that says exactly this number.
std::string timeText(double seconds) {
  if (seconds == 0) return "0";
  const double magnitude = std::abs(seconds);
  const auto exact = [&](const Unit& unit) -> std::optional<std::string> {
    const double scaled = seconds / unit.seconds * unit.perSecond;
    // Rounding may have gone into the last digit, which 15 digits leave out.
    for (const std::string& number : {fmt::format("{:.15g}", scaled), fmt::format("{}", scaled)}) {
      double back = 0;
      std::from_chars(number.data(), number.data() + number.size(), back);
      if (back * unit.seconds / unit.perSecond == seconds) return number + std::string(unit.symbol);
    }
    return std::nullopt;
  };
  for (auto unit = std::rbegin(kUnits); unit != std::rend(kUnits); ++unit) // "10min", not "600s"
    if (unit->seconds > 1 && magnitude >= unit->seconds &&
        std::fmod(magnitude, unit->seconds) == 0 && magnitude < 1000 * unit->seconds)
      if (auto text = exact(*unit)) return *text;
  for (const std::string_view symbol : {magnitude >= 1      ? "s"
                                        : magnitude >= 1e-3 ? "ms"
                                        : magnitude >= 1e-6 ? "us"
                                                            : "ns",
                                        "s"})
    for (const Unit& unit : kUnits)
      if (unit.symbol == symbol)
        if (auto text = exact(unit)) return *text;
  return fmt::format("{}s", seconds);
}

std::string numberText(const FilterFieldInfo& field, double number) {
  return field.kind == FilterKind::Time ? timeText(number) : fmt::format("{}", number);
}

/// A value must be quoted when bare it would end early or mean something else.
bool needsQuotes(const FilterFieldInfo& field, std::string_view text) {
  return text.find_first_of(" \t\r\n\v\f,\"\\") != std::string_view::npos ||
         text.starts_with('<') || text.starts_with('>') ||
         (field.kind == FilterKind::PatternOrNumber && looksNumeric(text));
}

/// As in a sentence: "1 ms", "3".
std::string numberWords(const FilterFieldInfo& field, double number) {
  std::string text = numberText(field, number);
  if (field.kind != FilterKind::Time) return text;
  const std::size_t letters = text.find_first_not_of("0123456789.-+e");
  if (letters == std::string::npos) return text;
  text.insert(letters, " ");
  return text;
}

} // namespace

FilterValue parseFilterValue(const FilterFieldInfo& field, std::string_view text, bool quoted) {
  switch (field.kind) {
  case FilterKind::Number:
  case FilterKind::Time:
    return toRange(field, text);
  case FilterKind::Word:
    return toWord(field, text);
  case FilterKind::PatternOrNumber:
    if (!quoted && looksNumeric(text)) return toRange(field, text);
    break;
  case FilterKind::Prefix: {
    std::string hash = lowerCase(text);
    if (hash.find_first_not_of("0123456789abcdef") != std::string::npos || hash.size() > 64)
      refuse(field, text, "beginning of a hash");
    return {.text = std::move(hash)};
  }
  case FilterKind::Pattern:
    break;
  }
  if (isRegularExpression(text)) checkRegularExpression(text);
  return {.text = std::string(text)};
}

std::string printFilterValue(const FilterFieldInfo& field, const FilterValue& value) {
  if (!value.isNumber()) {
    if (!needsQuotes(field, value.text)) return value.text;
    std::string quoted = "\"";
    for (const char c : value.text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + '"';
  }
  if (value.low == value.high) return numberText(field, value.low);
  if (value.low == -kInfinity) return (value.highOpen ? "<" : "<=") + numberText(field, value.high);
  if (value.high == kInfinity) return (value.lowOpen ? ">" : ">=") + numberText(field, value.low);
  return numberText(field, value.low) + ".." + numberText(field, value.high);
}

std::string inWords(const FilterFieldInfo& field, const FilterValue& value) {
  if (!value.isNumber())
    return value.text.size() > 1 && value.text.starts_with('=') ? value.text.substr(1) : value.text;
  if (value.low == value.high) return numberWords(field, value.low);
  if (value.low == -kInfinity)
    return (value.highOpen ? "below " : "at most ") + numberWords(field, value.high);
  if (value.high == kInfinity)
    return (value.lowOpen ? "above " : "at least ") + numberWords(field, value.low);
  return numberWords(field, value.low) + " to " + numberWords(field, value.high);
}

} // namespace nestwright
