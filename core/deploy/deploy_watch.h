#pragma once
/// \file How far the making of a library is, told to whoever waits for it and may end it.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace nestwright {

enum class DeployStage : std::uint8_t {
  Plan,      // records are looked up
  Compile,   // kernels, one after the other
  Constants, // are packed and written
  Link,      // the system's compiler links and packs
};

struct DeployProgress {
  DeployStage stage = DeployStage::Plan;
  std::size_t begun = 0, all = 0; // kernels, while they are compiled
};

/// Hears it on any thread. What it throws ends the work, and nothing is left of that.
using DeployWatch = std::function<void(const DeployProgress&)>;

inline void tell(const DeployWatch& watch, const DeployProgress& progress) {
  if (watch) watch(progress);
}

} // namespace nestwright
