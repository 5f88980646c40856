#include "core/record/store/target_rows.h"

#include "core/record/format/row_layout.h"

namespace nestwright {

namespace {

constexpr auto kTargets =
    layoutOf<TargetRow>("target", Column{"id", &TargetRow::id}, Column{"key", &TargetRow::key},
                        Column{"text", &TargetRow::text}, Column{"facts", &TargetRow::facts});

} // namespace

RowId TargetRows::add(const TargetRow& row) {
  RowId id = 0;
  db_.transaction([&] {
    const auto same = kTargets.one(db_, "WHERE key = ?", row.key);
    id = same ? same->id : kTargets.insert(db_, row);
  });
  return id;
}

std::vector<TargetRow> TargetRows::all() const {
  return kTargets.all(db_, "ORDER BY id");
}

} // namespace nestwright
