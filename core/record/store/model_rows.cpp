#include "core/record/store/model_rows.h"

#include "core/record/sql/sqlite.h"
#include "core/support/hash.h"

namespace nestwright {

using sqlite::Statement;

void ModelRows::save(RowId session, std::string_view name, std::string_view bytes) {
  db_.transaction([&] {
    Statement save = db_.prepare("INSERT OR REPLACE INTO model (session, name, bytes, hash) "
                                 "VALUES (?, ?, ?, ?)");
    save.bindAt(1, session);
    save.bindAt(2, name);
    save.bindBlob(3, bytes);
    save.bindAt(4, hashHex(bytes)).run();
  });
}

void ModelRows::drop(RowId session) {
  db_.transaction([&] { db_.prepare("DELETE FROM model WHERE session = ?").bind(session).run(); });
}

std::optional<std::string> ModelRows::of(RowId session, std::string_view name) const {
  Statement find = db_.prepare("SELECT bytes FROM model WHERE session = ? AND name = ?");
  find.bindAt(1, session);
  find.bindAt(2, name);
  if (!find.step()) return std::nullopt;
  return find.text(0);
}

} // namespace nestwright
