#pragma once
/// \file What a number can be divided by.

#include <cstdint>
#include <vector>

namespace nestwright {

/// All divisors of a positive number, ascending. Takes the root of the number in steps.
std::vector<std::int64_t> divisors(std::int64_t number);

} // namespace nestwright
