#include "core/session/run/no_import.h"

#include "core/record/sql/file_trouble.h"
#include "core/session/run/session_lock.h"

#include <fmt/format.h>

namespace nestwright {

void requireNoImport(const std::string& databasePath) {
  if (const std::optional<LockHolder> holder = importHolder(databasePath))
    throw FileTrouble(fmt::format("records are being imported into {} by {}, and kernels that "
                                  "are timed beside that would seem slow",
                                  databasePath, holder->text));
}

} // namespace nestwright
