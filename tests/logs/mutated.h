#pragma once
/// \file Lines of logs that something has gone wrong with.

#include "core/support/random.h"

#include <string>
#include <string_view>

namespace nestwright {

/// The line with some bytes changed, lost, doubled or moved.
inline std::string mutated(std::string text, Random& random) {
  const std::uint64_t changes = 1 + random.below(3);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    switch (random.below(6)) {
    case 0:
      text[at] = char(random.below(256));
      break;
    case 1:
      text.erase(at, 1 + random.below(20));
      break;
    case 2:
      text.insert(at, text.substr(random.below(text.size()), random.below(40)));
      break;
    case 3:
      text.resize(at);
      break;
    case 4: { // a digit for a digit often leaves a good line
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text[digit] = char('0' + random.below(10));
      break;
    }
    default:
      text.insert(at, 1, random.pick(std::string_view("[]{},:\"-0e.\\n")));
    }
  }
  std::erase(text, '\n');
  return text;
}

} // namespace nestwright
