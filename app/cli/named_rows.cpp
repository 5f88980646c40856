#include "app/cli/named_rows.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"

#include <fmt/format.h>

namespace nestwright::cli {

void requireNamedRows(const std::string& database, const RecordQuery& query) {
  if (query.task == 0 && query.session == 0) return;
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  const auto require = [&](bool there, const char* what, RowId id) {
    if (!there)
      throw InputError(
          fmt::format("{}: there is no {} {} in the file; nestwright db stats {} lists "
                      "what there is",
                      database, what, id, database));
  };
  require(query.task == 0 || store.tasks().one(query.task), "task", query.task);
  require(query.session == 0 || store.sessions().one(query.session), "session", query.session);
}

} // namespace nestwright::cli
