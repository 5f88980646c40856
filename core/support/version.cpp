#include "core/support/version.h"

#include <fmt/format.h>

namespace nestwright {

const char* version() {
  return NESTWRIGHT_VERSION;
}

std::string versionText() {
  return fmt::format("Nestwright {}", version());
}

} // namespace nestwright
