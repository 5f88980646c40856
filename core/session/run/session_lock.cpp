#include "core/session/run/session_lock.h"

#include "core/record/sql/file_holders.h"
#include "core/support/name_table.h"

#include <fmt/format.h>

#include <filesystem>

namespace nestwright {

namespace {

constexpr NameTable<SessionLock::What, 3> kLockNames = {{"session", "recombination", "import"}};

/// "session 3", or "import": there is one at a time of a file.
std::string nameOf(SessionLock::What what, RowId id) {
  const char* name = kLockNames.of(what);
  return id == 0 ? std::string(name) : fmt::format("{} {}", name, id);
}

/// What the lock keeps others from, who is told.
std::string refusal(SessionLock::What what, RowId id, const std::string& databasePath,
                    const std::string& holder) {
  if (what == SessionLock::What::Import)
    return fmt::format("logs are being imported into {} by {}; wait until that has ended, or stop "
                       "it, and start again",
                       databasePath, holder);
  return fmt::format("{} of {} is in use by {}; let it end or close it, then start again",
                     nameOf(what, id), databasePath, holder);
}

std::string lockPath(const std::string& databasePath, RowId id, SessionLock::What what) {
  // By its real name: a link to the file leads to the same session.
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(databasePath, unknown);
  return fmt::format("{}-{}{}.lock", unknown ? databasePath : real.string(), kLockNames.of(what),
                     id == 0 ? std::string() : std::to_string(id));
}

/// What a lock tells of the one that has it.
LockHolder holderOf(const std::string& text) {
  if (thisProcessText().starts_with(text)) return {true, "this program"};
  return {false, text};
}

std::optional<LockHolder> holderOf(const std::string& databasePath, RowId id,
                                   SessionLock::What what) {
  const std::optional<std::string> text = lockHolder(lockPath(databasePath, id, what));
  return text ? std::optional(holderOf(*text)) : std::nullopt;
}

} // namespace

SessionLock::SessionLock(const std::string& databasePath, RowId id, What what) try
    : lock_(lockPath(databasePath, id, what), thisProcessText()) {
} catch (const LockTaken& taken) {
  throw SessionInUse(refusal(what, id, databasePath, holderOf(taken.holder()).text));
}

std::optional<LockHolder> sessionHolder(const std::string& databasePath, RowId session) {
  return holderOf(databasePath, session, SessionLock::What::Session);
}

std::optional<LockHolder> importHolder(const std::string& databasePath) {
  return holderOf(databasePath, 0, SessionLock::What::Import);
}

} // namespace nestwright
