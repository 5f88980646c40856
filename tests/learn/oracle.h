#pragma once
/// \file Numbers that the public networks gave (tests/data/learning-oracle.json), and comparing
/// with them.

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace nestwright::test {

inline nlohmann::json learningOracle() {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/learning-oracle.json");
  return nlohmann::json::parse(file);
}

/// Why the numbers are not the expected ones; empty: they agree within 1e-4 of each, or within
/// `noise`, which sums of larger numbers leave in single precision.
inline std::string difference(const std::vector<float>& given, const nlohmann::json& expected,
                              double noise = 1e-6) {
  const auto wanted = expected.get<std::vector<double>>();
  if (given.size() != wanted.size())
    return std::to_string(given.size()) + " numbers, expected " + std::to_string(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double allowed = 1e-4 * std::abs(wanted[i]) + noise;
    if (!(std::abs(static_cast<double>(given[i]) - wanted[i]) <= allowed))
      return "number " + std::to_string(i) + " is " + std::to_string(given[i]) + ", expected " +
             std::to_string(wanted[i]);
  }
  return {};
}

} // namespace nestwright::test
