#include "core/record/store/mark_rows.h"

#include "core/record/format/row_layout.h"
#include "core/record/store/session_rows.h"

namespace nestwright {

namespace {

constexpr auto kMarks =
    layoutOf<MarkRow>("mark", Column{"id", &MarkRow::id}, Column{"session", &MarkRow::session},
                      Column{"wall_seconds", &MarkRow::wallSeconds},
                      Column{"trials", &MarkRow::trials}, Column{"sentence", &MarkRow::sentence});

} // namespace

RowId MarkRows::save(const MarkRow& mark) {
  RowId id = mark.id;
  db_.transaction([&] {
    requireSession(db_, mark.session);
    if (id == 0)
      id = kMarks.insert(db_, mark);
    else
      kMarks.update(db_, mark);
  });
  return id;
}

void MarkRows::remove(RowId mark) {
  db_.transaction([&] { db_.prepare("DELETE FROM mark WHERE id = ?").bind(mark).run(); });
}

std::vector<MarkRow> MarkRows::of(RowId session) const {
  return kMarks.all(db_, "WHERE session = ? ORDER BY wall_seconds, id", session);
}

} // namespace nestwright
