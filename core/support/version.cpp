#include "core/support/version.h"

#include <fmt/format.h>

namespace nestwright {

const char* version() {
  return NESTWRIGHT_VERSION;
}

std::string versionText() {
  const std::string commit = NESTWRIGHT_COMMIT;
  return fmt::format("Nestwright {}{}", version(), commit.empty() ? "" : " (" + commit + ")");
}

} // namespace nestwright
