#include "core/record/store/store_impl.h"

namespace nestwright {

using sqlite::Statement;

std::vector<RowId> RecordStore::eventIds(RowId session, std::string_view kind, RowId after,
                                         int limit) const {
  std::vector<RowId> ids;
  Statement rows = impl_->db.prepare(
      "SELECT id FROM event INDEXED BY event_by_session WHERE session = ? AND id > ? AND "
      "kind = (SELECT id FROM event_kind WHERE name = ?) ORDER BY id LIMIT ?");
  rows.bind(session, after, kind, limit);
  while (rows.step())
    ids.push_back(rows.integer(0));
  return ids;
}

std::optional<EventRow> RecordStore::event(RowId id) const {
  Statement row = impl_->db.prepare(
      "SELECT session, at, event_kind.name, json FROM event JOIN event_kind ON event_kind.id = "
      "event.kind WHERE event.id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  return EventRow{id, row.integer(0), row.integer(1), row.text(2), readPacked(row, 3)};
}

} // namespace nestwright
