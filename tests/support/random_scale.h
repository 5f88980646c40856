#pragma once
/// \file How many random programs a test takes, and which: nightly runs ask for more of them, and
/// for others, through the environment.

#include <QtGlobal>

#include <cstdint>

namespace nestwright::test {

/// NESTWRIGHT_RANDOM_SEED, or the test's own.
inline std::uint64_t randomSeed(std::uint64_t own) {
  const int value = qEnvironmentVariableIntValue("NESTWRIGHT_RANDOM_SEED");
  return value > 0 ? static_cast<std::uint64_t>(value) : own;
}

/// NESTWRIGHT_RANDOM_PROGRAMS, or the test's own number.
inline int randomPrograms(int own) {
  const int value = qEnvironmentVariableIntValue("NESTWRIGHT_RANDOM_PROGRAMS");
  return value > 0 ? value : own;
}

} // namespace nestwright::test
