#include "core/record/store/event_rows.h"

#include "core/record/format/columns.h"
#include "core/record/store/session_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr std::string_view kColumns =
    "SELECT event.id, session, at, event_kind.name, json, trials, wall_seconds FROM event";
constexpr std::string_view kKind = "JOIN event_kind ON event_kind.id = event.kind";

/// The events of a session that meet the condition.
std::string eventsWhere(std::string_view condition) {
  return fmt::format("{} INDEXED BY event_by_session {} WHERE session = ? AND {}", kColumns, kKind,
                     condition);
}

EventRow readEvent(const Statement& row) {
  return {row.integer(0),     row.integer(1), row.integer(2), row.text(3),
          readPacked(row, 4), row.integer(5), row.real(6)};
}

std::vector<EventRow> readEvents(Statement& rows) {
  std::vector<EventRow> events;
  while (rows.step())
    events.push_back(readEvent(rows));
  return events;
}

} // namespace

RowId EventRows::add(const EventRow& event) {
  RowId id = 0;
  db_.transaction([&] {
    requireSession(db_, event.session);
    db_.prepare("INSERT INTO event_kind (name) VALUES (?) ON CONFLICT DO NOTHING")
        .bind(event.kind)
        .run();
    Statement insert =
        db_.prepare("INSERT INTO event (session, at, kind, trials, wall_seconds, json) "
                    "VALUES (?, ?, (SELECT id FROM event_kind WHERE name = ?), ?, ?, ?)");
    insert.bind(event.session, event.at, event.kind, event.trials, event.wallSeconds);
    bindPacked(insert, 6, event.json);
    insert.run();
    id = db_.lastInsertId();
  });
  return id;
}

std::vector<EventRow> EventRows::of(RowId session, RowId after, int limit) const {
  Statement rows = db_.prepare(eventsWhere("event.id > ? ORDER BY event.id LIMIT ?"));
  rows.bind(session, after, limit);
  return readEvents(rows);
}

std::vector<RowId> EventRows::ids(RowId session, std::string_view kind, RowId after,
                                  int limit) const {
  std::vector<RowId> ids;
  Statement rows = db_.prepare(
      "SELECT id FROM event INDEXED BY event_by_session WHERE session = ? AND id > ? AND "
      "kind = (SELECT id FROM event_kind WHERE name = ?) ORDER BY id LIMIT ?");
  rows.bind(session, after, kind, limit);
  while (rows.step())
    ids.push_back(rows.integer(0));
  return ids;
}

std::optional<EventRow> EventRows::one(RowId id) const {
  Statement row = db_.prepare(fmt::format("{} {} WHERE event.id = ?", kColumns, kKind));
  if (!row.bind(id).step()) return std::nullopt;
  return readEvent(row);
}

std::vector<EventRow> EventRows::newest(RowId session, int limit) const {
  Statement rows = db_.prepare(eventsWhere("true ORDER BY event.id DESC LIMIT ?"));
  rows.bind(session, limit);
  std::vector<EventRow> events = readEvents(rows);
  std::reverse(events.begin(), events.end());
  return events;
}

} // namespace nestwright
