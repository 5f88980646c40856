#include "core/record/store/program_function.h"

#include "core/record/select/filter_sql.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

#include <sqlite3.h>

#include <optional>
#include <string>

namespace nestwright {

namespace {

struct OwnStore {
  std::string path;
  std::optional<RecordStore> store;
};

/// Errors must not be thrown through SQLite.
void tellProgram(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  auto& own = *static_cast<OwnStore*>(sqlite3_user_data(context));
  try {
    if (!own.store) own.store = RecordStore::open(own.path, OpenMode::ReadOnly);
    const auto record = own.store->records().one(sqlite3_value_int64(values[0]));
    const std::string text = record ? record->program : "";
    sqlite3_result_text(context, text.data(), int(text.size()), SQLITE_TRANSIENT);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

} // namespace

void addImportedProgram(sqlite::Database& db) {
  sqlite3_create_function_v2(db.handle(), kImportedProgram, 3,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                             new OwnStore{db.path(), {}}, tellProgram, nullptr, nullptr,
                             [](void* own) { delete static_cast<OwnStore*>(own); });
}

} // namespace nestwright
