#pragma once
/// \file The order in which Python 3 goes through a set of numbers. AutoTVM numbers the values of
/// some knobs by it, so that whoever reads its logs needs it, too.

#include <cstdint>
#include <vector>

namespace nestwright {

/// The numbers of two lists, each once, as CPython (3.6 to 3.12) lists `set(a) | set(b)`. They are
/// not negative.
std::vector<std::int64_t> unionInPythonsOrder(const std::vector<std::int64_t>& a,
                                              const std::vector<std::int64_t>& b);

} // namespace nestwright
