#include "core/target/clock_limit.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<ClockLimit, kClockLimits> kClockLimitNames{
    {"being idle", "application clocks", "power cap", "hardware slowdown", "sync boost",
     "software thermal limit", "hardware thermal limit", "power brake", "display clocks"}};

} // namespace

const char* name(ClockLimit limit) {
  return kClockLimitNames.of(limit);
}

ClockLimit clockLimitFromName(std::string_view text) {
  if (const auto limit = kClockLimitNames.find(text)) return *limit;
  throw InputError(fmt::format("\"{}\" is nothing that holds a clock down", text));
}

bool isHarmless(ClockLimit limit) {
  return limit == ClockLimit::Idle || limit == ClockLimit::ApplicationClocks ||
         limit == ClockLimit::DisplayClocks;
}

} // namespace nestwright
