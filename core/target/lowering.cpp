#include "core/target/lowering.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<Lowering, 2> kLowerings = {{"full", "plain"}};

} // namespace

const char* name(Lowering lowering) {
  return kLowerings.of(lowering);
}

Lowering loweringFromName(std::string_view text) {
  if (const auto lowering = kLowerings.find(text)) return *lowering;
  throw InputError(fmt::format("\"{}\" is no lowering; there are full and plain", text));
}

} // namespace nestwright
