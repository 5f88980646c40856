#include "core/target/lowering.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr NameTable<Lowering, 3> kLowerings = {{"full", "plain", "plain-packed"}};

} // namespace

const char* name(Lowering lowering) {
  return kLowerings.of(lowering);
}

std::vector<std::string> loweringNames() {
  return {kLowerings.names.begin(), kLowerings.names.end()};
}

Lowering loweringFromName(std::string_view text) {
  if (const auto lowering = kLowerings.find(text)) return *lowering;
  throw InputError(
      fmt::format("\"{}\" is no lowering; there are {}", text, fmt::join(loweringNames(), ", ")));
}

} // namespace nestwright
