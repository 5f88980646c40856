#include "core/record/rows/session_status.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<SessionStatus, 5> kStatusNames = {
    {"ready", "running", "paused", "finished", "failed"}};
constexpr NameTable<PauseCause, 7> kCauseNames = {
    {"", "asked", "closed", "trouble", "device", "in use", "policy"}};

} // namespace

const char* name(SessionStatus status) {
  return kStatusNames.of(status);
}

SessionStatus statusFromName(std::string_view text) {
  if (const auto status = kStatusNames.find(text)) return *status;
  throw InputError(fmt::format("\"{}\" is no status of a session", text));
}

const char* name(PauseCause cause) {
  return kCauseNames.of(cause);
}

PauseCause pauseCauseFromName(std::string_view text) {
  if (const auto cause = kCauseNames.find(text)) return *cause;
  throw InputError(fmt::format("\"{}\" is no cause of a pause", text));
}

} // namespace nestwright
