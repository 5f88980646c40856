#include "core/session/schedule/alternatives.h"

#include "core/support/error.h"

#include <cmath>

namespace nestwright {

std::vector<bool> countedTasks(std::span<const std::size_t> definitions,
                               std::span<const double> seconds) {
  NW_ASSERT(definitions.size() == seconds.size(), "{} definitions for {} times", definitions.size(),
            seconds.size());
  std::vector<std::size_t> fastest(definitions.begin(), definitions.end());
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    std::size_t& best = fastest[definitions[i]];
    if (std::isfinite(seconds[i]) && !(seconds[best] <= seconds[i])) best = i;
  }
  std::vector<bool> counted(definitions.size());
  for (std::size_t i = 0; i < definitions.size(); ++i)
    counted[i] = fastest[definitions[i]] == i;
  return counted;
}

} // namespace nestwright
