#include "core/record/store/event_rows.h"

#include "core/record/format/columns.h"
#include "core/record/store/session_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr std::string_view kEvents =
    "SELECT event.id, session, at, event_kind.name, json, trials, wall_seconds FROM event INDEXED "
    "BY event_by_session JOIN event_kind ON event_kind.id = event.kind WHERE session = ? AND";

std::vector<EventRow> readEvents(Statement& rows) {
  std::vector<EventRow> events;
  while (rows.step())
    events.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.text(3),
                      readPacked(rows, 4), rows.integer(5), rows.real(6)});
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
  Statement rows = db_.prepare(fmt::format("{} event.id > ? ORDER BY event.id LIMIT ?", kEvents));
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
  Statement row = db_.prepare(
      "SELECT session, at, event_kind.name, json FROM event JOIN event_kind ON event_kind.id = "
      "event.kind WHERE event.id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  return EventRow{id, row.integer(0), row.integer(1), row.text(2), readPacked(row, 3)};
}

std::vector<EventRow> EventRows::newest(RowId session, int limit) const {
  Statement rows = db_.prepare(fmt::format("{} true ORDER BY event.id DESC LIMIT ?", kEvents));
  rows.bind(session, limit);
  std::vector<EventRow> events = readEvents(rows);
  std::reverse(events.begin(), events.end());
  return events;
}

} // namespace nestwright
