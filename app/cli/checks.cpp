#include "app/cli/checks.h"

#include "core/result/verdict.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace nestwright::cli {

namespace {

/// A check of a number; what is none is told by the conversion to the option's type.
template <class Refusal>
CLI::Validator numberCheck(std::string name, Refusal refusal) {
  return CLI::Validator(
      [refusal = std::move(refusal)](std::string& text) -> std::string {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || *end != '\0') return {};
        if (!std::isfinite(number)) return fmt::format("{} is no number to reckon with", text);
        return refusal(text, number);
      },
      std::move(name));
}

} // namespace

CLI::Validator notNegative() {
  return numberCheck("NONNEGATIVE", [](const std::string& text, double number) {
    return number < 0 ? fmt::format("{} is below 0", text) : std::string();
  });
}

CLI::Validator positive() {
  return numberCheck("POSITIVE", [](const std::string& text, double number) {
    return number <= 0 ? fmt::format("{} is not above 0", text) : std::string();
  });
}

CLI::Validator between(double low, double high) {
  return numberCheck(fmt::format("{} to {}", low, high), [low, high](const std::string& text,
                                                                     double number) {
    return number < low || number > high ? fmt::format("{} is not from {} to {}", text, low, high)
                                         : std::string();
  });
}

CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        const std::size_t last = words.size() - 1;
        return fmt::format("\"{}\" is nothing that can be chosen; there {} {}{}{}", text,
                           last == 0 ? "is" : "are",
                           fmt::join(words.begin(), words.begin() + std::ptrdiff_t(last), "; "),
                           last > 0 ? " and " : "", words[last]);
      },
      "");
}

std::string verdictProblem(const std::string& name) {
  try {
    verdictFromName(name);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

} // namespace nestwright::cli
